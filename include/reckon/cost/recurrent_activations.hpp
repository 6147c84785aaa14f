// What a mixer that keeps a state keeps for its backward pass, of one micro-batch on one tensor rank.
//
//   for_each_state_tensor(model, mixer, shape, [](const KeptTensor<double>& k) { … });
//
// Kernels keep their inputs and make the rest again: states between chunks, scores within them, the convolution of
// mamba1 and mamba2. With v value channels of a rank, a of its heads, d_k key width, Q the chunk:
//
//   mamba1      2·v (x and gate), r_dt + 2·N whole, v (out of the scan)
//   mamba2      2·v + 2·G·N + a (gate, x, B, C, time steps), v (out of the scan), v (gated and normed)
//   delta_net   convolution's input and output, gate, a·Q (inverted triangles), v, v
//   lightning   q, k and v before and after their activation function, gate, v, v normed, v gated
//
// Elements as precision.activations has them. Source: what is saved in state-spaces/mamba ssd_combined.py
// (MambaSplitConv1dScanCombinedFn) and selective_scan_interface.py, fla-org/flash-linear-attention
// gated_delta_rule/chunk.py and MiniMax-Text-01's modeling code.
#pragma once

#include "reckon/cost/kept.hpp"
#include "reckon/cost/recurrent.hpp"

namespace reckon {

inline const Formula kStateTensor{"activations.state_tensor", "M_rec",
                                  "a tensor of a mixer that keeps a state",
                                  "bytes · tokens · width"};

template <class R, class Visit>
void for_each_delta_tensor(const Model<R>& model, const Mixer<R>& m, Visit visit) {
  auto v = value_width(model, m);
  auto k = *m.heads * *m.head_width;  // one a value head
  visit("qkvz", "q, k, v before the convolution, and the gate", 2 * key_width(m) + 2 * v);
  visit("ba", "write strengths and decays", 2 * *m.heads);
  visit("q", "queries, one for every value head", k);
  visit("k", "keys, one for every value head", k);
  visit("v", "values", v);
  visit("triangles", "inverted triangles of the chunks", *m.heads * *m.chunk);
  visit("mixer_scan", "output of the delta rule", v);
  visit("mixer_gated", "gated and normed output", v);
}

// visit(id, title, elements of a token).
template <class R, class Visit>
void for_each_state_width(const Model<R>& model, const Mixer<R>& m, Visit visit) {
  auto v = value_width(model, m);
  switch (m.kind) {
    case MixerKind::kMamba1:
      visit("mixer_in", "inputs and gate", 2 * v);
      visit("dt_b_c", "time step, B and C", small_elements(m));
      if (m.small_norms) visit("dt_b_c_norm", "time step, B and C, normed", small_elements(m));
      return visit("mixer_scan", "output of the scan", v);
    case MixerKind::kMamba2:
      visit("mixer_in", "gate, inputs, B, C, time steps",
            2 * v + 2 * *m.groups * *m.state + *m.heads);
      visit("mixer_scan", "output of the scan", v);
      return visit("mixer_gated", "gated and normed output", v);
    case MixerKind::kDeltaNet:
      return for_each_delta_tensor(model, m, visit);
    default:
      visit("qkv", "queries, keys, values", 3 * v);
      visit("qkv_activated", "activation of them", 3 * v);
      visit("mixer_gate", "gate of the output", v);
      visit("mixer_scan", "output of linear attention", v);
      visit("mixer_normed", "norm of it", v);
      return visit("mixer_gated", "gated output", v);
  }
}

template <class R, class Visit>
void for_each_state_tensor(const Model<R>& model, const Mixer<R>& whole,
                           const ActivationShape<R>& x, Visit visit) {
  const auto& b = x.b;
  const auto& T = x.T;
  for_each_state_width(model, mixer_on_rank(whole, x.t),
                       [&](const char* id, const char* title, Count<R> width) {
                         NAME(width);
                         visit(KeptTensor<R>{id, title, kStateTensor(b * T * width)});
                       });
}

}  // namespace reckon
