// Percentiles of the time to first token, and of the time per token.
//
//   TTFT = overhead + residual + wait + own, independent. The residual is uniform below the time τ of the step that
//   runs, one with prompts or one without, or 0 if none does; the wait is a sum of rare exponentials; own is one of the
//   prompt's shares. Of a wait α·e^(−y/m) and a step of τ
//
//   P(R + wait > y) = (τ − y)⁺/τ + Σ α·m/τ·(e^(−(y − τ)⁺/m) − e^(−y/m))
//
// and the percentile is the x with Σ share·P(… > x − overhead − own) = 1 − p, found by `root` on the logarithm, which
// is nearly straight; a Newton step on R carries the slopes.
//
//   TPOT of a request: its o − 1 steps of t and the prefill V_0 left in front of it, w in all, are the work that
//   begins a busy period of prompts, each of which adds E. Its variance is
//   w·λ·E[E²]/(1 − λ·E)³ + Var V_0/(1 − λ·E)². Where prompts are few most requests meet none, and take t to the digit:
//   P_0 = e^(−prompts met). What is above t of the others is taken as gamma of the mean and variance that are left for
//   them (Wilson and Hilferty's cube): skew where prompts are few, normal where they are many.
#pragma once

#include <array>

#include "reckon/cost/load/waiting.hpp"

namespace reckon {

inline const Formula kTtftP50{"load.ttft.p50", "TTFT_50", "time to first token, median",
                              "residual, wait and own steps, inverted"};
inline const Formula kTtftP90{"load.ttft.p90", "TTFT_90", "time to first token, 90th percentile",
                              "residual, wait and own steps, inverted"};
inline const Formula kTtftP99{"load.ttft.p99", "TTFT_99", "time to first token, 99th percentile",
                              "residual, wait and own steps, inverted"};
// Where many requests take one time, to the last digit.
inline const Formula kTtftP50Atom{"load.ttft.p50_atom", "TTFT_50", "time to first token, median",
                                  "what many requests share"};
inline const Formula kTtftP90Atom{"load.ttft.p90_atom", "TTFT_90",
                                  "time to first token, 90th percentile",
                                  "what many requests share"};
inline const Formula kTtftP99Atom{"load.ttft.p99_atom", "TTFT_99",
                                  "time to first token, 99th percentile",
                                  "what many requests share"};
inline const Formula kTtftLow{"load.ttft.low", "TTFT_low", "time to first token at a low rank",
                              "residual, wait and own steps, inverted"};
inline const Formula kTtftLowAtom{"load.ttft.low_atom", "TTFT_low",
                                  "time to first token at a low rank", "what many requests share"};
inline const Formula kTpotDeviation{"load.tpot.deviation", "σ_TPOT",
                                    "deviation of a request's mean time per token",
                                    "the busy period that its own time begins"};
inline const Formula kTpotDeviationStages{
    "load.tpot.deviation_stages", "σ_TPOT", "deviation of a request's mean time per token",
    "the same, of delays by prompts of those who share stages"};
inline const Formula kTpotNone{"load.tpot.none", "P_0", "share of requests that meet no prompt",
                               "e^(−prompts left in front, and those that come)", Hint::kFraction};
inline const Formula kTpotRankNone{"load.tpot.rank_none", "y",
                                   "time per token at a rank of requests",
                                   "of those that meet no prompt: a step without"};
inline const Formula kTpotMet{"load.tpot.mean_met", "TPOT", "time per token after the first, mean",
                              "P_0·t + (1 − P_0)·t(n', c): a full chunk in each step, of those "
                              "that meet a prompt"};
inline const Formula kTpotRank{"load.tpot.rank", "y", "time per token at a rank of requests",
                               "t + m·(1 − cv²/9 + z·cv/3)³: of those that meet prompts, gamma "
                               "above a step without"};
inline const Formula kTpotRankFlat{"load.tpot.rank_flat", "y",
                                   "time per token at a rank of requests",
                                   "steps without prompts take all alike"};
inline const Formula kTpotP50{"load.tpot.p50", "TPOT_50", "time per token, median of requests",
                              "gamma above a step"};
inline const Formula kTpotP90{"load.tpot.p90", "TPOT_90",
                              "time per token, 90th percentile of requests", "gamma above a step"};
inline const Formula kTpotP90Capped{"load.tpot.p90_capped", "TPOT_90",
                                    "time per token, 90th percentile of requests",
                                    "gamma above a step, at most a step with a full chunk"};
inline const Formula kTpotP99{"load.tpot.p99", "TPOT_99",
                              "time per token, 99th percentile of requests", "gamma above a step"};
inline const Formula kTpotP99Capped{"load.tpot.p99_capped", "TPOT_99",
                                    "time per token, 99th percentile of requests",
                                    "gamma above a step, at most a step with a full chunk"};

inline const Formula kTpotP50Turns{"load.tpot.p50_turns", "TPOT_50",
                                   "time per token, median of requests",
                                   "TPOT + (TTFT − TTFT_low)/(o − 1)"};
inline const Formula kTpotP90Turns{"load.tpot.p90_turns", "TPOT_90",
                                   "time per token, 90th percentile of requests",
                                   "TPOT + (TTFT − TTFT_low)/(o − 1)"};
inline const Formula kTpotP99Turns{"load.tpot.p99_turns", "TPOT_99",
                                   "time per token, 99th percentile of requests",
                                   "TPOT + (TTFT − TTFT_low)/(o − 1)"};

namespace detail {

// e^(−y/m) of each wait, which every window asks for.
template <class R>
class Decays {
 public:
  Decays(const LoadWaiting<R>& w, Seconds<R> y) {
    for (const WaitTail<R>& x : w.tails)
      if (count_ < kMost) at_[count_++] = called("e_y", exp(-(y / x.mean)));
  }
  const Ratio<R>& operator[](std::size_t i) const { return at_[i]; }

