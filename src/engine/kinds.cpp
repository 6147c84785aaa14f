#include "reckon/engine/kinds.hpp"

#include "questions/questions.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

class TrainingKind : public PlanKind {
 public:
  std::string_view word() const override { return "training"; }
  std::string_view summary() const override { return "a training plan"; }
  Description describe() const override { return reckon::describe<TrainingPlan<double>>(); }
  std::vector<std::string_view> columns() const override {
    return {kFits.id,    kMemoryTotal.id, kStepTime.id, kTokensPerSecondGpu.id,
            kMfuFull.id, kRunTime.id,     kCost.id};
  }
  std::unique_ptr<Loaded> load(Workspace& work, doc::Value tree,
                               Diagnostics& diagnostics) const override {
    const std::size_t before = diagnostics.error_count();
    auto out = std::make_unique<LoadedTraining>(load_training(work, std::move(tree), diagnostics));
    if (diagnostics.error_count() > before) return nullptr;
    return out;
  }
};

}  // namespace

const std::vector<const Question*>& questions() {
  // In the order of the help. One a line: the marks keep clang-format from filling lines.
  static const std::vector<const Question*> all{
      &scaling_question(),         //
      &lifetime_question(),        //
      &repeat_question(),          //
      &critical_batch_question(),  //
      &emergence_question(),       //
      &loss_error_question(),      //
      &mup_question(),             //
      &states_question(),          //
      &activations_question(),     //
      &collective_question(),      //
      &pipeline_question(),        //
      &goodput_question(),         //
      &tensor_question(),          //
      &layer_question(),           //
      &experts_question(),         //
      &gemm_question(),            //
      &attention_question(),       //
      &prefill_question(),         //
      &decode_question(),          //
      &chunk_question(),           //
      &pools_question(),           //
      &serving_question(),         //
      &load_question(),            //
      &dtype_question(),           //
      &quantize_question(),        //
      &accumulate_question(),      //
      &compress_question(),        //
  };
  return all;
}

const std::vector<const PlanKind*>& plan_kinds() {
  static const TrainingKind training;
  static const std::vector<const PlanKind*> all = [] {
    std::vector<const PlanKind*> kinds{&training};
    kinds.insert(kinds.end(), questions().begin(), questions().end());
    return kinds;
  }();
  return all;
}

const PlanKind* plan_kind(std::string_view word) {
  for (const PlanKind* kind : plan_kinds()) {
    if (kind->word() == word) return kind;
  }
  return nullptr;
}

std::unique_ptr<Loaded> load_plan(Workspace& work, const PlanFile& file,
                                  const PlanFile::Case* which, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  doc::Value tree = case_tree(file, which, diagnostics);
  const PlanKind* kind = plan_kind(file.kind);
  if (!kind || diagnostics.error_count() > before) return nullptr;
  std::unique_ptr<Loaded> out = kind->load(work, std::move(tree), diagnostics);
  if (!out) return nullptr;
  out->file = file.name;
  out->kind = file.kind;
  if (which) out->case_name = which->name;
  return out;
}

}  // namespace reckon
