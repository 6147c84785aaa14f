// Time of one optimizer step: compute, pipeline, exposed communication, optimizer.
//
//   T = compute + recompute + imbalance + bubble + exposed communication + optimizer
//
// Compute comes from compute.hpp, the pipeline's part from pipeline.hpp; here is what hides behind
// what (docs/decisions/0007), the update, and the sum.
// Source: Narayanan 2021 (pipeline), Zhao 2023 (overlap of FSDP).
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/flops.hpp"
#include "reckon/cost/memory.hpp"
#include "reckon/cost/pipeline.hpp"

namespace reckon {

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

// What the update reads and writes on one GPU: states and master twice, gradients once, weights
// once.
template <class R>
Seconds<R> optimizer_time(const TrainingPlan<R>& plan, const Layout<R>& x, const StageMemory<R>& m,
                          Ratio<R> efficiency) {
  const Precision<R>& f = plan.precision;
  const bool adapters = plan.trainable.adapters.has_value();
  const SharedBy<R> n_o = shared_by(x, !(plan.sharding.zero < 1), "n_o", "n_oe");
  auto P_trained = adapters ? m.shard.adapters : m.shard.dense;
  auto gw = f.gradients.size + f.weights.size;
  // What lies on the host already need not go there.
  if (plan.offloaded.gradients && plan.offloaded.weights) return {};
  if (plan.offloaded.gradients) gw = 1 * f.weights.size;
  if (plan.offloaded.weights) gw = 1 * f.gradients.size;
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
  auto e_m = efficiency;
  NAME(e_m);
  return kOptimizerTime(bytes / (plan.cluster.node.chip.memory.bandwidth * e_m));
}

// When data-parallel traffic runs, and behind what it may hide: gathers behind forward passes,
// reductions behind backward
// ones; what happens once a step behind those of one micro-batch.
template <class R>
Seconds<R> data_exposed(const TrainingPlan<R>& plan, const Layout<R>& x, const Communication<R>& c,
                        const ComputeTime<R>& work, Seconds<R> window) {
  const auto& o = plan.assume.overlap.data;
  const auto& z = plan.sharding.zero;
  const bool each = !(z < 3) && plan.mesh.pipeline <= 1;  // every micro-batch gathers and reduces
  const bool reduces_each = each || (!(z < 2) && z < 3);
  auto passes =
      plan.trainable.adapters ? Count<R>{2} : Count<R>{3};  // frozen weights: no weight gradient
  auto T_useful = work.useful;
  auto T_work = work.total();
  NAME(passes, T_useful, T_work);
  auto forward = window * (T_useful / passes) / T_work;
  auto backward = window - forward;
  NAME(forward, backward);
  const bool twice = each && plan.sharding.reshard;  // half of them before the backward passes
  auto gathers = twice ? 0.5 * c.all_gather.time : c.all_gather.time;
  auto reduces = c.reduce_scatter.time + c.all_reduce.time;
  if (twice) reduces += gathers;
  auto behind_gathers = each ? forward : forward / x.n;
  auto behind_reduces = reduces_each ? backward : backward / x.n;
  NAME(gathers, reduces, behind_gathers, behind_reduces);
  Sum<kSecond, R> out;
  out.add("gathers", exposed(gathers, o, behind_gathers));
  auto reductions = exposed(reduces, o, behind_reduces);
  out.add("reductions",
          c.last_bucket <= Seconds<R>{} ? reductions : max(reductions, c.last_bucket));
  auto last = reduces_each ? behind_reduces / x.n : behind_reduces;
  auto replicas = c.replicas.time;
  NAME(replicas, last);
  out.add("replicas", exposed(replicas, o, last));
  return kDataExposed(out.total());
}

// Ring attention hides behind the attention of the block before: (c − 1)/c of it.
template <class R>
Seconds<R> context_exposed(const TrainingPlan<R>& plan, const TokenFlops<R>& tokens,
                           Seconds<R> T_work, Seconds<R> time, Seconds<R>& window) {
  if (time <= Seconds<R>{}) return {};
  if (plan.mesh.context_by != ContextBy::kRing) return time;  // attention waits for it
  auto c = plan.mesh.context;
  NAME(c);
  auto behind_attention = min(window, T_work * *tokens.attention_share * (c - 1) / c);
  NAME(behind_attention);
  auto left = exposed(time, plan.assume.overlap.context, behind_attention);
  window = window - (time - left);
  return left;
}

template <class R>
struct StepTime {
  ComputeTime<R> compute;
  PipelineTime<R> pipeline;
  Seconds<R> optimizer, exposed, data_exposed, time;
  Seconds<R> host{};  // copies to the host left exposed
};

template <class R>
StepTime<R> step_time(const TrainingPlan<R>& plan, const Layout<R>& x, const Stages<R>& stages,
                      const StageMemory<R>& memory, const TokenFlops<R>& tokens, Flops<R> flops,
                      Ratio<R> bubble_overhead, Communication<R>& c) {
  StepTime<R> s;
  s.compute = assumed_compute(plan, x, tokens, flops);
  auto T_work = s.compute.total();
  NAME(T_work);
  const Overlap<R>& o = plan.assume.overlap;
  auto window = T_work;  // what lies closest to the operators hides first
  NAME(window);
  c.tensor.exposed = exposed(c.tensor.time, o.tensor, window);
  c.context.exposed = context_exposed(plan, tokens, T_work, c.context.time, window);
  c.expert.exposed = exposed(c.expert.time, o.expert, window);
  auto T_between = c.tensor.exposed + c.context.exposed + c.expert.exposed;
  const bool played = plays_out(plan);
  Seconds<R> send{};
  if (played && c.pipeline.any()) send = exposed_hop(c.pipeline.one.time, o.pipeline);
  s.pipeline = pipeline_time(plan, x, stages, s.compute, T_between, bubble_overhead, send);
  c.pipeline.exposed = played ? s.pipeline.transfers : exposed(c.pipeline.time, o.pipeline, window);
  s.data_exposed = data_exposed(plan, x, c, s.compute, window);
  Sum<kSecond, R> out;
  out.add("data", s.data_exposed).add("tensor", c.tensor.exposed);
  out.add("context", c.context.exposed).add("expert", c.expert.exposed);
  out.add("pipeline", c.pipeline.exposed);
  s.exposed = kExposedTotal(out.total());
  s.optimizer = optimizer_time(plan, x, memory, plan.assume.efficiency.memory);
  Sum<kSecond, R> step;
  step.add("compute", s.compute.useful).add("recompute", s.compute.recompute);
  step.add("imbalance", s.pipeline.imbalance);
  step.add("bubble", s.pipeline.bubble).add("exposed communication", s.exposed);
  step.add("optimizer", s.optimizer);
  s.time = kStepTime(step.total());
  return s;
}

}  // namespace reckon
