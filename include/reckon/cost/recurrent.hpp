// What kernels of a mixer that keeps a state do for one token of one tensor rank: FLOPs, and bytes through memory.
//
//   Mixer<double> x = mixer_on_rank(layer.mixer, t);
//   scan_flops(model, x), scan_bytes(model, x)               // forward, a token
//
// mamba2, delta_net and lightning are trained in chunks of Q tokens (mixer.chunk). Within one, each token is multiplied
// with the Q/2 that a causal mask lets through, on average; between chunks a state S is written and read:
//
//   mamba2      2·(Q/2·(G·N + v) + 2·S)                 C·B of a group, then x; states in and out
//   delta_net   2·(Q/2·(a·(3·d_k + Q/3) + 2·v) + 3·S)   K·Kᵀ, its inverse, W, U, Q·Kᵀ, values
//   lightning   2·(Q/2·2·v + 2·S)                       Q·Kᵀ, values; states in and out
//   mamba1      7·v·N                                   one fused kernel on vector units, not in chunks
//
// Tensors pass in 16 bits, time steps and scores in fp32. Source: Dao 2024, section 6 (mamba2), Yang 2024 (delta_net),
// MiniMax-01 (lightning), Gu 2023 (mamba1); of what each kernel reads and writes
// state-spaces/mamba ssd_combined.py; fla-org/flash-linear-attention, ops/gated_delta_rule and ops/linear_attn.
#pragma once

#include "reckon/cost/parameters.hpp"

