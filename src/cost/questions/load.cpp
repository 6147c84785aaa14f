#include "reckon/cost/questions/load.hpp"

#include <memory>

#include "reckon/cost/chunk.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/pools.hpp"
#include "reckon/spec/lower.hpp"

namespace reckon {
namespace {

// What a server is made of; it points into this.
template <class R>
struct LoadOn {
  Model<R> model;
  Served<R> served;
  std::optional<Cluster<R>> cluster;
  OnLinks<R> on;
  OnChip<R> chip;
  Assume<R> assume;
};

template <class R>
LoadOn<R> machine_of(const LoadQuestion<R>& q) {
  return {*q.model, q.served, q.cluster, q.on, q.chip, q.assume};
}

template <class R>
std::optional<Count<R>> context_of(const LoadQuestion<R>& q) {
  return q.model ? q.model->context : std::nullopt;
}

template <class R>
Count<R> mean_cached(const LoadQuestion<R>& q) {
  auto T = *q.traffic.prompt;
  auto T_out = *q.traffic.output;
  const LengthSpread<R> spread = answer_lengths(q.traffic, context_of(q));
  NAME(T, T_out);
  if (!spread.spreads()) return kMeanContext(T + T_out / 2);
  auto T_seen = length_seen(spread, T_out);
  NAME(T_seen);
  return kMeanContextSpread(T + T_seen / 2);
}

// t(n, x) with sequences of T_ctx cached tokens.
template <class R>
struct StatedSteps {
  LoadSteps<R> of;

  Seconds<R> operator()(Count<R> n, Count<R> x, Count<R> T_ctx) const {
    auto t_step = *of.step;
    auto t_seq = of.per_decode;
    auto t_kv = of.per_cached;
    auto t_tok = of.per_prefill;
    NAME(n, x, T_ctx);
    return kLoadStep(t_step + n * t_seq + n * T_ctx * t_kv + x * t_tok);
  }
};

// A decode step of the model, with prompt tokens beside it.
template <class R>
class ModelSteps {
 public:
  explicit ModelSteps(const LoadQuestion<R>& q)
      : on_(std::make_shared<const LoadOn<R>>(machine_of(q))),
        server_(server_of(*on_)),
        t_(q.tensor),
        prompt_(*q.traffic.prompt) {}

  Seconds<R> operator()(Count<R> n, Count<R> x, Count<R> T_ctx) const {
    const DecodeStep<R> step = decode_step(server_, DecodeCall<R>{n, T_ctx}, t_);
    const auto compute = chunk_compute(server_, n, std::optional<Count<R>>(prompt_), t_);
    return mixed_step(server_, step, n + x, chunk_time(compute, x), t_);
  }

