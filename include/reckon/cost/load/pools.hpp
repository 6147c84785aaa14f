// What users wait where some workers compute prompts and others answers: prefill → transfer → decode.
//
//   prefill   a prompt at a time on each of m workers, one queue: M/G/m. One worker: Pollaczek and Khinchine, with the
//             wait's second moment. Several: Erlang's C, and between exponential and constant times Cosmetatos' factor
//   transfer  a fixed time and one for each token of the prompt; it delays. That one cache waits for another's ports is
//             left out; that ports are full is the rate's third limit
//   decode    each of y engines gets every y-th request; steps carry no prompts: n = λ/y·(o − 1)·t(n). A request
//             waits for the step that runs and, near B, for a place
//   TPOT      its spread is that of n over the time of an answer: Poisson arrivals that overlap for (1 − |u|/D) of it
//             have the variance 2/3·n, and steps that grow with n widen it
//
//   LoadFigures<R> f = pool_figures(x, flat);      // f.waiting->sharing is the transfer
//
// TTFT ends when the cache has moved: the decode worker's wait is in TPOT. For users who wait for their answers there
// are limits alone: prefill and decode workers wait for each other in a circle.
#pragma once

#include "reckon/cost/load/bursts.hpp"
#include "reckon/cost/load/load.hpp"

