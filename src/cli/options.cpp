// The command line: every command and option of the program, and the texts of its help. The only includer of CLI11.
#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/numerics/decimal.hpp"
#include "said_value.hpp"

namespace reckon::cli {
namespace {

constexpr const char* kPlans = "Plans";
constexpr const char* kQuestions = "Questions";
constexpr const char* kModels = "Models and hardware";
constexpr const char* kAccuracy = "Accuracy";
constexpr const char* kTools = "Tools";

// One command: what the help says, how its options are declared, what runs.
struct Command {
  std::string name;
  const char* group;
  std::string arguments, summary;
  std::vector<std::string> examples;
  std::function<void(CLI::App&)> declare;
  std::function<int(Session&, const Shared&)> run;
  bool text_only = false;
};

// What the flags of one question hold, by field.
struct QuestionFlags {
  std::map<std::string, std::string> words;
  std::map<std::string, bool> switches;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, std::string> comma_lists;  // one word each: bf16,fp16
  QuestionOptions other;
};

// Options of all commands, filled by the parse.
struct Values {
  Shared shared;
  std::string format;
  EvalOptions eval;
  CheckOptions check;
  DefendOptions defend;
  NewOptions new_plan;
  ListOptions list;
  ShowOptions show;
  ParamsOptions params;
  ImportOptions import_config;
  FormulasOptions formulas;
  SensitivityOptions sensitivity;
  SearchOptions search;
  SweepOptions sweep;
  SolveOptions solve;
  CompareOptions compare;
  ValidateOptions validate;
  CalibrateCommand calibrate;
  SchemaOptions schema;
  HelpOptions help;
  FitCommandOptions fit;
  std::map<std::string, QuestionFlags> questions;  // by word
};

// CLI11's own Range would put its words into the help and into messages.
std::string whole_number(const std::string& word) {
  const bool digits = !word.empty() && word.size() <= 3 &&
                      word.find_first_not_of("0123456789") == std::string::npos;
  return digits && std::stoi(word) <= 100
             ? ""
             : fmt::format("'{}' is not a whole number from 0 to 100", printable(word));
}

// --node-gpus for node_gpus; people call a cluster its GPUs.
std::string flag_of(std::string_view field) {
  if (field == "cluster") return "--gpus,--cluster";
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

const char* type_of(const Description& d) {
  using Kind = Description::Kind;
  if (d.kind == Kind::kWord) return "WORD";
  if (d.kind == Kind::kGroup) return "NAME";
  if (d.kind == Kind::kText) return "TEXT";
  if (d.dim == kByte) return "SIZE";
  if (d.dim == kByteRate || d.dim == kFlopRate) return "RATE";
  if (d.dim == kSecond) return "TIME";
  return "N";
}

void declare_field(CLI::App& app, const Description& d, std::string_view positional,
                   std::string_view rest, QuestionFlags& to) {
  const std::string key(d.key), meaning(d.meaning);
  if (key == "name" || key == "comment" || key == "assume") return;
  // A group without a name of its own (a kernel's constants) is filled in; --set overrides a field of it.
  if (d.kind == Description::Kind::kGroup && !d.by_name && !d.one_word) return;
  if (key == rest) {
    app.add_option(key, to.lists[key], meaning)->type_name("");
  } else if (key == positional) {
    app.add_option(key + "," + flag_of(key), to.words[key], meaning)->type_name("");
  } else if (d.kind == Description::Kind::kList) {
    app.add_option(flag_of(key), to.comma_lists[key], meaning)->type_name("A,B,…");
  } else if (d.kind == Description::Kind::kFlag) {
    app.add_flag(flag_of(key), to.switches[key], meaning);
  } else {
    app.add_option(flag_of(key), to.words[key], meaning)->type_name(type_of(d));
  }
}

std::string arguments_of(const QuestionInfo& info) {
  std::string out = info.positional.empty() ? "" : fmt::format("[{}]", info.positional);
  if (!info.rest.empty()) out += fmt::format("{}[{}…]", out.empty() ? "" : " ", info.rest);
  return out;
}

// CLI11 takes -0.5 and -inf for options; behind this mark they are words.
constexpr char kNumberMark = '\1';

bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-') || word.size() < 2) return false;
  std::string small(word.substr(1));
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return (small[0] >= '0' && small[0] <= '9') || small[0] == '.' || small == "inf" ||
         small == "infinity" || small == "nan";
}

std::string unmarked(std::string word) {
  if (word.starts_with(kNumberMark)) word.erase(0, 1);
  return word;
}

// Words of the command line; of commands that take numbers, negative ones are marked.
std::vector<std::string> marked_words(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  const bool takes_numbers =
      argc > 1 && std::any_of(questions().begin(), questions().end(), [&](const Question* q) {
        return q->word() == words[1] && !q->info().rest.empty();
      });
  if (!takes_numbers) return words;
  std::erase(words, "--");  // not needed before a negative number, and no harm
  for (std::string& word : words)
    if (is_negative_number(word)) word.insert(0, 1, kNumberMark);
  return words;
}

// A number where the name would stand is the first of the rest.
bool is_number(const std::string& word) {
  Typed typed;
  std::string fault;
  return word.starts_with("0x") || word.starts_with("0b") || read_decimal(word, typed, fault);
}

void number_to_rest(const QuestionInfo& info, QuestionOptions& o) {
  if (info.rest.empty()) return;
  const auto name = std::find_if(o.values.begin(), o.values.end(),
                                 [&](const auto& v) { return v.first == info.positional; });
  if (name == o.values.end() || !is_number(name->second)) return;
  auto list = std::find_if(o.lists.begin(), o.lists.end(),
                           [&](const auto& l) { return l.first == info.rest; });
  if (list == o.lists.end()) list = o.lists.insert(o.lists.end(), {std::string(info.rest), {}});
  list->second.insert(list->second.begin(), name->second);
  o.values.erase(name);
}

// One command a question: its flags are the fields of its description.
Command question_command(const Question& q, Values& v) {
  const QuestionInfo& info = q.info();
  const std::string word(info.word);
  Command c{.name = word,
            .group = kQuestions,
            .arguments = arguments_of(info),
            .summary = std::string(info.summary),
            .examples = {info.examples.begin(), info.examples.end()},
            .declare = {},
            .run = {}};
  c.declare = [&q, &v, word](CLI::App& app) {
    QuestionFlags& to = v.questions[word];
    for (const Description& d : q.describe().parts)
      declare_field(app, d, q.info().positional, q.info().rest, to);
    const auto repeated = [&](const char* name, std::vector<std::string>& into, const char* type,
                              const char* what) {
      app.add_option(name, into, what)
          ->type_name(type)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    QuestionOptions& o = to.other;
    repeated("--assume", o.assume, "KEY=VALUE", "a preset (textbook, physical), or one convention");
    repeated("--set", o.sets, "PATH=VALUE", "override any field, such as chip.peak.bf16");
    repeated("--metric", o.metrics, "ID", "only this metric; with --explain, its derivation");
    app.add_flag("--explain", o.explain, "derive the answer");
    app.add_option("--depth", o.depth, "levels of a derivation")
        ->type_name("N")
        ->check(whole_number);
    app.add_flag("--verbose", o.verbose, "every metric");
    app.add_flag("--as-plan", o.as_plan, "print the question as a plan file");
  };
  c.run = [&q, &v, word](Session& s, const Shared& g) {
    QuestionFlags& from = v.questions[word];
    QuestionOptions o = from.other;
    o.word = word;
    for (const auto& [key, value] : from.words)
      if (!value.empty()) o.values.emplace_back(key, unmarked(value));
    for (const auto& [key, value] : from.comma_lists)
      if (!value.empty()) o.lists.emplace_back(key, split_values(unmarked(value)));
    for (const auto& [key, words] : from.lists) {
      if (words.empty()) continue;
      o.lists.push_back({key, words});
      for (std::string& w : o.lists.back().second) w = unmarked(w);
    }
    for (const auto& [key, on] : from.switches)
      if (on) o.values.emplace_back(key, "yes");
    number_to_rest(q.info(), o);
    return question(s, g, o);
  };
  return c;
}

std::vector<Command> commands(Values& v) {
  const auto sets = [](CLI::App& app, std::vector<std::string>& to) {
    app.add_option("--set", to, "override a field: path=value (repeatable)")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  const auto repeated = [](CLI::App& app, const char* name, std::vector<std::string>& to,
                           const char* type, const char* what) {
    app.add_option(name, to, what)
        ->type_name(type)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  const auto word = [](CLI::App& app, const char* name, std::string& to, const char* type,
                       const char* what) {
    return app.add_option(name, to, what)->type_name(type);
  };
  std::vector<Command> all;
  all.push_back(
      {"eval",
       kPlans,
       "PLAN…",
       "a plan's full estimate: memory, time, cost, does it fit",
       {"reckon eval plans/starters/7b-8xh100.yaml",
        "reckon eval plan.yaml --set sharding.zero=3 --explain memory.total",
        "reckon eval --model llama-3-8b --gpus 8xh100-sxm"},
       [=, &v](CLI::App& app) {
         EvalOptions& o = v.eval;
         app.add_option("PLAN", o.plans, "plan files; - reads stdin")->type_name("");
         word(app, "--model", o.model, "NAME", "without a plan: a model, as `reckon new` takes it");
         word(app, "--gpus", o.gpus, "NxCHIP", "without a plan: GPUs, such as 8xh100-sxm");
         word(app, "--case", o.which_case, "NAME", "one of the plan's cases, or all");
         sets(app, o.sets);
         repeated(app, "--explain", o.explain, "ID",
                  "derive a metric: an id, a pattern such as memory.*, or all");
         app.add_option("--depth", o.depth, "levels of a derivation")
             ->type_name("N")
             ->check(whole_number);
         repeated(app, "--export", o.exports, "FILE", "also write FILE.txt, .json, .csv or .md");
         app.add_flag("--verbose", o.verbose, "every assumption with its place");
       },
       [&v](Session& s, const Shared& g) { return eval(s, g, v.eval); }});
  all.push_back({"check",
                 kPlans,
                 "FILE|DIR…",
                 "hold plans to their expect: lines; exit 1 on a miss",
                 {"reckon check plans/", "reckon check plans/worked --junit report.xml"},
                 [=, &v](CLI::App& app) {
                   app.add_option("PATH", v.check.paths, "plan files or folders of them")
                       ->type_name("")
                       ->required();
                   word(app, "--junit", v.check.junit, "FILE", "also write a JUnit report");
                 },
                 [&v](Session& s, const Shared& g) { return check(s, g, v.check); }});
  all.push_back({"defend",
                 kPlans,
                 "PLAN",
                 "the argument for a plan in six steps, rejected alternatives beside",
                 {"reckon defend plans/starters/7b-512xh100.yaml",
                  "reckon defend --model 7B --gpus 8xh100-sxm --format md"},
                 [=, &v](CLI::App& app) {
                   DefendOptions& o = v.defend;
                   app.add_option("PLAN", o.plan, "a plan file; - reads stdin")->type_name("");
                   word(app, "--model", o.model, "NAME", "without a plan: a model");
                   word(app, "--gpus", o.gpus, "NxCHIP",
                        "without a plan: GPUs, such as 8xh100-sxm");
                   word(app, "--case", o.which_case, "NAME", "one of the plan's cases");
                   sets(app, o.sets);
                 },
                 [&v](Session& s, const Shared& g) { return defend(s, g, v.defend); }});
  all.push_back(
      {"new",
       kPlans,
       "KIND",
       "a commented plan to start from, every default visible",
       {"reckon new training --model llama-3-8b --gpus 64xh100-sxm > plan.yaml"},
       [=, &v](CLI::App& app) {
         app.add_option("KIND", v.new_plan.kind, "training")->type_name("")->required();
         word(app, "--model", v.new_plan.model, "NAME",
              "a model: `reckon list models`, a path, or 7B")
             ->required();
         word(app, "--gpus", v.new_plan.gpus, "NxCHIP", "GPUs, such as 64xh100-sxm")->required();
         word(app, "--output", v.new_plan.output, "FILE", "write there instead of stdout");
       },
       [&v](Session& s, const Shared& g) { return new_plan(s, g, v.new_plan); },
       true});
  all.push_back(
      {"search",
       kPlans,
       "SPACE|PLAN",
       "all legal plans of a space, ranked; why the others lost",
       {"reckon search plans/spaces/405b-16384xh100.yaml",
        "reckon search plan.yaml --search parallel,batch,recompute --objective run.cost",
        "reckon search plan.yaml --search all --where 'step.time<=10 s' --pareto "
        "step.time,memory.total",
        "reckon search decode.yaml --vary tensor=1,2,4,8 --vary batch=1..512:x2 --objective "
        "decode.time"},
       [=, &v](CLI::App& app) {
         SearchOptions& o = v.search;
         app.add_option("SPACE", o.space, "kind: space, or a plan; - reads stdin")
             ->type_name("")
             ->required();
         word(app, "--search", o.search, "A,B,…",
              "what is opened: parallel, batch, schedule, sharding, recompute, offload, precision, "
              "all");
         repeated(app, "--vary", o.vary, "FIELD=VALUES",
                  "any other field: 1,2,4 or a..b:x2 (repeatable)");
         repeated(app, "--where", o.where, "CONDITION",
                  "METRIC<=VALUE or METRIC>=VALUE: what a plan must keep to (repeatable)");
         word(app, "--objective", o.objective, "METRIC",
              "what ranks: step.time if not stated; max:METRIC, min:METRIC");
         word(app, "--pareto", o.pareto, "A,B", "also plans that no other beats in two metrics");
         word(app, "--top", o.top, "N", "plans to list; 10 if not stated");
         word(app, "--threads", o.threads, "N", "the answer does not depend on it");
         app.add_flag("--tensor-in-node", o.tensor_in_node, "tensor groups stay inside a node");
         app.add_flag("--any-memory", o.any_memory, "plans that don't fit count too");
         app.add_flag("--no-bound", o.no_bound, "look at every plan; the answer is the same");
         app.add_flag("--untimed", o.untimed, "leave out how long it took");
         app.add_flag("--as-plan", o.as_plan, "print the best plan as a file");
         word(app, "--output", o.output, "FILE", "also write the best plan there");
         word(app, "--case", o.which_case, "NAME", "one of the plan's cases");
         sets(app, o.sets);
       },
       [&v](Session& s, const Shared& g) { return search(s, g, v.search); }});
  all.push_back(
      {"sweep",
       kPlans,
       "PLAN",
       "a plan over values of its fields, one row a point",
       {"reckon sweep plans/starters/7b-512xh100.yaml --vary cluster.nodes=1..64:x2",
        "reckon sweep plan.yaml --vary batch.micro=1,2,4 --vary recompute=none,full --format csv",
        "reckon sweep plan.yaml --vary 'chip.memory.bandwidth=2..4 TB/s:+0.25' --metric step.time "
        "--plot"},
       [=, &v](CLI::App& app) {
         SweepOptions& o = v.sweep;
         app.add_option("PLAN", o.plan, "a plan file of any kind; - reads stdin")
             ->type_name("")
             ->required();
         repeated(app, "--vary", o.vary, "FIELD=VALUES",
                  "1,2,4 or a..b, a..b:x2, a..b:+8 (repeatable: all combinations)");
         repeated(app, "--metric", o.metrics, "ID",
                  "a column; without any, those of the kind of plan");
         app.add_flag("--plot", o.plot, "draw the first column that is a number");
         word(app, "--case", o.which_case, "NAME", "one of the plan's cases");
         sets(app, o.sets);
       },
       [&v](Session& s, const Shared& g) { return sweep(s, g, v.sweep); }});
  all.push_back(
      {"solve",
       kPlans,
       "PLAN",
       "the value of a field that meets a target",
       {"reckon solve plans/starters/7b-512xh100.yaml --vary cluster.nodes --for 'run.days<=30 "
        "days'",
        "reckon solve plan.yaml --vary batch.micro=1..64 --for 'memory.headroom>=0 B'"},
       [=, &v](CLI::App& app) {
         SolveOptions& o = v.solve;
         app.add_option("PLAN", o.plan, "a plan file of any kind; - reads stdin")
             ->type_name("")
             ->required();
         word(app, "--vary", o.vary, "FIELD[=A..B]", "a number of the plan, and its bounds")
             ->required();
         word(app, "--for", o.target, "TARGET", "METRIC=VALUE, METRIC<=VALUE or METRIC>=VALUE")
             ->required();
         word(app, "--case", o.which_case, "NAME", "one of the plan's cases");
         sets(app, o.sets);
       },
       [&v](Session& s, const Shared& g) { return solve(s, g, v.solve); }});
  all.push_back({"compare",
                 kPlans,
                 "A B…",
                 "plans side by side: metrics, inputs that differ, and why",
                 {"reckon compare a.yaml b.yaml",
                  "reckon compare plans/starters/405b-16384xh100.yaml --case all"},
                 [=, &v](CLI::App& app) {
                   CompareOptions& o = v.compare;
                   app.add_option("PLAN", o.plans,
                                  "plan files; the first is what others are held against")
                       ->type_name("")
                       ->required();
                   repeated(app, "--metric", o.metrics, "ID",
                            "a row; without any, those of the kind of plan");
                   word(app, "--case", o.which_case, "NAME", "one of the plans' cases, or all");
                   sets(app, o.sets);
                 },
                 [&v](Session& s, const Shared& g) { return compare(s, g, v.compare); }});
  all.push_back({"sensitivity",
                 kPlans,
                 "PLAN [METRIC]",
                 "what 1 % of each input is worth, and where time goes",
                 {"reckon sensitivity plans/starters/70b-64xh100.yaml",
                  "reckon sensitivity plan.yaml memory.total"},
                 [=, &v](CLI::App& app) {
                   app.add_option("PLAN", v.sensitivity.plan, "a plan file; - reads stdin")
                       ->type_name("")
                       ->required();
                   app.add_option("METRIC", v.sensitivity.metric,
                                  "a metric id; step.time if left out")
                       ->type_name("");
                   word(app, "--case", v.sensitivity.which_case, "NAME", "one of the plan's cases");
                   sets(app, v.sensitivity.sets);
                 },
                 [&v](Session& s, const Shared& g) { return sensitivity(s, g, v.sensitivity); }});
  all.push_back(
      {"params",
       kModels,
       "MODEL",
       "parameters by part, FLOPs of a token, KV cache",
       {"reckon params llama-3-8b", "reckon params deepseek-v3 --batch 32 --sequence 32Ki",
        "reckon params gpt-oss-20b --dtype bf16,fp8-e4m3,mxfp4 --windows full",
        "reckon params deepseek-v3 --stored --published 684531386000"},
       [=, &v](CLI::App& app) {
         app.add_option("MODEL", v.params.model, "a model: `reckon list models`, or a path")
             ->type_name("")
             ->required();
         word(app, "--assume", v.params.assume, "FAMILY",
              "for a config.json of an unknown architecture: whose facts to take");
         word(app, "--sequence", v.params.sequence, "TOKENS",
              "length for attention FLOPs and cache");
         word(app, "--batch", v.params.batch, "N", "sequences of a decode step");
         word(app, "--dtype", v.params.format, "FORMATS",
              "of weights and cache; several with commas");
         word(app, "--state", v.params.state, "FORMAT", "of recurrent states");
         word(app, "--windows", v.params.windows, "exact|full",
              "cache of layers with a window: up to it, or every token");
         app.add_flag("--stored", v.params.stored, "what the model's files hold, term by term");
         word(app, "--published", v.params.published, "N",
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
       [=, &v](CLI::App& app) {
         ImportOptions& o = v.import_config;
         app.add_option("CONFIG", o.config, "a config.json")->type_name("")->required();
         word(app, "-o,--output", o.output, "FILE", "write the model there instead of stdout");
         app.add_flag("--explain", o.explain,
                      "each field with what says so: stated, class default, derived, assumed");
         word(app, "--assume", o.request.assume, "FAMILY",
              "for an unknown architecture: whose facts to take (`reckon list architectures`)");
         word(app, "--name", o.request.name, "NAME", "as people call it");
         word(app, "--source", o.request.source, "TEXT", "where the config is from");
         word(app, "--published", o.request.published, "N",
              "a count that a source prints: what the files hold is set so that it is met");
         word(app, "--active", o.request.active, "N", "active parameters that it prints");
         word(app, "--count-source", o.request.count_source, "TEXT", "where they are printed");
       },
       [&v](Session& s, const Shared& g) { return import_config(s, g, v.import_config); }});
  all.push_back({"list",
                 kModels,
                 "[WHAT]",
                 "chips, nodes, models, optimizers, … there are",
                 {"reckon list hardware", "reckon list models"},
                 [=, &v](CLI::App& app) {
                   app.add_option(
                          "WHAT", v.list.what,
                          "hardware, chips, nodes, fabrics, clusters, kernels, nccl, stacks, "
                          "engines, models, architectures, precision, optimizers, formats, "
                          "presets, laws")
                       ->type_name("");
                 },
                 [&v](Session& s, const Shared& g) { return list(s, g, v.list); }});
  all.push_back({"show",
                 kModels,
                 "NAME",
                 "the file behind a name",
                 {"reckon show h100-sxm", "reckon show textbook"},
                 [=, &v](CLI::App& app) {
                   app.add_option("NAME", v.show.name, "an id that `reckon list` prints")
                       ->type_name("")
                       ->required();
                   app.add_flag("--path", v.show.path, "print the file's path alone");
                 },
                 [&v](Session& s, const Shared& g) { return show(s, g, v.show); },
                 true});
  all.push_back(
      {"validate",
       kAccuracy,
       "[WHAT]",
       "predicted against measured, held to error budgets",
       {"reckon validate", "reckon validate runs --source bloom --verbose",
        "reckon validate runs --leave-out source", "reckon validate runs --stack default",
        "reckon validate kernels --leave-out shape",
        "reckon validate collectives --leave-out group --format csv",
        "reckon validate serving --leave-out model"},
       [=, &v](CLI::App& app) {
         ValidateOptions& o = v.validate;
         app.add_option(
                "WHAT", o.what,
                "runs (step times), memory, kernels, collectives or serving, all if left out; "
                "errors: whether measurements/errors.csv is fresh")
             ->type_name("");
         word(app, "--leave-out", o.leave_out, "WHAT",
              "fit anew without each: source (runs); shape, m, length, chip; size, group; model, "
              "chip (serving)");
         word(app, "--form", o.form, "WORD",
              "curve of a collective that is fitted: ramp, or root (group: root)");
         word(app, "--source", o.source, "TEXT",
              "only rows whose file, stack, source, library or chip has it");
         word(app, "--stack", o.stack, "NAME",
              "runs: by this stack, whatever they ran on; default: the usual one of each chip");
         app.add_flag("--verbose", o.verbose, "every row, and what is not predicted");
         app.add_flag("--fit", o.fit, "serving: also fit each engine's constants on all its rows");
         app.add_flag("--update", o.update, "write measurements/errors.csv");
       },
       [&v](Session& s, const Shared& g) { return validate(s, g, v.validate); }});
  all.push_back(
      {"calibrate",
       kAccuracy,
       "WHAT FILE…",
       "measured times to a file of constants: of kernels, a chip, or a software stack",
       {"reckon calibrate runs nemo-2024-h100 --output my-stack.yaml",
        "reckon calibrate kernels measurements/h100-sxm.yaml --output my-h100.yaml",
        "reckon calibrate stack mine.json --onto generic-h100 --output my-stack.yaml",
        "reckon calibrate chip mine.json --name \"this machine\" --output mine-chip.yaml",
        "reckon calibrate collectives all_reduce.txt --chip h100-sxm --output my-nccl.yaml",
        "reckon calibrate kernels gemm.csv --chip b200 --kernel gemm --column \"time us=latency\""},
       [=, &v](CLI::App& app) {
         CalibrateCommand& o = v.calibrate;
         app.add_option("WHAT", o.what, "kernels, collectives, stack, chip or runs")
             ->type_name("")
             ->required();
         app.add_option("FILE", o.files,
                        "kind: measurements, reckon-bench's JSON, nccl-tests' or nvbandwidth's "
                        "output, or CSV; of runs: a stack")
             ->type_name("")
             ->required();
         word(app, "--output", o.output, "FILE", "write the constants there");
         word(app, "--onto", o.onto, "NAME",
              "keep the rest of this file: of kernels, a stack, or a chip");
         word(app, "--name", o.name, "TEXT", "of the file that is written");
         word(app, "--rows", o.rows, "FILE",
              "runs: only these of plans/measured (a pattern with *), or a file of your own");
         word(app, "--form", o.form, "WORD", "curve of a collective: ramp, or root for few sizes");
         word(app, "--chip", o.chip, "NAME", "of a file that doesn't say");
         word(app, "--kernel", o.kernel, "WORD", "of a file that doesn't say: gemm, all-reduce, …");
         word(app, "--library", o.library, "TEXT", "of a file that doesn't say");
         word(app, "--dtype", o.dtype, "FORMAT", "of a file that doesn't say: bf16, fp8, …");
         repeated(app, "--column", o.columns, "OURS=THEIRS",
                  "a CSV's column: \"time us=latency\" (repeatable)");
       },
       [&v](Session& s, const Shared& g) { return calibrate(s, g, v.calibrate); }});
  all.push_back(
      {"fit",
       kTools,
       "DATA.csv",
       "a scaling law from your own runs, with intervals",
       {"reckon fit laws/data/chinchilla-245.csv --drop-highest 5",
        "reckon fit runs.csv --columns 'params=Model Size' --output my-law.yaml",
        "reckon fit runs.csv --approach isoflop --residuals"},
       [=, &v](CLI::App& app) {
         FitCommandOptions& o = v.fit;
         app.add_option("DATA", o.data, "a CSV file of runs: params, flops or tokens, loss")
             ->type_name("")
             ->required();
         repeated(app, "--columns", o.columns, "NAME=COLUMN",
                  "what a column is called: params, tokens, flops or loss (repeatable)");
         word(app, "--approach", o.approach, "WORD",
              "loss (E, A, B, α, β at once) or isoflop (parabolas)");
         word(app, "--drop-highest", o.drop_highest, "N", "leave out so many runs of highest loss");
         word(app, "--drop-above", o.drop_above, "LOSS", "leave out runs of a higher loss");
         word(app, "--delta", o.delta, "X",
              "of Huber's function, on log loss; 0.001 if not stated");
         word(app, "--starts", o.starts, "N", "starts of the search; 4500 if not stated");
         word(app, "--bootstrap", o.bootstrap, "N", "resamples for intervals; 200 if not stated");
         word(app, "--seed", o.seed, "N", "of the resamples; 1 if not stated");
         word(app, "--threads", o.threads, "N", "the answer does not depend on it");
         app.add_flag("--residuals", o.residuals, "a line for every run");
         app.add_flag("--as-law", o.as_law, "print the law file");
         word(app, "--output", o.output, "FILE", "write the law file there");
         word(app, "--name", o.name, "TEXT", "the law's name in it");
       },
       [&v](Session& s, const Shared& g) { return fit(s, g, v.fit); }});
  all.push_back({"formulas",
                 kTools,
                 "[PATTERN]",
                 "every formula: text, meaning, source",
                 {"reckon formulas 'memory.*'", "reckon formulas --format md > docs/formulas.md"},
                 [=, &v](CLI::App& app) {
                   app.add_option("PATTERN", v.formulas.pattern,
                                  "ids to print; * stands for anything")
                       ->type_name("");
                 },
                 [&v](Session& s, const Shared& g) { return formulas(s, g, v.formulas); }});
  all.push_back(
      {"schema",
       kTools,
       "[KIND]",
       "JSON Schema of a kind of file, for editors",
       {"reckon schema training > training.schema.json", "reckon schema model --format md"},
       [=, &v](CLI::App& app) {
         app.add_option("KIND", v.schema.kind,
                        "a kind of file (training, serving, space, model, chip, stack, engine, "
                        "kernels, measurements, …) or of question (states, load, …); all")
             ->type_name("");
       },
       [&v](Session& s, const Shared& g) { return schema(s, g, v.schema); }});
  all.push_back(
      {"help",
       kTools,
       "[TOPIC] [PLAN]",
       "a topic explained, with a plan's numbers beside it",
       {"reckon help", "reckon help parallelism",
        "reckon help parallelism plans/starters/70b-64xh100.yaml --format md"},
       [=, &v](CLI::App& app) {
         app.add_option("TOPIC", v.help.topic, "one of those that `reckon help` lists")
             ->type_name("");
         app.add_option("PLAN", v.help.plan, "a training plan; - reads stdin")->type_name("");
         word(app, "--case", v.help.which_case, "NAME", "one of the plan's cases");
       },
       [&v](Session& s, const Shared& g) { return help(s, g, v.help); }});
  for (const Question* q : questions()) all.push_back(question_command(*q, v));
  return all;
}

std::string program_help(const std::vector<Command>& all) {
  std::string out =
      "reckon: what a plan for training a large language model needs and costs\n\n"
      "Usage: reckon COMMAND [OPTIONS]\n";
  for (const char* group : {kPlans, kQuestions, kModels, kAccuracy, kTools}) {
    out += fmt::format("\n{}\n", group);
    for (const Command& c : all) {
      if (c.group == group) out += fmt::format("  {:<12} {}\n", c.name, c.summary);
    }
  }
  out +=
      "\nOptions of all commands\n"
      "  --format F   text, json, csv or md\n"
      "  --data DIR   where hardware/, models/, presets/ … lie (or RECKON_DATA)\n"
      "  -h, --help   of the program or of a command\n"
      "  --version    the program's version\n"
      "\nExamples\n"
      "  reckon eval plans/starters/7b-8xh100.yaml\n"
      "  reckon eval --model llama-3-8b --gpus 8xh100-sxm\n"
      "  reckon eval plan.yaml --explain memory.total\n"
      "  reckon check plans/\n"
      "\nExit codes: 0 ok · 1 the answer is no · 2 usage or input error · 3 internal error\n";
  return out;
}

std::string option_name(const CLI::Option& o) {
  std::string name = o.get_positional() ? o.get_name(true) : o.get_name(false, true);
  if (!o.get_positional() && !o.get_type_name().empty() && o.get_expected_max() > 0)
    name += " " + o.get_type_name();
  return name;
}

std::string command_help(const Command& c, const CLI::App& app) {
  std::string out = fmt::format("reckon {}: {}\n\nUsage: reckon {} {} [OPTIONS]\n", c.name,
                                c.summary, c.name, c.arguments);
  std::size_t width = 0;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_name() == "--help") continue;
    rows.emplace_back(option_name(*o), o->get_description());
    width = std::max(width, rows.back().first.size());
  }
  out += "\n";
  for (const auto& [name, what] : rows) {
    const std::string indent(width + 4, ' ');
    out += fmt::format("  {:<{}}  {}\n", name, width, wrap(what, 80 - width - 4, indent));
  }
  out += "\nExamples\n";
  for (const std::string& example : c.examples) out += fmt::format("  {}\n", example);
  return out;
}

// "did you mean" for whatever the parse could not place.
std::string suggestion(const std::string& word, const CLI::App& app,
                       const std::vector<Command>& all, bool in_command) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    const std::string bare = word.substr(0, word.find('='));
    for (const CLI::Option* o : app.get_options()) {
      if (!o->get_positional()) known.push_back(o->get_name());
    }
    const std::string near = closest(bare, known);
    return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
  }
  if (in_command) return "";
  for (const Command& c : all) known.push_back(c.name);
  const std::string near = closest(word, known);
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

int usage_error(const std::string& message, const std::string& help) {
  write_err(fmt::format("error: {}\nhelp: {}\n", message, help));
  return kUsage;
}

bool takes_one(const CLI::Option& o) {
  return !o.get_positional() && o.get_items_expected_max() == 1 &&
         o.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll;
}

// CLI11 names what failed, and words it for its own author.
std::string in_our_words(const CLI::ParseError& e, const CLI::App& app) {
  const std::string said = e.what();
  for (const CLI::Option* o : app.get_options()) {
    const std::string name = o->get_positional() ? o->get_name(true) : o->get_name();
    if (!said.starts_with(name + ":") && !said.starts_with(name + " ")) continue;
    if (dynamic_cast<const CLI::RequiredError*>(&e))
      return fmt::format("{} is missing", name.starts_with("-") ? option_name(*o) : name);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e))
      return o->count() > 1 && takes_one(*o) ? fmt::format("{} is given twice", name)
                                             : fmt::format("{} needs a value", option_name(*o));
  }
  return said;
}

// The first option that was given an empty value; no option has a use for one.
std::string empty_option(const CLI::App& app) {
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_items_expected_max() == 0) continue;
    for (const std::string& value : o->results()) {
      if (value.empty()) return o->get_positional() ? o->get_name(true) : o->get_name();
    }
  }
  return "";
}

