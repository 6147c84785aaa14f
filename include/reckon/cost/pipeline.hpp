// What a pipeline adds to a step: fill and drain, and waiting for the slowest stage.
//
// A stage's time is its share of the FLOPs, of the recomputed layers and of what its layers'
// communication leaves exposed
// (tensor, context, expert): all of it is repeated in the bubble.
//
//   even        bubble = (p − 1)/(v·n) · (compute + exposed)
//   by_flops    t_i by stage; bubble = (Σ t_i − t_max)/v, imbalance = n·(t_max − mean)
//                                                       Source: Narayanan 2021, section 2.2.
//
// Schedules whose bubble isn't a number of slots (bubble.hpp) need the passes apart: forward and
// backward share the useful work as their FLOPs do, the layers' exposed communication in halves;
// recomputed layers belong to the backward pass. Of uneven stages they are played out, and so is every schedule that a
// plan asks for (`schedule: {played: yes}`). A transfer that is played holds the stage that sends and delays the one
// that waits for it, by what `overlap.pipeline` does not hide of it; those on the path that decides the step are
// exposed.
#pragma once

#include <vector>

#include "reckon/cost/bubble.hpp"
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
inline const Formula kForwardPass{"pipeline.forward", "F",
                                  "forward pass of a micro-batch on a stage",
                                  "its share of the FLOPs, half of what the layers expose"};
inline const Formula kBackwardPass{"pipeline.backward", "B",
                                   "gradient of the inputs, of a micro-batch on a stage",
                                   "as the forward pass, and what is recomputed"};
inline const Formula kWeightPass{"pipeline.weight_gradient", "W",
                                 "gradient of the weights, of a micro-batch on a stage",
                                 "its share of the FLOPs"};
inline const Formula kSlowestStage{"pipeline.slowest", "t_max", "slowest stage, one micro-batch",
                                   "largest of the stages"};
inline const Formula kImbalancePlayed{"step.imbalance_played", "T_imb",
                                      "waiting for the slowest stage",
                                      "n · slowest stage, less the work"};
inline const Formula kBubbleUneven{"step.bubble_uneven", "T_bubble", "pipeline fill and drain",
                                   "played out, less the slowest stage's work"};

inline const Formula kExposedHop{"pipeline.exposed_hop", "t_send",
                                 "of a transfer, what delays the next stage",
                                 "what overlap does not hide"};
inline const Formula kTransfersPlayed{"pipeline.transfers", "T_send",
                                      "transfers on the path that decides the step",
                                      "their number · what delays the next stage"};

template <class R>
struct PipelineTime {
  Seconds<R> bubble{}, imbalance{}, transfers{};
};

// Whether the step's pipeline is played out with stages as they are, transfers and all.
template <class R>
bool uneven_stages(const TrainingPlan<R>& plan) {
  const bool stated = plan.schedule.first || plan.schedule.last || plan.schedule.played;
  return (plan.assume.stages == StageBalance::kByFlops || stated) && !plan.model.abstract();
}
template <class R>
bool plays_out(const TrainingPlan<R>& plan) {
  if (plan.mesh.pipeline <= 1 || plan.model.abstract()) return false;
  return plan.schedule.played || (!counts_slots(plan.schedule.kind) && uneven_stages(plan));
}

template <class R>
Seconds<R> exposed_hop(Seconds<R> hop, Ratio<R> overlap) {
  NAME(hop, overlap);
  return kExposedHop((1 - overlap) * hop);
}

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
class StageShares {
 public:
  StageShares(const TrainingPlan<R>& plan, const Stages<R>& stages) : plan_(plan), stages_(stages) {
    Sum<kFlop, R> all;
    layer_.reserve(plan.model.layers.size());
    for (const LayerGroup<R>& g : plan.model.layers) {
      layer_.push_back(layer_flops(plan, g));
      all.add(group_label(plan.model, "layers", "layers of group", layer_.size() - 1),
              g.count * layer_.back());
      all_.layers += g.count;
    }
    all.add("head", head());
    all_.flops = all.total();
  }

