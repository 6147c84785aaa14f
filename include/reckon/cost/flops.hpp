// FLOPs of one token, forward and in training, under the four conventions people divide by.
//
//   6n       6 · active parameters (input table and head included), no attention
//   full     3 · (2 · matmul parameters + attention over all pairs)
//   causal   the same with attention over the past only: what a causal model needs
//   hfu      what the hardware executes: recompute too, and all pairs where kernels are unfused
//
// With adapters the base weights get no gradient of their own: 4 instead of 6. Attention of a layer
// costs 2·s'·(query width + value width) per token for s' tokens looked at; an indexer 2 for every
// pair, head and element of its width before that, and s' is then what it picks at most. A recurrent
// mixer costs the same for every token: its state's update and its short convolution's 2 per tap and
// channel. Absent where the model has no dimensions or the plan no sequence length.
// Source: Narayanan 2021, appendix; NVIDIA/Megatron-LM training.py for states of Mamba and gated
// delta-net; recurrent form: chunked kernels execute more.
#pragma once

#include <optional>

#include "reckon/cost/parameters.hpp"
#include "reckon/cost/recompute.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

inline const Formula kFlops6n{"flops.per_token.6n", "F_6n", "FLOPs of a token in training, 6N",
                              "Kaplan 2020, section 2.1: 2 forward + 4 backward", Hint::kPerToken};
inline const Formula kFlopsAdapters6n{
    "flops.per_token.6n_adapters", "F_6n", "FLOPs of a token, adapters only",
    "4 for frozen weights (no weight gradient), 6 for adapters", Hint::kPerToken};
inline const Formula kFlopsFull{"flops.per_token.full", "F_full",
                                "FLOPs of a token in training, attention over all pairs",
                                "Narayanan 2021, appendix", Hint::kPerToken};
inline const Formula kFlopsCausal{"flops.per_token.causal", "F_causal",
                                  "FLOPs of a token in training, causal attention",
                                  "half the pairs of `full`", Hint::kPerToken};
inline const Formula kFlopsHfu{"flops.per_token.hfu", "F_hfu",
                               "FLOPs of a token that the hardware executes",
                               "causal + what recompute runs again", Hint::kPerToken};
inline const Formula kAttentionShare{"flops.attention_share", "share_att",
                                     "share of a token's work that is attention",
                                     "attention over all FLOPs, causal", Hint::kFraction};
inline const Formula kForwardFlops{"flops.forward", "F_fwd", "FLOPs of a token, forward",
                                   "2 per matmul parameter + causal attention", Hint::kPerToken};
inline const Formula kAttentionFull{"flops.attention_full", "F_att",
                                    "attention of a token over all pairs, forward",
                                    "2·s'·(query width + value width) a layer", Hint::kPerToken};
inline const Formula kAttentionCausal{
    "flops.attention_causal", "F_att_c", "attention of a token over the past, forward",
    "a token sees half the sequence, or its window", Hint::kPerToken};

inline const Formula kScanFlops{"flops.scan", "F_scan", "selective scan of a layer and token",
                                "Megatron-LM training.py: 7 a channel and state element; "
                                "and the convolution",
                                Hint::kPerToken};
inline const Formula kDeltaFlops{"flops.delta_rule", "F_delta",
                                 "gated delta rule of a layer and token",
                                 "Megatron-LM training.py: 4 products with the state; and the "
                                 "convolution",
                                 Hint::kPerToken};
inline const Formula kLinearFlops{
    "flops.linear_attention", "F_lin", "linear attention of a layer and token",
    "decay 1, key · value 2, query · state 2 a state element", Hint::kPerToken};

template <class R>
struct AttentionFlops {
  Flops<R> full, causal;
};

// Width of the scores' and the values' products in one layer.
template <class R>
Count<R> attention_width(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kNone || recurrent(x.kind)) return {};
  if (x.kind == MixerKind::kAbstract) return 2 * *model.hidden;
  return query_width(model, x) + value_width(model, x);
}

