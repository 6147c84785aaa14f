// Prefill and decode on workers of their own: rates, the ratio real and whole, the cache that moves.
//
//   r_p = stages · data ranks · b_p / T_p      r_d = B / (t_tok·(o − 1))          requests/s of a worker
//   rate(x, y) = min(u_p·x·r_p, u_d·y·r_d)
//   transfer   = KV of the prompt over the ports of the smaller worker; sent layer by layer, the last layer's alone
//
// u_p, u_d: assume.pools. Source: Zhong 2024 (DistServe), Patel 2024 (Splitwise); shares: ai-dynamo/aiconfigurator.
#pragma once

#include "reckon/cost/serving/saturation.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

inline const Formula kPrefillWorker{
    "serving.pools.prefill_rate", "r_p", "requests/s of a prefill worker",
    "stages · data ranks · prompts over their time", Hint::kRequestRate};
inline const Formula kDecodeWorker{"serving.pools.decode_rate", "r_d",
                                   "requests/s of a decode worker",
                                   "batch over the time of an answer", Hint::kRequestRate};
inline const Formula kPoolRatio{"serving.pools.ratio", "y/x", "decode workers per prefill worker",
                                "rates that the pools may use", Hint::kRatio};
inline const Formula kPoolRate{"serving.pools.rate", "rate_xy", "requests/s of both pools",
                               "the slower pool's, filled to its share", Hint::kRequestRate};
inline const Formula kPoolWorkers{"serving.pools.workers", "x", "workers for the rate",
                                  "rate over a worker's, filled to its share", Hint::kCount};
inline const Formula kPoolWorkersTarget{"serving.pools.workers_target", "x",
                                        "prefill workers for the target of TTFT",
                                        "so many that nine of ten requests keep it", Hint::kCount};
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
  bool prefill_binds = false;
};

template <class R>
struct ServingPools {
  Count<R> prefill_gpus, decode_gpus;  // of a worker
  Seconds<R> prefill_time, per_token, ttft;
  Count<R> batch;
  Frequency<R> prefill_rate, decode_rate;
  Ratio<R> ratio;
  Bytes<R> cache;
  std::optional<Seconds<R>> transfer;
  Seconds<R> sends{}, receives{};  // a prompt's cache holds the ports of a prefill, a decode worker
  std::optional<Ratio<R>> transfer_load;
  std::optional<Bytes<R>> prefill_space;  // of a prefill GPU, beside its weights
  Bytes<R> prefill_sequence{};            // of a prompt's cache on it
  PoolPair<R> best;                       // most tokens/s per GPU, few workers
  std::optional<PoolPair<R>> asked;       // for the rate, or the workers stated
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

template <class R>
PoolPair<R> pool_pair(const ServingPlan<R>& plan, const ServingPools<R>& p, Count<R> x,
                      Count<R> y) {
  PoolPair<R> out;
  auto u_p = plan.assume.pools.prefill;
  auto u_d = plan.assume.pools.decode;
  auto r_p = p.prefill_rate;
  auto r_d = p.decode_rate;
  NAME(x, y, u_p, u_d, r_p, r_d);
  Smallest<kHertz, R> slower;
  slower.offer("prefill", u_p * x * r_p);
  slower.offer("decode", u_d * y * r_d);
  out.x = x;
  out.y = y;
  out.rate = kPoolRate(slower.best());
  out.prefill_binds = slower.winner() == 0;
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
  const double up = plain(plan.assume.pools.prefill) * plain(p.prefill_rate);
  const double ud = plain(plan.assume.pools.decode) * plain(p.decode_rate);
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
Count<R> workers_for(Frequency<R> rate, Frequency<R> r, Ratio<R> u) {
  NAME(rate, r, u);
  return kPoolWorkers(ceil(rate / (u * r)));
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
  auto r_p = out.prefill_rate;
  auto r_d = out.decode_rate;
  auto u_p = plan.assume.pools.prefill;
  auto u_d = plan.assume.pools.decode;
  NAME(r_p, r_d, u_p, u_d);
  out.ratio = kPoolRatio(u_p * r_p / (u_d * r_d));
  move_cache(of, out);
  auto o_req = plan.engine.overhead.request;
  auto T_p = out.prefill_time;
  auto t_move = out.transfer ? *out.transfer : Seconds<R>{};
  NAME(o_req, T_p, t_move);
  out.ttft = kPoolTtft(o_req + T_p + t_move);
  out.best = best_pair(plan, out, 32);
  return out;
}

}  // namespace reckon
