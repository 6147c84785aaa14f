// Prefill and decode on workers of their own: rates, the ratio real and whole, the cache that moves.
//
//   r_p = stages · data ranks · b_p / T_p      r_d = B / (t_tok·(o − 1))          requests/s of a worker
//   λ_p = min(u_p·r_p, 1/t_send)               λ_d = min(u_d·r_d, 1/t_recv)       that it is given
//   rate(x, y) = min(x·λ_p, y·λ_d)
//   transfer   = KV of the prompt over the ports of the smaller worker; sent layer by layer, the last layer's alone
//
// u_p, u_d: assume.pools. Source: Zhong 2024 (DistServe), Patel 2024 (Splitwise); shares: ai-dynamo/aiconfigurator.
#pragma once

#include "reckon/cost/serving/saturation.hpp"
#include "reckon/cost/serving/targets.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

inline const Formula kPrefillWorker{
    "serving.pools.prefill_rate", "r_p", "requests/s of a prefill worker",
    "stages · data ranks · prompts over their time", Hint::kRequestRate};
inline const Formula kDecodeWorker{"serving.pools.decode_rate", "r_d",
                                   "requests/s of a decode worker",
                                   "batch over the time of an answer", Hint::kRequestRate};
inline const Formula kPrefillGiven{
    "serving.pools.prefill_given", "λ_p", "requests/s that a prefill worker is given",
    "its rate filled to its share, at most what its ports move", Hint::kRequestRate};
inline const Formula kDecodeGiven{
    "serving.pools.decode_given", "λ_d", "requests/s that a decode worker is given",
    "its rate filled to its share, at most what its ports move", Hint::kRequestRate};
inline const Formula kPoolRatio{"serving.pools.ratio", "y/x", "decode workers per prefill worker",
                                "requests/s that each is given", Hint::kRatio};
inline const Formula kPoolRate{"serving.pools.rate", "rate_xy", "requests/s of both pools",
                               "the slower pool's", Hint::kRequestRate};
inline const Formula kPoolWorkers{"serving.pools.workers", "x", "workers for the rate",
                                  "rate over what a worker is given", Hint::kCount};
inline const Formula kPoolKeepsUp{"serving.pools.keeps_up", "n_with",
                                  "workers that keep up with those of the other pool",
                                  "what those are given over what one of these is", Hint::kCount};
inline const Formula kPrefillWorkersTarget{
    "serving.pools.prefill_target", "x", "prefill workers for the rate and the target of TTFT",
    "those of the rate, and as many more as the queue and nine of ten requests take", Hint::kCount};
inline const Formula kDecodeWorkersTarget{
    "serving.pools.decode_target", "y", "decode workers for the rate and the target of TPOT",
    "those of the rate, and as many more as the queue and nine of ten requests take", Hint::kCount};
inline const Formula kPoolGpus{"serving.pools.gpus", "G", "GPUs of both pools",
                               "workers · their GPUs", Hint::kCount};
inline const Formula kPoolPerGpu{"serving.pools.per_gpu", "s_gpu", "tokens/s per GPU of both pools",
                                 "answers' tokens over all GPUs", Hint::kTokenRate};
inline const Formula kPoolOwned{"serving.pools.per_gpu_owned", "s_own",
                                "tokens/s per GPU of the cluster, idle ones too",
                                "as many such pools as fit, over all GPUs", Hint::kTokenRate};
inline const Formula kMovedCache{"serving.pools.cache", "KV_move", "cache of a prompt, all GPUs",
                                 "what the decode worker has to be given"};
inline const Formula kMoveTime{"serving.pools.transfer", "t_move", "time to move a prompt's cache",
                               "cache over the ports of the smaller worker"};
inline const Formula kMoveLast{"serving.pools.transfer_last", "t_move",
                               "time to move what is left of a prompt's cache",
                               "the last layer's; the others went while it was computed"};
inline const Formula kMoveLoad{"serving.pools.transfer_load", "u_move",
                               "share of the smaller pool's ports that moving takes",
                               "rate · cache over its ports", Hint::kFraction};
inline const Formula kPoolTtft{"serving.pools.ttft", "t_1", "time to the first token, no waiting",
                               "fixed + prompt + moving its cache"};
inline const Formula kPoolCostInput{"serving.pools.cost_input", "c_in",
                                    "dollars per million input tokens",
                                    "price of a prefill worker over the tokens it takes"};
