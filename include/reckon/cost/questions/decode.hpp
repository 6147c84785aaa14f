// The answer to a decode step: time by part, all-reduces, limits of the batch, and the ways to shard.
#pragma once

#include <array>

#include "reckon/cost/decode_limits.hpp"
#include "reckon/cost/decode_ways.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/serving.hpp"
#include "reckon/spec/questions/decode.hpp"

namespace reckon {

inline const Formula kMemoryOverLink{"decode.memory_over_link", "W_read/W_link",
                                     "memory bandwidth over the link's",
                                     "what a gathered byte costs against one read", Hint::kRatio};
inline const Formula kWaitOverStep{"decode.wait_over_step", "A_ar/t_gpu",
                                   "waiting of the all-reduces over a GPU's own work",
                                   "latency alone", Hint::kRatio};
inline const Formula kReducesOverStep{"decode.all_reduces_over_step", "T_ar/t_gpu",
                                      "all-reduces over a GPU's own work", "waiting and bytes",
                                      Hint::kRatio};
inline const Formula kTensorSpeed{"decode.tensor_over_full_replicas.per_user", "s_user",
                                  "a user's tokens/s under tensor parallelism, over full replicas",
                                  "step of a full replica over step of the ranks", Hint::kRatio};
inline const Formula kTensorYield{"decode.tensor_over_full_replicas.per_gpu", "s_gpu",
                                  "a GPU's tokens/s under tensor parallelism, over full replicas",
                                  "tokens/s of a GPU over that of a full replica", Hint::kRatio};
inline const Formula kTensorSame{"decode.tensor_over_replicas.per_user", "s_same",
                                 "tokens/s under tensor parallelism, over replicas, same batch",
                                 "step of the replicas over step of the ranks", Hint::kRatio};

template <class R>
struct DecodeAnswer {
  Count<R> context;
  Bytes<R> cache_token, cache_sequence;
  DecodeStep<R> step;
  Frequency<R> per_user, per_gpu;
  Ratio<R> sharers;
  BatchLimits<R> limits;
  std::optional<Ratio<R>> memory_over_link, wait_over_step, reduces_over_step;
  Count<R> g;
  std::array<std::optional<DecodeWay<R>>, kShardWays> ways;
  std::array<const char*, kShardWays> why_not{};
  std::optional<Ratio<R>> tensor_speed, tensor_yield, tensor_same;

  const std::optional<DecodeWay<R>>& way(ShardWay w) const {
    return ways[static_cast<std::size_t>(w)];
  }
  template <class V>
  void metrics(V&& v) const;
};

template <class R>
DecodeAnswer<R> answer(const DecodeQuestion<R>& question);

// Whether t ranks share every layer's heads evenly.
template <class R>
bool divides_heads(const Model<R>& model, int t) {
  for (const LayerGroup<R>& g : model.layers) {
    if (g.mixer.inner && whole(*g.mixer.inner) % t != 0) return false;
    if (!g.mixer.heads) continue;
    const int kv = whole(kv_heads(g.mixer));
    if (whole(*g.mixer.heads) % t != 0) return false;
    if (g.mixer.kind == MixerKind::kMla) continue;
    if (kv % t != 0 && t % kv != 0) return false;
  }
  return true;
}

namespace detail {

struct ShardWayNames {
  MetricInfo reads, communication, time, per_user, per_gpu, memory;
};
inline const ShardWayNames kShardWayNames[] = {
#define RECKON_SHARD_WAY(id, what)                                                   \
  {                                                                                  \
    {"decode." id ".reads", what ": time to read weights and cache"},                \
        {"decode." id ".communication", what ": communication"},                     \
        {"decode." id ".time", what ": step"},                                       \
        {"decode." id ".per_user", what ": tokens/s of one user", Hint::kTokenRate}, \
        {"decode." id ".per_gpu", what ": tokens/s of one GPU", Hint::kTokenRate}, { \
      "decode." id ".memory", what ": weights and cache on one GPU"                  \
    }                                                                                \
  }
    RECKON_SHARD_WAY("full_replicas", "full replicas"),
    RECKON_SHARD_WAY("replicas", "replicas"),
    RECKON_SHARD_WAY("fsdp", "FSDP"),
    RECKON_SHARD_WAY("tensor", "tensor ranks"),
    RECKON_SHARD_WAY("sequence", "split caches"),
    RECKON_SHARD_WAY("pipeline", "pipeline"),
#undef RECKON_SHARD_WAY
};

}  // namespace detail

template <class R>
template <class V>
void DecodeAnswer<R>::metrics(V&& v) const {
  constexpr const char* kAlone = "one GPU has nothing to exchange: tensor: 2";
  constexpr const char* kNoLink = "no link is stated: link: 450 GB/s";
  v(kStepAlone, step.time);
  v(kPerUser, per_user);
  v(kPerGpu, per_gpu);
  v(kMeanContext, context);
  v(kReadParameters, step.parameters);
  v(kDecodeWeights, step.weights);
  v(kWeightsTime, step.gpu.weights);
  v(kKvPerToken, cache_token);
  v(kKvSequence, cache_sequence);
  v(kDecodeCache, step.cache);
  v(kCacheTime, step.gpu.cache);
  v(kMemoryTime, step.gpu.memory);
  v(kDecodeFlops, step.flops);
  v(kDecodeCompute, step.compute);
  v(kComputeHidden, step.gpu.time);
  v(kSharers, sharers);
  v(kExchange, step.exchange);
  reduce_metrics(v, step.reduces);
  v(kWaitOverStep, wait_over_step, kAlone);
  v(kReducesOverStep, reduces_over_step, kAlone);
  v(kMemoryOverLink, memory_over_link, kNoLink);
  v(kServedWeights, limits.stored);
  v(kFreeMemory, limits.free, "no capacity is stated: capacity: 80 GB");
  v(kBatchByMemory, limits.by_memory, "no capacity is stated: capacity: 80 GB");
  v(kComputeBoundBatch, limits.crossover);
  v(kCrossoverCache, limits.crossover_cache,
    "reading a sequence's cache takes longer than computing its token: no batch is compute-bound");
  v(MetricInfo{"decode.ways.gpus", "GPUs that the ways to shard are compared over", Hint::kCount},
    g);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto part = [this, i](auto member) {
      using T = std::decay_t<decltype((*ways[i]).*member)>;
      return ways[i] ? std::optional<T>((*ways[i]).*member) : std::nullopt;
    };
    const auto& info = detail::kShardWayNames[i];
    const char* why = why_not[i] ? why_not[i] : "";
    v(info.memory, part(&DecodeWay<R>::memory), why);
    v(info.reads, part(&DecodeWay<R>::reads), why);
    v(info.communication, part(&DecodeWay<R>::communication), why);
    v(info.time, part(&DecodeWay<R>::time), why);
    v(info.per_user, part(&DecodeWay<R>::per_user), why);
    v(info.per_gpu, part(&DecodeWay<R>::per_gpu), why);
  }
  const char* no_tensor = why_not[3] ? why_not[3] : "";
  v(kTensorSpeed, tensor_speed, no_tensor);
  v(kTensorYield, tensor_yield, no_tensor);
  v(kTensorSame, tensor_same, no_tensor);
}

}  // namespace reckon
