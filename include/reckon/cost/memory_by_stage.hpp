// Memory of every pipeline stage, not of the heaviest alone; and over a step.
//
//   MemoryByStage<double> m = memory_by_stage(plan);
//   m.stages[3].total, m.stages[3].in_flight
//
// Apart from the estimate (training.hpp), which prices the stages that may be the heaviest and no
// others: a search asks for nothing more.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/memory.hpp"

namespace reckon {

// Above so many stages none are listed: their number alone fills a screen.
inline constexpr int kListedMemoryStages = 128;

template <class R>
struct MemoryByStage {
  std::vector<StageMemory<R>> stages;  // empty without a pipeline

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
MemoryByStage<R> memory_by_stage(const TrainingPlan<R>& plan) {
  MemoryByStage<R> out;
  if (plan.mesh.pipeline <= 1 || whole(plan.mesh.pipeline) > kListedMemoryStages) return out;
  const Layout<R> layout = lay_out(plan);
  const Stages<R> stages(plan.model, cut_of(plan));
  const LayerParts<R> layers = layer_parts(plan, layout);
  const MemoryInputs<R> in{plan, layout, stages, layers};
  for (int i = 0; i < in.stages.count(); ++i) out.stages.push_back(stage_memory(in, i));
  return out;
}

template <class R>
template <class V>
void MemoryByStage<R>::metrics(V&& v) const {
  for (const StageMemory<R>& s : stages) {
    const std::string id = "memory.stage." + std::to_string(s.stage) + ".",
                      name = "stage " + std::to_string(s.stage) + ": ";
    const auto say = [&](const char* what, const char* title, const auto& value,
                         Hint hint = Hint::kNone) {
      v(MetricInfo{id + what, name + title, hint}, value);
    };
    say("layers", "layers", s.shard.layers, Hint::kCount);
    say("parameters", "parameters on one GPU", s.shard.dense + s.shard.experts.full, Hint::kParams);
    say("states", "training state", s.state_total);
    say("in_flight", "micro-batches in flight", s.in_flight, Hint::kRatio);
    v(MetricInfo{id + "activations", name + "activations"}, s.activations,
      "needs the model's layers and hidden width");
    say("logits", "logits", s.logits);
    say("buffers", "gathered layers and their gradients", s.buffers);
    say("reserve", "context and allocator", s.reserve);
    say("total", "memory per GPU", s.total);
  }
}

}  // namespace reckon