inline const Formula kPoolCostOutput{"serving.pools.cost_output", "c_out",
                                     "dollars per million output tokens",
                                     "price of a decode worker over the tokens it gives"};

template <class R>
struct PoolPair {
  Count<R> x, y, gpus;
  Frequency<R> rate, per_gpu;
  const char* binds = "";
};

template <class R>
struct ServingPools {
  Count<R> prefill_gpus, decode_gpus;  // of a worker
  Seconds<R> prefill_time, per_token, ttft;
  Count<R> batch;
  Frequency<R> prefill_rate, decode_rate;
  Frequency<R> prefill_given, decode_given;
  bool ports_hold_prefill = false,
       ports_hold_decode = false;  // what a worker is given is its ports'
  Ratio<R> ratio;
  Bytes<R> cache;
  std::optional<Seconds<R>> transfer;
  Seconds<R> sends{}, receives{};  // a prompt's cache holds the ports of a prefill, a decode worker
  std::optional<Ratio<R>> transfer_load;
  std::optional<Bytes<R>> prefill_space;  // of a prefill GPU, beside its weights
  Bytes<R> prefill_sequence{};            // of a prompt's cache on it
  PoolPair<R> best;                       // most tokens/s per GPU, few workers
  std::optional<PoolPair<R>> asked;       // for the rate, or the workers stated
  SizedBy sized_by = SizedBy::kRate;      // what decides the workers for the rate
  std::optional<Frequency<R>> owned;      // where pools of stated workers share one cluster
  std::optional<Dollars<R>> cost_input, cost_output;
};

// What pools are made of.
template <class R>
struct PoolParts {
  const ServingPlan<R>& plan;
  const ServingMachine<R>& prefill;  // the machines
  const ServingMachine<R>& decode;
  Seconds<R> prefill_time, per_token;
  Count<R> batch;  // on each data rank
};

template <class R>
Frequency<R> prefill_worker(Count<R> b_pre, const ServingMesh<R>& mesh, Seconds<R> T_p) {
  auto p = mesh.pipeline;
  auto d = mesh.data;
  NAME(b_pre, p, d, T_p);
  return kPrefillWorker(p * d * b_pre / T_p);
}

template <class R>
Frequency<R> decode_worker(const ServingPlan<R>& plan, Count<R> n, Count<R> d, Seconds<R> t_tok) {
  auto T_out = *plan.workload.output;
  NAME(n, d, t_tok, T_out);
  return kDecodeWorker(n * d / (t_tok * max(T_out - 1, 1)));
}

// Requests/s of one worker, filled to its share, where its ports move that many caches. `t_port`: of a cache.
template <class R>
Frequency<R> given_rate(const Formula& formula, Ratio<R> u, Frequency<R> r, Seconds<R> t_port,
                        bool& ports_hold) {
  NAME(u, r, t_port);
  Smallest<kHertz, R> least;
  least.offer("worker", u * r);
  if (plain(t_port) > 0) least.offer("ports", 1 / t_port);
  ports_hold = least.winner() == 1;
  return formula(least.best());
}

template <class R>
PoolPair<R> pool_pair(const ServingPlan<R>& plan, const ServingPools<R>& p, Count<R> x,
                      Count<R> y) {
  PoolPair<R> out;
  auto given_p = p.prefill_given;
  auto given_d = p.decode_given;
  NAME(x, y, given_p, given_d);
  Smallest<kHertz, R> slower;
  slower.offer("prefill", x * given_p);
  slower.offer("decode", y * given_d);
  out.x = x;
  out.y = y;
  out.rate = kPoolRate(slower.best());
  const bool ports = slower.winner() == 0 ? p.ports_hold_prefill : p.ports_hold_decode;
  out.binds = ports                  ? "the link that caches move over"
              : slower.winner() == 0 ? "prefill"
                                     : "decode";
  auto g_p = p.prefill_gpus;
  auto g_d = p.decode_gpus;
  NAME(g_p, g_d);
  out.gpus = kPoolGpus(x * g_p + y * g_d);
  auto rate_xy = out.rate;
  auto T_out = *plan.workload.output;
  auto G = out.gpus;
  NAME(rate_xy, T_out, G);
  out.per_gpu = kPoolPerGpu(rate_xy * T_out / G);
  return out;
}