  const StageShare<R>& all() const { return all_; }
  StageShare<R> of_stage(int i) const {
    return share(stages_.holds_last(i), [&](auto visit) { stages_.groups_of(i, visit); });
  }
  StageShare<R> of_piece(int piece) const {
    return share(piece + 1 == stages_.cut().pieces(),
                 [&](auto visit) { stages_.groups_of_piece(piece, visit); });
  }

 private:
  Flops<R> head() const { return 2_flop * plan_.model.vocab * *plan_.model.hidden; }
  template <class Groups>
  StageShare<R> share(bool last, Groups groups) const {
    Sum<kFlop, R> flops;
    Count<R> layers{0};
    groups([&](std::size_t g, Count<R> n) {
      flops.add(group_label(plan_.model, "layers", "layers of group", g), n * layer_[g]);
      layers += n;
    });
    if (last) flops.add("head", head());
    return {flops.total(), layers};
  }

  const TrainingPlan<R>& plan_;
  const Stages<R>& stages_;
  std::vector<Flops<R>> layer_;
  StageShare<R> all_{{}, Count<R>{0}};
};

template <class R>
void stage_times(const TrainingPlan<R>& plan, const Layout<R>& x, const Stages<R>& stages,
                 Seconds<R> T_useful, Seconds<R> T_layers, PipelineTime<R>& out) {
  const StageShares<R> shares(plan, stages);
  auto F_all = shares.all().flops;
  auto L = shares.all().layers;
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
    auto [F_i, L_i] = shares.of_stage(i);
    NAME(F_i, L_i);
    slowest.offer({"stage", i}, kStageTime(by_flops * F_i / F_all + by_layers * L_i / L));
  }
  auto t_max = slowest.best();
  NAME(t_max);
  out.bubble = kBubble((by_flops + by_layers - t_max) / v);
  out.imbalance = kImbalance(n * t_max - (T_useful + T_layers));
}

// The passes of a micro-batch on a stage, on average over the stages.
template <class R>
StagePasses<kSecond, R> mean_passes(const TrainingPlan<R>& plan, const Layout<R>& x,
                                    const ComputeTime<R>& work, Seconds<R> exposed) {
  // Frozen weights have no gradient.
  const bool frozen = plan.trainable.adapters.has_value();
  auto passes = frozen ? Count<R>{2} : Count<R>{3};
  auto T_useful = work.useful;
  auto T_again = work.recompute;
  auto T_exposed = exposed;
  auto n = x.n;
  NAME(passes, T_useful, T_again, T_exposed, n);
  return {kForwardPass((T_useful / passes + T_exposed / 2) / n),
          kBackwardPass((T_useful / passes + T_exposed / 2 + T_again) / n),
          frozen ? Seconds<R>{} : kWeightPass(T_useful / passes / n)};
}

// The same of each piece of the model. What recomputing and communication take goes by layers.
template <class R>
std::vector<StagePasses<kSecond, R>> piece_passes(const TrainingPlan<R>& plan, const Layout<R>& x,
                                                  const Stages<R>& stages,
                                                  const ComputeTime<R>& work, Seconds<R> exposed) {
  const StagePasses<kSecond, R> mean = mean_passes(plan, x, work, exposed);
  const StageShares<R> shares(plan, stages);
  auto p = plan.mesh.pipeline;
  auto n = x.n;
  auto F_all = shares.all().flops;
  auto L = shares.all().layers;
  NAME(p, n, F_all, L);
  auto by_layers = exposed / 2 / n;
  auto again = work.recompute / n;
  NAME(by_layers, again);
  std::vector<StagePasses<kSecond, R>> out;
  for (int i = 0; i < stages.cut().pieces(); ++i) {
    auto [F_i, L_i] = shares.of_piece(i);
    auto flops = p * F_i / F_all;
    auto layers = p * L_i / L;
    NAME(flops, layers);
    auto forward = mean.F - by_layers;
    NAME(forward);
    out.push_back({flops * forward + layers * by_layers,
                   flops * forward + layers * (by_layers + again), flops * mean.W});
  }
  return out;
}

