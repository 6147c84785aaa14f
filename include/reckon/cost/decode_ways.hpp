// Ways to spread a decode batch of B sequences over g GPUs, each priced with its communication.
//
//   full replicas   g copies, each with a batch of B of its own: what sharding must beat per GPU
//   replicas        g copies, B/g sequences each: every GPU reads all weights for few tokens
//   FSDP            weights gathered layer by layer over the link, B/g sequences each
//   tensor          weights, cache and compute / g; two all-reduces a layer
//   sequence        each cache split along its tokens; weights read whole; one all-reduce of partial
//                   attention outputs a layer
//   pipeline        layers / g on each GPU, g micro-batches in flight: a token passes g stages
//
// A GPU's sequences are rounded up: the busiest sets the step. Gathers hide behind the rest of the
// step as far as `assume.overlap.data` says; all-reduces and sends are on its path.
#pragma once

#include "reckon/cost/decode.hpp"

namespace reckon {

inline const Formula kShareOfBatch{"decode.sequences", "B_gpu", "sequences on the busiest GPU",
                                   "batch over GPUs, rounded up", Hint::kCount};
inline const Formula kGatherTime{"decode.gather", "t_gather", "time to gather all layers' weights",
                                 "all-gather of each layer: Zhao 2023"};
inline const Formula kPartialTime{"decode.partial", "t_part",
                                  "time to add up partial attention outputs",
                                  "one all-reduce a layer with attention"};
inline const Formula kSendsTime{"decode.sends", "t_send",
                                "time to hand a token from stage to stage", "one message a stage"};
inline const Formula kAloneWay{"decode.replicas.time", "t_rep", "step of replicas",
                               "a GPU's own work"};
inline const Formula kFsdpWay{"decode.fsdp.time", "t_fsdp", "step with gathered weights",
                              "own work + gather − what hides"};
inline const Formula kTensorWay{"decode.tensor.time", "t_tp", "step of tensor ranks",
                                "own work + all-reduces"};
inline const Formula kSequenceWay{"decode.sequence.time", "t_seq", "step with split caches",
                                  "own work + all-reduces of outputs"};
inline const Formula kPipelineWay{"decode.pipeline.time", "t_pp", "step through all stages",
                                  "stages · a stage's work + sends"};
inline const Formula kPerUser{"decode.per_user", "tok_user", "tokens/s of one user", "1 / step",
                              Hint::kTokenRate};
inline const Formula kPerGpu{"decode.per_gpu", "tok_gpu", "tokens/s of one GPU",
                             "batch over step and GPUs", Hint::kTokenRate};

enum class ShardWay { kFullReplicas, kReplicas, kFsdp, kTensor, kSequence, kPipeline };
inline constexpr std::size_t kShardWays = 6;

// One way: what a GPU stores (weights and cache), reads, waits for; what users and GPUs get.
template <class R>
struct DecodeWay {
  Bytes<R> memory;
  Seconds<R> reads, communication, time;
  Frequency<R> per_user, per_gpu;
};

template <class R>
struct WaysAsk {
  DecodeCall<R> call;
  Count<R> g;
  Bytes<R> stored;  // weights of the whole model
};

template <class R>
DecodeWay<R> priced(Bytes<R> memory, Seconds<R> reads, Seconds<R> communication, Seconds<R> time,
                    Count<R> B, Count<R> g) {
  auto t_step = time;
  NAME(t_step, B, g);
  return {memory, reads, communication, time, kPerUser(1 / t_step), kPerGpu(B / (t_step * g))};
}

template <class R>
Bytes<R> whole_cache(const Server<R>& server, Count<R> T) {
  return cache_of(server.model, cached_as(server.size.cached, server.assume), T);
}

// B sequences on a GPU with all weights.
template <class R>
DecodeLoad<R> alone_load(const Server<R>& server, Count<R> B, Bytes<R> KV) {
  const Count<R> one{1};
  return {weights_read(server, B), B * KV, decode_compute(server, B, one)};
}

template <class R>
DecodeWay<R> replicas_way(const Server<R>& server, const WaysAsk<R>& x, Count<R> B_gpu,
                          Count<R> B) {
  auto KV = whole_cache(server, x.call.T_ctx);
  auto M_w = x.stored;
  NAME(B_gpu, KV, M_w);
  const auto step = gpu_step(server, alone_load(server, B_gpu, KV));
  auto t_gpu = step.time;
  NAME(t_gpu);
  return priced(M_w + B_gpu * KV, step.memory, Seconds<R>{}, kAloneWay(t_gpu), B, x.g);
}

template <class R>
DecodeWay<R> fsdp_way(const Server<R>& server, const WaysAsk<R>& x, Count<R> B_gpu) {
  auto KV = whole_cache(server, x.call.T_ctx);
  auto M_w = x.stored;
  auto g = x.g;
  Count<R> L{0};
  for (const LayerGroup<R>& layers : server.model.layers) L += layers.count;
  NAME(B_gpu, KV, M_w, g, L);
  const auto step = gpu_step(server, alone_load(server, B_gpu, KV));
  const Count<R> one{1};
  auto t_gather =
      kGatherTime(collective(one, M_w, beside(server, g), server.links, server.assume, L).time);
  auto t_gpu = step.time;
  auto o_data = server.assume.overlap.data;
  NAME(t_gpu, o_data);
  return priced(M_w / g + B_gpu * KV, step.memory, t_gather,
                kFsdpWay(t_gpu + t_gather - o_data * min(t_gpu, t_gather)), x.call.B, g);
}

template <class R>
DecodeWay<R> tensor_way(const Server<R>& server, const WaysAsk<R>& x) {
  const DecodeLoad<R> load = tensor_load(server, x.call, x.g);
  const auto step = gpu_step(server, load);
  auto t_gpu = step.time;
  auto T_ar = tensor_reduces(server, x.call.B, x.g).time;
  auto t_ex = exchange_time(server, x.call.B, x.g);
  auto M_w = x.stored;
  auto g = x.g;
  NAME(t_gpu, t_ex, M_w, g);
  return priced(M_w / g + load.cache, step.memory, T_ar + t_ex, kTensorWay(t_gpu + T_ar + t_ex),
                x.call.B, g);
}

// Each rank computes every token's matrices; of attention, its part of the cached tokens.
template <class R>
DecodeWay<R> sequence_way(const Server<R>& server, const WaysAsk<R>& x) {
  auto KV = whole_cache(server, x.call.T_ctx);
  auto M_w = x.stored;
  auto B = x.call.B;
  auto g = x.g;
  auto b = server.size.activation;
  NAME(KV, M_w, B, g, b);
  const Count<R> one{1};
  auto cache = B * KV / g;
  const auto step =
      gpu_step(server, {weights_read(server, B), cache, decode_compute(server, B, one)});
  Sum<kSecond, R> outputs;
  int i = 0;
  for (const LayerGroup<R>& layers : server.model.layers) {
    const Label label{"layers of group", i++};
    if (layers.mixer.kind == MixerKind::kNone || recurrent(layers.mixer.kind)) continue;
    auto v = value_width(server.model, layers.mixer);
    NAME(v);
    outputs.add(label, layers.count * reduce_over(server, B * v * b, g).time);
  }
  auto t_part = kPartialTime(outputs.total());
  auto t_gpu = step.time;
  NAME(t_gpu);
  return priced(M_w + cache, step.memory, t_part, kSequenceWay(t_gpu + t_part), B, g);
}

// Hidden states are handed over between g stages, g − 1 times: N nodes are crossed N − 1 times. What goes back from the
// last stage to the first is a token's number, a few bytes.
template <class R>
Seconds<R> sends(const Server<R>& server, Bytes<R> S, Count<R> g) {
  const Count<R> one{1}, two{2};
  const auto message = [&](const Group<R>& group) {
    const auto x = CollectiveShape<R>{one, S, group, one, server.links, server.assume};
    return by_message(x).time;
  };
  const Group<R> all = beside(server, g);
  Sum<kSecond, R> t;
  auto N = ceil(all.q / all.r);
  NAME(g, N);
  if (!all.crosses()) {
    t.add("in the node", (g - 1) * message(Group<R>{two, two}));
  } else {
    if (!(all.r <= 1)) t.add("in a node", (g - N) * message(Group<R>{two, two}));
    t.add("between nodes", (N - 1) * message(Group<R>{two, one}));
  }
  return kSendsTime(t.total());
}

template <class R>
DecodeWay<R> pipeline_way(const Server<R>& server, const WaysAsk<R>& x, Count<R> B_gpu) {
  auto KV = whole_cache(server, x.call.T_ctx);
  auto M_w = x.stored;
  auto g = x.g;
  auto B = x.call.B;
  auto h = *server.model.hidden;
  auto b = server.size.activation;
  NAME(KV, M_w, g, B_gpu, B, h, b);
  const auto stage = gpu_step(
      server, {weights_read(server, B_gpu) / g, B_gpu * KV / g, decode_compute(server, B_gpu, g)});
  auto t_stage = stage.time;
  auto t_send = sends(server, B_gpu * h * b, g);
  NAME(t_stage);
  return priced(M_w / g + B * KV / g, g * stage.memory, t_send, kPipelineWay(g * t_stage + t_send),
                B, g);
}

}  // namespace reckon
