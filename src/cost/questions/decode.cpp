#include "reckon/cost/questions/decode.hpp"

namespace reckon {
namespace {

template <class R>
Count<R> gpus_of_ways(const DecodeQuestion<R>& q) {
  if (q.ranks) return *q.ranks;
  if (!(q.tensor <= 1) || !q.cluster) return q.tensor;
  return kGpus(q.cluster->nodes * q.cluster->node.gpus);
}

// Why a way can't run here; nullptr where it can.
template <class R>
const char* no_way(ShardWay way, const DecodeQuestion<R>& q, const Server<R>& server, int g) {
  if (g <= 1) return "one GPU shards nothing: ranks: 8";
  if (way == ShardWay::kFullReplicas || way == ShardWay::kReplicas) return nullptr;
  const bool crosses = server.node_gpus && whole(*server.node_gpus) < g;
  if (server.links.node <= ByteRate<R>{}) return "no link is stated: link: 450 GB/s";
  if (crosses && server.links.nic <= ByteRate<R>{}) return "no network is stated: network: 50 GB/s";
  if (way == ShardWay::kTensor && !divides_heads(q.model, g))
    return "the GPUs do not share the heads evenly";
  if (way == ShardWay::kSequence && any_recurrent(q.model))
    return "a recurrent state has no tokens to split along";
  if (way != ShardWay::kPipeline) return nullptr;
  int layers = 0;
  for (const LayerGroup<R>& group : q.model.layers) layers += whole(group.count);
  return g <= layers ? nullptr : "more stages than layers";
}

template <class R>
DecodeWay<R> price(ShardWay way, const Server<R>& server, const WaysAsk<R>& x) {
  auto B = x.call.B;
  auto g = x.g;
  NAME(B, g);
  if (way == ShardWay::kFullReplicas) return replicas_way(server, x, B, B * g);
  if (way == ShardWay::kTensor) return tensor_way(server, x);
  if (way == ShardWay::kSequence) return sequence_way(server, x);
  auto B_gpu = kShareOfBatch(ceil(B / g));
  if (way == ShardWay::kFsdp) return fsdp_way(server, x, B_gpu);
  if (way == ShardWay::kPipeline) return pipeline_way(server, x, B_gpu);
  return replicas_way(server, x, B_gpu, B);
}

template <class R>
void compare_tensor(DecodeAnswer<R>& out) {
  const auto &tensor = out.way(ShardWay::kTensor), &full = out.way(ShardWay::kFullReplicas),
             &replicas = out.way(ShardWay::kReplicas);
  if (!tensor || !full || !replicas) return;
  auto t_tp = tensor->time;
  auto t_full = full->time;
  auto t_rep = replicas->time;
  auto tok_tp = tensor->per_gpu;
  auto tok_full = full->per_gpu;
  NAME(t_tp, t_full, t_rep, tok_tp, tok_full);
  out.tensor_speed = kTensorSpeed(t_full / t_tp);
  out.tensor_yield = kTensorYield(tok_tp / tok_full);
  out.tensor_same = kTensorSame(t_rep / t_tp);
}

template <class R>
void shard(const DecodeQuestion<R>& q, const Server<R>& server, const DecodeCall<R>& call,
           DecodeAnswer<R>& out) {
  const Count<R> one{1};
  const WaysAsk<R> x{call, out.g, stored_weights(server, one)};
  for (std::size_t i = 0; i < kShardWays; ++i) {
    const auto way = static_cast<ShardWay>(i);
    out.why_not[i] = no_way(way, q, server, whole(out.g));
    if (!out.why_not[i]) out.ways[i] = price(way, server, x);
  }
  compare_tensor(out);
}

template <class R>
void compare_times(const Server<R>& server, DecodeAnswer<R>& out) {
  if (!(server.links.node <= ByteRate<R>{})) {
    auto W_read = *server.read_rate;
    auto W_link = server.links.node;
    NAME(W_read, W_link);
    out.memory_over_link = kMemoryOverLink(W_read / W_link);
  }
  if (!out.step.reduces) return;
  auto t_gpu = out.step.gpu.time;
  auto A_ar = out.step.reduces->wait;
  auto T_ar = out.step.reduces->time;
  NAME(t_gpu);
  out.wait_over_step = kWaitOverStep(A_ar / t_gpu);
  out.reduces_over_step = kReducesOverStep(T_ar / t_gpu);
}

}  // namespace

template <class R>
DecodeAnswer<R> answer(const DecodeQuestion<R>& question) {
  DecodeAnswer<R> out;
  const Server<R> server = server_of(question);
  auto B = *question.load.batch;
  auto t = question.tensor;
  out.context = mean_context(question.load);
  auto T_ctx = out.context;
  NAME(B, t, T_ctx);
  const KvCache<R> cache =
      kv_cache(question.model, cached_as(server.size.cached, server.assume), T_ctx);
  out.cache_token = cache.per_token;
  out.cache_sequence = cache.sequence;
  const DecodeCall<R> call{B, T_ctx};
  out.step = decode_step(server, call, t);
  out.sharers = sharers(question.model, t);
  auto t_step = out.step.time;
  NAME(t_step);
  out.per_user = kPerUser(1 / t_step);
  auto g = t;
  NAME(g);
  out.per_gpu = kPerGpu(B / (t_step * g));
  out.limits =
      batch_limits(server, capacity_of(question.cluster, question.chip, question.assume.capacity),
                   call, held_context(question.load, question.assume), t);
  compare_times(server, out);
  out.g = gpus_of_ways(question);
  shard(question, server, call, out);
  return out;
}

template DecodeAnswer<double> answer(const DecodeQuestion<double>&);
template DecodeAnswer<Traced> answer(const DecodeQuestion<Traced>&);

}  // namespace reckon