// Most tokens of s that a layer's attention looks at.
template <class R>
Count<R> tokens_seen(const Mixer<R>& x, Count<R> s) {
  auto seen = x.window ? min(s, *x.window) : s;
  return x.index_top_k ? min(seen, *x.index_top_k) : seen;
}

// A recurrent mixer beside its matrices, one token.
template <class R>
Flops<R> state_flops(const Model<R>& model, const Mixer<R>& x) {
  auto v = value_width(model, x);
  auto d_k =
      x.kind == MixerKind::kMamba1 || x.kind == MixerKind::kMamba2 ? *x.state : *x.head_width;
  NAME(v, d_k);
  if (x.kind == MixerKind::kLightning) return kLinearFlops(5_flop * v * d_k);
  auto channels = conv_channels(model, x);
  auto K = *x.conv;
  NAME(channels, K);
  if (x.kind == MixerKind::kDeltaNet) return kDeltaFlops(8_flop * v * d_k + 2_flop * K * channels);
  return kScanFlops(7_flop * v * d_k + 2_flop * K * channels);
}

// How a layer mixes tokens, beside its matrices; one token, forward.
template <class R>
AttentionFlops<R> mixing_flops(const Model<R>& model, const Mixer<R>& x, Count<R> s) {
  if (recurrent(x.kind)) {
    const Flops<R> F = state_flops(model, x);
    return {F, F};
  }
  auto seen = tokens_seen(x, s);
  auto width = attention_width(model, x);
  NAME(s, seen, width);
  auto full = 2_flop * seen * width;
  auto causal = 2_flop * (seen * (1 - seen / (2 * s))) * width;
  if (!x.index_heads) return {full, causal};
  auto w_idx = *x.index_heads * *x.index_width;
  NAME(w_idx);
  return {full + 2_flop * s * w_idx, causal + 2_flop * (s / 2) * w_idx};
}

inline const Formula kCoresCounted{"recompute.cores_counted", "F_core",
                                   "attention cores of a token, as the MFU's convention counts",
                                   "pairs of the layers that attend, forward", Hint::kPerToken};

// Attention cores alone, which `selective` and the module core_attn make again: not what keeps a state.
template <class R>
Flops<R> core_flops(const Model<R>& model, Count<R> s, bool all_pairs) {
  Sum<kFlop, R> cores;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerGroup<R>& g = model.layers[i];
    if (recurrent(g.mixer.kind)) continue;
    const AttentionFlops<R> layer = mixing_flops(model, g.mixer, s);
    cores.add({"layer group", static_cast<int>(i)},
              g.count * (all_pairs ? layer.full : layer.causal));
  }
  return kCoresCounted(cores.total());
}

// Of all layers, one token, forward; s: length of the sequence.
template <class R>
AttentionFlops<R> attention_flops(const Model<R>& model, Count<R> s) {
  Sum<kFlop, R> full, causal;
  int i = 0;
  for (const LayerGroup<R>& g : model.layers) {
    const AttentionFlops<R> layer = mixing_flops(model, g.mixer, s);
    full.add({"layer group", i}, g.count * layer.full);
    causal.add({"layer group", i}, g.count * layer.causal);
    ++i;
  }
  return {kAttentionFull(full.total()), kAttentionCausal(causal.total())};
}

template <class R>
struct TokenFlops {
  Flops<R> six_n;
  std::optional<Ratio<R>> attention_share;  // of a token's work, forward and backward
  std::optional<Flops<R>> full, causal, hfu, forward;
  std::optional<Flops<R>> run;    // attention cores, forward, as kernels compute them
  std::optional<Flops<R>> core;   // the same, as the convention of the MFU counts them
  std::optional<Flops<R>> again;  // what recompute adds; attention's share needs a sequence length

  const std::optional<Flops<R>> of(FlopCount convention) const {
    switch (convention) {
      case FlopCount::k6n:
        return six_n;
      case FlopCount::kFull:
        return full;
      case FlopCount::kCausal:
        return causal;
      case FlopCount::kHfu:
        return hfu;
    }
    return {};
  }
};

