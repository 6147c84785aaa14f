// Bytes of activations a layer keeps for its backward pass, per micro-batch and GPU.
//
// Each accounting is a list of named tensors (element size b, T tokens, t tensor ranks, F the MLP's
// width):
//
//   textbook             every operation's output once: 10·h + 4·F elements a token, grouped
//                        queries ignored
//   autograd             what a framework keeps: inputs of norms and matrices, q, k, v, attention
//                        output, inner tensors of the MLP
//   megatron             autograd with dropout masks
//   megatron_34          Korthikanti 2022 whatever the model: dropout masks, a GELU MLP of 4·h and
//                        as many key heads as query heads: 34 bytes a token and hidden element
//   megatron_34_swiglu   the same with two more F-wide tensors for a gated MLP
//
// Every tensor says which recomputed modules make it again (spec/recompute.hpp). `gqa`, `swiglu`, `rope`,
// `fused_norm` and `dropout` vary the first three. Sequence parallelism divides the tensors between the parallel
// regions by t as well. Recompute: `selective` drops the attention core, `full` keeps the layer's input alone. Flash
// attention keeps one statistic per head and token, unfused attention the scores.
// Mixers that keep a state: recurrent_activations.hpp. Source: Korthikanti 2022, section 4.
#pragma once

#include "reckon/cost/kept.hpp"
#include "reckon/cost/recurrent_activations.hpp"