// Pieces of any length, played out in the plan's schedule. T_work: of all pieces, mean over the stages.
template <class R>
PipelineTime<R> played_pipeline(const Layout<R>& x, const Stages<R>& stages,
                                const std::vector<StagePasses<kSecond, R>>& pieces,
                                Seconds<R> T_work, Seconds<R> send) {
  PipelineTime<R> out;
  Cut cut = stages.cut();
  schedule::PipelineLayout layout = cut.layout();
  layout.micro_batches = whole(x.n);
  const bool staggered = staggers_steps(cut.kind);
  schedule::Played run;
  auto T_pipe = played_time<kSecond, R>(
      layout, pieces, {.send = send, .blocking = true, .staggered = staggered}, &run);
  const int sends = (staggered ? run.cycle_path : run.time_path).sends;
  if (sends > 0 && !(send <= Seconds<R>{})) {
    auto t_send = send;
    NAME(t_send);
    out.transfers = kTransfersPlayed(structural<R>("transfers", sends) * t_send);
  }
  Largest<kSecond, R> slowest;
  for (int i = 0; i < stages.count(); ++i) {
    if (stages.like_an_earlier(i)) continue;
    Sum<kSecond, R> held;
    for (int c = 0; c < layout.held(); ++c) {
      const auto& t = pieces[static_cast<std::size_t>(layout.piece(i, c))];
      held.add({"piece", c}, t.F + t.B + t.W);
    }
    // Of two copies each sees half of the micro-batches.
    slowest.offer({"stage", i}, layout.copies() == 2 ? held.total() / 2 : held.total());
  }
  auto t_max = kSlowestStage(slowest.best());
  auto n = x.n;
  NAME(T_pipe, n, T_work);
  auto T_send = out.transfers;
  NAME(T_send);
  out.bubble = kBubbleUneven(max(Seconds<R>{}, T_pipe - n * t_max - T_send));
  out.imbalance = kImbalancePlayed(n * t_max - T_work);
  return out;
}

// A schedule that is played with its stages as uneven as their FLOPs.
template <class R>
PipelineTime<R> uneven_times(const TrainingPlan<R>& plan, const Layout<R>& x,
                             const Stages<R>& stages, const ComputeTime<R>& work,
                             Seconds<R> exposed, Seconds<R> send) {
  const auto pieces = piece_passes(plan, x, stages, work, exposed);
  return played_pipeline(x, stages, pieces, work.total() + exposed, send);
}

// exposed: what the layers' own communication leaves exposed in a step.
template <class R>
PipelineTime<R> pipeline_time(const TrainingPlan<R>& plan, const Layout<R>& x,
                              const Stages<R>& stages, const ComputeTime<R>& work,
                              Seconds<R> exposed, Ratio<R> overhead, Seconds<R> send) {
  PipelineTime<R> out;
  if (plan.mesh.pipeline <= 1) return out;
  auto T_useful = work.useful;
  auto T_layers = work.recompute + exposed;
  NAME(T_useful, T_layers);
  // Stages that a plan makes unequal are timed so.
  const bool uneven = uneven_stages(plan);
  if (!counts_slots(plan.schedule.kind) || plan.schedule.played) {
    if (plays_out(plan))
      out = uneven_times(plan, x, stages, work, exposed, send);
    else
      out.bubble = bubble(
          PipelineShape<R>{plan.schedule.kind, plan.mesh.pipeline, chunks_of(plan.schedule), x.n},
          mean_passes(plan, x, work, exposed));
    return out;
  }
  if (uneven) {
    stage_times(plan, x, stages, T_useful, T_layers, out);
  } else {
    out.bubble = kBubbleEven(overhead * (T_useful + T_layers));
  }
  return out;
}

}  // namespace reckon
