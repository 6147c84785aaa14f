// How the ranks that share a sequence come by each other's keys and values in a layer, with a software stack.
//
//   ring         keys and values go around, behind the attention of the block before (operators/attention.hpp)
//   all_gather   gathered whole before the attention, again backward, and their gradients scattered
//   ulysses      q, k and v exchanged for heads before it, its output after it; the same backward
//
// The last two stand before or behind the attention, which waits for them. Source: Llama 3 report, section 3.3.2
// (gathered); Jacobs 2023 (DeepSpeed-Ulysses).
#pragma once

#include "reckon/cost/operators/attention.hpp"
#include "reckon/cost/operators/elementwise.hpp"

namespace reckon {

inline const Formula kContextGather{"operator.context.gather", "t_cp",
                                    "keys and values of all context ranks, gathered",
                                    "before the attention, which waits for them"};
inline const Formula kContextScatter{"operator.context.scatter", "t_cp_b",
                                     "gathered again, and their gradients scattered",
                                     "around the attention's backward pass"};
inline const Formula kContextExchange{"operator.context.exchange", "t_cp",
                                      "heads against tokens between context ranks",
                                      "an all-to-all before the attention and one after it"};

template <class R>
Pass<R> gathered_context(Bytes<R> S, const Group<R>& group, const OperatorMachine<R>& m) {
  auto gather = collective_time(CollectiveOp::kAllGather, S, group, m);
  auto scatter = collective_time(CollectiveOp::kReduceScatter, S, group, m);
  NAME(gather, scatter);
  return {kContextGather(1 * gather), kContextScatter(gather + scatter)};
}

template <class R>
Pass<R> exchanged_heads(Bytes<R> S_before, Bytes<R> S_after, const Group<R>& group,
                        const OperatorMachine<R>& m) {
  auto before = collective_time(CollectiveOp::kAllToAll, S_before, group, m);
  auto after = collective_time(CollectiveOp::kAllToAll, S_after, group, m);
  NAME(before, after);
  auto each = kContextExchange(before + after);
  return {each, each};
}

template <class R>
Pass<R> context_time(const TrainingPlan<R>& plan, const Mixer<R>& x, const Group<R>& group,
                     Count<R> T, const Pass<R>& attention, const OperatorMachine<R>& m) {
  auto c = plan.mesh.context;
  if (c <= 1 || x.kind == MixerKind::kNone) return {};
  const auto& t = plan.mesh.tensor;
  switch (plan.mesh.context_by) {
    case ContextBy::kRing:
      break;
    case ContextBy::kAllGather: {
      NAME(T, c);
      return gathered_context(2_B * T * c * kv_widths_on_rank(plan.model, x, t), group, m);
    }
    case ContextBy::kUlysses: {
      const AttentionWidths<R> w = own_widths(plan.model, x, t);
      NAME(T);
      return exchanged_heads(2_B * T * (w.q + w.k + w.v), 2_B * T * w.out, group, m);
    }
  }
  return ring_exposed(2_B * T * kv_widths_on_rank(plan.model, x, t), attention, c, group, m);
}

}  // namespace reckon
