// Time of the attention of one layer: a prompt over itself, one new token over its cache, and that over a latent
// cache.
//
//   prefill   F = 4·b·q·d·s²/2 (causal)      t = t_0 + F/(P·c) · (1 + s_0/s)
//   decode    K = b·T·2·kv·d·b_kv            t = (t_0^p + (K/(W·e))^p)^(1/p)
//   latent    F = 2·b·T·q·(r + v), D = b·T·r·b_kv      t = t_0 + max(F/(P·c), D/(W·e))
//
// s_0 is a term linear in the prompt beside the quadratic one: softmax rows, loading, masked half tiles. p < 1 says
// that the middle range is slower than the sum of both limits. r is the cached width of a token (576), v what is read
// out (512).
#pragma once

#include "reckon/cost/kernels/gemm.hpp"

namespace reckon {

inline const Formula kAttentionFlops{"attention.flops", "F", "FLOP of attention, all pairs",
                                     "scores and their weighted sum: 4·b·q·d·s²"};
inline const Formula kAttentionFlopsCausal{
    "attention.flops_causal", "F", "FLOP of attention, causal", "half the pairs: 2·b·q·d·s²"};
inline const Formula kAttentionIdeal{"attention.compute", "t_F", "time of the FLOP",
                                     "at the share of the peak that an endless prompt reaches"};
inline const Formula kAttentionPrefill{"attention.prefill_time", "t_attn", "time of attention",
                                       "fixed + FLOP, and a term linear in the prompt"};
inline const Formula kCacheRead{"attention.cache_read", "K", "bytes of cache that are read",
                                "keys and values of all sequences"};
inline const Formula kCacheReading{"attention.memory", "t_K", "time to read the cache",
                                   "at the share of the bandwidth that a large cache reaches"};
inline const Formula kAttentionDecode{"attention.decode_time", "t_attn", "time of attention",
                                      "fixed time and reading, blended by a power"};
inline const Formula kLatentFlops{"attention.latent_flops", "F", "FLOP over the latent cache",
                                  "2·heads·(cached width + value width) a cached token"};
inline const Formula kLatentRead{"attention.latent_read", "D",
                                 "bytes of latent cache that are read",
                                 "cached width of every token, once for all heads"};
inline const Formula kLatentTime{"attention.latent_time", "t_attn", "time of attention",
                                 "fixed time + the slower of FLOP and bytes"};

// Of one layer.
template <class R>
struct AttentionCall {
  Count<R> batch, length, heads, kv_heads, head_width;
};

template <class R>
struct PrefillCost {
  Flops<R> flops;
  Seconds<R> fixed, compute, time;
};

template <class R>
PrefillCost<R> prefill_attention_cost(const AttentionCall<R>& shape, const PrefillKernel<R>& kernel,
                                      FlopRate<R> P) {
  auto b = shape.batch;
  auto s = shape.length;
  auto q = shape.heads;
  auto d = shape.head_width;
  auto c = kernel.compute;
  auto t_0 = kernel.fixed;
  auto s_0 = kernel.ramp;
  NAME(b, s, q, d, P, c, t_0, s_0);
  PrefillCost<R> x;
  x.flops = kernel.causal ? kAttentionFlopsCausal(2_flop * b * q * d * s * s)
                          : kAttentionFlops(4_flop * b * q * d * s * s);
  x.fixed = t_0;
  auto F = x.flops;
  x.compute = kAttentionIdeal(F / (P * c));
  auto t_F = x.compute;
  x.time = kAttentionPrefill(t_0 + t_F * (1 + s_0 / s));
  return x;
}

template <class R>
struct DecodeCost {
  Bytes<R> read;
  Seconds<R> fixed, memory, time;
};

template <class R>
DecodeCost<R> decode_attention_cost(const AttentionCall<R>& shape, const DecodeKernel<R>& kernel,
                                    ByteRate<R> W) {
  auto b = shape.batch;
  auto T = shape.length;
  auto kv = shape.kv_heads;
  auto d = shape.head_width;
  auto b_kv = kernel.kv_size;
  auto e = kernel.memory;
  auto t_0 = kernel.fixed;
  auto p = kernel.blend;
  NAME(b, T, kv, d, b_kv, W, e, t_0, p);
  DecodeCost<R> x;
  x.fixed = t_0;
  x.read = kCacheRead(b * T * 2 * kv * d * b_kv);
  auto K = x.read;
  x.memory = kCacheReading(K / (W * e));
  auto t_K = x.memory;
  x.time = kAttentionDecode(t_0 * pow(1 + pow(t_K / t_0, p), 1 / p));
  return x;
}

// `cached` numbers of a token are kept for all heads together, `read_out` of them are the values.
template <class R>
struct LatentShape {
  Count<R> batch, length, heads, cached, read_out;
};

template <class R>
struct LatentCost {
  Flops<R> flops;
  Bytes<R> read;
  Seconds<R> compute, memory, time;
};

template <class R>
LatentCost<R> latent_attention_cost(const LatentShape<R>& shape, const LatentKernel<R>& kernel,
                                    const Peaks<R>& peaks) {
  auto b = shape.batch;
  auto T = shape.length;
  auto q = shape.heads;
  auto r = shape.cached;
  auto v = shape.read_out;
  auto b_kv = kernel.kv_size;
  auto c = kernel.compute;
  auto e = kernel.memory;
  auto t_0 = kernel.fixed;
  auto P = peaks.P;
  auto W = peaks.W;
  NAME(b, T, q, r, v, b_kv, c, e, t_0, P, W);
  LatentCost<R> x;
  x.flops = kLatentFlops(2_flop * b * T * q * (r + v));
  x.read = kLatentRead(b * T * r * b_kv);
  auto F = x.flops;
  auto D = x.read;
  x.compute = F / (P * c);
  x.memory = D / (W * e);
  x.time = kLatentTime(t_0 + detail::roofline(x.compute, x.memory));
  return x;
}

}  // namespace reckon
