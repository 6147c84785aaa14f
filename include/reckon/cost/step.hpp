// Time of one optimizer step: compute, pipeline, exposed communication, optimizer.
//
// Here compute comes from an assumed MFU: T_compute = FLOPs / (GPUs · peak · MFU). The
// operator-level model plugs in at ComputeTime: whatever computes it, the rest of the step does not
// change.
//
//   T = T_compute + imbalance + bubble + exposed communication + optimizer
// Source: Narayanan 2021 (pipeline), Zhao 2023 (overlap of FSDP).
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/flops.hpp"
#include "reckon/cost/memory.hpp"

namespace reckon {

inline const Formula kFlopsPerStep{"flops.per_step", "F_step", "FLOPs of a step, all GPUs",
                                   "FLOPs of a token · tokens"};
inline const Formula kCompute{"step.compute", "T_compute", "compute time of a step",
                              "FLOPs over the GPUs' peak · MFU"};
inline const Formula kRecomputeTime{"step.recompute", "T_again", "recomputed work",
                                    "its FLOPs over the GPUs' peak · MFU"};
inline const Formula kStageTime{"pipeline.stage", "t_i", "one stage, one micro-batch",
                                "its share of the FLOPs"};
inline const Formula kBubble{"step.bubble", "T_bubble", "pipeline fill and drain",
                             "Narayanan 2021, section 2.2"};
inline const Formula kBubbleEven{"step.bubble_even", "T_bubble",
                                 "pipeline fill and drain, even stages", "overhead · compute"};
inline const Formula kImbalance{"step.imbalance", "T_imb", "waiting for the slowest stage",
                                "n · (slowest stage − mean)"};
inline const Formula kBubbleShare{"pipeline.bubble_share", "share",
                                  "bubble as a share of elapsed time", "(p − 1) / (v·n + p − 1)",
                                  Hint::kFraction};
inline const Formula kBubbleOverhead{"pipeline.bubble_overhead", "overhead",
                                     "bubble over ideal time", "(p − 1) / (v·n), Narayanan 2021",
                                     Hint::kFraction};
inline const Formula kOptimizerBytes{"optimizer.bytes", "bytes",
                                     "bytes the optimizer reads and writes on one GPU",
                                     "states and master twice, gradient once, weight once"};
inline const Formula kOptimizerBytesMoe{"optimizer.bytes_moe", "bytes",
                                        "bytes the optimizer reads and writes on one GPU",
                                        "as optimizer.bytes; experts in their own group"};
inline const Formula kOffloadBytes{"optimizer.offload_bytes", "bytes",
                                   "bytes the offloaded optimizer moves over the host link",
                                   "gradients down, weights up"};
inline const Formula kOffloadBytesMoe{"optimizer.offload_bytes_moe", "bytes",
                                      "bytes the offloaded optimizer moves over the host link",
                                      "as optimizer.offload_bytes; experts in their own group"};
inline const Formula kOptimizerTime{"step.optimizer", "T_opt", "optimizer update",
                                    "bytes over memory bandwidth"};
inline const Formula kOffloadTime{"step.optimizer_offload", "T_opt", "optimizer update on the host",
                                  "gradients down, weights up over the host link"};
inline const Formula kCommunicationTotal{"comm.total.time", "T_comm", "all communication, serial",
                                         "sum over operations"};
inline const Formula kCommunicationBytes{"comm.total.bytes", "S_comm",
                                         "bytes a GPU sends in a step", "sum over operations"};
inline const Formula kDataTime{"comm.data.time", "T_data", "data-parallel communication",
                               "gathers, reductions, replicas"};
inline const Formula kDataCount{"comm.data.count", "n_data", "data-parallel collectives of a step",
                                "gathers, reductions, replicas", Hint::kCount};
inline const Formula kDataExposed{"comm.data.exposed", "T_data_exp",
                                  "data-parallel communication left exposed",
                                  "hidden behind the compute of its pass"};
inline const Formula kExposedTotal{"step.exposed", "T_exposed", "communication left exposed",
                                   "sum over operations"};
inline const Formula kOverCompute{"comm.total.over_compute", "T_comm/T_compute",
                                  "communication over compute", "both serial", Hint::kRatio};
inline const Formula kStepTime{"step.time", "T", "time of one optimizer step",
                               "compute + pipeline + exposed communication + optimizer"};

template <class R>
FlopRate<R> peak(const TrainingPlan<R>& plan) {
  return *plan.cluster.node.chip.peak.of(
      plan.precision.compute);  // legality has checked it is there
}

// Compute time of a step on one GPU, mean over the stages, and how the stages share it.
template <class R>
struct ComputeTime {
  Flops<R> flops;  // all GPUs, under the plan's convention
  Seconds<R> useful, recompute{};

