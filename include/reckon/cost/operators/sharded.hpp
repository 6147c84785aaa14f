// What data parallelism adds to a step from operators: gathers and reductions behind the layers, gradients behind the
// last passes.
//
//   const ShardedLayer<R> l = shard_layer(x, layer, held, first);      l.all, l.outside
//   gradients_exposed(x, shard, window, in_window)                     DDP and ZeRO-1, 2
//
// Source: Zhao 2023 (FSDP), Rajbhandari 2020 (ZeRO).
#pragma once

#include "reckon/cost/operators/layer.hpp"
#include "reckon/cost/operators/machine.hpp"
#include "reckon/cost/step.hpp"

namespace reckon {

inline const Formula kLayerBehind{"operator.fsdp.layer", "ov",
                                  "a layer and the communication behind it",
                                  "the longer of both, slowed by the other"};
inline const Formula kOutside{"operator.fsdp.outside", "T_out",
                              "gathers and reductions outside the layers",
                              "first gather, last reduction, tables"};
inline const Formula kGradientsExposed{"operator.gradients.exposed", "T_grad",
                                       "gradient reduction left exposed",
                                       "behind first forwards and last backwards"};
inline const Formula kGradientsAlone{"operator.gradients.alone", "T_grad",
                                     "gradient reduction left exposed", "nothing hides it"};
inline const Formula kGradientsInBuckets{
    "operator.gradients.buckets", "T_dp_exp", "gradients reduced in buckets, exposed",
    "what the window leaves, at least the last bucket: Li 2020"};

template <class R>
struct OperatorContext {
  const TrainingPlan<R>& plan;
  const Layout<R>& layout;
  const Stages<R>& stages;
  const OperatorMachine<R>& machine;
  LayerShape<R> shape;
};

// ov(x, y): y runs behind x; what runs at the same time slows the other by a share.
template <class R>
Seconds<R> behind(Seconds<R> compute, Seconds<R> communication, const OverlapStack<R>& k) {
  if (communication <= Seconds<R>{}) return compute;
  NAME(compute, communication);
  auto both = min(compute, communication);
  NAME(both);
  return kLayerBehind(max(compute + k.contention * both, communication + k.exposure * both));
}

// Gathers and reductions of parameters on the stack's curves; experts in their own group.
template <class R>
struct ShardedTransfer {
  Seconds<R> gather{}, reduce{};
};

template <class R>
Seconds<R> both_groups(CollectiveOp op, Bytes<R> dense, Bytes<R> routed, const Group<R>& all,
                       const Group<R>& experts, const OperatorMachine<R>& m) {
  auto t = collective_time(op, dense, all, m);
  if (routed <= Bytes<R>{}) return t;
  return t + collective_time(op, routed, experts, m);
}

template <class R>
ShardedTransfer<R> sharded_transfer(const OperatorContext<R>& x, Count<R> P_dense,
                                    Count<R> P_routed) {
  const TrainingPlan<R>& plan = x.plan;
  const auto groups = shard_groups(plan, x.layout);
  const auto& b_gat = plan.precision.gather.size;
  const auto& b_red = plan.precision.reduce.size;
  NAME(P_dense, P_routed);
  ShardedTransfer<R> out;
  out.gather = both_groups(CollectiveOp::kAllGather, b_gat * P_dense, b_gat * P_routed,
                           groups.shard, groups.expert_shard, x.machine);
  out.reduce = both_groups(CollectiveOp::kReduceScatter, b_red * P_dense, b_red * P_routed,
                           groups.shard, groups.expert_shard, x.machine);
  if (groups.replicas.q <= 1) return out;
  auto replicas = both_groups(CollectiveOp::kAllReduce, b_red * P_dense / x.layout.shard,
                              P_routed <= 0 ? Bytes<R>{} : b_red * P_routed / x.layout.expert_shard,
                              groups.replicas, groups.expert_replicas, x.machine);
  auto n = x.layout.n;
  NAME(replicas, n);
  out.reduce = out.reduce + replicas / n;  // once a step
  return out;
}

// A layer under FSDP: its time with prefetch, and what stays outside all layers in a step.
template <class R>
struct ShardedLayer {
  Pass<R> all;
  Seconds<R> outside{};
};

template <class R>
ShardedLayer<R> shard_layer(const OperatorContext<R>& x, const LayerTime<R>& l,
                            const LayerShard<R>& held, bool first) {
  const Pass<R> alone{l.all.forward, l.all.backward + l.recompute};
  if (x.plan.sharding.zero < 3) return {alone, {}};
  const auto& o = x.machine.stack.overlap;
  const auto t = sharded_transfer(x, held.matrices.full + held.vectors, held.experts.full);
  auto gather = t.gather;
  auto reduce = t.reduce;
  auto n = x.layout.n;
  NAME(gather, reduce, n);
  ShardedLayer<R> out;
  const bool piped = !(x.plan.mesh.pipeline <= 1);
  const bool regather = x.plan.sharding.reshard;  // else what was gathered forward is still there
  // With a pipeline weights are gathered once and gradients reduced once a step.
  out.all = piped ? Pass<R>{alone.forward + gather / n, alone.backward + reduce / n}
                  : Pass<R>{behind(alone.forward, gather, o),
                            behind(alone.backward, regather ? gather + reduce : 1 * reduce, o)};
  if (!first) return out;
  const Model<R>& model = x.plan.model;
  auto tables = model.tied ? Count<R>{1} : Count<R>{2};
  auto P_tables = tables * model.vocab * *model.hidden / x.plan.mesh.tensor;
  NAME(P_tables);
  const auto ends = sharded_transfer(x, P_tables, Count<R>{});
  auto times = piped ? Count<R>{1} : n;
  NAME(times);
  auto gather_tables = ends.gather;
  auto reduce_tables = ends.reduce;
  NAME(gather_tables, reduce_tables);
  out.outside = kOutside(times * (gather_tables + reduce_tables + gather + reduce));
  return out;
}

// While gradients are reduced stages still send, there and back for each chunk of a micro-batch, and one port
// carries both.
inline const Formula kSharedPort{"operator.gradients.shared_port", "T_dp",
                                 "gradient reduction beside the stages' sends",
                                 "micro-batches of the window, their sends at line rate"};

template <class R>
Seconds<R> with_sends(const OperatorContext<R>& x, Seconds<R> T_dp, Count<R> in_window) {
  const auto& m = x.machine;
  if (!x.layout.pipeline.crosses() || !x.layout.data.crosses()) return T_dp;
  const bool split = x.plan.mesh.sequence || m.stack.scatter_gather;
  auto sent = split ? x.shape.H / x.shape.t : x.shape.H;
  auto W = port_rate(x.layout.pipeline, m);
  auto en = m.stack.network.efficiency;
  auto v = chunks_of(x.plan.schedule);
  NAME(T_dp, in_window, sent, W, en, v);
  return kSharedPort(T_dp + in_window * 2 * v * sent / (W * en));
}

// DDP and ZeRO-1, 2: gradients reduced, and weights gathered, once a step.
template <class R>
Seconds<R> gradients_exposed(const OperatorContext<R>& x, const StageShard<R>& shard,
                             Seconds<R> window, Count<R> in_window) {
  const TrainingPlan<R>& plan = x.plan;
  const bool alone = x.layout.ranks <= 1 && x.layout.expert_ranks <= 1;
  if (alone || !(plan.sharding.zero < 3)) return {};
  const auto& m = x.machine;
  const auto& b_red = plan.precision.reduce.size;
  auto S = b_red * shard.dense;
  auto S_routed = b_red * shard.experts.full;
  Seconds<R> T_dp;
  if (plan.sharding.bucket) {  // DDP
    auto n_bucket = buckets(S, *plan.sharding.bucket);
    NAME(n_bucket);
    T_dp = n_bucket * both_groups(CollectiveOp::kAllReduce, S / n_bucket, S_routed / n_bucket,
                                  x.layout.data, x.layout.experts_data, m);
    NAME(T_dp, window);
    if (!m.stack.overlap_gradients) return kGradientsAlone(T_dp);
    return kGradientsInBuckets(max(T_dp / n_bucket, T_dp - m.stack.overlap.gradients * window));
  }
  if (plan.sharding.zero < 1) {
    T_dp =
        both_groups(CollectiveOp::kAllReduce, S, S_routed, x.layout.data, x.layout.experts_data, m);
  } else {
    const auto t = sharded_transfer(x, shard.dense, shard.experts.full);
    T_dp = t.gather + t.reduce;
  }
  NAME(T_dp);
  if (!m.stack.overlap_gradients) return kGradientsAlone(T_dp);
  T_dp = with_sends(x, T_dp, in_window);
  NAME(T_dp, window);
  const auto& o = m.stack.overlap;
  return kGradientsExposed(max(o.gradients_least * T_dp, T_dp - o.gradients * window));
}

}  // namespace reckon