namespace reckon {

inline const Formula kChunkFlops{"recurrent.chunk_flops", "F_scan",
                                 "products of a chunked scan, a token, forward",
                                 "with half of its chunk, and with the state", Hint::kPerToken};
inline const Formula kSelectiveFlops{
    "recurrent.selective_flops", "F_scan", "selective scan, a token, forward",
    "Megatron-LM training.py: 7 a channel and state element", Hint::kPerToken};
inline const Formula kPairsMamba{"recurrent.pairs_mamba2", "w_pair",
                                 "width of a pair of tokens in a chunk", "C·B of a group, and x",
                                 Hint::kCount};
inline const Formula kPairsDelta{
    "recurrent.pairs_delta", "w_pair", "width of a pair of tokens in a chunk",
    "K·Kᵀ, W and Q·Kᵀ; U and values; a triangle inverted", Hint::kCount};
inline const Formula kPairsLinear{"recurrent.pairs_linear", "w_pair",
                                  "width of a pair of tokens in a chunk", "Q·Kᵀ, and values",
                                  Hint::kCount};
inline const Formula kScanBytesMamba{
    "recurrent.bytes_mamba2", "S_scan", "bytes of a chunked scan, a token, forward",
    "x, B and C twice, y; a state in fp32 and in 16 bits, both ways; scores and time steps",
    Hint::kPerToken};
inline const Formula kScanBytesDelta{
    "recurrent.bytes_delta", "S_scan", "bytes of a gated delta rule, a token, forward",
    "seven key-wide and six value-wide tensors of a head; triangles; a state both ways",
    Hint::kPerToken};
inline const Formula kScanBytesLinear{
    "recurrent.bytes_linear", "S_scan", "bytes of chunked linear attention, a token, forward",
    "q, k and v, k and v again, output; a state both ways", Hint::kPerToken};
inline const Formula kScanBytesSelective{"recurrent.bytes_mamba1", "S_scan",
                                         "bytes of a selective scan, a token, forward",
                                         "x, time step, gate, output with the gate and without; B "
                                         "and C",
                                         Hint::kPerToken};

// Elements of one layer's recurrent state.
template <class R>
Count<R> state_elements(const Model<R>& model, const Mixer<R>& x) {
  if (!recurrent(x.kind)) return {};
  auto v = value_width(model, x);
  if (x.kind == MixerKind::kMamba1 || x.kind == MixerKind::kMamba2) return v * *x.state;
  return v * *x.head_width;  // a matrix of key width and value width for each head
}

// A recurrent mixer's heads (or channels) divide evenly; so does what they share.
template <class R>
Mixer<R> mixer_on_rank(Mixer<R> x, Count<R> t) {
  if (x.heads) x.heads = *x.heads / t;
  if (x.inner) x.inner = *x.inner / t;
  if (x.key_heads) x.key_heads = max(*x.key_heads / t, 1);
  if (x.groups) x.groups = max(*x.groups / t, 1);
  return x;
}

// Trained a chunk of tokens at a time.
constexpr bool chunked(MixerKind kind) { return recurrent(kind) && kind != MixerKind::kMamba1; }

// Elements that meet for every pair of tokens of a chunk.
template <class R>
Count<R> pair_width(const Model<R>& model, const Mixer<R>& x) {
  auto v = value_width(model, x);
  NAME(v);
  if (x.kind == MixerKind::kLightning) return kPairsLinear(2 * v);
  if (x.kind == MixerKind::kMamba2) {
    auto G = *x.groups;
    auto N_state = *x.state;
    NAME(G, N_state);
    return kPairsMamba(G * N_state + v);
  }
  auto a = *x.heads;
  auto d_k = *x.head_width;
  auto Q = *x.chunk;
  NAME(a, d_k, Q);
  return kPairsDelta(a * (3 * d_k + Q / 3) + 2 * v);
}

// Forward, one token; x: of one rank.
template <class R>
Flops<R> scan_flops(const Model<R>& model, const Mixer<R>& x) {
  auto S = state_elements(model, x);
  NAME(S);
  if (!chunked(x.kind)) return kSelectiveFlops(7_flop * S);
  auto Q = *x.chunk;
  auto w_pair = pair_width(model, x);
  auto n_S = x.kind == MixerKind::kDeltaNet ? Count<R>{3} : Count<R>{2};
  NAME(Q, w_pair, n_S);
  return kChunkFlops(2_flop * (Q / 2 * w_pair + n_S * S));
}

// Forward, one token; x: of one rank.
template <class R>
Bytes<R> scan_bytes(const Model<R>& model, const Mixer<R>& x) {
  auto v = value_width(model, x);
  auto S = state_elements(model, x);
  NAME(v, S);
  if (x.kind == MixerKind::kMamba1) {
    auto N_state = *x.state;
    NAME(N_state);
    return kScanBytesSelective(2_B * (5 * v + 2 * N_state));
  }
  auto Q = *x.chunk;
  NAME(Q);
  if (x.kind == MixerKind::kLightning) return kScanBytesLinear(12_B * v + 4_B * S / Q);
  auto a = *x.heads;
  NAME(a);
  if (x.kind == MixerKind::kDeltaNet) {
    auto d_k = *x.head_width;
    NAME(d_k);
    return kScanBytesDelta(2_B * (7 * a * d_k + 6 * v) + 12_B * a * Q + 4_B * S / Q);
  }
  auto G = *x.groups;
  auto N_state = *x.state;
  NAME(G, N_state);
  return kScanBytesMamba(2_B * (3 * v + 4 * G * N_state) + 12_B * S / Q + 8_B * Q * G + 26_B * a);
}

// What stands beside the matrices and the scan: elements of a token on one rank that a convolution (or, without one, an
// activation function) reads and writes, and that the gate and the norm of the output do.
template <class R>
Count<R> convolved_elements(const Model<R>& model, const Mixer<R>& x) {
  return x.conv ? conv_channels(model, x) : 3 * value_width(model, x);
}
template <class R>
Count<R> gated_elements(const Model<R>& model, const Mixer<R>& x) {
  return x.kind == MixerKind::kMamba1 ? Count<R>{0} : value_width(model, x);  // gated in its scan
}
// mamba1: time step, B and C of a token, which all channels give.
template <class R>
Count<R> small_elements(const Mixer<R>& x) {
  return *x.dt_rank + 2 * *x.state;
}

}  // namespace reckon
