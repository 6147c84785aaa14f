// The kinds of file, each with the struct that it is bound to.
#include "reckon/engine/file_kinds.hpp"

#include <fmt/format.h>

#include "reckon/engine/kinds.hpp"
#include "reckon/spec/aims.hpp"
#include "reckon/spec/architecture.hpp"
#include "reckon/spec/bench.hpp"
#include "reckon/spec/budgets.hpp"
#include "reckon/spec/compiled_once.hpp"
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

namespace reckon {
namespace {

std::vector<FileKind> make_kinds() {
  std::vector<FileKind> all{
      {"training", "plans/", "A training plan.", FileRole::kPlan,
       [] { return describe<TrainingPlan<double>>(); }},
      {"space", "plans/spaces/", "A space of training plans to be searched.", FileRole::kData,
       [] { return describe<Space<double>>(); }},
      {"model", "models/", "A model.", FileRole::kData, [] { return describe<Model<double>>(); }},
      {"architecture", "models/architectures/",
       "What no config.json states: how an architecture spells its dimensions.", FileRole::kData,
       [] { return describe<Architecture>(); }, true},
      {"import",
       "presets/import.yaml",
       "What holds for a config.json of every architecture.",
       FileRole::kData,
       [] { return describe<ImportRules>(); },
       false,
       {"bears", "ignore"}},
      {"quantization", "presets/quantization.yaml", "What the quantization of a config.json means.",
       FileRole::kData, [] { return describe<QuantizationRules>(); }},
      {"chip", "hardware/chips/", "What one GPU can do.", FileRole::kData,
       [] { return describe<Chip<double>>(); }},
      {"node", "hardware/nodes/", "GPUs that share a scale-up link, and their network ports.",
       FileRole::kData, [] { return describe<Node<double>>(); }},
      {"fabric", "hardware/fabrics/", "What one network port carries.", FileRole::kData,
       [] { return describe<Fabric<double>>(); }},
      {"cluster", "hardware/clusters/", "So many nodes.", FileRole::kData,
       [] { return describe<Cluster<double>>(); }},
      {"kernels", "hardware/kernels/", "What the kernels of one chip reach.", FileRole::kData,
       [] { return describe<Kernels<double>>(); }},
      {"nccl", "hardware/nccl/", "NCCL's own tuning model.", FileRole::kData,
       [] { return describe<Nccl<double>>(); }},
      {"measurements", "measurements/", "Measured times of kernels and collectives.",
       FileRole::kData, [] { return describe<Measurements<double>>(); }},
      {"bench", "anywhere", "What reckon-bench measured on one machine (JSON).", FileRole::kData,
       [] { return describe<Bench<double>>(); }},
      {"aims", "microkernels/aims/",
       "What kernels of our own are held against, and what share they are to reach.",
       FileRole::kData, [] { return describe<Aims<double>>(); }},
      {"budgets", "measurements/", "Errors that predictions are held to.", FileRole::kData,
       [] { return describe<Budgets<double>>(); }},
      {"measured", "plans/measured/", "What a plan's run measured, beside metrics of the plan.",
       FileRole::kPart, [] { return describe<MeasuredFacts>(); }},
      {"run-budgets", "plans/measured/budgets.yaml", "Errors that predicted runs are held to.",
       FileRole::kData, [] { return describe<RunBudgets<double>>(); }},
      {"stack-constants", "plans/measured/constants.yaml",
       "Constants of a stack that can be fitted on runs.", FileRole::kData,
       [] { return describe<StackConstants<double>>(); }},
      {"format", "formats/", "How a number is stored.", FileRole::kData,
       [] { return describe<NumberFormat<double>>(); }},
      {"precision", "formats/recipes/", "Which format for what.", FileRole::kData,
       [] { return describe<Precision<double>>(); }},
      {"optimizer", "optimizers/", "States per parameter.", FileRole::kData,
       [] { return describe<Optimizer<double>>(); }},
      {"stack", "hardware/stacks/", "How well software runs a chip.", FileRole::kData,
       [] { return describe<Stack<double>>(); }, true},
      {"engine", "hardware/engines/", "What a serving engine makes of a chip's kernels.",
       FileRole::kData, [] { return describe<ServingEngine<double>>(); }, true},
      {"preset", "presets/", "A value for every key of `assume:`.", FileRole::kData,
       [] { return describe<Assume<double>>(); }},
      {"law", "laws/", "A scaling law.", FileRole::kData, [] { return describe<Law<double>>(); }}};
  for (const Question* q : questions())
    all.push_back({std::string(q->word()), "plans/", fmt::format("A question: {}.", q->summary()),
                   FileRole::kPlan, [q] { return q->describe(); }});
  return all;
}

}  // namespace

const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> all = make_kinds();
  return all;
}

const FileKind* file_kind(std::string_view word) {
  for (const FileKind& k : file_kinds())
    if (k.word == word) return &k;
  return nullptr;
}

}  // namespace reckon
