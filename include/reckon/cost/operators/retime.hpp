// The communication list of a step with the times of a software stack's curves in place of line
// rates and assumed waiting. Bytes and counts stay.
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/operators/layer.hpp"
#include "reckon/cost/operators/machine.hpp"

namespace reckon {

inline const Formula kOneCollective{"operator.collective.one", "t_one",
                                    "one collective of all parameters",
                                    "dense parameters and routed experts in their own groups, a "
                                    "layer at a time under ZeRO-3"};

template <class R>
void set_time(Operation<R>& op, Seconds<R> one) {
  if (!op.any()) return;
  op = repeated<R>({op.one.bytes, one}, op.count, op.group);
}

// S in so many messages.
template <class R>
Seconds<R> in_messages(CollectiveOp op, Bytes<R> S, Count<R> messages, const Group<R>& group,
                       const OperatorMachine<R>& m) {
  if (group.q <= 1 || S <= Bytes<R>{}) return {};
  NAME(messages);
  return messages * collective_time(op, S / messages, group, m);
}

template <class R>
void retime_data(const CommunicationInputs<R>& in, const OperatorMachine<R>& m,
                 Communication<R>& c) {
  const TrainingPlan<R>& plan = in.plan;
  const auto groups = shard_groups(plan, in.layout);
  const ParameterBytes<R> gradients = gradient_bytes(in), weights = weight_bytes(in);
  const bool layerwise = !(plan.sharding.zero < 3) && !(in.shard.layers <= 0);
  const auto messages = layerwise ? in.shard.layers : Count<R>{1};
  const auto timed = [&](CollectiveOp op, const ParameterBytes<R>& S, const Group<R>& dense,
                         const Group<R>& experts) {
    Sum<kSecond, R> both;
    both.add("dense", in_messages(op, S.dense, messages, dense, m));
    both.add("experts", in_messages(op, S.routed, messages, experts, m));
    return kOneCollective(both.total());
  };
  if (c.all_reduce.any()) {
    const auto in_buckets =
        plan.sharding.bucket ? buckets(gradients.dense, *plan.sharding.bucket) : messages;
    Sum<kSecond, R> both;
    both.add("dense",
             in_messages(CollectiveOp::kAllReduce, gradients.dense, in_buckets, in.layout.data, m));
    both.add("experts", in_messages(CollectiveOp::kAllReduce, gradients.routed, in_buckets,
                                    in.layout.experts_data, m));
    set_time(c.all_reduce, kOneCollective(both.total()));
  }
  if (c.all_gather.any())
    set_time(c.all_gather,
             timed(CollectiveOp::kAllGather, weights, groups.shard, groups.expert_shard));
  if (c.reduce_scatter.any())
    set_time(c.reduce_scatter,
             timed(CollectiveOp::kReduceScatter, gradients, groups.shard, groups.expert_shard));
  if (!c.replicas.any()) return;
  ParameterBytes<R> mine{gradients.dense / in.layout.shard, {}};
  if (!(gradients.routed <= Bytes<R>{})) mine.routed = gradients.routed / in.layout.expert_shard;
  set_time(c.replicas,
           timed(CollectiveOp::kAllReduce, mine, groups.replicas, groups.expert_replicas));
}

// One hop of the ring, one gather, or both exchanges of a pass; of the mean layer.
template <class R>
Seconds<R> one_context_move(const CommunicationInputs<R>& in, Bytes<R> sent,
                            const OperatorMachine<R>& m) {
  const TrainingPlan<R>& plan = in.plan;
  const Group<R>& group = in.layout.context;
  if (plan.mesh.context_by == ContextBy::kRing) return ring_hop(sent, group, m);
  const ContextWidths<R> w = context_widths(plan);
  auto T = in.layout.T;
  auto c = plan.mesh.context;
  NAME(T, c);
  if (plan.mesh.context_by == ContextBy::kAllGather)
    return collective_time(CollectiveOp::kAllGather, 2_B * T * c * w.kv, group, m);
  auto half = T * w.all;  // of two exchanges; with grouped queries the second is the longer one
  NAME(half);
  return 2 * collective_time(CollectiveOp::kAllToAll, 1_B * half, group, m);
}

template <class R>
void retime_layers(const CommunicationInputs<R>& in, const OperatorMachine<R>& m,
                   Communication<R>& c) {
  const TrainingPlan<R>& plan = in.plan;
  const LayerShape<R> l = layer_shape(plan, in.layout);
  if (c.tensor.any()) {
    auto one = plan.mesh.sequence
                   ? collective_time(CollectiveOp::kAllGather, l.H, in.layout.tensor, m) +
                         collective_time(CollectiveOp::kReduceScatter, l.H, in.layout.tensor, m)
                   : collective_time(CollectiveOp::kAllReduce, l.H, in.layout.tensor, m);
    set_time(c.tensor, one);
  }
  if (c.context.any()) set_time(c.context, one_context_move(in, c.context.one.bytes, m));
  for (const LayerGroup<R>& g : plan.model.layers) {
    if (g.mlp.kind != MlpKind::kMoe || !c.expert.any()) continue;
    set_time(c.expert, dispatch_time(sent_to_experts(plan, g.mlp, l.H), g.mlp, in.layout.expert,
                                     plan.assume.dispatch, m));
    break;  // groups of experts differ little; the step counts each by its own
  }
  if (c.pipeline.any()) {
    auto t_p2p = stage_hop(in.layout, c.pipeline.one.bytes, m);
    set_time(c.pipeline, t_p2p);
    auto n = in.layout.n;
    auto v = chunks_of(plan.schedule);
    auto p = plan.mesh.pipeline;
    NAME(n, v, p, t_p2p);
    c.pipeline.time = kPathTime(2 * (v * n + p - 1) * t_p2p);
  }
}

template <class R>
void retime(const CommunicationInputs<R>& in, Communication<R>& c, KnownTimes<R>& known) {
  const OperatorMachine<R> m = operator_machine(in.plan, known);
  retime_data(in, m, c);
  if (in.plan.model.hidden && !in.plan.model.layers.empty()) retime_layers(in, m, c);
}

}  // namespace reckon
