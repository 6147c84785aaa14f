// Key-value cache: growing·T + windowed·min(T, window) + state, per sequence.
//
//   attention   KV heads · (key width + value width) a layer and token; a window's layers stop
//               growing there, unless the engine keeps them whole (`assume.windows: full`)
//   MLA         latent + rope width a layer and token; an indexer adds the width of its one key
//   recurrent   a state of fixed size, and the short convolution's last K − 1 inputs, per sequence
//
//   KvCache<double> c = kv_cache(model, {2_B, 4_B, CachedWindows::kExact}, T);
//
// A matrix that gives keys and values (values_are_keys) still fills two caches: keys carry
// positions. Source: Hugging Face reference implementations; DeepSeek-V2 for MLA, DeepSeek-V3.2 for
// the indexer; Gu 2023, Dao 2024, Yang 2024, MiniMax-01 for the states.
#pragma once

#include "reckon/cost/recurrent.hpp"
#include "reckon/spec/assume.hpp"

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
inline const Formula kKvIndexer{"kv.indexer_per_token", "kv_idx",
                                "of which keys of the sparse attention's indexer",
                                "one key of index width a layer", Hint::kPerToken};
inline const Formula kKvState{"kv.state", "S_rec", "recurrent states of one sequence",
                              "channels · state, or heads · key width · value width"};
inline const Formula kKvConvolution{"kv.convolution", "S_conv",
                                    "last inputs of the short convolutions, one sequence",
                                    "channels · (taps − 1)"};
inline const Formula kKvSequence{"kv.per_sequence", "KV", "KV cache of one sequence",
                                 "growing · T + windowed · min(T, window) + state"};

// How an engine keeps a cache.
template <class R>
struct CachedAs {
  Bytes<R> b;        // of one cached element
  Bytes<R> b_state;  // of one element of a recurrent state
  CachedWindows windows = CachedWindows::kExact;
};

template <class R>
CachedAs<R> cached_as(Bytes<R> b, const Assume<R>& assume) {
  return {b, assume.state, assume.windows};
}

template <class R>
struct KvCache {
  Bytes<R> per_token, growing, windowed, indexer, state, convolution, sequence;
};

template <class R>
Bytes<R> kv_layer(const Model<R>& model, const Mixer<R>& x, Bytes<R> b) {
  if (x.kind == MixerKind::kMla) return kKvLatent(b * (*x.kv_rank + *x.rope_width));
  if (x.kind != MixerKind::kAttention && !(x.kind == MixerKind::kAbstract && x.heads)) return {};
  auto K = kv_heads(x) * head_width(model, x);
  auto V = kv_heads(x) * value_head_width(model, x);
  NAME(K, V);
  return kKvLayer(b * (K + V));
}

// Keys of an indexer, one layer and token.
template <class R>
Bytes<R> index_keys(const Mixer<R>& x, Bytes<R> b) {
  return x.index_heads ? b * *x.index_width : Bytes<R>{};
}

template <class R>
Count<R> convolution_elements(const Model<R>& model, const Mixer<R>& x) {
  if (!recurrent(x.kind) || !x.conv) return {};
  return conv_channels(model, x) * (*x.conv - 1);
}

// Tokens of T whose keys and values a layer holds.
template <class R>
Count<R> tokens_held(const Mixer<R>& x, Count<R> T, CachedWindows windows) {
  return x.window && windows == CachedWindows::kExact ? min(T, *x.window) : T;
}

// T: tokens of the sequence. `seen`: a layer's mixer as it is, or as a tensor rank sees it.
template <class R, class Seen>
KvCache<R> kv_cache(const Model<R>& model, const CachedAs<R>& as, Count<R> T, const Seen& seen) {
  Sum<kByte, R> all, growing, windowed, indexer, state, convolution, sequence;
  auto b = as.b;
  auto b_state = as.b_state;
  NAME(b, b_state, T);
  int i = 0;
  for (const LayerGroup<R>& g : model.layers) {
    const Label label{"layers of group", i++};
    decltype(auto) x = seen(g.mixer);
    if (recurrent(x.kind)) {
      auto fixed = g.count * state_elements(model, x) * b_state;
      auto inputs = g.count * convolution_elements(model, x) * b;
      state.add(label, fixed);
      convolution.add(label, inputs);
      sequence.add(label, fixed + inputs);
      continue;
    }
    auto keys = g.count * index_keys(x, b);
    auto bytes = g.count * kv_layer(model, x, b);
    if (x.index_heads) bytes = bytes + keys;
    indexer.add(label, keys);
    all.add(label, bytes);
    (x.window ? windowed : growing).add(label, bytes);
    sequence.add(label, bytes * tokens_held(x, T, as.windows));
  }
  return {kKvPerToken(all.total()),      kKvGrowing(growing.total()),
          kKvWindowed(windowed.total()), kKvIndexer(indexer.total()),
          kKvState(state.total()),       kKvConvolution(convolution.total()),
          kKvSequence(sequence.total())};
}

template <class R>
KvCache<R> kv_cache(const Model<R>& model, const CachedAs<R>& as, Count<R> T) {
  return kv_cache(model, as, T, [](const Mixer<R>& x) -> const Mixer<R>& { return x; });
}

}  // namespace reckon