namespace reckon {

inline const Formula kPoolOwn{"load.pools.own", "T_i", "a prompt alone, and the move of its cache",
                              "prefill + transfer"};
inline const Formula kPoolByPrefill{"load.pools.by_prefill", "λ_p",
                                    "rate at which the prefill workers never rest", "m / S",
                                    Hint::kRequestRate};
inline const Formula kPoolByDecode{"load.pools.by_decode", "λ_B",
                                   "rate at which the decode engines' batches are full",
                                   "Little's law on all of them", Hint::kRequestRate};
inline const Formula kPoolByMove{
    "load.pools.by_move", "λ_move", "rate at which the ports of a pool never rest",
    "workers over the time a cache holds their ports", Hint::kRequestRate};
inline const Formula kPoolPrefillShare{"load.pools.prefill_share", "ρ",
                                       "share of the time that a prefill worker works", "λ·S / m",
                                       Hint::kFraction};
inline const Formula kPoolQueueOne{"load.pools.queue_one", "W", "wait for the prefill worker, mean",
                                   "M/G/1: Pollaczek and Khinchine, with the arrivals' burstiness"};
inline const Formula kPoolWaitChance{"load.pools.wait_chance", "P_queue",
                                     "chance that all prefill workers work",
                                     "ρ^κ, Erlang's C on m workers", Hint::kFraction};
inline const Formula kPoolQueue{"load.pools.queue", "W", "wait for a prefill worker, mean",
                                "M/G/m: M/M/m, and Cosmetatos' factor on M/D/m"};
inline const Formula kPoolEngineRate{"load.pools.engine_rate", "λ_e",
                                     "requests/s of one decode engine", "in turn: over the engines",
                                     Hint::kRequestRate};
inline const Formula kPoolRateOfDecodes{"load.pools.rate_of_decodes", "λ(n)",
                                        "rate at which so many decode on an engine",
                                        "Little's law on n = λ·(o − 1)·t(n')", Hint::kRequestRate};
inline const Formula kPoolDecodes{"load.pools.decodes", "n", "sequences that decode on one engine",
                                  "the n at which λ(n) is the rate", Hint::kRatio};
inline const Formula kPoolDecoding{"load.pools.decoding", "n_all",
                                   "sequences that decode at once, on average", "on all engines",
                                   Hint::kRatio};
inline const Formula kPoolTpot{"load.pools.tpot", "TPOT", "time per token after the first, mean",
                               "a step + the waits for a step and a place over the answer"};
inline const Formula kPoolTpotDeviation{"load.pools.tpot_deviation", "σ_TPOT",
                                        "deviation of a request's mean time per token",
                                        "2/3 of the variance of n, steps that grow with it"};
inline const Formula kPoolTpotP50{"load.pools.tpot_p50", "TPOT_50",
                                  "time per token, median of requests", "normal around the mean"};
inline const Formula kPoolTpotP90{"load.pools.tpot_p90", "TPOT_90",
                                  "time per token, 90th percentile of requests",
                                  "normal around the mean"};
inline const Formula kPoolTpotP99{"load.pools.tpot_p99", "TPOT_99",
                                  "time per token, 99th percentile of requests",
                                  "normal around the mean"};

template <class R>
struct PoolsLoad {
  LoadInput<R> decode;  // the rate of all; steps and places of one engine
  std::function<Seconds<R>(Count<R>)> prefill;
  Count<R> prefill_workers{1}, decode_engines{1};
  Seconds<R> transfer{}, transfer_token{};
  // A mean cache holds the ports of a sender, and of a receiver; of so many each.
  Seconds<R> sends{}, receives{};
  Count<R> senders{1}, receivers{1};
};

namespace detail {

template <class R>
LoadWaiting<R> pool_own(const PoolsLoad<R>& x, std::vector<OwnShare<R>>& service) {
  LoadWaiting<R> out;
  out.overhead = x.decode.overhead;
  auto t_move = x.transfer;
  auto t_move1 = x.transfer_token;
  NAME(t_move, t_move1);
  for (const LengthShare<R>& one : x.decode.lengths) {
    auto t_pre = called("t_pre", x.prefill(one.tokens));
    auto s_i = one.tokens;
    NAME(s_i);
    service.push_back({one.share, t_pre});
    out.own.push_back({one.share, kPoolOwn(t_pre + t_move + s_i * t_move1)});
  }
  return out;
}

// The wait for a prefill worker: its mean, and the exponential that its percentiles are read from.
template <class R>
void pool_queue(const PoolsLoad<R>& x, const std::vector<OwnShare<R>>& service, Ratio<R> share,
                LoadWaiting<R>& out) {
  const Moments<R> moment = moments(service);
  auto rate = x.decode.rate;
  auto burst = x.decode.burst;
  auto S = called("S", moment.first);
  auto S_2 = called("E[S²]", moment.second);
  auto S_3 = called("E[S³]", moment.third);
  auto rho = share;
  auto m = x.prefill_workers;
  NAME(rate, burst, rho, m);
  if (plain(m) <= 1) {
    auto W = kPoolQueueOne(rate * (S_2 + (burst - 1) * S * S) / (2 * (1 - rho)));
    out.queue = W;
    if (plain(W) <= 0) return;
    auto W_2 = called("E[W²]", 2 * W * W + rate * S_3 / (3 * (1 - rho)));
    out.tails.push_back(
        {called("P_queue", min(2 * W * W / W_2, 1)), called("m_queue", W_2 / (2 * W))});
    return;
  }
  const double u = plain(rho), chance = erlang_c(plain(m), u * plain(m));
  if (!(chance > 1e-12)) return;
  auto kappa = found<R>("κ", std::log(chance) / std::log(u));
  auto P_queue = kPoolWaitChance(pow(rho, kappa));
  auto cs2 = called("cs²", S_2 / (S * S) - 1);
  auto phi = called("φ", 1 + (1 - rho) * (m - 1) * (sqrt(4 + 5 * m) - 2) / (16 * rho * m));
  auto W_m = called("W_MMm", P_queue * S / (m * (1 - rho)));
  auto W = kPoolQueue(W_m * max(cs2 + (1 - cs2) * phi / 2 + (burst - 1) / 2, 0));
  out.queue = W;
  if (plain(W) > 0) out.tails.push_back({P_queue, called("m_queue", W / P_queue)});
}

// One decode engine at its share of the rate: how many decode, how long a token takes.
template <class R>
void pool_decode(const PoolsLoad<R>& x, const PoolsLoad<double>& flat, LoadFigures<R>& f) {
  const Count<R> none{0};
  LoadInput<R> e = x.decode;
  auto rate = x.decode.rate;
  auto burst = x.decode.burst;
  auto y = x.decode_engines;
  auto o = e.output;
  NAME(rate, burst, y, o);
  auto rate_e = kPoolEngineRate(rate / y);
  e.rate = rate_e;
  e.burst = kBurstDealt(burst / y);
  LoadInput<double> flat_e = flat.decode;  // its places: a search on another number type has none
  flat_e.slots = plain_quantity(e.slots);
  const auto time_at = [&](double k) {
    const Count<double> seen = seen_decoding(flat_e, Count<double>(k));
    return (plain(flat_e.output) - 1) * plain(flat_e.step(seen, {}));
  };
  const auto rate_at = [&](double k) { return k / time_at(k); };
  const double target = plain(rate_e);
  const auto beyond = [&](double k) { return k - target * time_at(k); };
  const double B = plain(e.slots);
  const Root n_is = near_root(B, beyond(B * 0x1p-100), beyond);
  auto n_0 = found<R>("n_0", n_is.at);
  auto t_0 = called("t_0", e.step(seen_decoding(e, n_0), none));
  auto rate_0 = kPoolRateOfDecodes(n_0 / ((o - 1) * t_0));
  auto slope = found<R>("dλ/dn", slope_at(n_is, rate_at));
  auto n = kPoolDecodes(n_0 - (rate_0 - rate_e) / (slope * (Count<R>{1} / 1_s)));
  const Count<R> n_seen = seen_decoding(e, n);
  auto t_n = called("t_n", e.step(n_seen, none));
  LoadDecoding<R> d;
  d.tpot = t_n;
  LoadWaiting<R> place;
  auto rate_B = *f.full.by_batch / y;
  wait_for_slots(e, d, rate_B, place);
  auto W_slot = place.slots;
  NAME(W_slot);
  auto R_step = called("R_step", (1 - exp(-n)) * t_n / 2);
  auto TPOT = kPoolTpot(t_n + (R_step + W_slot) / (o - 1));
  if (!f.no_tpot) f.tpot = TPOT;
  f.decoding->n = kPoolDecoding(y * n);
  f.decoding->seen = n_seen;
  f.decoding->step = t_n;
  f.decoding->tpot = TPOT;
  if (f.no_tpot || f.no_tpot_percentiles) return;
  f.tpot_p50 = kPoolTpotP50(TPOT);
  auto t_more = called("t_more", e.step(n_seen + 1, none) - t_n);
  auto ca2 = e.burst;
  NAME(ca2);
  auto grows = called("g", min(n * t_more / t_n, 0.95));
  auto sigma = kPoolTpotDeviation(t_more * sqrt(2 * n * ca2 / (3 * (1 - grows))));
  f.tpot_p90 = kPoolTpotP90(TPOT + 1.2816 * sigma);
  if (plain(f.utilisation) <= kP99Until && !x.decode.only_p90)
    f.tpot_p99 = kPoolTpotP99(TPOT + 2.3263 * sigma);
}

template <class R>
void pool_limits(const PoolsLoad<R>& x, Seconds<R> S_mean, LoadFigures<R>& f) {
  auto m = x.prefill_workers;
  auto S = S_mean;
  NAME(m, S);
  f.full.by_prefill = kPoolByPrefill(m / S);
  if (!x.decode.decodes()) {
    f.full.rate = kSaturationAlone(*f.full.by_prefill);
    f.full.by_prefill_first = true;
    return;
  }
  auto y = x.decode_engines;
  auto B = x.decode.slots;
  auto o = x.decode.output;
  NAME(y, B, o);
  auto t_B = called("t_B", x.decode.step(B, Count<R>{0}));
  f.full.by_batch = kPoolByDecode(y * B / ((o - 1) * t_B));
  f.little = f.full.by_batch;
  Smallest<kHertz, R> first;
  first.offer("batch", *f.full.by_batch);
  first.offer("prefill", *f.full.by_prefill);
  if (plain(x.sends) > 0 && plain(x.receives) > 0) {
    auto x_w = x.senders;
    auto y_w = x.receivers;
    auto t_send = x.sends;
    auto t_recv = x.receives;
    NAME(x_w, y_w, t_send, t_recv);
    f.full.by_move = kPoolByMove(min(x_w / t_send, y_w / t_recv));
    first.offer("ports", *f.full.by_move);
  }
  f.full.rate = kSaturation(first.best());
  f.full.by_prefill_first = first.winner() == 1;
  f.full.by_move_first = first.winner() == 2;
}

}  // namespace detail

template <class R>
LoadFigures<R> pool_figures(const PoolsLoad<R>& x, const PoolsLoad<double>& flat) {
  LoadFigures<R> f;
  std::vector<OwnShare<R>> service;
  LoadWaiting<R> w = detail::pool_own(x, service);
  auto S = called("S", detail::moments(service).first);
  detail::pool_limits(x, S, f);
  if (x.decode.users) {
    f.no_form = true;
    return f;
  }
  f.rate = x.decode.rate;
  auto rate = f.rate;
  auto rate_sat = f.full.rate;
  auto m = x.prefill_workers;
  NAME(rate, rate_sat, m);
  f.utilisation = kUtilisation(rate / rate_sat);
  f.unbounded = !(plain(rate) < plain(rate_sat));
  if (f.unbounded) return f;
  f.decoding.emplace();
  f.decoding->rho = kPoolPrefillShare(rate * S / m);
  detail::pool_queue(x, service, f.decoding->rho, w);
  Sum<kSecond, R> alone;
  for (const OwnShare<R>& one : service) alone.add("share", one.share * one.time);
  detail::add_up(alone, w);
  f.waiting = w;
  f.ttft = w.ttft;
  detail::judge(x.decode, f);
  detail::percentiles(x.decode, w, f);
  if (x.decode.decodes()) detail::pool_decode(x, flat, f);
  detail::totals(x.decode, f);
  return f;
}

}  // namespace reckon