namespace reckon {

inline const Formula kLayerActivations{"activations.layer", "M_layer",
                                       "kept by one layer for one micro-batch",
                                       "sum of the tensors that are counted"};
inline const Formula kCheckpoint{"activations.checkpoint", "M_in",
                                 "input of a layer, kept under full recompute",
                                 "bytes · tokens · hidden"};
inline const Formula kMixerActivations{"activations.mixer", "M_mix", "tensors of the mixer",
                                       "sum of the tensors that are counted"};
inline const Formula kMlpActivations{"activations.mlp", "M_mlp", "tensors of the MLP",
                                     "sum of the tensors that are counted"};
inline const Formula kFlashStatistics{"activations.flash_statistics", "M_core",
                                      "statistics of flash attention",
                                      "one fp32 number per head and token"};
inline const Formula kScores{"activations.scores", "M_core", "attention scores, kept",
                             "the softmax's output: Korthikanti 2022, section 4.1"};
inline const Formula kDroppedScores{"activations.dropped_scores", "M_core",
                                    "attention scores with dropout, kept",
                                    "softmax, its dropped copy and a mask: Korthikanti 2022"};
inline const Formula kTableMask{"activations.table_mask", "M_mask",
                                "mask of the dropout behind the embedding",
                                "Korthikanti 2022, section 4.3: a byte an element"};
inline const Formula kPaddedCopies{"experts.padded_copies", "k_cap",
                                   "places for a token's copies, empty ones too",
                                   "capacity · experts of a token", Hint::kRatio};
inline const Formula kLogitsChunk{"memory.logits_chunk", "M_logit",
                                  "logits of a piece of a micro-batch",
                                  "bytes per logit · tokens · vocabulary / t, over the pieces"};
inline const Formula kLogits{"memory.logits", "M_logit", "logits of one micro-batch",
                             "bytes per logit · tokens · vocabulary / t"};

// Keys and values of a layer on one rank, side by side; at least one head each.
template <class R>
Count<R> kv_widths_on_rank(const Model<R>& model, const Mixer<R>& m, Count<R> t) {
  if (m.kind == MixerKind::kNone || recurrent(m.kind)) return {};
  if (m.kind == MixerKind::kAbstract) return 2 * *model.hidden / t;
  if (m.kind == MixerKind::kMla) return (query_width(model, m) + value_width(model, m)) / t;
  return max(kv_heads(m) / t, 1) * (head_width(model, m) + value_head_width(model, m));
}

// Widths of a layer's attention tensors on one rank.
template <class R>
struct AttentionWidths {
  Count<R> q, k, v, out;
};

template <class R>
AttentionWidths<R> own_widths(const Model<R>& model, const Mixer<R>& m, Count<R> t) {
  if (m.kind == MixerKind::kAbstract) {
    auto each = *model.hidden / t;
    return {each, each, each, each};
  }
  auto q = query_width(model, m) / t;
  auto out = value_width(model, m) / t;
  if (m.kind == MixerKind::kMla) return {q, q, out, out};
  auto heads = max(kv_heads(m) / t, 1);
  return {q, heads * head_width(model, m), heads * value_head_width(model, m), out};
}

// As the accounting has them: the textbook and Korthikanti's layer take the hidden width for each.
template <class R>
AttentionWidths<R> attention_widths(const Model<R>& model, const Mixer<R>& m,
                                    const ActivationShape<R>& x) {
  const GroupedQueries gqa = x.assume.gqa;
  const bool as_hidden = x.fixed() || (x.textbook() && gqa != GroupedQueries::kRespected);
  AttentionWidths<R> w = own_widths(model, m, x.t);
  auto each = x.h / x.t;
  if (as_hidden) return {each, each, each, each};
  if (x.textbook()) return {each, w.k, w.v, each};
  if (gqa == GroupedQueries::kIgnored) return {w.q, w.q, w.out, w.out};
  return w;
}

// Heads whose scores a rank keeps; 0 where the model does not say.
template <class R>
Count<R> heads_on_rank(const Mixer<R>& m, Count<R> t) {
  return m.heads ? *m.heads / t : Count<R>{0};
}

template <class R>
KeptTensor<R> attention_core(const Mixer<R>& m, const ActivationShape<R>& x) {
  auto heads = heads_on_rank(m, x.t);
  NAME(heads);
  if (x.assume.attention == AttentionKernel::kFlash)
    return {"statistics", "statistics of flash attention, fp32",
            kFlashStatistics(4_B * x.T * heads), set_of(RecomputeModule::kCoreAttention)};
  if (x.masks())
    return {"scores", "attention scores, dropped scores and mask",
            kDroppedScores((2 * x.b + 1_B) * x.T * *x.s * heads),
            set_of(RecomputeModule::kCoreAttention)};
  return {"scores", "attention scores", kScores(x.b * x.T * *x.s * heads),
          set_of(RecomputeModule::kCoreAttention)};
}

// What stands between the parallel regions, before a block (its norm) and after it (dropout, the
// residual sum). Blocks are the mixer, 1, and the MLP, 2.
template <class R>
Bytes<R> between_regions(const ActivationShape<R>& x) {
  auto H = x.b * x.T * x.h / x.t_sp;
  NAME(H);
  return H;
}

template <class R, class Visit>
void for_each_norm_tensor(const ActivationShape<R>& x, bool mixer, Visit visit) {
  auto H = between_regions(x);
  if (!x.textbook())
    visit(KeptTensor<R>{mixer ? "norm1_input" : "norm2_input", "input of the norm", H});
  const ModuleSet by = set_of(RecomputeModule::kLayerNorm);
  const bool own = x.own && x.own->inputs;
  visit(KeptTensor<R>{mixer ? "norm1" : "norm2", "output of the norm",
                      own ? x.input_size() * x.T * x.h / x.t_sp : H, by});
  if (!x.assume.fused_norm && !x.fixed())
    visit(KeptTensor<R>{mixer ? "norm1_fp32" : "norm2_fp32", "fp32 copy in an unfused norm",
                        4_B * x.T * x.h / x.t_sp, by});
}

template <class R, class Visit>
void for_each_output_tensor(const ActivationShape<R>& x, bool mixer, Visit visit) {
  auto H = between_regions(x);
  if (x.textbook()) {
    visit(mixer ? KeptTensor<R>{"o", "output of the o matrix", H}
                : KeptTensor<R>{"down", "output of the down matrix", H});
    visit(KeptTensor<R>{mixer ? "residual1" : "residual2", "residual sum", H});
  }
  if (x.masks())
    visit(KeptTensor<R>{mixer ? "mask1" : "mask2", "dropout mask", 1_B * x.T * x.h / x.t_sp});
}

// Flash attention's output is the textbook's operation, and its statistics are no part of a closed
// form.
template <class R>
bool counts_core(const ActivationShape<R>& x) {
  if (x.assume.attention == AttentionKernel::kUnfused) return true;
  return x.assume.softmax_statistics && !x.textbook() && !x.fixed();
}

template <class R, class Visit>
void for_each_mixer_tensor(const Model<R>& model, const Mixer<R>& m, const ActivationShape<R>& x,
                           Visit visit) {
  if (m.kind == MixerKind::kNone) return;
  for_each_norm_tensor(x, true, visit);
  if (recurrent(m.kind)) {
    for_each_state_tensor(model, m, x, visit);
    return for_each_output_tensor(x, true, visit);
  }
  const auto& b = x.b;
  const auto& T = x.T;
  const auto& assume = x.assume;
  const ModuleSet up = m.kind == MixerKind::kMla ? set_of(RecomputeModule::kMlaUp) : 0;
  auto [q, k, v, out] = attention_widths(model, m, x);
  NAME(q, k, v, out);
  visit(KeptTensor<R>{"q", "queries", b * T * q, up});
  visit(KeptTensor<R>{"k", "keys", b * T * k, up});
  visit(KeptTensor<R>{"v", "values", b * T * v, up});
  if (x.textbook() && assume.rope == Rope::kOutOfPlace && model.positions <= 0) {
    visit(KeptTensor<R>{"rotated_q", "queries with positions", b * T * q, up});
    visit(KeptTensor<R>{"rotated_k", "keys with positions", b * T * k, up});
  }
  if (m.kind == MixerKind::kMla && !x.textbook() && !x.fixed())
    visit(
        KeptTensor<R>{"latents", "latents of queries and keys",
                      b * T * ((m.q_rank ? *m.q_rank : Count<R>{0}) + *m.kv_rank + *m.rope_width)});
  visit(KeptTensor<R>{"attention", "output of attention", x.attention_size() * T * out});
  if (m.output_gate && !x.fixed()) {
    visit(KeptTensor<R>{"output_gate", "gate of the attention's output", b * T * out});
    visit(KeptTensor<R>{"gated", "gated output of attention", b * T * out});
  }
  if (counts_core(x)) visit(attention_core(m, x));
  for_each_output_tensor(x, true, visit);
}

template <class R>
Bytes<R> mixer_activations(const Model<R>& model, const Mixer<R>& m, const ActivationShape<R>& x,
                           const Again& again) {
  Sum<kByte, R> kept;
  for_each_mixer_tensor(model, m, x, [&](const KeptTensor<R>& k) {
    if (!again.drops(k.by)) kept.add(k.title, k.bytes);
  });
  return kMixerActivations(kept.total());
}

// What the inner tensors of one kind of MLP are called, and which modules make them again.
struct InnerNames {
  const char *gate, *up, *sigmoid, *activation, *product;
  ModuleSet all, function;
};
inline constexpr ModuleSet kByMlp = set_of(RecomputeModule::kMlp),
                           kByMlpAct = kByMlp | set_of(RecomputeModule::kMlpAct),
                           kByMoe = set_of(RecomputeModule::kMoe),
                           kByMoeAct = kByMoe | set_of(RecomputeModule::kMoeAct),
                           kByShared = set_of(RecomputeModule::kSharedExperts);
inline constexpr InnerNames kInnerNames{"gate",    "up",   "sigmoid", "activation",
                                        "product", kByMlp, kByMlpAct},
    kRoutedNames{"routed_gate",    "routed_up", "routed_sigmoid", "routed_activation",
                 "routed_product", kByMoe,      kByMoeAct},
    kSharedNames{"shared_gate",    "shared_up",        "shared_sigmoid",     "shared_activation",
                 "shared_product", kByMoe | kByShared, kByMoeAct | kByShared};

// Inner tensors of an MLP of inner width f (per rank) over T tokens.
template <class R, class Visit>
void for_each_inner_tensor(Count<R> T, Count<R> f, const Mlp<R>& m, const ActivationShape<R>& x,
                           const InnerNames& names, Visit visit) {
  auto F = x.inner_size() * T * f;
  NAME(F);
  const auto keep = [&](const char* id, const char* title, ModuleSet by) {
    visit(KeptTensor<R>{id, title, F, by});
  };
  const auto goes_down = [&](const char* id, const char* title) {
    visit(KeptTensor<R>{id, title, x.own ? x.input_size() * T * f : F, names.function});
  };
  const bool gated = !(m.matrices <= 2);
  const Swiglu how = x.assume.swiglu;
  if (gated) keep(names.gate, "output of the gate matrix", names.all);
  keep(names.up, "output of the up matrix", names.all);
  if (!gated) return goes_down(names.activation, "activation of it");
  if (how == Swiglu::kHandWritten) keep(names.sigmoid, "sigmoid of the gate", names.function);
  if (how != Swiglu::kFused || x.textbook())
    keep(names.activation, "SiLU of the gate", names.function);
  goes_down(names.product, "product of gate and up");
}

// Korthikanti's MLP: GELU, four times as wide as the layer; two more tensors where a gated one counts.
template <class R, class Visit>
void for_each_fixed_tensor(const Mlp<R>& m, const ActivationShape<R>& x, Visit visit) {
  auto F_4h = x.b * x.T * (4 * x.h) / x.t;
  NAME(F_4h);
  const bool routed = m.kind == MlpKind::kMoe;
  const ModuleSet all = routed ? kByMoe : kByMlp, function = routed ? kByMoeAct : kByMlpAct;
  visit(KeptTensor<R>{"up", "output of the up matrix", F_4h, all});
  visit(KeptTensor<R>{"activation", "GELU of it", F_4h, function});
  if (x.assume.activations != ActivationCount::kMegatron34Swiglu || !m.width) return;
  auto k = routed ? *m.top_k : Count<R>{1};
  NAME(k);
  auto F = x.b * x.T * k * *m.width / x.t;
  NAME(F);
  visit(KeptTensor<R>{"gate", "output of the gate matrix", F, all});
  visit(KeptTensor<R>{"product", "product of gate and up", F, function});
}

// Tokens an expert rank works on equal the tokens it sends: balanced routing, k copies of each.
template <class R, class Visit>
void for_each_region_tensor(const Mlp<R>& m, const ActivationShape<R>& x, Visit visit) {
  if (x.fixed()) return for_each_fixed_tensor(m, x, visit);
  const auto& b = x.b;
  const auto& T = x.T;
  const auto& t = x.t;
  const auto& t_sp = x.t_sp;
  const auto& assume = x.assume;
  if (m.kind == MlpKind::kMoe) {
    auto k = *m.top_k;
    if (!(assume.expert_capacity <= 1)) k = kPaddedCopies(assume.expert_capacity * k);
    // The ranks that share an expert's matrices each hold the tokens of all of them.
    auto t_e = x.t_e ? *x.t_e : t;
    NAME(t_e);
    auto T_e = tokens_for_experts(T, t, t_e, !(t_sp <= 1));
    NAME(T_e);
    auto H = (x.own ? x.input_size() : b) * T_e * (m.latent ? *m.latent : x.h);
    NAME(H);
    if (m.latent)
      visit(KeptTensor<R>{"latent", "latents into and out of the experts", 2 * H, kByMoe});
    visit(KeptTensor<R>{"routed_inputs", "inputs of the routed experts", k * H, kByMoe});
    for_each_inner_tensor(T_e * k, *m.width / t_e, m, x, kRoutedNames, visit);
    if (!(m.shared <= 0))
      for_each_inner_tensor(T * m.shared, shared_width(m) / t, m, x, kSharedNames, visit);
  } else if (m.width) {
    for_each_inner_tensor(T, *m.width / t, m, x, kInnerNames, visit);
  }
}

template <class R, class Visit>
void for_each_mlp_tensor(const Mlp<R>& m, const ActivationShape<R>& x, Visit visit) {
  if (m.kind == MlpKind::kNone) return;
  for_each_norm_tensor(x, false, visit);
  for_each_region_tensor(m, x, visit);
  for_each_output_tensor(x, false, visit);
}

template <class R>
Bytes<R> mlp_activations(const Mlp<R>& m, const ActivationShape<R>& x, const Again& again) {
  Sum<kByte, R> kept;
  for_each_mlp_tensor(m, x, [&](const KeptTensor<R>& k) {
    if (!again.drops(k.by)) kept.add(k.title, k.bytes);
  });
  return kMlpActivations(kept.total());
}

template <class R>
Bytes<R> layer_activations(const Model<R>& model, const LayerGroup<R>& g,
                           const ActivationShape<R>& x, const Again& again) {
  auto mixer = mixer_activations(model, g.mixer, x, again);
  auto mlp = mlp_activations(g.mlp, x, again);
  return kLayerActivations(mixer + mlp);
}

template <class R>
Bytes<R> checkpoint(const ActivationShape<R>& x) {
  return kCheckpoint(x.b * x.T * x.h / x.t_sp);
}

// Mask of the dropout behind the embedding, of one micro-batch on the first stage: Korthikanti 2022, section 4.3.
template <class R>
std::optional<Bytes<R>> table_mask(const ActivationShape<R>& x) {
  if (!x.masks() || x.fixed()) return {};
  return kTableMask(1_B * x.T * x.h / x.t_sp);
}

// Of one micro-batch, on the last stage.
template <class R>
Bytes<R> logit_bytes(const Model<R>& model, const Assume<R>& assume, Count<R> tokens, Count<R> t) {
  auto V = model.vocab;
  auto T = tokens;
  NAME(V, T);
  if (!(assume.loss_chunks <= 1))
    return kLogitsChunk(assume.logits * T * V / t / assume.loss_chunks);
  return kLogits(assume.logits * T * V / t);
}

}  // namespace reckon
