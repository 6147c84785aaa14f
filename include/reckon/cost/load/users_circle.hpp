// What is said of users who ask again when answered, however they come by it, and what closes their circle.
//
//   UsersLoad<R> out;  out.ttft = …;  out.decoding.tpot = …;
//   close_circle(x, N, out);                 // λ = N/((o − 1)·TPOT + TTFT), and how many decode
#pragma once

#include "reckon/cost/load/percentile.hpp"

namespace reckon {

inline const Formula kUsersRate{"load.users_rate", "λ", "requests that so many users make",
                                "N/((o − 1)·TPOT + TTFT)", Hint::kRequestRate};
inline const Formula kUsersRateThinking{"load.users_rate_thinking", "λ",
                                        "requests that so many users make, who think between",
                                        "N/((o − 1)·TPOT + TTFT + Z)", Hint::kRequestRate};
inline const Formula kUsersTtft{"load.ttft.mean_users", "TTFT",
                                "time to first token, mean, more users than places",
                                "Little's law: N/λ_sat − (o − 1)·TPOT"};
inline const Formula kUsersDecoding{"load.users_decoding", "n",
                                    "sequences that decode at once, on average",
                                    "Little's law: λ·(o − 1)·TPOT", Hint::kRatio};
inline const Formula kUsersDeviation{"load.tpot.deviation_users", "σ_TPOT",
                                     "deviation of a request's mean time per token",
                                     "of the number of prompts that one meets in his steps"};
inline const Formula kUsersTpotNone{
    "load.tpot.none_users", "P_0", "share of requests that meet no prompt",
    "(1 − ρ')·e^(−those asked in his other steps)", Hint::kFraction};

// What a request takes before it is at the engine, over the steps of an answer, up to which its user is taken for one
// who asks again at once.
constexpr double kBriefOverhead = 0.05;

template <class R>
bool brief_overhead(const LoadInput<R>& x) {
  if (!(plain(x.overhead) > 0)) return true;
  const Count<R> n = min(*x.users, x.slots);
  const double answer = (plain(x.output) - 1) * plain(x.step(n, Count<R>{0}));
  return plain(x.overhead) <= kBriefOverhead * answer;
}

// Users who ask again at once keep an engine in step where their answers are alike.
template <class R>
bool users_in_turn(const LoadInput<R>& x) {
  return x.users && !x.think && !(plain(x.output_spread) > 0) &&
         (x.lengths.size() == 1 || x.prompts == PromptSteps::kFirst) && brief_overhead(x);
}

// From an answer until the user's next request is at the engine: in no place of it.
template <class R>
Seconds<R> time_away(const LoadInput<R>& x) {
  if (!x.think) return x.overhead;
  auto Z = *x.think;
  auto o_req = x.overhead;
  NAME(Z, o_req);
  return called("Z'", Z + o_req);
}

// Of engines some of which have one user more than others.
template <class R>
struct TurnsLevelled {
  LoadWaiting<R> waiting;  // every circle made as long as the longest
  Seconds<R> circle;       // which is this
};

template <class R>
struct UsersLoad {
  Frequency<R> rate;
  Ratio<R> asked;  // a step
  LoadDecoding<R> decoding;
  std::optional<LoadWaiting<R>> waiting;  // absent where users queue outside
  Seconds<R> ttft;
  std::optional<TpotSpread<R>> spread;       // of TPOT, by chance
  std::optional<TurnsLevelled<R>> levelled;  // users in turn who are no whole number
  bool chunks_full = false;
  bool some_full = false;  // of engines with one user more every chunk is, and not of the others
};

namespace detail {

// From the first token to the last: nothing where there is no other.
template <class R>
Seconds<R> time_of_answer(const LoadInput<R>& x, const LoadDecoding<R>& at) {
  auto o = x.output;
  NAME(o);
  return at.tpot ? (o - 1) * *at.tpot : Seconds<R>{};
}

// Once TPOT and TTFT are known: how many ask, and how many decode.
template <class R>
void close_circle(const LoadInput<R>& x, Count<R> N, UsersLoad<R>& out) {
  auto TTFT = out.ttft;
  NAME(TTFT, N);
  const Seconds<R> answer = time_of_answer(x, out.decoding);
  if (x.think) {
    auto Z = *x.think;
    NAME(Z);
    out.rate = kUsersRateThinking(N / (answer + TTFT + Z));
  } else {
    out.rate = kUsersRate(N / (answer + TTFT));
  }
  auto rate = out.rate;
  NAME(rate);
  out.decoding.n = x.decodes() ? kUsersDecoding(rate * answer) : Count<R>{};
}

// What a prompt adds as those see it who decode: λ·E of their time.
template <class R>
void cost_as_seen(UsersLoad<R>& out) {
  if (!out.decoding.tpot) return;
  auto TPOT = *out.decoding.tpot;
  auto t_0 = out.decoding.step;
  auto rate = out.rate;
  NAME(TPOT, t_0, rate);
  out.decoding.work.cost = called("E'", (1 - t_0 / TPOT) / rate);
}

// Of the prompts that one meets in his own steps: of N − 1 users who ask about once in that time, those who do are
// surer than by chance, cv² + 1/6 of Poisson's variance; and steps that all carry one do not differ.
template <class R>
void deviation_by_chance(const LoadInput<R>& x, Ratio<R> met, const std::optional<Ratio<R>>& busy,
                         UsersLoad<R>& out) {
  if (!out.decoding.tpot) return;
  auto nu = met;
  auto o = x.output;
  auto cv = x.output_spread;
  auto TPOT = *out.decoding.tpot;
  auto t_0 = out.decoding.step;
  auto E_2 = prompt_cost_squares(x, out.decoding, nu);
  NAME(nu, o, cv, TPOT, t_0, E_2);
  auto surer = called("surer", x.think ? Ratio<R>{1} : min(cv * cv + Ratio<R>{1} / 6, 1));
  // Of engines that share stages the others' prompts are met too: as many as what is added makes of them.
  auto E_own = out.decoding.work.own;
  auto added = called("added", TPOT - t_0);
  NAME(E_own);
  auto number = x.stages <= 1 ? nu : called("ν_all", max(added, Seconds<R>{}) / E_own);
  auto by_number = called("Var_N", surer * number * E_2 / (o - 1));
  const bool steps = busy.has_value();  // that others' prompts are in, of his own
  auto P_met = called("P_met", steps ? *busy : Ratio<R>{});
  auto at_most = steps && plain(P_met) > 0
                     ? called("Var_most", (TPOT - t_0) * (TPOT - t_0) * max(1 / P_met - 1, 0))
                     : by_number;
  auto Var = called("Var", min(by_number, at_most));
  auto J_met = called("J_met", number * (steps ? max(o - 2, 0) : o - 1));
  out.spread = {kUsersDeviation(sqrt(Var)), kUsersTpotNone(max(1 - P_met, 0) * exp(-J_met))};
}

}  // namespace detail

}  // namespace reckon
