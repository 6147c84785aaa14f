// What of a layer is bound by memory, operator by operator: bytes read and written, forward and backward.
//
//   norm         2 passes forward, 3 backward        residual sum   3 and 3
//   activation   of the MLP's inner tensors          positions      of queries and keys
//   convolution  2 and 3 of a state's mixer          gate and norm  3 and 5 of its output
//
// The kernels a layer starts are shared out evenly: a stack states their number for all of them.
#pragma once

#include "reckon/cost/activations.hpp"
#include "reckon/cost/operators/gemm.hpp"
#include "reckon/cost/operators/short_list.hpp"
#include "reckon/cost/recurrent.hpp"

namespace reckon {

// Sizes that every operator of a layer needs.
template <class R>
struct LayerShape {
  Count<R> T, t, t_sp, h;  // tokens; tensor ranks; those that share what lies between regions
  Count<R> T_e, t_e;       // tokens a rank brings to its experts, padded; tensor ranks of an expert
  Bytes<R> H;              // one 16-bit activation of the whole micro-batch
};

// Where an operator stands in its layer.
enum class LayerPlace {
  kNormMixer,
  kPositions,
  kConvolution,
  kGate,
  kResidualMixer,
  kNormMlp,
  kRoute,
  kActivation,
  kResidualMlp
};

template <class R>
struct TrafficPart {
  const char* label = "";
  LayerPlace place{};
  Bytes<R> forward{}, backward{};
};

template <class R>
using LayerTraffic = ShortList<TrafficPart<R>, 10>;

// Elements that pass through an MLP's activation on a rank: rows · width.
template <class R>
Count<R> inner_elements(const Mlp<R>& m, const LayerShape<R>& l) {
  if (m.kind == MlpKind::kDense) return l.T * (*m.width / l.t);
  if (m.kind != MlpKind::kMoe) return {};
  auto inner = l.T_e * *m.top_k * (*m.width / l.t_e);
  if (!(m.shared <= 0)) inner = inner + l.T * (m.shared * shared_width(m) / l.t);
  return inner;
}

// Beside the matrices and the scan of a mixer that keeps a state.
template <class R>
void state_traffic(const TrainingPlan<R>& plan, const Mixer<R>& whole, const LayerShape<R>& l,
                   LayerTraffic<R>& out) {
  const Mixer<R> x = mixer_on_rank(whole, l.t);
  auto moved = 2_B * l.T * convolved_elements(plan.model, x);
  NAME(moved);
  out.push_back({x.conv ? "convolution" : "activation of q, k and v", LayerPlace::kConvolution,
                 2 * moved, 3 * moved});
  if (x.small_norms) {
    auto small = 2_B * l.T * small_elements(x);
    NAME(small);
    out.push_back({"norms of time step, B and C", LayerPlace::kConvolution, 2 * small, 3 * small});
  }
  auto gated = 2_B * l.T * gated_elements(plan.model, x);
  NAME(gated);
  if (!(gated <= Bytes<R>{}))
    out.push_back({"gate and norm of the output", LayerPlace::kGate, 3 * gated, 5 * gated});
}

// A layer without a mixer (or an MLP) has no norm before it and no sum behind it.
template <class R>
void mixer_traffic(const TrainingPlan<R>& plan, const Mixer<R>& x, const LayerShape<R>& l,
                   Bytes<R> H_sp, LayerTraffic<R>& out) {
  if (x.kind == MixerKind::kNone) return;
  out.push_back({"norm before the mixer", LayerPlace::kNormMixer, 2 * H_sp, 3 * H_sp});
  if (recurrent(x.kind)) {
    state_traffic(plan, x, l, out);
  } else {
    const AttentionWidths<R> w = own_widths(plan.model, x, l.t);
    const bool rotates = !(Count<R>{0} < plan.model.positions);
    auto moved = rotates ? 4_B * l.T * (w.q + w.k) : 2_B * l.T * (w.q + w.k + w.v);
    NAME(moved);
    out.push_back({rotates ? "positions of q and k" : "biases of q, k and v",
                   LayerPlace::kPositions, moved, moved});
  }
  // Of the layer's two dropouts half the traffic each.
  auto sum = 3 * H_sp;
  if (plan.assume.dropout) sum = sum + l.H / 2;
  NAME(sum);
  out.push_back({"residual sum after the mixer", LayerPlace::kResidualMixer, sum, sum});
}

template <class R>
void mlp_traffic(const TrainingPlan<R>& plan, const Mlp<R>& m, const LayerShape<R>& l,
                 Bytes<R> H_sp, LayerTraffic<R>& out) {
  if (m.kind == MlpKind::kNone) return;
  out.push_back({"norm before the MLP", LayerPlace::kNormMlp, 2 * H_sp, 3 * H_sp});
  if (m.kind == MlpKind::kMoe) {
    auto permuted = 8_B * l.T_e * *m.top_k * expert_hidden(plan.model, m);
    NAME(permuted);
    out.push_back({"routing and permutation", LayerPlace::kRoute, permuted, 1.5 * permuted});
  }
  if (m.kind == MlpKind::kDense || m.kind == MlpKind::kMoe) {
    auto inner = 2_B * inner_elements(m, l);
    NAME(inner);
    const bool gated = !(m.matrices <= 2);
    out.push_back({"activation", LayerPlace::kActivation,
                   inner * (gated ? Count<R>{3} : Count<R>{2}),
                   inner * (gated ? Count<R>{5} : Count<R>{3})});
  }
  auto sum = 3 * H_sp;
  if (plan.assume.dropout) sum = sum + l.H / 2;
  NAME(sum);
  out.push_back({"residual sum after the MLP", LayerPlace::kResidualMlp, sum, sum});
}

template <class R>
LayerTraffic<R> layer_traffic(const TrainingPlan<R>& plan, const LayerGroup<R>& g,
                              const LayerShape<R>& l) {
  LayerTraffic<R> out;
  auto H_sp = l.H / l.t_sp;
  NAME(H_sp);
  mixer_traffic(plan, g.mixer, l, H_sp, out);
  mlp_traffic(plan, g.mlp, l, H_sp, out);
  return out;
}

// Bytes over the least that they could be, where kernels are fused or not.
template <class R>
Ratio<R> traffic_factor(const Stack<R>& stack) {
  const TrafficStack<R>& k = stack.traffic;
  auto ew = stack.eager ? k.passes * k.eager_passes : k.passes;
  NAME(ew);
  return ew;
}

}  // namespace reckon
