// What a GPU of a replica holds, and how many sequences fit beside the weights.
//
//   base free    B = ⌊u·(u_dev·C − weights − reserve) / KV(held)⌋
//   base total   B = ⌊(u·C − weights − reserve) / KV(held)⌋
//   held         prompt + r·answer, and half of a block that is empty; of a prefix that all prompts share, one copy.
//                Of answers that spread the mean while they are held: a long one holds more, for longer
//
// Attention and dense MLPs are split over the tensor ranks, experts over all GPUs of a stage, everything over stages.
#pragma once

#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/reads.hpp"
#include "reckon/cost/serving/step.hpp"

namespace reckon {

inline const Formula kWeightsOnGpu{"serving.memory.weights", "M_w", "weights on one GPU",
                                   "by class: over tensor ranks, or expert GPUs, and stages"};
inline const Formula kServingReserve{"serving.memory.reserve", "M_res", "reserve on one GPU",
                                     "the engine's, and more with experts"};
inline const Formula kCacheSpace{"serving.memory.cache", "M_kv", "memory for the cache on one GPU",
                                 "share · (usable − weights − reserve)"};
inline const Formula kCacheSpaceTotal{"serving.memory.cache_of_total", "M_kv",
                                      "memory for the cache on one GPU",
                                      "share of the total − weights − reserve"};
inline const Formula kServedCache{"serving.memory.sequence", "KV",
                                  "cache of one sequence on one GPU",
                                  "a rank's heads, a stage's layers"};
inline const Formula kHeldTokens{
    "serving.memory.held", "T_held", "tokens of cache that a sequence holds room for",
    "what is not shared + part of the answer + half a block, empty", Hint::kLength};
inline const Formula kHeldTokensSpread{
    "serving.memory.held_spread", "T_held", "tokens of cache that a sequence holds room for",
    "as of one answer, of those that are held at some time: E[o²]/E[o]", Hint::kLength};
inline const Formula kBatchOfMemory{"serving.memory.batch", "B_mem",
                                    "sequences that memory holds, on each data rank",
                                    "space over the cache of a sequence", Hint::kCount};
inline const Formula kCacheTokens{"serving.memory.tokens", "T_kv",
                                  "tokens of cache that a replica holds",
                                  "space over the cache of a token, all data ranks", Hint::kLength};
inline const Formula kServedTotal{"serving.memory.total", "M", "memory of one GPU in use",
                                  "weights + reserve + cache of the batch"};

template <class R>
struct ServingMemory {
  Bytes<R> weights, reserve, space, sequence, shared;
  Count<R> held, batch, tokens;
};

template <class R>
Bytes<R> weights_on_gpu(const ServingMachine<R>& s, const Parameters<R>& n) {
  const ByClass<R> by = by_class(n);
  const TensorFormats<R> formats = s.served.classes ? *s.served.classes : TensorFormats<R>{};
  auto t = s.mesh.tensor;
  auto p = s.mesh.pipeline;
  auto g_moe = s.mesh.tensor * s.mesh.data;
  NAME(t, p, g_moe);
  Sum<kByte, R> sum;
  for_each_class(
      [&](TensorClass c, const Count<R>& count, const std::optional<Stored<R>>& own) {
        if (count <= 0) return;
        auto M_cls = class_bytes(count, s.served.weights.size, own);
        sum.add(c.title, M_cls / (std::string_view(c.id) == "experts" ? g_moe : t) / p);
      },
      by, formats);
  return kWeightsOnGpu(sum.total());
}

// Of T tokens of a sequence, on one GPU.
template <class R>
Bytes<R> served_cache(const ServingMachine<R>& s, Count<R> T) {
  auto t = s.mesh.tensor;
  auto p = s.mesh.pipeline;
  const CachedAs<R> as{s.served.cache.size, s.b_state, s.windows};
  Bytes<R> KV;
  if (s.shared_heads == SharedHeads::kByBatch)
    KV = cache_of(s.model, as, T) / t;
  else
    KV = t <= 1 ? cache_of(s.model, as, T) : cache_of(s.model, as, T, t);
  NAME(KV, p);
  return kServedCache(KV / p);
}

template <class R>
Count<R> held_tokens(const ServingPlan<R>& plan) {
  auto T = *plan.workload.prompt;
  auto T_out = *plan.workload.output;
  auto z = plan.workload.hit;
  auto r_out = stated_or(plan.settings.held, plan.engine.memory.held);
  auto T_blk = stated_or(plan.settings.block, plan.engine.memory.block);
  const LengthSpread<R> spread = answer_lengths(plan.traffic, plan.model.context);
  NAME(T, T_out, z, r_out, T_blk);
  if (spread.spreads()) {
    auto T_seen = length_seen(spread, T_out);
    NAME(T_seen);
    return kHeldTokensSpread(T * (1 - z) + r_out * T_seen + (T_blk - 1) / 2);
  }
  return kHeldTokens(T * (1 - z) + r_out * T_out + (T_blk - 1) / 2);
}

template <class R>
Bytes<R> cache_space(const ServingPlan<R>& plan, const ServingMachine<R>& s, Bytes<R> M_w,
                     Bytes<R> M_res) {
  auto C = s.chip.memory.capacity;
  auto u_kv = stated_or(plan.settings.fraction, plan.engine.memory.fraction);
  NAME(C, u_kv, M_w, M_res);
  if (stated_or(plan.settings.of, plan.engine.memory.of) == MemoryBase::kTotal)
    return kCacheSpaceTotal(u_kv * C - M_w - M_res);
  auto u_dev = plan.engine.memory.usable;
  NAME(u_dev);
  return kCacheSpace(u_kv * (u_dev * C - M_w - M_res));
}

template <class R>
Bytes<R> serving_reserve(const ServingPlan<R>& plan) {
  bool experts = false;
  for (const LayerGroup<R>& g : plan.model.layers) experts = experts || g.mlp.kind == MlpKind::kMoe;
  auto M_one = stated_or(plan.settings.reserve, plan.engine.memory.reserve);
  auto M_moe = experts ? plan.engine.memory.reserve_experts : Bytes<R>{};
  NAME(M_one, M_moe);
  return kServingReserve(M_one + M_moe);
}

template <class R>
ServingMemory<R> serving_memory(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                                const Parameters<R>& n) {
  ServingMemory<R> out;
  out.weights = weights_on_gpu(s, n);
  out.reserve = serving_reserve(plan);
  out.space = cache_space(plan, s, out.weights, out.reserve);
  out.held = held_tokens(plan);
  out.sequence = served_cache(s, out.held);
  auto T_sh = *plan.workload.prompt * plan.workload.hit;
  NAME(T_sh);
  if (!(T_sh <= 0)) out.shared = served_cache(s, T_sh);
  auto M_kv = max(out.space - out.shared, 0_B);
  auto KV = out.sequence;
  auto T_held = out.held;
  auto d = s.mesh.data;
  NAME(M_kv, KV, T_held, d);
  out.batch = kBatchOfMemory(M_kv / KV);
  out.tokens = kCacheTokens(M_kv / KV * T_held * d);
  return out;
}

}  // namespace reckon
