// The decoder layer that both back ends run: its weights and inputs as functions of their indices, so that devices fill
// them in their own layouts and the reference needs no copy.
//
//   h = x + r;  n = h/rms(h);  q, k, v = n·Wqkv;  a = attention;  h += a·Wo;  n = h/rms(h);
//   g, u = n·Wgu;  out = (g·sigmoid(g)·u)·Wd
//
// Norms have no gain and positions are not rotated. In decode the cache holds `length` tokens, the last of which is the
// new one. Weights are scaled by a power of two near 1/sqrt(depth), which every format holds exactly.
#pragma once

#include "check.hpp"

namespace reckon::bench {

enum LayerTensor { kInput = 1, kResidual, kQkv, kOutput, kGateUp, kDown, kCacheKeys, kCacheValues };
inline constexpr float kNormEps = 1e-5F;

struct LayerSizes {
  std::int64_t batch, length, hidden, inner, heads, kv_heads, head_width;
  bool prompt;

  RECKON_BOTH std::int64_t tokens() const { return prompt ? batch * length : batch; }
  RECKON_BOTH std::int64_t qkv_width() const { return (heads + 2 * kv_heads) * head_width; }
  RECKON_BOTH std::int64_t query_width() const { return heads * head_width; }
};

// 2^-round(log2(sqrt(depth)))
RECKON_BOTH inline float weight_scale(std::int64_t depth) {
  float scale = 1;
  for (std::int64_t d = depth; d >= 4; d /= 4) scale *= 0.5F;
  return scale;
}

// Row `n` of the output, column `k` of the depth.
RECKON_BOTH inline float layer_weight(LayerTensor t, std::int64_t n, std::int64_t k,
                                      std::int64_t depth, int steps) {
  return random_on_grid(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(n * depth + k),
                        steps) *
         weight_scale(depth);
}
RECKON_BOTH inline float layer_value(LayerTensor t, std::int64_t index, int steps) {
  return random_on_grid(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(index), steps);
}
// Of the cache, or of a batch of keys for attention alone: sequence, kv head, position, coordinate.
RECKON_BOTH inline std::int64_t cache_index(const LayerSizes& l, std::int64_t sequence,
                                            std::int64_t head, std::int64_t position,
                                            std::int64_t j) {
  return ((sequence * l.kv_heads + head) * l.length + position) * l.head_width + j;
}

}  // namespace reckon::bench