  Seconds<R> total() const { return useful + recompute; }
};

// The seam: an operator-level model fills the same struct from kernels.
template <class R>
ComputeTime<R> assumed_compute(const TrainingPlan<R>& plan, const Layout<R>& x,
                               const TokenFlops<R>& tokens) {
  auto T_step = x.tokens;
  auto F = *tokens.of(plan.assume.flops);
  NAME(T_step, F);
  auto flops = kFlopsPerStep(F * T_step);
  auto P = peak(plan);
  auto MFU = *plan.assume.train.mfu;
  auto G = x.G;
  NAME(P, MFU, G);
  ComputeTime<R> c{flops, kCompute(flops / (G * P * MFU)), {}};
  const bool added =
      plan.assume.recompute == RecomputeCount::kAdded && plan.assume.flops != FlopCount::kHfu;
  if (tokens.again && added) {
    auto F_again = *tokens.again;
    NAME(F_again);
    c.recompute = kRecomputeTime(F_again * T_step / (G * P * MFU));
  }
  return c;
}

// FLOPs of a token on stage i, forward: its layers' matrices and attention, the head on the last stage.
template <class R>
Flops<R> stage_flops(const TrainingPlan<R>& plan, const std::vector<Flops<R>>& layer,
                     const Stages<R>& stages, int i) {
  Sum<kFlop, R> parts;
  stages.groups_of(i, [&](std::size_t g, Count<R> n) {
    parts.add(group_label(plan.model, "layers", "layers of group", g), n * layer[g]);
  });
  if (i == stages.count() - 1) parts.add("head", 2_flop * plan.model.vocab * *plan.model.hidden);
  return parts.total();
}

template <class R>
Flops<R> layer_flops(const TrainingPlan<R>& plan, const LayerGroup<R>& g) {
  auto N_layer = layer_parameters(plan.model, g).one_token;
  NAME(N_layer);
  auto forward = 2_flop * N_layer;
  if (!plan.batch.sequence) return forward;
  return forward + 0.5 * (2_flop * *plan.batch.sequence * attention_width(plan.model, g.mixer));
}

template <class R>
struct PipelineTime {
  Seconds<R> bubble{}, imbalance{};
  Ratio<R> share{}, overhead{};
};

template <class R>
void stage_times(const TrainingPlan<R>& plan, const Layout<R>& x, const Stages<R>& stages,
                 Seconds<R> T_compute, PipelineTime<R>& out) {
  std::vector<Flops<R>> layer;
  layer.reserve(plan.model.layers.size());
  Sum<kFlop, R> all;
  for (const LayerGroup<R>& g : plan.model.layers) {
    layer.push_back(layer_flops(plan, g));
    all.add(group_label(plan.model, "layers", "layers of group", layer.size() - 1),
            g.count * layer.back());
  }
  all.add("head", 2_flop * plan.model.vocab * *plan.model.hidden);
  auto F_all = all.total();
  auto n = x.n;
  auto v = plan.schedule.chunks;
  NAME(F_all, n, v);
  auto pass = plan.mesh.pipeline * T_compute / n;  // one micro-batch through all stages
  NAME(pass);
  Largest<kSecond, R> slowest;
  for (int i = 0; i < stages.count(); ++i) {
    if (stages.like_an_earlier(i)) continue;
    auto F_i = stage_flops(plan, layer, stages, i);
    NAME(F_i);
    slowest.offer({"stage", i}, kStageTime(pass * F_i / F_all));
  }
  auto t_max = slowest.best();
  NAME(t_max);
  out.bubble = kBubble((pass - t_max) / v);
  out.imbalance = kImbalance(n * t_max - T_compute);
}

template <class R>
PipelineTime<R> pipeline_time(const TrainingPlan<R>& plan, const Layout<R>& x,
                              const Stages<R>& stages, Seconds<R> T_compute) {
  PipelineTime<R> out;
  auto p = plan.mesh.pipeline;
  if (p <= 1) return out;
  auto v = plan.schedule.chunks;
  auto n = x.n;
  NAME(p, v, n);
  out.share = kBubbleShare((p - 1) / (v * n + p - 1));
  auto overhead = kBubbleOverhead((p - 1) / (v * n));
  out.overhead = overhead;
  if (plan.assume.stages == StageBalance::kByFlops && !plan.model.abstract()) {
    stage_times(plan, x, stages, T_compute, out);
  } else {
    out.bubble = kBubbleEven(overhead * T_compute);
  }
  return out;
}

// What the update reads and writes on one GPU: states and master twice, gradients once, weights
// once.
template <class R>
Seconds<R> optimizer_time(const TrainingPlan<R>& plan, const Layout<R>& x,
                          const StageMemory<R>& m) {
  const Precision<R>& f = plan.precision;
  const bool adapters = plan.trainable.adapters.has_value();
  const SharedBy<R> n_o = shared_by(x, !(plan.sharding.zero < 1), "n_o", "n_oe");
  auto P_trained = adapters ? m.shard.adapters : m.shard.dense;
  auto gw = f.gradients.size + f.weights.size;
  NAME(P_trained, gw);
  StateBytes<R> moved{gw * P_trained, {}};
  if (!adapters) moved.experts = gw * m.shard.experts.full;
  if (plan.offload == Offload::kOptimizer) {
    auto bytes = shared_out(kOffloadBytes, kOffloadBytesMoe, moved, n_o);
    return kOffloadTime(bytes /
                        (plan.cluster.node.chip.host->one_way * plan.assume.efficiency.host));
  }
  const auto states =
      adapters ? adapter_optimizer_bytes(plan, m.shard) : optimizer_bytes(plan, m.shard);
  auto M_states = states.dense;
  NAME(M_states);
  moved.dense = 2 * M_states + moved.dense;
  moved.experts = 2 * states.experts + moved.experts;
  auto bytes = shared_out(kOptimizerBytes, kOptimizerBytesMoe, moved, n_o);
  return kOptimizerTime(bytes /
                        (plan.cluster.node.chip.memory.bandwidth * plan.assume.efficiency.memory));
}

// Forward gathers hide behind the forward third of the window, backward traffic behind the rest; what happens once a
// step hides behind the backward pass of one micro-batch.
template <class R>
Seconds<R> data_exposed(const TrainingPlan<R>& plan, const Layout<R>& x, const Communication<R>& c,
                        Seconds<R> window) {
  const auto& o = plan.assume.overlap.data;
  auto forward_window = window / 3;
  auto backward_window = window - forward_window;
  NAME(forward_window, backward_window);
  if (!(plan.sharding.zero < 3)) {
    auto forward = 0.5 * c.all_gather.time;
    auto backward = forward + c.reduce_scatter.time + c.replicas.time;
    NAME(forward, backward);
    return kDataExposed(Sum<kSecond, R>()
                            .add("forward", exposed(forward, o, forward_window))
                            .add("backward", exposed(backward, o, backward_window))
                            .total());
  }
  auto gather = c.all_gather.time;  // new weights: behind the next forward pass
  auto reduce = c.reduce_scatter.time + c.all_reduce.time + c.replicas.time;
  auto last_backward = plan.sharding.zero < 2 ? backward_window / x.n : backward_window;
  NAME(gather, reduce, last_backward);
  return kDataExposed(Sum<kSecond, R>()
                          .add("forward", exposed(gather, o, forward_window))
                          .add("backward", exposed(reduce, o, last_backward))
                          .total());
}

template <class R>
struct StepTime {
  ComputeTime<R> compute;
  PipelineTime<R> pipeline;
  Seconds<R> optimizer, exposed, data_exposed, time;
};

template <class R>
StepTime<R> step_time(const TrainingPlan<R>& plan, const Layout<R>& x, const Stages<R>& stages,
                      const StageMemory<R>& memory, const TokenFlops<R>& tokens,
                      Communication<R>& c) {
  StepTime<R> s;
  s.compute = assumed_compute(plan, x, tokens);
  auto T_work = s.compute.total();
  NAME(T_work);
  s.pipeline = pipeline_time(plan, x, stages, T_work);
  const Overlap<R>& o = plan.assume.overlap;
  auto window = T_work;  // what lies closest to the operators hides first
  NAME(window);
  c.tensor.exposed = exposed(c.tensor.time, o.tensor, window);
  c.context.exposed = exposed(c.context.time, o.context, window);
  c.expert.exposed = exposed(c.expert.time, o.expert, window);
  c.pipeline.exposed = exposed(c.pipeline.time, o.pipeline, window);
  s.data_exposed = data_exposed(plan, x, c, window);
  Sum<kSecond, R> out;
  out.add("data", s.data_exposed).add("tensor", c.tensor.exposed);
  out.add("context", c.context.exposed).add("expert", c.expert.exposed);
  out.add("pipeline", c.pipeline.exposed);
  s.exposed = kExposedTotal(out.total());
  s.optimizer = optimizer_time(plan, x, memory);
  Sum<kSecond, R> step;
  step.add("compute", s.compute.useful).add("recompute", s.compute.recompute);
  step.add("imbalance", s.pipeline.imbalance);
  step.add("bubble", s.pipeline.bubble).add("exposed communication", s.exposed);
  step.add("optimizer", s.optimizer);
  s.time = kStepTime(step.total());
  return s;
}

}  // namespace reckon