// The pair of at most `most` workers each that gives most tokens/s per GPU: searched on plain numbers.
template <class R>
PoolPair<R> best_pair(const ServingPlan<R>& plan, const ServingPools<R>& p, int most) {
  const double up = plain(p.prefill_given), ud = plain(p.decode_given);
  const double gp = plain(p.prefill_gpus), gd = plain(p.decode_gpus);
  double best = 0;
  int at_x = 1, at_y = 1;
  // Beside x prefill workers the yield rises until the decode workers keep up, and falls from there.
  for (int x = 1; x <= most; ++x) {
    const double balanced = x * up / ud;  // no number where neither pool works
    const int even = balanced >= 1 ? static_cast<int>(std::min(balanced, 1.0 * most)) : 1;
    for (int y = even; y <= std::min(even + 1, most); ++y) {
      const double yield = std::min(x * up, y * ud) / (x * gp + y * gd);
      if (yield <= best * (1 + 1e-9)) continue;  // of equals the fewest
      best = yield;
      at_x = x;
      at_y = y;
    }
  }
  return pool_pair(plan, p, structural<R>("x", at_x), structural<R>("y", at_y));
}

template <class R>
Count<R> workers_for(Frequency<R> rate, Frequency<R> given) {
  NAME(rate, given);
  return kPoolWorkers(ceil(rate / given));
}

template <class R>
ByteRate<R> moving_rate(const ServingPlan<R>& plan, const ServingMachine<R>& s) {
  if (plan.prefill && plan.prefill->link) return *plan.prefill->link;
  const LinkEfficiency<R>& e = plan.assume.efficiency;
  return s.W_port <= ByteRate<R>{} ? s.W_link * e.link : s.W_port * e.network;
}

template <class R>
void move_cache(const PoolParts<R>& of, ServingPools<R>& out) {
  const ServingPlan<R>& plan = of.plan;
  auto T = *plan.workload.prompt;
  const CachedAs<R> as{plan.served.cache.size, of.decode.b_state, of.decode.windows};
  out.cache = kMovedCache(cache_of(plan.model, as, T));
  auto W_pre = moving_rate(plan, of.prefill) * out.prefill_gpus;
  auto W_dec = moving_rate(plan, of.decode) * out.decode_gpus;
  if (W_pre <= ByteRate<R>{} || W_dec <= ByteRate<R>{}) return;
  auto KV_move = out.cache;
  auto L = of.decode.layers;
  const Latency<R>& wait = plan.assume.latency;
  auto a_move = wait.base + wait.network_hop;
  NAME(KV_move, W_pre, W_dec, L, a_move);
  out.sends = called("t_send", KV_move / W_pre);
  out.receives = called("t_recv", KV_move / W_dec);
  out.transfer = plan.prefill && plan.prefill->layerwise
                     ? kMoveLast(a_move + KV_move / L / min(W_pre, W_dec))
                     : kMoveTime(a_move + KV_move / min(W_pre, W_dec));
}

template <class R>
ServingPools<R> serving_pools(const PoolParts<R>& of) {
  const ServingPlan<R>& plan = of.plan;
  ServingPools<R> out;
  out.prefill_gpus = of.prefill.gpus;
  out.decode_gpus = of.decode.gpus;
  out.prefill_time = of.prefill_time;
  out.per_token = of.per_token;
  out.batch = of.batch;
  const Count<R> one{1};
  out.prefill_rate =
      prefill_worker(plan.prefill ? plan.prefill->batch : one, of.prefill.mesh, out.prefill_time);
  out.decode_rate = decode_worker(plan, of.batch, of.decode.mesh.data, out.per_token);
  move_cache(of, out);
  out.prefill_given = given_rate(kPrefillGiven, plan.assume.pools.prefill, out.prefill_rate,
                                 out.sends, out.ports_hold_prefill);
  out.decode_given = given_rate(kDecodeGiven, plan.assume.pools.decode, out.decode_rate,
                                out.receives, out.ports_hold_decode);
  auto given_p = out.prefill_given;
  auto given_d = out.decode_given;
  NAME(given_p, given_d);
  out.ratio = kPoolRatio(given_p / given_d);
  auto o_req = plan.engine.overhead.request;
  auto T_p = out.prefill_time;
  auto t_move = out.transfer ? *out.transfer : Seconds<R>{};
  NAME(o_req, T_p, t_move);
  out.ttft = kPoolTtft(o_req + T_p + t_move);
  out.best = best_pair(plan, out, 32);
  return out;
}

}  // namespace reckon