bool format_named(const std::string& word, Format& out) {
  const std::pair<const char*, Format> words[] = {{"text", Format::kText},
                                                  {"json", Format::kJson},
                                                  {"csv", Format::kCsv},
                                                  {"md", Format::kMarkdown},
                                                  {"markdown", Format::kMarkdown}};
  for (const auto& [name, format] : words) {
    if (word != name) continue;
    out = format;
    return true;
  }
  return false;
}

}  // namespace

int run(int argc, char** argv) {
  Values values;
  const std::vector<Command> all = commands(values);
  CLI::App app("reckon");
  app.set_help_flag("-h,--help", "this help");
  bool version = false;
  app.add_flag("--version", version, "the program's version");
  std::vector<CLI::App*> subs;
  for (const Command& c : all) {
    CLI::App* sub = app.add_subcommand(c.name, c.summary);
    subs.push_back(sub);
    // Declaring the flags of all questions takes longer than most answers.
    if (std::find(argv, argv + argc, c.name) == argv + argc) continue;
    sub->set_help_flag("-h,--help", "this help");
    c.declare(*sub);
    sub->add_option("--format", values.format, c.text_only ? "text" : "text, json, csv or md")
        ->type_name("F");
    if (!sub->get_option_no_throw("--data"))  // a question may have a field of that name
      sub->add_option("--data", values.shared.data, "where hardware/, models/, presets/ … lie")
          ->type_name("DIR");
  }
  const auto chosen = [&]() -> std::size_t {
    for (std::size_t i = 0; i < subs.size(); ++i) {
      if (subs[i]->parsed()) return i;
    }
    return all.size();
  };
  app.add_option("--data", values.shared.data, "")->type_name("DIR");
  app.add_option("--format", values.format, "")->type_name("F");
  app.allow_extras();
  app.require_subcommand(0, 1);  // a word after the command is never a command too
  for (CLI::App* sub : subs) sub->allow_extras();
  try {
    std::vector<std::string> words = marked_words(argc, argv);
    std::vector<char*> pointers;
    for (std::string& w : words) pointers.push_back(w.data());
    app.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp&) {
    const std::size_t i = chosen();
    write_out(i < all.size() ? command_help(all[i], *subs[i]) : program_help(all));
    return kOk;
  } catch (const CLI::ParseError& e) {
    const std::size_t i = chosen();
    return usage_error(
        in_our_words(e, i < all.size() ? *subs[i] : app),
        fmt::format("`reckon {}{}-h` prints what there is",
                    i < all.size() ? all[i].name : std::string(), i < all.size() ? " " : ""));
  }
  const std::size_t i = chosen();
  CLI::App& used = i < all.size() ? *subs[i] : app;
  if (const auto extras = used.remaining(); !extras.empty()) {
    const std::string& word = extras.front();
    const bool in_command = i < all.size();
    const std::string near = suggestion(word, used, all, in_command);
    const std::string what = word.starts_with("-") ? "no option"
                             : in_command          ? "nothing takes the word"
                                                   : "no command";
    return usage_error(
        fmt::format("{} '{}'{}", what, word,
                    in_command ? fmt::format(" of `reckon {}`", all[i].name) : ""),
        near.empty() ? fmt::format("`reckon {}{}-h` prints what there is",
                                   in_command ? all[i].name : std::string(), in_command ? " " : "")
                     : near);
  }
  if (version) {
    write_out(fmt::format("reckon {}\n", RECKON_VERSION));
    return kOk;
  }
  if (i == all.size()) {
    write_out(program_help(all));
    return argc > 1 ? kUsage : kOk;
  }
  for (const CLI::App* level : {&app, static_cast<CLI::App*>(subs[i])}) {
    if (const std::string name = empty_option(*level); !name.empty())
      return usage_error(fmt::format("{} is empty", name), "give it a value, or leave it out");
  }
  if (!values.format.empty() && !format_named(values.format, values.shared.format))
    return usage_error(fmt::format("--format: no format '{}'", values.format),
                       "one of text, json, csv, md");
  if (all[i].text_only && values.shared.format != Format::kText)
    return usage_error(fmt::format("--format {}: `reckon {}` prints a file, as text only",
                                   values.format, all[i].name),
                       "leave --format out");
  for (std::size_t k = 0; k < all.size(); ++k) {  // `reckon help eval`
    if (all[i].name != "help" || values.help.topic != all[k].name) continue;
    write_out(command_help(all[k], *subs[k]));
    return kOk;
  }
  Session session(values.shared.data);
  if (!session.check_data(values.shared.data)) {
    session.report_faults();
    return kUsage;
  }
  return all[i].run(session, values.shared);
}

}  // namespace reckon::cli
