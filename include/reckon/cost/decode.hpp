// One decode step of a batch: weights are read once, every sequence's cache once, a token computed for each.
//
//   DecodeStep<double> s = decode_step(server, {B, T_ctx}, t);
//   s.weights.time + s.cache.time     // the memory's part
//   s.time                            // of the step, under `assume.decode`
//
// t tensor ranks share weights and compute evenly (norms and other small tensors, which each rank
// keeps whole, are not counted apart) and wait for two all-reduces a layer, unless those are quoted
// apart. Decode attention's own FLOPs are not counted: it is bound by reading the cache.
#pragma once

#include "reckon/cost/prefill.hpp"
#include "reckon/cost/reads.hpp"

namespace reckon {

inline const Formula kMeanContext{"decode.context", "T_ctx",
                                  "tokens in a sequence's cache, on average",
                                  "prompt + half of the answer", Hint::kLength};
inline const Formula kDecodeWeights{"decode.weights.bytes", "S_w", "weights a step reads",
                                    "parameters read · bytes of one"};
inline const Formula kDecodeCache{"decode.cache.bytes", "S_kv", "cache a step reads on one GPU",
                                  "batch · cache of a sequence on one GPU"};
inline const Formula kDecodeCacheDealt{"decode.cache_dealt", "S_kv",
                                       "cache of the batch on the GPU that holds most of it",
                                       "whole sequences, dealt out among the ranks of a KV head"};
inline const Formula kDecodeFlops{"decode.flops", "F_dec", "FLOPs of a step",
                                  "2 per parameter a token multiplies with"};
inline const Formula kWeightsTime{"decode.weights.time", "t_w", "time to read the weights",
                                  "bytes of one GPU over memory bandwidth"};
inline const Formula kCacheTime{"decode.cache.time", "t_kv", "time to read the cache",
                                "bytes of one GPU over memory bandwidth"};
inline const Formula kMemoryTime{"decode.memory.time", "t_mem", "time to read weights and cache",
                                 "one after the other"};
inline const Formula kDecodeCompute{"decode.compute.time", "t_comp", "time to compute a step",
                                    "FLOPs over what the GPUs reach"};
inline const Formula kComputeHidden{"decode.gpu_time", "t_gpu", "a GPU's own work in a step",
                                    "the longer of reading and computing"};
inline const Formula kComputeAdded{"decode.gpu_time_added", "t_gpu", "a GPU's own work in a step",
                                   "reading, then computing"};
inline const Formula kStepAlone{"decode.time", "t_step", "time of a decode step",
                                "a GPU's own work; all-reduces quoted apart"};
inline const Formula kStepWaiting{"decode.time_waiting", "t_step", "time of a decode step",
                                  "a GPU's own work, and the all-reduces' waiting"};
inline const Formula kStepReduced{"decode.time_reduced", "t_step", "time of a decode step",
                                  "a GPU's own work, and the all-reduces"};
inline const Formula kExchange{"decode.exchange", "t_ex",
                               "time to deal sequences out among ranks that share a KV head",
                               "queries there and outputs back, each layer"};

// What one GPU reads and computes in a step.
template <class R>
struct DecodeLoad {
  Bytes<R> weights, cache;
  Seconds<R> compute;
};

template <class R>
struct GpuStep {
  Seconds<R> weights, cache, memory, time;
};

template <class R>
GpuStep<R> gpu_step(const Server<R>& server, const DecodeLoad<R>& x) {
  auto S_gpu = x.weights;
  auto S_kv = x.cache;
  auto W_read = *server.read_rate;
  NAME(S_gpu, S_kv, W_read);
  auto t_w = kWeightsTime(S_gpu / W_read);
  auto t_kv = kCacheTime(S_kv / W_read);
  auto t_mem = kMemoryTime(t_w + t_kv);
  auto t_comp = x.compute;
  NAME(t_comp);
  if (server.assume.decode.compute == DecodeCompute::kAdded)
    return {t_w, t_kv, t_mem, kComputeAdded(t_mem + t_comp)};
  Largest<kSecond, R> longer;
  longer.offer("memory", t_mem);
  longer.offer("compute", t_comp);
  return {t_w, t_kv, t_mem, kComputeHidden(longer.best())};
}

template <class R>
Bytes<R> weights_read(const Server<R>& server, Count<R> B) {
  auto N_read = read_parameters(server, B);
  auto w = server.size.weight;
  NAME(N_read, w);
  return kDecodeWeights(N_read * w);
}

// FLOPs of so many tokens' matrices.
template <class R>
Flops<R> decode_flops(const Server<R>& server, Count<R> B) {
  auto N_token = token_parameters(server.n, server.assume.decode.params);
  NAME(N_token, B);
  return kDecodeFlops(2_flop * N_token * B);
}

template <class R>
Seconds<R> decode_compute(const Server<R>& server, Count<R> B, Count<R> t) {
  auto F_dec = decode_flops(server, B);
  auto P = *server.peak;
  auto MFU_dec = server.assume.decode.mfu;
  NAME(t, P, MFU_dec);
  return kDecodeCompute(F_dec / (t * P * MFU_dec));
}

// Sequences dealt out among the ranks that share a head: each layer's queries and outputs change
// hands, among so many ranks, twice.
template <class R>
Seconds<R> exchange_time(const Server<R>& server, Count<R> B, Count<R> t) {
  const bool by_batch = server.assume.decode.shared_heads == SharedHeads::kByBatch;
  auto n_share = sharers(server.model, t);
  if (!by_batch || n_share <= 1) return {};
  Sum<kSecond, R> all;
  const Count<R> one{1};
  int i = 0;
  for (const LayerGroup<R>& g : server.model.layers) {
    const Label label{"layers of group", i++};
    if (g.mixer.kind == MixerKind::kNone || recurrent(g.mixer.kind)) continue;
    auto width = value_width(server.model, g.mixer) * n_share / t;
    auto b = server.size.activation;
    NAME(width, b, B);
    const auto x =
        collective(one, B * width * b, beside(server, n_share), server.links, server.assume);
    all.add(label, 2 * g.count * x.time);
  }
  return kExchange(all.total());
}

// Sequences that decode together, and the tokens in the cache of each.
template <class R>
struct DecodeCall {
  Count<R> B, T_ctx;
};

template <class R>
struct DecodeStep {
  Count<R> parameters;
  Bytes<R> weights, cache;  // of the model; of the batch on one GPU
  Flops<R> flops;
  Seconds<R> compute, time, exchange;
  GpuStep<R> gpu;
  std::optional<TensorReduces<R>> reduces;  // of more than one GPU
};

template <class R>
DecodeLoad<R> tensor_load(const Server<R>& server, const DecodeCall<R>& call, Count<R> t) {
  auto S_w = weights_read(server, call.B);
  auto B = call.B;
  auto KV_gpu = cache_on_rank(server, call.T_ctx, t);
  NAME(S_w, B, t);
  auto compute = decode_compute(server, B, t);
  const bool by_batch = server.assume.decode.shared_heads == SharedHeads::kByBatch;
  auto n_share = sharers(server.model, t);
  if (!by_batch || n_share <= 1) return {S_w / t, kDecodeCache(B * KV_gpu), compute};
  // Whole sequences: of one among sixteen ranks, one rank reads all.
  return {S_w / t, kDecodeCacheDealt(ceil(B / n_share) * n_share * KV_gpu), compute};
}

// What of the ranks' messages the step is said to take.
template <class R>
Seconds<R> step_time(const DecodeStep<R>& step, DecodeReduces count) {
  auto t_gpu = step.gpu.time;
  NAME(t_gpu);
  if (!step.reduces || count == DecodeReduces::kApart) return kStepAlone(t_gpu);
  auto t_ex = step.exchange;
  auto A_ar = step.reduces->wait;
  auto T_ar = step.reduces->time;
  NAME(t_ex);
  if (count == DecodeReduces::kWaiting) return kStepWaiting(t_gpu + A_ar + t_ex);
  return kStepReduced(t_gpu + T_ar + t_ex);
}

template <class R>
DecodeStep<R> decode_step(const Server<R>& server, const DecodeCall<R>& call, Count<R> t) {
  DecodeStep<R> out;
  const DecodeLoad<R> load = tensor_load(server, call, t);
  out.parameters = read_parameters(server, call.B);
  out.weights = weights_read(server, call.B);
  out.cache = load.cache;
  out.flops = decode_flops(server, call.B);
  out.compute = load.compute;
  out.gpu = gpu_step(server, load);
  if (!(t <= 1)) {
    out.reduces = tensor_reduces(server, call.B, t);
    out.exchange = exchange_time(server, call.B, t);
  }
  out.time = step_time(out, server.assume.decode.all_reduces);
  return out;
}

}  // namespace reckon
