// reckon schema [KIND]: what a kind of file may say, as JSON Schema for editors or as tables for people.
#include "reckon/doc/schema.hpp"

#include <fmt/format.h>

#include <functional>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/doc/reference.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/spec/architecture.hpp"
#include "reckon/spec/bench.hpp"
#include "reckon/spec/budgets.hpp"
#include "reckon/spec/kernels.hpp"
#include "reckon/spec/measured_run.hpp"
#include "reckon/spec/measurements.hpp"
#include "reckon/spec/nccl.hpp"
#include "reckon/spec/number_format.hpp"
#include "reckon/spec/run_budgets.hpp"
#include "reckon/spec/serving_engine.hpp"
#include "reckon/spec/space.hpp"
#include "reckon/spec/stack_constants.hpp"
#include "reckon/spec/training.hpp"

namespace reckon::cli {
namespace {

struct Kind {
  std::string word, folder, what;
  std::function<Description()> description;
};

std::vector<Kind> make_kinds() {
  std::vector<Kind> all{
      {"training", "plans/", "A training plan.", [] { return describe<TrainingPlan<double>>(); }},
      {"space", "plans/spaces/", "A space of training plans to be searched.",
       [] { return describe<Space<double>>(); }},
      {"model", "models/", "A model.", [] { return describe<Model<double>>(); }},
      {"architecture", "models/architectures/",
       "What no config.json states: how an architecture spells its dimensions.",
       [] { return describe<Architecture>(); }},
      {"import", "presets/import.yaml", "What holds for a config.json of every architecture.",
       [] { return describe<ImportRules>(); }},
      {"quantization", "presets/quantization.yaml", "What the quantization of a config.json means.",
       [] { return describe<QuantizationRules>(); }},
      {"chip", "hardware/chips/", "What one GPU can do.", [] { return describe<Chip<double>>(); }},
      {"node", "hardware/nodes/", "GPUs that share a scale-up link, and their network ports.",
       [] { return describe<Node<double>>(); }},
      {"fabric", "hardware/fabrics/", "What one network port carries.",
       [] { return describe<Fabric<double>>(); }},
      {"cluster", "hardware/clusters/", "So many nodes.",
       [] { return describe<Cluster<double>>(); }},
      {"kernels", "hardware/kernels/", "What the kernels of one chip reach.",
       [] { return describe<Kernels<double>>(); }},
      {"nccl", "hardware/nccl/", "NCCL's own tuning model.",
       [] { return describe<Nccl<double>>(); }},
      {"measurements", "measurements/", "Measured times of kernels and collectives.",
       [] { return describe<Measurements<double>>(); }},
      {"bench", "anywhere", "What reckon-bench measured on one machine (JSON).",
       [] { return describe<Bench<double>>(); }},
      {"budgets", "measurements/", "Errors that predictions are held to.",
       [] { return describe<Budgets<double>>(); }},
      {"measured", "plans/measured/", "What a plan's run measured, beside metrics of the plan.",
       [] { return describe<MeasuredFacts>(); }},
      {"run-budgets", "plans/measured/budgets.yaml", "Errors that predicted runs are held to.",
       [] { return describe<RunBudgets<double>>(); }},
      {"stack-constants", "plans/measured/constants.yaml",
       "Constants of a stack that can be fitted on runs.",
       [] { return describe<StackConstants<double>>(); }},
      {"format", "formats/", "How a number is stored.",
       [] { return describe<NumberFormat<double>>(); }},
      {"precision", "formats/recipes/", "Which format for what.",
       [] { return describe<Precision<double>>(); }},
      {"optimizer", "optimizers/", "States per parameter.",
       [] { return describe<Optimizer<double>>(); }},
      {"stack", "hardware/stacks/", "How well software runs a chip.",
       [] { return describe<Stack<double>>(); }},
      {"engine", "hardware/engines/", "What a serving engine makes of a chip's kernels.",
       [] { return describe<ServingEngine<double>>(); }},
      {"preset", "presets/", "A value for every key of `assume:`.",
       [] { return describe<Assume<double>>(); }},
      {"law", "laws/", "A scaling law.", [] { return describe<Law<double>>(); }}};
  for (const Question* q : questions())
    all.push_back({std::string(q->word()), "plans/", fmt::format("A question: {}.", q->summary()),
                   [q] { return q->describe(); }});
  return all;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = make_kinds();
  return all;
}

std::string section(const Kind& k) {
  return fmt::format("## {}\n\n{} `kind: {}`, in `{}`.\n\n{}", k.word, k.what, k.word, k.folder,
                     reference_table(k.description()));
}

std::string all_sections() {
  std::string out =
      "# File formats\n\n"
      "Written by `reckon schema all --format md` from the field descriptions in "
      "include/reckon/spec. A number is written with its\n"
      "unit, or as `{value: …, source: …}`; a name stands for a file; `{base: NAME, field: …}` "
      "overrides a field of one. A plan may\n"
      "also carry `expect:` and `cases:` (plans/README.md), and `chip:`, `node:`, `fabric:`, "
      "`price:` at its top.\n";
  for (const Kind& k : kinds()) out += "\n" + section(k);
  return out;
}

}  // namespace

int schema(Session& session, const Shared& shared, const SchemaOptions& options) {
  const bool md = shared.format == Format::kMarkdown;
  if (options.kind == "all" && md) {
    session.print(all_sections());
    return kOk;
  }
  std::vector<std::string> words;
  for (const Kind& k : kinds()) {
    words.emplace_back(k.word);
    if (options.kind != k.word) continue;
    if (shared.format == Format::kCsv) {
      session.diagnostics().error({}, "schema: no CSV of it").help("--format json or md");
      break;
    }
    session.print(md ? section(k)
                     : doc::write_json(schema_document(k.word, k.description())) + "\n");
    return kOk;
  }
  if (!session.diagnostics().has_errors()) {
    auto& fault = session.diagnostics().error(
        {}, fmt::format("no kind of file is called '{}'", options.kind));
    const std::string near = closest(options.kind, words);
    fault.help(near.empty()
                   ? fmt::format("one of {}; or all with --format md", fmt::join(words, ", "))
                   : fmt::format("did you mean '{}'?", near));
  }
  session.report_faults();
  return kUsage;
}

}  // namespace reckon::cli
