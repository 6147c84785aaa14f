// How large a decode batch can be: by memory, and before compute takes longer than reading.
//
//   batch by memory   ⌊(capacity − reserve − weights) / cache of a sequence⌋, on each GPU
//   crossover         weights' read time over the compute time of one token
//   with the cache    each sequence brings a read of its own: where that is the longer, no batch is
//                     bound by compute
//
// A sequence holds prompt + r·output tokens of cache; r is `assume.decode.reserved`.
#pragma once

#include "reckon/cost/decode.hpp"

namespace reckon {

inline const Formula kHeld{"decode.held", "T_held",
                           "tokens of cache that a sequence holds room for",
                           "prompt + reserved share of the answer", Hint::kLength};
inline const Formula kServedWeights{"decode.stored", "M_w", "weights stored on one GPU",
                                    "all parameters · bytes of one, over the ranks"};
inline const Formula kServedByClass{"decode.stored_by_class", "M_w", "weights stored on one GPU",
                                    "parameters · bytes of one, class by class, over the ranks"};
inline const Formula kFreeMemory{"kv.capacity", "M_free", "memory left for the cache on one GPU",
                                 "capacity − reserve − weights"};
inline const Formula kBatchByMemory{"decode.batch_by_memory", "B_mem",
                                    "largest batch that memory holds",
                                    "memory left over the cache of a sequence", Hint::kCount};
inline const Formula kComputeBoundBatch{
    "decode.crossover", "B*", "batch from which compute takes longer than reading the weights",
    "time to read all weights over that to compute a token", Hint::kRatio};
inline const Formula kCrossoverCache{
    "decode.crossover_with_cache", "B**", "batch from which compute takes longer than all reading",
    "the cache is read too, and grows with the batch", Hint::kRatio};

template <class R>
struct BatchLimits {
  Bytes<R> stored;
  std::optional<Bytes<R>> free, sequence;  // on one GPU; what a sequence holds room for
  std::optional<Count<R>> by_memory;
  Ratio<R> crossover;
  std::optional<Ratio<R>> crossover_cache;
};

template <class R>
Bytes<R> stored_weights(const Server<R>& server, Count<R> t) {
  auto N = server.n.total;
  auto w = server.size.weight;
  if (server.classes) {
    auto M_all = class_bytes(by_class(server.n), w, *server.classes);
    NAME(M_all, t);
    return kServedByClass(M_all / t);
  }
  NAME(N, w, t);
  return kServedWeights(N * w / t);
}

template <class R>
Bytes<R> memory_left(const Server<R>& server, Bytes<R> C, Bytes<R> M_w) {
  auto M_ctx = server.assume.reserve.fixed;
  auto r_frag = server.assume.reserve.share;
  NAME(C, M_ctx, r_frag, M_w);
  return kFreeMemory((C - M_ctx) / (1 + r_frag) - M_w);
}

// How many sequences' caches fit beside the weights.
template <class R>
void limit_by_memory(const Server<R>& server, Bytes<R> C, Count<R> T_held, Count<R> t,
                     BatchLimits<R>& out) {
  auto M_free = memory_left(server, C, out.stored);
  auto KV_gpu = cache_on_rank(server, T_held, t);
  out.free = M_free;
  out.sequence = KV_gpu;
  if (!(KV_gpu <= Bytes<R>{})) out.by_memory = kBatchByMemory(floor(max(M_free, 0_B) / KV_gpu));
}

template <class R>
BatchLimits<R> batch_limits(const Server<R>& server, std::optional<Bytes<R>> capacity,
                            const DecodeCall<R>& call, Count<R> T_held, Count<R> t) {
  BatchLimits<R> out;
  out.stored = stored_weights(server, t);
  if (capacity) limit_by_memory(server, *capacity, T_held, t, out);
  const Count<R> one{1};
  auto S_all = weights_read_touching(server, server.n.experts);
  auto W_read = *server.read_rate;
  auto t_token = decode_compute(server, one, t);
  NAME(S_all, W_read, t, t_token);
  auto t_all = S_all / t / W_read;
  NAME(t_all);
  out.crossover = kComputeBoundBatch(t_all / t_token);
  auto t_cache = cache_on_rank(server, call.T_ctx, t) / W_read;
  NAME(t_cache);
  if (!(t_token <= t_cache)) out.crossover_cache = kCrossoverCache(t_all / (t_token - t_cache));
  return out;
}

}  // namespace reckon
