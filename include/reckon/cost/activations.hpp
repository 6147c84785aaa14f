// Bytes of activations a layer keeps for its backward pass, per micro-batch and GPU.
//
// Three accountings, each a list of named tensors (element size b, T tokens, t tensor ranks):
//
//   textbook   every operation's output once, 10·h + 4·f, grouped queries ignored
//   autograd   what a framework keeps: inputs of norms and matrices, q, k, v, attention output,
//              inner tensors of the MLP
//   megatron   Korthikanti 2022: autograd with dropout masks, 34·s·b·h for a GELU MLP
//
// Sequence parallelism divides the tensors between the parallel regions by t as well. Recompute:
// `selective` drops the attention core, `full` keeps the layer's input alone. Flash attention keeps
// one statistic per head and token, unfused attention the scores.
// Source: Korthikanti 2022, section 4.
#pragma once

#include "reckon/cost/layout.hpp"
#include "reckon/cost/parameters.hpp"

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

template <class R>
struct ActivationShape {
  Bytes<R> b;              // one element
  Count<R> T, h, t, t_sp;  // tokens; hidden; tensor ranks; t with sequence parallelism, else 1
  const Assume<R>& assume;
  std::optional<Count<R>> s;  // sequence length, where the plan states one
  Count<R> c;
};

template <class R>
ActivationShape<R> activation_shape(const TrainingPlan<R>& plan, const Layout<R>& x) {
  const auto& t = plan.mesh.tensor;
  auto T = x.T;
  auto t_sp = plan.mesh.sequence ? t : Count<R>{1};
  NAME(T, t_sp);
  return {plan.precision.activations.size,
          T,
          *plan.model.hidden,
          t,
          t_sp,
          plan.assume,
          plan.batch.sequence,
          plan.mesh.context};
}

// Keys and values of a layer on one rank, side by side; at least one head each.
template <class R>
Count<R> kv_widths_on_rank(const Model<R>& model, const Mixer<R>& m, Count<R> t) {
  if (m.kind == MixerKind::kNone) return {};
  if (m.kind == MixerKind::kAbstract) return 2 * *model.hidden / t;
  if (m.kind == MixerKind::kMla) return (query_width(model, m) + value_width(model, m)) / t;
  return 2 * max(kv_heads(m) / t, 1) * head_width(model, m);
}
template <class R>
Count<R> query_width_on_rank(const Model<R>& model, const Mixer<R>& m, Count<R> t) {
  if (m.kind == MixerKind::kAbstract) return *model.hidden / t;
  return query_width(model, m) / t;
}
template <class R>
Count<R> value_width_on_rank(const Model<R>& model, const Mixer<R>& m, Count<R> t) {
  if (m.kind == MixerKind::kAbstract) return *model.hidden / t;
  return value_width(model, m) / t;
}

// Heads whose scores a rank keeps; 0 where the model does not say.
template <class R>
Count<R> heads_on_rank(const Mixer<R>& m, Count<R> t) {
  return m.heads ? *m.heads / t : Count<R>{0};
}

template <class R>
Bytes<R> core_activations(const Mixer<R>& m, const ActivationShape<R>& x) {
  auto heads = heads_on_rank(m, x.t);
  NAME(heads);
  if (x.assume.attention == AttentionKernel::kFlash) return kFlashStatistics(4_B * x.T * heads);
  if (x.assume.dropout || x.assume.activations == ActivationCount::kMegatron)
    return kDroppedScores((2 * x.b + 1_B) * x.T * *x.s * heads);
  return kScores(x.b * x.T * *x.s * heads);
}

template <class R>
Bytes<R> mixer_activations(const Model<R>& model, const Mixer<R>& m, const ActivationShape<R>& x,
                           Recompute policy) {
  if (m.kind == MixerKind::kNone) return {};
  const auto& [b, T, h, t, t_sp, assume, s, c] = x;
  auto q = query_width_on_rank(model, m, t);
  auto kv = kv_widths_on_rank(model, m, t);
  auto v = value_width_on_rank(model, m, t);
  NAME(q, kv, v);
  Sum<kByte, R> kept;
  if (assume.activations == ActivationCount::kTextbook) {
    auto H = b * T * h;
    NAME(H);
    kept.add("norm, o, residual", 3 * H / t_sp);
    kept.add("q, k, v, attention", 4 * H / t);
    if (assume.attention == AttentionKernel::kUnfused && policy == Recompute::kNone)
      kept.add("core", core_activations(m, x));
    return kMixerActivations(kept.total());
  }
  kept.add("norm input and output", 2 * b * T * h / t_sp);
  kept.add("q", b * T * q);
  kept.add("k and v", b * T * kv);
  if (m.kind == MixerKind::kMla)
    kept.add("latents",
             b * T * ((m.q_rank ? *m.q_rank : Count<R>{0}) + *m.kv_rank + *m.rope_width));
  kept.add("attention output", b * T * v);
  if (assume.dropout || assume.activations == ActivationCount::kMegatron)
    kept.add("dropout mask", 1_B * T * h / t_sp);
  if (policy == Recompute::kNone) kept.add("core", core_activations(m, x));
  return kMixerActivations(kept.total());
}

// Inner tensors of an MLP of inner width f (per rank) over T tokens.
template <class R>
Bytes<R> inner_activations(Count<R> T, Count<R> f, const Mlp<R>& m, const ActivationShape<R>& x) {
  const bool gated = !(m.matrices <= 2);
  auto F = x.b * T * f;
  NAME(F);
  if (x.assume.activations == ActivationCount::kTextbook || !x.assume.fused_swiglu)
    return (gated ? Count<R>{4} : Count<R>{2}) * F;
  return (gated ? Count<R>{3} : Count<R>{2}) * F;
}

// Tokens an expert rank works on equal the tokens it sends: balanced routing, k copies of each.
template <class R>
Bytes<R> mlp_activations(const Mlp<R>& m, const ActivationShape<R>& x) {
  if (m.kind == MlpKind::kNone) return {};
  const auto& [b, T, h, t, t_sp, assume, s, c] = x;
  auto H = b * T * h;
  NAME(H);
  Sum<kByte, R> kept;
  const bool textbook = assume.activations == ActivationCount::kTextbook;
  if (textbook) {
    kept.add("norm, down, residual", 3 * H / t_sp);
  } else {
    kept.add("norm input and output", 2 * H / t_sp);
    if (assume.dropout || assume.activations == ActivationCount::kMegatron)
      kept.add("dropout mask", 1_B * T * h / t_sp);
  }
  if (m.kind == MlpKind::kMoe) {
    const auto& k = *m.top_k;
    kept.add("routed inputs", k * H / t_sp);
    kept.add("inner, routed", inner_activations(T * k, *m.width / t, m, x));
    if (!(m.shared <= 0))
      kept.add("inner, shared", inner_activations(T * m.shared, shared_width(m) / t, m, x));
  } else if (m.width) {
    kept.add("inner", inner_activations(T, *m.width / t, m, x));
  }
  return kMlpActivations(kept.total());
}

template <class R>
Bytes<R> layer_activations(const Model<R>& model, const LayerGroup<R>& g,
                           const ActivationShape<R>& x, Recompute policy) {
  auto mixer = mixer_activations(model, g.mixer, x, policy);
  auto mlp = mlp_activations(g.mlp, x);
  return kLayerActivations(mixer + mlp);
}

template <class R>
Bytes<R> checkpoint(const ActivationShape<R>& x) {
  return kCheckpoint(x.b * x.T * x.h / x.t_sp);
}

}  // namespace reckon