// FLOPs that recompute adds to a token by whole layers. attention: of all mixers, forward.
template <class R>
Flops<R> recomputed_flops(const Parameters<R>& n, Flops<R> attention, Recompute policy,
                          Ratio<R> r_again) {
  if (policy == Recompute::kFull) return 2_flop * n.on_path + attention;
  if (policy == Recompute::kOperators) return r_again * (2_flop * n.on_path + attention);
  return {};
}

// Whether a policy is a set of modules: recompute.hpp counts what they make again.
constexpr bool by_modules(Recompute policy) {
  return policy == Recompute::kSelective || policy == Recompute::kNorms ||
         policy == Recompute::kModules;
}

// What is made again, in the convention of the MFU that prices it: layers that run once more take once more the time
// that the convention gives them. 6n counts no attention, so there the layers' matrices are all (8n with full
// recompute).
template <class R>
Flops<R> again_counted(const TrainingPlan<R>& plan, const Parameters<R>& n,
                       const AttentionFlops<R>& att, Flops<R> again) {
  const FlopCount by = plan.assume.flops;
  if (by == FlopCount::kHfu) return again;
  if (by == FlopCount::k6n)
    return recomputed_flops(n, Flops<R>{}, plan.recompute, plan.assume.operators.work);
  return recomputed_flops(n, by == FlopCount::kFull ? att.full : att.causal, plan.recompute,
                          plan.assume.operators.work);
}

// N_a: trainable parameters of adapters, 0 without.
template <class R>
TokenFlops<R> token_flops(const TrainingPlan<R>& plan, const Parameters<R>& n, Count<R> N_a) {
  TokenFlops<R> f;
  const bool adapters = plan.trainable.adapters.has_value();
  auto N_act = n.active;
  auto N_mm = n.matmul;
  NAME(N_act, N_mm, N_a);
  f.six_n = adapters ? kFlopsAdapters6n(4_flop * N_act + 6_flop * N_a) : kFlops6n(6_flop * N_act);
  if (!plan.batch.sequence || plan.model.layers.empty() || !plan.model.hidden) {
    if (plan.recompute == Recompute::kFull) f.again = 2_flop * n.on_path;  // attention: unknown
    return f;
  }
  const AttentionFlops<R> att = attention_flops(plan.model, *plan.batch.sequence);
  auto forward = 2_flop * N_mm;
  auto matrices = adapters ? 4_flop * N_mm + 6_flop * N_a : 6_flop * N_mm;
  // Flash kernels skip what a causal mask hides; unfused ones compute all pairs.
  auto F_run = plan.assume.attention == AttentionKernel::kFlash ? att.causal : att.full;
  NAME(F_run);
  f.run = F_run;
  const bool modules = by_modules(plan.recompute);
  const bool all_run = plan.assume.attention != AttentionKernel::kFlash;
  // Counted as the convention does; of what 6n leaves out, what kernels compute is the best there is.
  const FlopCount by = plan.assume.flops;
  if (modules)
    f.core = core_flops(plan.model, *plan.batch.sequence,
                        by == FlopCount::kFull || (by != FlopCount::kCausal && all_run));
  auto again = modules ? modules_flops(plan, core_flops(plan.model, *plan.batch.sequence, all_run))
                       : recomputed_flops(n, F_run, plan.recompute, plan.assume.operators.work);
  NAME(forward, matrices, again);
  f.forward = kForwardFlops(forward + att.causal);
  f.full = kFlopsFull(matrices + 3 * att.full);
  auto causal = kFlopsCausal(matrices + 3 * att.causal);
  f.causal = causal;
  f.hfu = kFlopsHfu(matrices + 3 * F_run + again);
  f.attention_share = kAttentionShare(3 * att.causal / causal);
  if (plan.recompute != Recompute::kNone && !modules) f.again = again_counted(plan, n, att, again);
  return f;
}

}  // namespace reckon
