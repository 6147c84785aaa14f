// Commands of models and hardware: params, import, list, show.
#include "command.hpp"
#include "reckon/spec/assume.hpp"

namespace reckon::cli {

void add_model_commands(std::vector<Command>& all, Values& v) {
  all.push_back(
      {"params",
       kModels,
       "MODEL",
       "parameters by part, FLOPs of a token, KV cache",
       {"reckon params llama-3-8b", "reckon params deepseek-v3 --batch 32 --sequence 32Ki",
        "reckon params gpt-oss-20b --dtype bf16,fp8-e4m3,mxfp4 --windows full",
        "reckon params llama-3-8b --batch 8 --explain --metric kv.batch",
        "reckon params deepseek-v3 --stored --published 684531386000"},
       [&v](Declare& d) {
         d.positional("MODEL", v.params.model, "a model: `reckon list models`, or a path")
             .required();
         d.word("--assume", v.params.assume, "FAMILY",
                "for a config.json of an unknown architecture: whose facts to take");
         d.word("--sequence", v.params.sequence, "TOKENS", "length for attention FLOPs and cache");
         d.word("--batch", v.params.batch, "N",
                "sequences of a decode step and of the batch's cache");
         d.word("--dtype", v.params.format, "FORMATS", "of weights and cache; several with commas");
         d.word("--state", v.params.state, "FORMAT", "of recurrent states");
         d.word("--windows", v.params.windows, "exact|full",
                "cache of layers with a window: up to it, or every token")
             .one_of(CachedWindows{});
         d.flag("--explain", v.params.explain,
                "derive the parameters and the batch's cache, or what --metric names");
         d.repeated("--metric", v.params.metrics, "ID",
                    "what --explain derives: an id, a pattern such as kv.*, or all");
         d.small_number("--depth", v.params.depth, "levels of a derivation");
         d.flag("--stored", v.params.stored, "what the model's files hold, term by term");
         d.word("--published", v.params.published, "N",
                "a published total: which terms it contains (exit status 0, 4, 1)");
       },
       [&v](Session& s, const Shared& g) { return params(s, g, v.params); }});
  all.push_back(
      {"import",
       kModels,
       "CONFIG",
       "a Hugging Face config.json as a model, with what says each figure",
       {"reckon import Llama-3.3-70B/config.json -o models/llama-3.3-70b.yaml",
        "reckon import config.json --explain", "reckon import config.json --assume llama"},
       [&v](Declare& d) {
         ImportOptions& o = v.import_config;
         d.positional("CONFIG", o.config, "a config.json").required();
         d.word("-o,--output", o.output, "FILE", "write the model there instead of stdout");
         d.flag("--explain", o.explain,
                "each field with what says so: stated, class default, derived, assumed");
         d.word("--assume", o.request.assume, "FAMILY",
                "for an unknown architecture: whose facts to take (`reckon list architectures`)");
         d.word("--name", o.request.name, "NAME", "as people call it");
         d.word("--source", o.request.source, "TEXT", "where the config is from");
         d.word("--published", o.request.published, "N",
                "a count that a source prints: what the files hold is set so that it is met");
         d.word("--active", o.request.active, "N", "active parameters that it prints");
         d.word("--count-source", o.request.count_source, "TEXT", "where they are printed");
       },
       [&v](Session& s, const Shared& g) { return import_config(s, g, v.import_config); }});
  all.push_back({"list",
                 kModels,
                 "[WHAT] [NAME]",
                 "chips, nodes, models, optimizers, … there are",
                 {"reckon list hardware", "reckon list models llama"},
                 [&v](Declare& d) {
                   d.positional("WHAT", v.list.what,
                                "hardware, chips, nodes, fabrics, clusters, kernels, nccl, stacks, "
                                "engines, models, architectures, precision, optimizers, formats, "
                                "presets, laws")
                       .one_of(words_of_list());
                   d.positional("NAME", v.list.name,
                                "only those whose id or name has it: llama, or 'qwen3-*'");
                 },
                 [&v](Session& s, const Shared& g) { return list(s, g, v.list); }});
  all.push_back({"show",
                 kModels,
                 "NAME",
                 "the file behind a name",
                 {"reckon show h100-sxm", "reckon show textbook"},
                 [&v](Declare& d) {
                   d.positional("NAME", v.show.name, "an id that `reckon list` prints").required();
                   d.flag("--path", v.show.path, "print the file's path alone");
                 },
                 [&v](Session& s, const Shared& g) { return show(s, g, v.show); },
                 true});
}

}  // namespace reckon::cli
