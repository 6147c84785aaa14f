// The answer to pools: rates, ratio, sizes, the cache that moves.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/pools.hpp"
#include "reckon/cost/questions/serving.hpp"
#include "reckon/spec/questions/pools.hpp"

namespace reckon {

inline const Formula kPoolsGpus{"pools.gpus", "x + y", "GPUs of both pools", "prefill + decode",
                                Hint::kCount};
inline const Formula kPoolsRateGpu{"pools.rate_per_gpu", "r_gpu",
                                   "requests/s per GPU of both pools", "rate over GPUs",
                                   Hint::kRequestRate};
inline const Formula kPrefillBusy{"pools.prefill_busy", "busy_pre",
                                  "share of the prefill pool that the rate keeps busy",
                                  "rate over what the pool takes", Hint::kFraction};
inline const Formula kDecodeBusy{"pools.decode_busy", "busy_dec",
                                 "share of the decode pool that the rate keeps busy",
                                 "rate over what the pool takes", Hint::kFraction};

template <class R>
struct PoolsAnswer {
  Prefill<R> prefill;
  DecodeStep<R> step;
  Count<R> context;
  Frequency<R> prefill_rate, decode_rate;
  Ratio<R> ratio;
  Count<R> decode_for_one;
  Bytes<R> cache_token, cache;
  std::optional<Seconds<R>> transfer, ttft;
  std::optional<Count<R>> prefill_gpus, decode_gpus, gpus;
  std::optional<Frequency<R>> rate_per_gpu;
  std::optional<Ratio<R>> prefill_busy, decode_busy, transfer_load;
  BatchLimits<R> limits;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
PoolsAnswer<R> answer(const PoolsQuestion<R>& question);

template <class R>
template <class V>
void PoolsAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoRate = "the question states no rate: rate: 100 requests/s";
  constexpr const char* kNoLink = "no link is stated: network: 50 GB/s";
  v(kPrefillTime, *prefill.time);
  v(kStepAlone, step.time);
  v(kMeanContext, context);
  v(kPrefillRate, prefill_rate);
  v(kDecodeRate, decode_rate);
  v(kPoolsRatio, ratio);
  v(kDecodeForOne, decode_for_one);
  v(kPrefillPool, prefill_gpus, kNoRate);
  v(kDecodePool, decode_gpus, kNoRate);
  v(kPoolsGpus, gpus, kNoRate);
  v(kPoolsRateGpu, rate_per_gpu, kNoRate);
  v(kPrefillBusy, prefill_busy, kNoRate);
  v(kDecodeBusy, decode_busy, kNoRate);
  v(kKvPerToken, cache_token);
  v(kPromptCache, cache);
  v(kCacheTransfer, transfer, kNoLink);
  v(kTransferLoad, transfer_load, transfer ? kNoRate : kNoLink);
  v(kPoolsTtft, ttft, kNoLink);
  v(kServedWeights, limits.stored);
  v(kBatchByMemory, limits.by_memory, "no capacity is stated: capacity: 80 GB");
}

}  // namespace reckon
