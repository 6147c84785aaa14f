#include "reckon/cost/questions/pools.hpp"

namespace reckon {
namespace {

template <class R>
bool has_link(const Server<R>& s) {
  return !(s.links.nic <= ByteRate<R>{}) || !(s.links.node <= ByteRate<R>{});
}

template <class R>
void move_cache(const PoolsQuestion<R>& q, const Server<R>& server, PoolsAnswer<R>& out) {
  if (!has_link(server)) return;
  auto g_pre = q.prefill_tensor;
  auto g_dec = q.decode_tensor;
  auto ports = min(g_pre, g_dec);
  NAME(ports);
  out.transfer = transfer_time(server, out.cache, ports);
  auto t_pre = *out.prefill.time;
  auto t_move = *out.transfer;
  NAME(t_pre, t_move);
  out.ttft = kPoolsTtft(t_pre + t_move);
}

template <class R>
void size_pools(const PoolsQuestion<R>& q, const Server<R>& server, PoolsAnswer<R>& out) {
  if (!q.rate) return;
  auto rate = *q.rate;
  const PoolsAssume<R>& used = q.assume.pools;
  auto x = pool(kPrefillPool, rate, out.prefill_rate, q.prefill_tensor, used.prefill);
  auto y = pool(kDecodePool, rate, out.decode_rate, q.decode_tensor, used.decode);
  auto r_pre = out.prefill_rate;
  auto r_dec = out.decode_rate;
  NAME(rate, r_pre, r_dec);
  out.prefill_gpus = x;
  out.decode_gpus = y;
  auto n = kPoolsGpus(x + y);
  out.gpus = n;
  NAME(n);
  out.rate_per_gpu = kPoolsRateGpu(rate / n);
  out.prefill_busy = kPrefillBusy(rate / (x * r_pre));
  out.decode_busy = kDecodeBusy(rate / (y * r_dec));
  if (!has_link(server)) return;
  const bool far = !(server.links.nic <= ByteRate<R>{});
  auto W_move = far ? server.links.nic : server.links.node;
  auto KV_prompt = out.cache;
  NAME(W_move);
  out.transfer_load = kTransferLoad(rate * KV_prompt / (min(x, y) * W_move));
}

}  // namespace

template <class R>
PoolsAnswer<R> answer(const PoolsQuestion<R>& question) {
  PoolsAnswer<R> out;
  const Server<R> server = server_of(question);
  auto B = *question.load.batch;
  auto T = *question.load.prompt;
  auto T_out = *question.load.output;
  auto t_pre = question.prefill_tensor;
  auto t_dec = question.decode_tensor;
  out.context = mean_context(question.load);
  auto T_ctx = out.context;
  NAME(B, T, T_out, T_ctx);
  const DecodeCall<R> call{B, T_ctx};
  out.prefill = prefill(server, T, t_pre);
  out.step = decode_step(server, call, t_dec);
  out.prefill_rate = prefill_rate(*out.prefill.time, t_pre);
  out.decode_rate = decode_rate(B, T_out, out.step.time, t_dec);
  auto r_pre = out.prefill_rate;
  auto r_dec = out.decode_rate;
  auto ratio = kPoolsRatio(r_pre / r_dec);
  out.ratio = ratio;
  NAME(ratio, t_pre, t_dec);
  out.decode_for_one = kDecodeForOne(t_dec * ceil(ratio * t_pre / t_dec));
  out.cache_token =
      kv_cache(question.model, cached_as(server.size.cached, server.assume), T).per_token;
  out.cache = prompt_cache(server, T);
  move_cache(question, server, out);
  size_pools(question, server, out);
  out.limits =
      batch_limits(server, capacity_of(question.cluster, question.chip, question.assume.capacity),
                   call, held_context(question.load, question.assume), t_dec);
  return out;
}

template PoolsAnswer<double> answer(const PoolsQuestion<double>&);
template PoolsAnswer<Traced> answer(const PoolsQuestion<Traced>&);

}  // namespace reckon
