// What a pipeline adds to a step: fill and drain, and waiting for the slowest stage.
//
// A stage's time is its share of the FLOPs, of the recomputed layers and of what its layers'
// communication leaves exposed
// (tensor, context, expert): all of it is repeated in the bubble.
//
//   even        bubble = (p − 1)/(v·n) · (compute + exposed)
//   by_flops    t_i by stage; bubble = (Σ t_i − t_max)/v, imbalance = n·(t_max − mean)
//                                                       Source: Narayanan 2021, section 2.2.
#pragma once

#include <vector>

#include "reckon/cost/compute.hpp"
#include "reckon/cost/schedule.hpp"
#include "reckon/cost/shards.hpp"

namespace reckon {

inline const Formula kStageTime{"pipeline.stage", "t_i", "one stage, one micro-batch",
                                "its share of FLOPs and of layers"};
inline const Formula kBubble{"step.bubble", "T_bubble", "pipeline fill and drain",
                             "Narayanan 2021, section 2.2"};
inline const Formula kBubbleEven{"step.bubble_even", "T_bubble",
                                 "pipeline fill and drain, even stages",
                                 "overhead · time of a step"};
inline const Formula kImbalance{"step.imbalance", "T_imb", "waiting for the slowest stage",
                                "n · (slowest stage − mean)"};
template <class R>
struct PipelineTime {
  Seconds<R> bubble{}, imbalance{};
};

// FLOPs of a token in one layer, forward.
template <class R>
Flops<R> layer_flops(const TrainingPlan<R>& plan, const LayerGroup<R>& g) {
  auto N_layer = layer_parameters(plan.model, g).one_token;
  NAME(N_layer);
  auto forward = 2_flop * N_layer;
  if (!plan.batch.sequence) return forward;
  return forward + mixing_flops(plan.model, g.mixer, *plan.batch.sequence).causal;
}

// Shares of stage i: of all FLOPs (the head's too), and of all layers.
template <class R>
struct StageShare {
  Flops<R> flops;
  Count<R> layers;
};

template <class R>
StageShare<R> stage_share(const TrainingPlan<R>& plan, const std::vector<Flops<R>>& layer,
                          const Stages<R>& stages, int i) {
  Sum<kFlop, R> flops;
  Count<R> layers{0};
  stages.groups_of(i, [&](std::size_t g, Count<R> n) {
    flops.add(group_label(plan.model, "layers", "layers of group", g), n * layer[g]);
    layers += n;
  });
  if (i == stages.count() - 1) flops.add("head", 2_flop * plan.model.vocab * *plan.model.hidden);
  return {flops.total(), layers};
}

template <class R>
void stage_times(const TrainingPlan<R>& plan, const Layout<R>& x, const Stages<R>& stages,
                 Seconds<R> T_useful, Seconds<R> T_layers, PipelineTime<R>& out) {
  std::vector<Flops<R>> layer;
  layer.reserve(plan.model.layers.size());
  Sum<kFlop, R> all;
  Count<R> L{0};
  for (const LayerGroup<R>& g : plan.model.layers) {
    layer.push_back(layer_flops(plan, g));
    all.add(group_label(plan.model, "layers", "layers of group", layer.size() - 1),
            g.count * layer.back());
    L += g.count;
  }
  all.add("head", 2_flop * plan.model.vocab * *plan.model.hidden);
  auto F_all = all.total();
  auto n = x.n;
  auto v = plan.schedule.chunks;
  auto p = plan.mesh.pipeline;
  NAME(F_all, L, n, v, p);
  // One micro-batch through all stages.
  auto by_flops = p * T_useful / n;
  auto by_layers = p * T_layers / n;
  NAME(by_flops, by_layers);
  Largest<kSecond, R> slowest;
  for (int i = 0; i < stages.count(); ++i) {
    if (stages.like_an_earlier(i)) continue;
    auto [F_i, L_i] = stage_share(plan, layer, stages, i);
    NAME(F_i, L_i);
    slowest.offer({"stage", i}, kStageTime(by_flops * F_i / F_all + by_layers * L_i / L));
  }
  auto t_max = slowest.best();
  NAME(t_max);
  out.bubble = kBubble((by_flops + by_layers - t_max) / v);
  out.imbalance = kImbalance(n * t_max - (T_useful + T_layers));
}

// exposed: what the layers' own communication leaves exposed in a step.
template <class R>
PipelineTime<R> pipeline_time(const TrainingPlan<R>& plan, const Layout<R>& x,
                              const Stages<R>& stages, const ComputeTime<R>& work,
                              Seconds<R> exposed, Ratio<R> overhead) {
  PipelineTime<R> out;
  if (plan.mesh.pipeline <= 1) return out;
  auto T_useful = work.useful;
  auto T_layers = work.recompute + exposed;
  NAME(T_useful, T_layers);
  if (plan.assume.stages == StageBalance::kByFlops && !plan.model.abstract()) {
    stage_times(plan, x, stages, T_useful, T_layers, out);
  } else {
    out.bubble = kBubbleEven(overhead * (T_useful + T_layers));
  }
  return out;
}

}  // namespace reckon
