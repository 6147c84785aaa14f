// Key-value cache: growing·T + windowed·min(T, window) + state, per sequence.
//
//   attention   2 · KV heads · head width a layer and token; a window's layers stop growing there
//   MLA         latent + rope width a layer and token
//
// b: bytes of one element. State of recurrent mixers is fixed per sequence (no mixer here has one).
// Source: Hugging Face reference implementations; DeepSeek-V2 for MLA.
#pragma once

#include "reckon/cost/parameters.hpp"

namespace reckon {

inline const Formula kKvLayer{"kv.layer", "kv_layer", "cache of one layer and token",
                              "keys and values", Hint::kPerToken};
inline const Formula kKvLatent{"kv.latent", "kv_layer", "cache of one MLA layer and token",
                               "the latent and the rotary key", Hint::kPerToken};
inline const Formula kKvPerToken{"kv.bytes_per_token", "kv", "KV cache per token, all layers",
                                 "sum over layers", Hint::kPerToken};
inline const Formula kKvGrowing{"kv.growing_per_token", "kv_grow",
                                "KV cache per token, layers that keep growing",
                                "layers without a window", Hint::kPerToken};
inline const Formula kKvWindowed{"kv.windowed_per_token", "kv_win",
                                 "KV cache per token, layers with a window",
                                 "grows up to the window", Hint::kPerToken};
inline const Formula kKvSequence{"kv.per_sequence", "KV", "KV cache of one sequence",
                                 "growing · T + windowed · min(T, window) + state"};

template <class R>
struct KvCache {
  Bytes<R> per_token, growing, windowed, sequence;
};

template <class R>
Bytes<R> kv_layer(const Model<R>& model, const Mixer<R>& x, Bytes<R> b) {
  if (x.kind == MixerKind::kMla) return kKvLatent(b * (*x.kv_rank + *x.rope_width));
  if (x.kind != MixerKind::kAttention && !(x.kind == MixerKind::kAbstract && x.heads)) return {};
  auto kv_width = kv_heads(x) * head_width(model, x);
  NAME(kv_width);
  return kKvLayer(2 * b * kv_width);
}

// T: tokens of the sequence.
template <class R>
KvCache<R> kv_cache(const Model<R>& model, Bytes<R> b, Count<R> T) {
  Sum<kByte, R> all, growing, windowed, sequence;
  NAME(b, T);
  int i = 0;
  for (const LayerGroup<R>& g : model.layers) {
    const Label label{"layers of group", i++};
    auto bytes = g.count * kv_layer(model, g.mixer, b);
    all.add(label, bytes);
    (g.mixer.window ? windowed : growing).add(label, bytes);
    sequence.add(label, bytes * (g.mixer.window ? min(T, *g.mixer.window) : T));
  }
  return {kKvPerToken(all.total()), kKvGrowing(growing.total()), kKvWindowed(windowed.total()),
          kKvSequence(sequence.total())};
}

}  // namespace reckon
