// The attention core on one GPU: flash kernels, or two batched GEMMs with the score matrix between
// them; and what ring attention exposes.
//
//   flash     F = 2·b·(s/c)·s·heads·(d_qk + d_v), half of it where causal; the kernel reaches
//             ceiling·s'/(s' + s0) of the 16-bit peak, s' = s/c
//   unfused   all pairs; the score's softmax and dropout pass through memory
//
// Source: Dao 2023 (FlashAttention-2); Korthikanti 2022 (unfused); Liu 2023 (ring attention).
#pragma once

#include "reckon/cost/operators/collective.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

inline const Formula kFlashFlops{"operator.attention.flops", "F", "FLOPs of the attention core",
                                 "scores and their sum, of the pairs that the mask lets through"};
inline const Formula kFlashForward{"operator.attention.forward", "t_att", "attention core, forward",
                                   "FLOPs over peak · ceiling · fill"};
inline const Formula kFlashBackward{"operator.attention.backward", "t_att_b",
                                    "attention core, backward",
                                    "forward FLOPs · factor over peak · ceiling · fill"};
inline const Formula kUnfusedAttention{"operator.attention.unfused", "t_att",
                                       "unfused attention core",
                                       "two batched GEMMs and the scores' traffic"};
inline const Formula kUnfusedBackward{"operator.attention.unfused_backward", "t_att_b",
                                      "unfused attention, backward",
                                      "its GEMMs twice, and traffic of the scores"};
inline const Formula kRingStepNetwork{"operator.attention.hop_network", "t_hop",
                                      "one hop of keys and values between nodes",
                                      "over the network port"};
inline const Formula kRingStep{"operator.attention.hop", "t_hop",
                               "keys and values to the next context rank",
                               "bytes over the link, and a hop"};
inline const Formula kRingExposed{"operator.attention.ring_exposed", "t_cp",
                                  "ring attention not hidden behind the block",
                                  "(c − 1) hops, each behind the attention of one block"};

// Sizes of one micro-batch's attention on one GPU.
template <class R>
struct AttentionShape {
  Count<R> b, s, c, heads, d_qk, d_v;
  std::optional<Count<R>> window;
};

template <class R>
AttentionShape<R> attention_shape(const TrainingPlan<R>& plan, const Mixer<R>& x) {
  auto heads = *x.heads / plan.mesh.tensor;
  auto d_qk = query_width(plan.model, x) / *x.heads;
  auto d_v = value_width(plan.model, x) / *x.heads;
  NAME(heads, d_qk, d_v);
  return {*plan.batch.micro, *plan.batch.sequence, plan.mesh.context, heads, d_qk, d_v, x.window};
}

// Of the pairs that a token's mask lets through.
template <class R>
Flops<R> flash_flops(const AttentionShape<R>& x) {
  auto [b, s, c, heads, d_qk, d_v, window] = x;
  auto seen = window ? min(s, *window) : s;
  auto pairs = seen * (1 - seen / (2 * s));  // causal: keys a token sees, on average
  auto s_rank = s / c;
  NAME(b, heads, d_qk, d_v, pairs, s_rank);
  return kFlashFlops(2_flop * b * s_rank * pairs * heads * (d_qk + d_v));
}

template <class R>
Pass<R> flash_attention(const AttentionShape<R>& x, const OperatorMachine<R>& m) {
  const auto& k = m.stack.attention;
  const auto& s = x.s;
  const auto& c = x.c;
  auto P = m.gemm16.P;
  auto s_rank = s / c;
  NAME(P, s_rank);
  auto F = flash_flops(x);
  auto fill = s_rank / (s_rank + k.fill);
  NAME(F, fill);
  auto launches = c * m.stack.fixed.kernel;  // one kernel per block of the ring
  NAME(launches);
  return {kFlashForward(F / (P * k.ceiling * fill) + launches),
          kFlashBackward(k.backward_flops * F / (P * k.ceiling * k.backward * fill) + launches)};
}

template <class R>
Pass<R> unfused_attention(const AttentionShape<R>& x, bool dropout, const OperatorMachine<R>& m) {
  const auto& k = m.stack.attention;
  const auto& [b, s, c, heads, d_qk, d_v, window] = x;
  auto batch = b * heads;
  auto s_rank = s / c;
  NAME(batch, s_rank);
  GemmRates<R> rates = m.gemm16;
  rates.gm = rates.gm * m.stack.gemm.batched;
  auto gemms = gemm_time<R>({s_rank, s, d_qk, batch}, rates, m) +
               gemm_time<R>({s_rank, d_v, s, batch}, rates, m);
  auto scores = batch * s_rank * s;
  NAME(gemms, scores);
  auto b_f = dropout ? k.softmax + k.dropout : k.softmax;
  auto b_b = dropout ? k.softmax_backward + k.dropout_backward : k.softmax_backward;
  auto kernels = dropout ? Count<R>{2} : Count<R>{1};
  NAME(b_f, b_b);
  return {kUnfusedAttention(gemms + traffic_time(scores * b_f, kernels, m)),
          kUnfusedBackward(2 * gemms + traffic_time(scores * b_b, kernels, m))};
}

template <class R>
Pass<R> attention_time(const TrainingPlan<R>& plan, const Mixer<R>& x,
                       const OperatorMachine<R>& m) {
  if (x.kind == MixerKind::kNone || recurrent(x.kind)) return {};
  const AttentionShape<R> shape = attention_shape(plan, x);
  if (plan.assume.attention == AttentionKernel::kFlash) return flash_attention(shape, m);
  return unfused_attention(shape, plan.assume.dropout, m);
}

// One hop of keys and values to the next context rank.
template <class R>
Seconds<R> ring_hop(Bytes<R> kv_bytes, const Group<R>& group, const OperatorMachine<R>& m) {
  const auto& k = m.stack.network;
  NAME(kv_bytes);
  if (m.stack.tier == CollectiveModel::kLineRate) return line_hop(kv_bytes, group, m);
  if (group.crosses())
    return kRingStepNetwork(kv_bytes / (port_rate(group, m) * k.efficiency) + k.network_hop);
  auto W = link_rate(CollectiveOp::kAllGather, m);
  NAME(W);
  return kRingStep(kv_bytes / (k.ring_attention * W) + k.node_hop);
}

// Keys and values pass c − 1 times; a hop hides behind the attention of the block before it.
template <class R>
Pass<R> ring_exposed(Bytes<R> kv_bytes, const Pass<R>& attention, Count<R> c, const Group<R>& group,
                     const OperatorMachine<R>& m) {
  if (c <= 1) return {};
  auto hop = ring_hop(kv_bytes, group, m);
  NAME(hop);
  const auto left = [&c](Seconds<R> move, Seconds<R> compute) {
    NAME(move, compute);
    return kRingExposed((c - 1) * max(Seconds<R>{}, move - compute / c));
  };
  // Backward moves keys, values and their gradients.
  return {left(hop, attention.forward), left(2 * hop, attention.backward)};
}

}  // namespace reckon