 private:
  static constexpr std::size_t kMost = 4;  // prompts ahead, a place
  std::array<Ratio<R>, kMost> at_{};
  std::size_t count_ = 0;
};

// P(wait > y) for y ≥ 0.
template <class R>
Ratio<R> beyond_wait(const LoadWaiting<R>& w, const Decays<R>& decay) {
  Sum<kOne, R> all;
  for (std::size_t i = 0; i < w.tails.size(); ++i) all.add("wait", w.tails[i].chance * decay[i]);
  return min(all.total(), 1);
}

// P(rest of a step of this time + wait > y).
template <class R>
Ratio<R> beyond_window(const LoadWaiting<R>& w, const Decays<R>& decay, Seconds<R> window,
                       Seconds<R> y) {
  auto tau = window;
  NAME(tau);
  const bool inside = plain(y) < plain(tau);
  Sum<kOne, R> all;
  if (inside) all.add("residual", (tau - y) / tau);
  for (std::size_t i = 0; i < w.tails.size(); ++i) {
    auto alpha = w.tails[i].chance;
    auto m = w.tails[i].mean;
    auto e_y = decay[i];
    NAME(alpha, m);
    if (inside)
      all.add("wait", alpha * m / tau * (1 - e_y));
    else
      all.add("wait", alpha * m / tau * (exp((tau - y) / m) - e_y));
  }
  return called("P_with", min(all.total(), 1));
}

// P(residual + wait > y).
template <class R>
Ratio<R> beyond(const LoadWaiting<R>& w, Seconds<R> y) {
  if (plain(y) < 0) return Ratio<R>{1};
  auto P_busy = w.busy;
  NAME(P_busy);
  const Decays<R> decay(w, y);
  Sum<kOne, R> all;
  bool any = false;
  for (const WaitWindow<R>& x : w.windows) {
    if (!(plain(x.time) > 0 && plain(x.chance) > 0)) continue;
    any = true;
    all.add("step", x.chance * beyond_window(w, decay, x.time, y));
  }
  auto without = called("P_without", beyond_wait(w, decay));
  if (!any) return without;
  return all.total() + (1 - P_busy) * without;
}

template <class R>
Ratio<R> ttft_beyond(const LoadWaiting<R>& w, Seconds<R> x) {
  Sum<kOne, R> all;
  for (const OwnShare<R>& one : w.own)
    all.add("share", one.share * beyond(w, x - w.overhead - one.time));
  return all.total();
}

inline LoadWaiting<double> flattened(const LoadWaiting<double>& w) { return w; }
template <class R>
LoadWaiting<double> flattened(const LoadWaiting<R>& w) {
  LoadWaiting<double> out;
  out.busy = plain_quantity(w.busy);
  out.overhead = plain_quantity(w.overhead);
  for (const WaitWindow<R>& x : w.windows)
    out.windows.push_back({plain_quantity(x.chance), plain_quantity(x.time)});
  for (const OwnShare<R>& x : w.own)
    out.own.push_back({plain_quantity(x.share), plain_quantity(x.time)});
  for (const WaitTail<R>& x : w.tails)
    out.tails.push_back({plain_quantity(x.chance), plain_quantity(x.mean)});
  return out;
}

// The shortest: below it everybody waits longer.
inline double shortest_of(const LoadWaiting<double>& w) {
  double own = w.own.empty() ? 0 : plain(w.own.front().time);
  for (const OwnShare<double>& x : w.own) own = std::min(own, plain(x.time));
  return plain(w.overhead) + own;
}

inline double longest_of(const LoadWaiting<double>& w) {
  double most = plain(w.overhead), own = 0;
  for (const WaitWindow<double>& x : w.windows) most += plain(x.time);
  for (const WaitTail<double>& x : w.tails) most += 50 * plain(x.mean);
  for (const OwnShare<double>& x : w.own) own = std::max(own, plain(x.time));
  return most + own;
}

}  // namespace detail

template <class R>
Seconds<R> ttft_percentile(const Formula& name, const Formula& atom, const LoadWaiting<R>& w,
                           double p) {
  const LoadWaiting<double> flat = detail::flattened(w);
  const auto miss = [&](double x) {
    return 1 - p - plain(detail::ttft_beyond(flat, Seconds<double>(x)));
  };
  const auto log_miss = [&](double x) {
    return std::log((1 - p) / std::max(1 - p - miss(x), 1e-300));
  };
  const double shortest = detail::shortest_of(flat);
  constexpr double kNear = 1e-6;  // the Newton step squares it
  const Root found_at = root_between(shortest, detail::longest_of(flat), log_miss, kNear,
                                     RootStart::kStraight, log_miss(shortest));
  const double x = found_at.at, apart = std::abs(found_at.other - x), h = 1e-6 * x;
  // What the search still had in doubt holds the atom, if there is one; where it ended at once, look to both sides.
  const bool near = apart > 1e-3 * h && apart <= 4 * h;
  const double density = near ? (miss(found_at.other) - miss(x)) / (found_at.other - x)
                              : (miss(x + h) - miss(x - h)) / (2 * h);
  // Between two atoms there is no slope to follow: the search itself must be exact.
  if (!(density * x > 1e-6) || density * x > 1e4) {
    const double low = std::max(x * (1 - 1e-6), shortest);
    return atom(found<R>("x_0", root(low, x * (1 + 1e-6), miss)) * 1_s);
  }
  auto x_0 = found<R>("x_0", x) * 1_s;
  auto above = called("P_beyond", detail::ttft_beyond(w, x_0));
  auto share = found<R>("1 − p", 1 - p);
  auto slope = found<R>("density", density);
  return name(x_0 + (above - share) / slope * 1_s);
}

// Of a request's time in the engine before its first token: the wait for prompts, and its own steps.
template <class R>
Quantity<kSecond * kSecond, R> time_before_variance(const LoadWaiting<R>& w) {
  Sum<kSecond * kSecond, R> out;
  for (const WaitTail<R>& x : w.tails) out.add("wait", x.chance * (2 - x.chance) * x.mean * x.mean);
  Sum<kSecond, R> own;
  for (const OwnShare<R>& x : w.own) own.add("share", x.share * x.time);
  auto T_own = called("T_own", own.total());
  for (const OwnShare<R>& x : w.own)
    out.add("share", x.share * (x.time - T_own) * (x.time - T_own));
  return out.total();
}

// E[E²]: of what prompts add to the steps of one that decodes.
template <class R>
Quantity<kSecond * kSecond, R> prompt_cost_squares(const LoadInput<R>& x, const LoadDecoding<R>& d,
                                                   Ratio<R> nu) {
  const Count<R> none{0};
  auto c = x.chunk;
  auto n = d.seen;
  auto t_0 = d.step;
  NAME(c, n, t_0);
  Sum<kSecond * kSecond, R> squares;
  auto t_c = called("t_c", x.step(n, c));
  for (const LengthShare<R>& one : x.lengths) {
    Seconds<R> cost;
    if (x.prompts == PromptSteps::kFirst) {
      cost = x.step(none, one.tokens);
    } else {
      const auto [k, rest] = detail::chunks_of(one.tokens, c);
      auto together =
          x.prompts == PromptSteps::kAlone ? rest : detail::tokens_together(x, rest, nu);
      cost = k * (t_c - t_0) + rest / together * (x.step(n, together) - t_0);
    }
    auto E_i = called("E_i", cost);
    squares.add("share", one.share * E_i * E_i);
  }
  return called("E[E²]", squares.total());
}

// Variance by the prompts that come while a request decodes, and by those left in front of it.
template <class R>
Seconds<R> tpot_deviation(const LoadInput<R>& x, const LoadDecoding<R>& d,
                          const std::optional<LoadWaiting<R>>& before) {
  auto rate = x.rate;
  auto o = x.output;
  auto t_0 = d.step;
  auto E = d.work.cost;
  auto TPOT = *d.tpot;
  NAME(rate, o, t_0, E, TPOT);
  auto E_2 = prompt_cost_squares(x, d, detail::beside_in_step(x, d.n));
  NAME(E_2);
  auto left = called("left", 1 - rate * E);
  auto Var_V = called("Var V_0", Quantity<kSecond * kSecond, R>{});
  if (d.left && before) {
    auto V_0 = *d.left;
    auto Var_T = called("Var T", time_before_variance(*before));
    NAME(V_0);
    Var_V = called("Var V_0", V_0 / E * E_2 + rate * E * rate * E * Var_T);
  }
  if (x.stages <= 1)
    return kTpotDeviation(sqrt(rate * TPOT * E_2 / (o - 1) + Var_V / ((o - 1) * (o - 1))) / left);
  auto M = detail::stage_delays(x, d.n, t_0, d.work.own);
  NAME(M);
  return kTpotDeviationStages(
      sqrt(rate * M * TPOT * E_2 / (o - 1) + M * Var_V / ((o - 1) * (o - 1))) / left);
}

// How requests' times per token differ.
template <class R>
struct TpotSpread {
  Seconds<R> deviation;
  Ratio<R> none;  // share of them that meet no prompt
};

// What waits when a request begins to decode, and what comes until its last step; of engines that share stages, of all.
template <class R>
Ratio<R> meets_no_prompt(const LoadInput<R>& x, const LoadDecoding<R>& d) {
  auto rate = x.rate;
  auto o = x.output;
  auto t_0 = d.step;
  auto E = d.work.cost;
  auto E_own = d.work.own;
  NAME(rate, o, t_0, E, E_own);
  if (!(plain(E_own) > 0)) {
    auto J_met = called("J_met", rate * (o - 1) * t_0);
    return kTpotNone(exp(-J_met));
  }
  auto V_0 = d.left ? *d.left : rate * E_own * t_0;
  NAME(V_0);
  auto J_met = called("J_met", (V_0 / E_own + rate * max(o - 2, 0) * t_0) * E / E_own);
  return kTpotNone(exp(-J_met));
}

// At most a full chunk in every step, and that only of those who meet a prompt: of a prompt longer than the answer only
// part is met.
template <class R>
Seconds<R> tpot_met(const LoadDecoding<R>& d, Ratio<R> none, Seconds<R> full) {
  auto t_0 = d.step;
  auto TPOT = *d.tpot;
  auto P_0 = none;
  auto t_c = full;
  NAME(t_0, TPOT, P_0, t_c);
  auto most = called("TPOT_most", P_0 * t_0 + (1 - P_0) * max(t_c, t_0));
  return plain(TPOT) > plain(most) ? kTpotMet(most) : TPOT;
}

// z at a share of a normal variable, of which the searches' double is corrected on R.
template <class R>
Ratio<R> normal_rank(Ratio<R> share) {
  constexpr double kMost = 8;
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double q = plain(share);
  const double z = root(-kMost, kMost, [&](double y) { return below(y) - q; });
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
  auto z_0 = found<R>("z_0", z);
  auto q_0 = found<R>("q_0", q);
  auto slope = found<R>("dz/dq", 1 / std::max(density, 1e-12));
  NAME(share);
  return called("z", z_0 + slope * (share - q_0));
}

// `most`: of a time per token that lies between t_0 and this the variance is at most (most − m)·(m − t_0).
// Source: Bhatia and Davis 2000, American Mathematical Monthly 107.
template <class R>
Seconds<R> tpot_rank(const LoadDecoding<R>& d, const TpotSpread<R>& spread,
                     const std::optional<Seconds<R>>& most, double p) {
  auto t_0 = d.step;
  auto TPOT = *d.tpot;
  auto sigma = spread.deviation;
  auto P_0 = spread.none;
  NAME(t_0, TPOT, sigma, P_0);
  // All take one time, or nearly: no shape to speak of.
  if (!(plain(TPOT) - plain(t_0) > 1e-9 * plain(t_0))) return kTpotRankFlat(TPOT);
  if (!(plain(P_0) < p)) return kTpotRankNone(t_0);
  auto some = called("1 − P_0", 1 - P_0);
  auto m = called("m", (TPOT - t_0) / some);
  auto variance = called("σ²", (sigma * sigma + (TPOT - t_0) * (TPOT - t_0)) / some - m * m);
  if (most && plain(variance) > (plain(*most) - plain(t_0) - plain(m)) * plain(m))
    variance = called("σ²", max(*most - t_0 - m, Seconds<R>{}) * m);
  auto z = normal_rank<R>(called("q", (found<R>("p", p) - P_0) / some));
  // Beyond a deviation of twice the mean no cube is near them.
  auto cv = called("cv", plain(variance) > 0 ? min(sqrt(variance) / m, 2) : Ratio<R>{});
  auto root = called("root", max(1 - cv * cv / 9 + z * cv / 3, 0));
  return kTpotRank(t_0 + m * root * root * root);
}

}  // namespace reckon
