// Prefill and decode in pools of their own: rates, ratio, sizes, and the cache that moves between them.
//
//   prefill GPU   1 / (time of a prefill · its tensor ranks)        requests/s
//   decode GPU    batch / (answer · step · its tensor ranks)
//   sizes         rate over those, under `assume.pools`, rounded up to whole groups of ranks
//
// The cache of a prompt goes once from a prefill group to a decode group, over the ports of the
// smaller.   Source: Zhong 2024 (DistServe), Patel 2024 (Splitwise).
#pragma once

#include "reckon/cost/decode.hpp"

namespace reckon {

inline const Formula kPrefillRate{"prefill.rate", "r_pre", "requests/s of a prefill GPU",
                                  "one prompt after the other", Hint::kRequestRate};
inline const Formula kDecodeRate{"decode.rate", "r_dec", "requests/s of a decode GPU",
                                 "batch over answer and step", Hint::kRequestRate};
inline const Formula kPoolsRatio{"pools.ratio", "n_dec/n_pre", "decode GPUs per prefill GPU",
                                 "prefill GPU's rate over decode GPU's", Hint::kRatio};
inline const Formula kDecodeForOne{"pools.decode_for_one", "n_1",
                                   "decode GPUs that keep up with one group of prefill GPUs",
                                   "the ratio, in whole groups", Hint::kCount};
inline const Formula kPrefillPool{"pools.prefill", "x", "prefill GPUs",
                                  "rate over what a group takes, in whole groups", Hint::kCount};
inline const Formula kDecodePool{"pools.decode", "y", "decode GPUs",
                                 "rate over what a group takes, in whole groups", Hint::kCount};
inline const Formula kPromptCache{"kv.prompt", "KV_prompt", "cache of a prompt",
                                  "cache of a sequence of the prompt's length"};
inline const Formula kCacheTransfer{"kv.transfer", "t_move",
                                    "time to move a prompt's cache to a decode GPU",
                                    "latency + cache over the ports of the smaller group"};
inline const Formula kTransferLoad{
    "kv.transfer_load", "u_move", "share of the pools' link that moving caches takes",
    "rate · cache over the ports of the smaller pool", Hint::kFraction};
inline const Formula kPoolsTtft{"pools.ttft", "t_first",
                                "time to the first token from the decode pool, without waiting",
                                "prefill + moving the cache"};

template <class R>
Bytes<R> prompt_cache(const Server<R>& server, Count<R> T) {
  return kPromptCache(cache_of(server.model, cached_as(server.size.cached, server.assume), T));
}

// Over the network where it is stated, else over the node's link; `ports` at once.
template <class R>
Seconds<R> transfer_time(const Server<R>& server, Bytes<R> KV_prompt, Count<R> ports) {
  const bool far = !(server.links.nic <= ByteRate<R>{});
  auto W_move = far ? server.links.nic : server.links.node;
  auto a_0 = server.assume.latency.base;
  auto a_hop = far ? server.assume.latency.network_hop : server.assume.latency.node_hop;
  NAME(a_0, a_hop, ports, W_move, KV_prompt);
  return kCacheTransfer(a_0 + a_hop + KV_prompt / (ports * W_move));
}

// Requests/s of one GPU of a group of t.
template <class R>
Frequency<R> prefill_rate(Seconds<R> t_pre, Count<R> t) {
  NAME(t_pre, t);
  return kPrefillRate(1 / (t_pre * t));
}

template <class R>
Frequency<R> decode_rate(Count<R> B, Count<R> T_out, Seconds<R> t_step, Count<R> t) {
  NAME(B, T_out, t_step, t);
  return kDecodeRate(B / (T_out * t_step * t));
}

// Whole groups of t GPUs that take `rate` when each GPU takes r, used by a share u.
template <class R>
Count<R> pool(const Formula& formula, Frequency<R> rate, Frequency<R> r, Count<R> t, Ratio<R> u) {
  NAME(rate, r, t, u);
  return formula(t * ceil(rate / (u * r * t)));
}

}  // namespace reckon