 private:
  std::shared_ptr<const LoadOn<R>> on_;
  Server<R> server_;
  Count<R> t_, prompt_;
};

template <class R>
using StepOf = std::function<Seconds<R>(Count<R>, Count<R>, Count<R>)>;

template <class R>
StepOf<R> step_of(const LoadQuestion<R>& q) {
  if (!q.model) return StatedSteps<R>{q.steps};
  return ModelSteps<R>(q);
}

// Sum of the blocks that lengths of 1 to x tokens take: whole ones for all before the last, then as many each.
template <class R>
Count<R> blocks_up_to(Count<R> x, Count<R> b_blk) {
  NAME(x, b_blk);
  auto k = called("k", floor(x / b_blk));
  return called("Σ", b_blk * k * (k + 1) / 2 + (x - k * b_blk) * (k + 1));
}

// In whole blocks, as an engine keeps them. A length that differs ends anywhere in its last block.
template <class R>
Count<R> held_by_request(const LoadQuestion<R>& q) {
  auto s = *q.traffic.prompt;
  auto o = *q.traffic.output;
  auto b_blk = q.engine.block;
  const bool longest = q.engine.reserve == CacheReserve::kLongest;
  const LengthSpread<R> spread = answer_lengths(q.traffic, context_of(q));
  NAME(s, o, b_blk);
  if (spread.spreads() || prompt_lengths(q.traffic, context_of(q)).spreads()) {
    auto o_seen = length_seen(spread, o);
    NAME(o_seen);
    return longest ? kHeldLongestSpread(max(s + o_seen + (b_blk - 1) / 2, b_blk))
                   : kHeldMeanSpread(max(s + o_seen / 2 + (b_blk - 1) / 2, b_blk));
  }
  if (longest) return kHeldLongest(b_blk * ceil((s + o) / b_blk));
  auto n_before = blocks_up_to(s, b_blk);
  auto n_all = blocks_up_to(s + o, b_blk);
  NAME(n_before, n_all);
  return kHeldMean(b_blk * (n_all - n_before) / o);
}

// What a model's memory holds, of requests as they are held.
template <class R>
std::optional<BatchLimits<R>> limits_of(const LoadQuestion<R>& q) {
  const auto capacity = capacity_of(q.cluster, q.chip, q.assume.capacity);
  if (!q.model || !capacity) return {};
  auto T_held = held_by_request(q);
  NAME(T_held);
  const LoadOn<R> on = machine_of(q);
  const DecodeCall<R> call{q.engine.batch, mean_cached(q)};
  return batch_limits(server_of(on), capacity, call, T_held, q.tensor);
}

template <class R>
std::optional<Count<R>> cache_concurrency(const LoadQuestion<R>& q,
                                          const std::optional<BatchLimits<R>>& limits) {
  auto T_held = held_by_request(q);
  NAME(T_held);
  if (q.engine.cache_tokens) {
    auto T_cache = *q.engine.cache_tokens;
    NAME(T_cache);
    return kCacheConcurrency(floor(T_cache / T_held));
  }
  return limits ? limits->by_memory : std::nullopt;
}

template <class R>
LoadInput<R> input_of(const LoadQuestion<R>& q, Count<R> slots, Count<R> T_ctx) {
  LoadInput<R> x;
  const LoadTraffic<R>& t = q.traffic;
  if (t.rate) x.rate = *t.rate;
  x.users = t.users;
  x.think = t.think;
  x.burst = burst_of(t, t.rate);
  const LengthSpread<R> prompts = prompt_lengths(t, context_of(q));
  x.prompt = length_cut(prompts, *t.prompt);
  x.output = length_cut(answer_lengths(t, context_of(q)), *t.output);
  x.output_spread = t.output_spread ? *t.output_spread : Ratio<R>{};
  x.lengths = length_shares(prompts, *t.prompt);
  x.slots = slots;
  x.chunk = q.engine.chunk ? *q.engine.chunk : x.prompt;
  x.prompts = q.engine.prompts;
  x.overhead = q.engine.overhead;
  x.step = [step = step_of(q), T_ctx](Count<R> n, Count<R> c) { return step(n, c, T_ctx); };
  return x;
}

// Prefill workers: the question's own steps, or those that are stated for them.
template <class R>
std::function<Seconds<R>(Count<R>)> prefill_of(const LoadQuestion<R>& q) {
  const Count<R> none{0};
  if (!q.pools.prefill_step)
    return [step = step_of(q), none, T = mean_cached(q)](Count<R> x) { return step(none, x, T); };
  return [of = q.pools, alike = q.steps.per_prefill](Count<R> x) {
    auto t_pre = *of.prefill_step;
    auto t_tok = of.prefill_token ? *of.prefill_token : alike;
    NAME(t_pre, t_tok, x);
    return kLoadPrefill(t_pre + x * t_tok);
  };
}

template <class R>
CacheMoves<R> moves_of(const LoadQuestion<R>& q) {
  CacheMoves<R> out;
  if (q.pools.transfer) out.fixed = *q.pools.transfer;
  if (q.pools.transfer_token) out.token = *q.pools.transfer_token;
  if (q.pools.transfer || q.pools.transfer_token) return out;
  out.known = false;
  if (!q.model) return out;
  const LoadOn<R> on = machine_of(q);
  const Server<R> server = server_of(on);
  const bool far = !(server.links.nic <= ByteRate<R>{});
  auto W_move = far ? server.links.nic : server.links.node;
  if (W_move <= ByteRate<R>{}) return out;
  auto a_0 = q.assume.latency.base;
  auto a_hop = far ? q.assume.latency.network_hop : q.assume.latency.node_hop;
  auto s = *q.traffic.prompt;
  auto KV_prompt = prompt_cache(server, s);
  auto t = q.tensor;
  NAME(a_0, a_hop, s, KV_prompt, t, W_move);
  out.known = true;
  out.fixed = kLoadMove(a_0 + a_hop);
  out.token = kLoadMoveToken(KV_prompt / (s * t * W_move));
  return out;
}

template <class R>
PoolsLoad<R> pools_of(const LoadQuestion<R>& q, Count<R> slots, Count<R> T_ctx) {
  PoolsLoad<R> x;
  x.decode = input_of(q, slots, T_ctx);
  x.prefill = prefill_of(q);
  x.prefill_workers = *q.pools.prefill;
  x.decode_engines = *q.pools.decode;
  const CacheMoves<R> moves = moves_of(q);
  x.transfer = moves.fixed;
  x.transfer_token = moves.token;
  auto s = x.decode.prompt;
  auto t_move1 = x.transfer_token;
  NAME(s, t_move1);
  x.sends = s * t_move1;
  x.receives = x.sends;
  x.senders = x.prefill_workers;
  x.receivers = x.decode_engines;
  return x;
}

template <class R>
Count<R> slots_of(const LoadQuestion<R>& q, const std::optional<Count<R>>& cache) {
  auto B = q.engine.batch;
  NAME(B);
  if (!cache) return kLoadSlots(B);
  auto n_kv = *cache;
  NAME(n_kv);
  return kLoadSlotsCache(max(min(B, n_kv), 1));
}

}  // namespace

template <class R>
LoadAnswer<R> answer(const LoadQuestion<R>& q) {
  LoadAnswer<R> out;
  out.context = mean_cached(q);
  out.held = held_by_request(q);
  out.limits = limits_of(q);
  out.cache_concurrency = cache_concurrency(q, out.limits);
  out.holds = !out.cache_concurrency || !(*out.cache_concurrency < 1);
  out.slots = slots_of(q, out.cache_concurrency);
  out.by_cache = out.cache_concurrency && plain(*out.cache_concurrency) < plain(q.engine.batch);
  const LoadInput<R> x = input_of(q, out.slots, out.context);
  const LoadInput<double> flat =
      input_of(lower(q), plain_quantity(out.slots), plain_quantity(out.context));
  if (q.pools.prefill && q.pools.decode)
    out.figures =
        pool_figures(pools_of(q, out.slots, out.context),
                     pools_of(lower(q), plain_quantity(out.slots), plain_quantity(out.context)));
  else
    out.figures = load_figures(x, flat);
  out.step_alone = x.step(Count<R>{0}, Count<R>{0});
  out.step_full = x.step(out.slots, x.chunk);
  return out;
}

template LoadAnswer<double> answer(const LoadQuestion<double>&);
template LoadAnswer<Traced> answer(const LoadQuestion<Traced>&);

std::function<double(double, double, double)> step_times(const LoadQuestion<double>& q) {
  return [step = step_of(q)](double n, double context, double x) {
    return plain(step(Count<double>(n), Count<double>(x), Count<double>(context)));
  };
}

CacheMoves<double> cache_moves(const LoadQuestion<double>& q) { return moves_of(q); }

std::function<double(double)> prefill_times(const LoadQuestion<double>& q) {
  return [prefill = prefill_of(q)](double x) { return plain(prefill(Count<double>(x))); };
}

}  // namespace reckon
