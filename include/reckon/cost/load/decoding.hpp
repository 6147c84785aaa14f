// How many sequences decode at once under a rate, how long a token takes, and the rate at which it ends.
//
//   Of n decodes on average, time without any included, one that runs sees itself and the others: n' = 1 + n·(1 − 1/B)
//   in each of its steps, at most the B places. Such a step takes t(n', 0); a prompt adds E(n') to the steps that carry
//   it, and in the steady state λ prompts a second do. What is left of a second decodes: TPOT = t(n', 0) / (1 − λ·E). By
//   Little's law n = λ·(o − 1)·TPOT, so
//
//   λ(n) = n / ((o − 1)·t(n', 0) + n·E(n'))
//
//   rises with n, and the fixed point of the two is the n with λ(n) = λ. Saturation is the rate where decodes and the
//   prompts being worked on fill the batch, or where every chunk is full: ρ = λ·S = 1.
//
// Engines that pass the stages of one pipeline hold each other up: as if a prompt added M times E (stages.hpp), of
// ν = n/(o − 1) prompts a step.
//
// Requests that come while one is still worked on are in front of it once it decodes: λ·E·T of prefill, T its time in
// the engine before its first token. What comes during its last step it never meets, so of m = o − 1 steps
// m·TPOT = m·t(n', 0) + λ·E·T + λ·E·(m − 1)·TPOT, much more for a short answer to a long prompt, and more decode at once
// than λ(n) says. Users who wait for their answers come by the clock of steps (users.hpp), which leaves nothing of it.
//
// A prompt that ends within a chunk shares its last step with ν = n / (o − 1) others on average, and is charged its
// part.
#pragma once

#include <algorithm>

#include "reckon/cost/load/input.hpp"
#include "reckon/cost/load/stages.hpp"

namespace reckon {

inline const Formula kSeen{"load.seen", "n'", "sequences in a step, as one of them sees them",
                           "itself, and the others by chance: 1 + n·(1 − 1/B)", Hint::kRatio};
inline const Formula kPromptCost{"load.prompt_cost", "E",
                                 "time a prompt adds to the steps that carry it",
                                 "mixed steps less decode steps, its part"};
inline const Formula kPromptCostOthers{"load.prompt_cost_others", "E",
                                       "time a prompt adds to the steps of the others",
                                       "one of N with a place is not held up by his own prompt"};
inline const Formula kPromptCostOthersInStep{
    "load.prompt_cost_others_in_step", "E", "time a prompt adds to the steps of the others",
    "one of N with a place is not held up by his own prompt, nor by those of his step"};
inline const Formula kPromptCostStages{"load.prompt_cost_stages", "E",
                                       "time a prompt adds to the steps of those who share stages",
                                       "its part of the delays that engines pass on"};
inline const Formula kStageDelays{"load.stage_delays", "M",
                                  "delays felt for one of an engine's own",
                                  "the pace of the slowest of p passages, of rounds that are slow "
                                  "or fast",
                                  Hint::kRatio};
inline const Formula kChunksCarried{"load.chunks_carried", "ν_c",
                                    "chunks of prompts that a passage carries, mean",
                                    "prompts a step · their chunks", Hint::kRatio};
inline const Formula kPromptSlot{"load.prompt_slot", "S",
                                 "time the steps that carry a prompt take, its part",
                                 "all its steps; of a shared one its share"};
inline const Formula kPromptCostWhole{"load.prompt_cost_whole", "E", "time of a prompt's own step",
                                      "t(0, s), decodes held up"};
inline const Formula kPromptSlotShared{"load.prompt_slot_shared", "S",
                                       "time of the chunks a prompt takes, its part",
                                       "s / c of a step with a full chunk"};
inline const Formula kRateOfDecodes{
    "load.rate_of_decodes", "λ(n)", "rate at which so many decode at once",
    "Little's law on n = λ·(o − 1)·t/(1 − λ·E)", Hint::kRequestRate};
inline const Formula kDecoding{"load.decoding", "n", "sequences that decode at once, on average",
                               "the n at which λ(n) is the rate", Hint::kRatio};
inline const Formula kTpot{"load.tpot.mean", "TPOT", "time per token after the first, mean",
                           "t(n', 0) / (1 − λ·E)"};
inline const Formula kPrefillLeft{"load.prefill_left", "V_0",
                                  "prefill in front of a request when it begins to decode, mean",
                                  "of those that came since it did: λ·E·T"};
inline const Formula kDecodingLeft{"load.decoding_left", "n",
                                   "sequences that decode at once, on average",
                                   "λ·(o − 1)·TPOT, prefill left in front of them", Hint::kRatio};
inline const Formula kTpotLeft{"load.tpot.mean_left", "TPOT",
                               "time per token after the first, mean",
                               "(t(n', 0) + V_0/(o − 1)) / (1 − λ·E·(o − 2)/(o − 1))"};
inline const Formula kTpotFull{"load.tpot.mean_full", "TPOT",
                               "time per token after the first, mean",
                               "at most a step with a full chunk"};
inline const Formula kPrefillShare{"load.prefill_share", "ρ",
                                   "share of the time, or of the chunks, that prompts take", "λ·S",
                                   Hint::kFraction};
inline const Formula kLimitByBatch{"load.saturation_by_batch", "λ_B",
                                   "rate at which decodes and prompts fill the batch", "n + ρ = B",
                                   Hint::kRequestRate};
inline const Formula kLimitByPrefill{"load.saturation_by_prefill", "λ_p",
                                     "rate at which every chunk is full", "ρ = 1",
                                     Hint::kRequestRate};
inline const Formula kLimitByPrefillAlone{"load.saturation_by_prefill_alone", "λ_p",
                                          "rate at which prefill never rests",
                                          "1 / S where nothing decodes", Hint::kRequestRate};
inline const Formula kSaturationAlone{"load.saturation_alone", "λ_sat",
                                      "rate beyond which the queue grows without bound",
                                      "of prefill, where nothing decodes", Hint::kRequestRate};
inline const Formula kPromptSlotWhole{"load.prompt_slot_whole", "S",
                                      "time that a prompt keeps prefill busy", "a step of its own"};
inline const Formula kSaturation{"load.saturation", "λ_sat",
                                 "rate beyond which the queue grows without bound",
                                 "the first of batch and prefill", Hint::kRequestRate};
inline const Formula kUtilisation{"load.utilisation", "u", "rate over the saturation rate",
                                  "λ / λ_sat", Hint::kFraction};
inline const Formula kLittleBound{"load.little_bound", "λ_max",
                                  "rate that a full batch could finish if prefill took nothing",
                                  "Little's law: B / ((o − 1)·t(B, 0))", Hint::kRequestRate};

namespace detail {

// Whole chunks before the last step, and the tokens of that one.
template <class R>
struct ChunksOf {
  Count<R> whole_chunks, rest;
};
template <class R>
ChunksOf<R> chunks_of(Count<R> s, Count<R> c) {
  const double n = std::max(1.0, std::ceil(plain(s) / plain(c) - 1e-9));
  auto k = structural<R>("k", static_cast<int>(std::min(n - 1, 1e6)));
  return {k, s - k * c};
}

// Mean number of other prompts in a step that carries one.
template <class R>
Ratio<R> beside_in_step(const LoadInput<R>& x, Count<R> n) {
  if (!x.decodes()) return Ratio<R>{};
  auto o = x.output;
  NAME(n, o);
  return called("ν", n / (o - 1));
}

}  // namespace detail

// A step that carries c prompt tokens while n decode on average, by chance: none at all, or some. Of few the fixed time
// that the first decode adds is there only where there is one.
template <class R>
Seconds<R> step_with_prompt(const LoadInput<R>& x, Count<R> n, Count<R> c) {
  constexpr double kMany = 16, kNone = 1e-6;
  if (!x.decodes() || plain(n) > kMany) return x.step(n, c);
  if (plain(n) < kNone) return x.step(Count<R>{0}, c);
  NAME(n);
  auto P_none = called("P_none", exp(-n));
  auto n_some = called("n_some", n / (1 - P_none));
  auto t_none = called("t_none", x.step(Count<R>{0}, c));
  auto t_some = called("t_some", x.step(n_some, c));
  return called("t_with", P_none * t_none + (1 - P_none) * t_some);
}

// Of one that decodes: of users he is one of those who may.
template <class R>
Count<R> seen_decoding(const LoadInput<R>& x, Count<R> n) {
  auto B = x.users ? min(*x.users, x.slots) : x.slots;
  NAME(n, B);
  return kSeen(1 + n * (B - 1) / B);
}

namespace detail {

// How many delays by prompts fall on one of its own, which adds E_own to steps of t_0. A search on doubles finds it; on
// R it carries slopes.
template <class R>
Ratio<R> stage_delays(const LoadInput<R>& x, Count<R> n, Seconds<R> t_0, Seconds<R> E_own) {
  auto s = x.prompt;
  auto c = x.chunk;
  auto nu = beside_in_step(x, n);
  NAME(s, c, nu, t_0, E_own);
  const bool pieces = x.prompts != PromptSteps::kFirst;
  auto h = called("h", pieces ? max(s / c, 1) : Ratio<R>{1});
  auto nu_c = kChunksCarried(nu * h);
  auto e_c = called("e_c", E_own / (h * t_0));
  const double K = x.prompts == PromptSteps::kShared ? std::max(plain(c) / plain(s), 1.0) : 1.0;
  const int p = static_cast<int>(plain(x.stages));
  const double nu_at = plain(nu_c), e_at = plain(e_c), M = stage_delays(p, nu_at, K, e_at);
  auto M_0 = found<R>("M_0", M);
  if constexpr (std::is_same_v<R, double>) {
    return kStageDelays(M_0);
  } else {
    constexpr double kStep = 1e-5;
    const auto slope = [&](double more_nu, double more_e) {
      return stage_delays(p, nu_at * (1 + more_nu), K, e_at * (1 + more_e)) - M;
    };
    auto by_nu = found<R>("dM/dν", slope(kStep, 0) / (kStep * std::max(nu_at, 1e-300)));
    auto by_e = found<R>("dM/de", slope(0, kStep) / (kStep * std::max(e_at, 1e-300)));
    auto nu_0 = found<R>("ν_0", nu_at);
    auto e_0 = found<R>("e_0", e_at);
    return kStageDelays(M_0 + by_nu * (nu_c - nu_0) + by_e * (e_c - e_0));
  }
}

// Of a prompt in front of those who share stages.
template <class R>
Seconds<R> passed_on(const LoadInput<R>& x, Count<R> n, Seconds<R> cost) {
  if (x.stages <= 1 || !x.decodes()) return cost;
  auto E_own = cost;
  auto M = stage_delays(x, n, x.step(seen_decoding(x, n), Count<R>{0}), cost);
  NAME(E_own, M);
  return kPromptCostStages(E_own * M);
}

// Users whose answers are of one length stay together once their prompts shared a chunk: so many, whole ones.
template <class R>
int users_in_step(const LoadInput<R>& x) {
  if (!x.users || x.think || x.prompts != PromptSteps::kShared || plain(x.output_spread) > 0)
    return 1;
  const double most = std::floor(plain(x.chunk) / plain(x.prompt));
  return static_cast<int>(std::clamp(std::floor(std::min(plain(*x.users), most)), 1.0, 1e6));
}

template <class R>
Seconds<R> felt(const LoadInput<R>& x, Seconds<R> cost) {
  if (!x.users) return cost;
  auto N = min(*x.users, x.slots);
  auto E_all = cost;
  NAME(N, E_all);
  const int g = users_in_step(x);
  if (g <= 1) return kPromptCostOthers(E_all * (N - 1) / N);
  auto g_0 = structural<R>("g", g);
  return kPromptCostOthersInStep(E_all * max(N - g_0, 0) / N);
}

}  // namespace detail

namespace detail {

// Prompt tokens of the step that ends a prompt, whose rest it takes.
template <class R>
Count<R> tokens_together(const LoadInput<R>& x, Count<R> rest, Ratio<R> nu) {
  auto s = x.prompt;
  auto c = x.chunk;
  NAME(s, c, rest, nu);
  if (const int g = users_in_step(x); g > 1)
    return called("together", min(c, rest + (structural<R>("g", g) - 1) * s));
  return called("together", min(c, rest + nu * s));
}

}  // namespace detail

// Both are means over the prompts' lengths: what one that decodes sees of a prompt, and what the prompt sees of them.
template <class R>
struct PromptWork {
  Seconds<R> cost, slot;
  Seconds<R> own;  // of the cost, what it adds to the steps of its own engine
};

// `slot`: false where nobody asks for it; then a full chunk is priced only where a prompt fills one.
template <class R>
PromptWork<R> prompt_work(const LoadInput<R>& x, Count<R> n, bool with_slot = true) {
  const Count<R> none{0};
  Sum<kSecond, R> cost, slot;
  const Count<R> n_seen = seen_decoding(x, n);
  auto c = x.chunk;
  auto s = x.prompt;
  NAME(c, s);
  if (x.prompts == PromptSteps::kFirst) {
    for (const LengthShare<R>& one : x.lengths)
      cost.add("share", one.share * x.step(none, one.tokens));
    auto E = kPromptCostWhole(cost.total());
    const Seconds<R> own = detail::felt(x, E);
    return {detail::passed_on(x, n, own), kPromptSlotWhole(E), own};
  }
  auto t_0 = called("t_0", x.step(n_seen, none));
  const bool fills = std::any_of(x.lengths.begin(), x.lengths.end(), [&](const auto& one) {
    return plain(detail::chunks_of(one.tokens, c).whole_chunks) > 0;
  });
  auto t_c = fills ? called("t_c", x.step(n_seen, c)) : t_0;
  auto t_beside = with_slot ? called("t_beside", x.step(n, c)) : t_0;
  auto nu = detail::beside_in_step(x, n);
  for (const LengthShare<R>& one : x.lengths) {
    const auto [k, rest] = detail::chunks_of(one.tokens, c);
    if (x.prompts == PromptSteps::kAlone) {
      auto t_last = called("t_last", x.step(n_seen, rest));
      cost.add("share", one.share * (k * (t_c - t_0) + (t_last - t_0)));
      if (with_slot) slot.add("share", one.share * (k * t_beside + x.step(n, rest)));
      continue;
    }
    auto together = detail::tokens_together(x, rest, nu);
    auto t_last = called("t_last", x.step(n_seen, together));
    cost.add("share", one.share * (k * (t_c - t_0) + rest / together * (t_last - t_0)));
  }
  PromptWork<R> out;
  out.own = detail::felt(x, kPromptCost(cost.total()));
  out.cost = detail::passed_on(x, n, out.own);
  if (with_slot)
    out.slot = x.prompts == PromptSteps::kAlone ? kPromptSlot(slot.total())
                                                : kPromptSlotShared(s / c * t_beside);
  return out;
}

namespace detail {

// n/λ(n): nearly a straight line in n.
template <class R>
Seconds<R> time_of_answers(const LoadInput<R>& x, Count<R> n, const PromptWork<R>& w) {
  auto o = x.output;
  auto t_0 = called("t_0", x.step(seen_decoding(x, n), Count<R>{0}));
  auto E = w.cost;
  NAME(o);
  return (o - 1) * t_0 + n * E;
}

}  // namespace detail

template <class R>
Frequency<R> rate_of_decodes(const LoadInput<R>& x, Count<R> n, const PromptWork<R>& w) {
  NAME(n);
  return kRateOfDecodes(n / detail::time_of_answers(x, n, w));
}
template <class R>
Frequency<R> rate_of_decodes(const LoadInput<R>& x, Count<R> n) {
  return rate_of_decodes(x, n, prompt_work(x, n, false));
}

namespace detail {

// Of a root that a Newton step follows, which squares it.
constexpr double kNearRoot = 1e-8;

// To a millionth: of the place itself a search has the value already.
template <class F>
double slope_at(double n, const F& f) {
  const double h = 1e-6 * (1 + n);
  return (f(n + h) - f(n)) / h;
}

inline double flat_rate(const LoadInput<double>& x, double n) {
  return plain(rate_of_decodes(x, Count<double>(n)));
}
// Decodes and prompts that are worked on, when so many decode; and the share of prompts alone.
struct Filled {
  double batch, prefill;
};
inline Filled filled_at(const LoadInput<double>& x, double n) {
  const PromptWork<double> w = prompt_work(x, Count<double>(n));
  const double rho = plain(rate_of_decodes(x, Count<double>(n), w)) * plain(w.slot);
  return {n + rho, rho};
}

// Straight lines, nearly, that pass zero where so many decode at a rate, and where prefill is full.
inline double beyond_rate(const LoadInput<double>& x, double rate, double n) {
  const Count<double> is(n);
  return n - rate * plain(time_of_answers(x, is, prompt_work(x, is, false)));
}
inline double beyond_prefill(const LoadInput<double>& x, double n) {
  const Count<double> is(n);
  const PromptWork<double> w = prompt_work(x, is);
  return n * plain(w.slot) - plain(time_of_answers(x, is, w));
}
// From next to nothing on: what no sequence reads takes 0/0. `at_nothing`: f there.
template <class F>
double near_root(double high, double at_nothing, const F& f) {
  const double low = high * 0x1p-100;
  return root(low, high, f, kNearRoot, RootStart::kStraight, at_nothing < 0 ? at_nothing : f(low));
}
// (o − 1)·t of next to nothing: what of n/λ(n) is left there.
inline double nothing_decodes(const LoadInput<double>& x) {
  const Count<double> none(plain(x.slots) * 0x1p-100);
  return plain((x.output - 1) * x.step(seen_decoding(x, none), Count<double>{0}));
}

}  // namespace detail

// Rates at which the batch, and prefill, are full.
template <class R>
struct LoadLimits {
  std::optional<Frequency<R>> by_batch, by_prefill, by_move;
  Frequency<R> rate;
  bool by_prefill_first = false;  // prefill binds
  bool by_move_first = false;     // the ports do
  double n = 0;                   // that decode then
};

namespace detail {

// A rate at which something is full, g(n) = 0, at the n that a search on doubles found. On R the rate carries the
// slope of the implicit function: λ − (dλ/dn)/(dg/dn)·g.
template <class R, class FlatG, class G>
Frequency<R> rate_where(const LoadInput<R>& x, const LoadInput<double>& flat, double n,
                        const FlatG& g_flat, const G& g_of) {
  auto n_0 = found<R>("n_0", n);
  const PromptWork<R> w = prompt_work(x, n_0);
  auto rate = rate_of_decodes(x, n_0, w);
  const double slope =
      slope_at(n, [&](double m) { return flat_rate(flat, m); }) / slope_at(n, g_flat);
  if (!std::isfinite(slope)) return rate;
  auto slope_0 = found<R>("dλ/dg", slope);
  auto g = called("g", g_of(n_0, rate, w.slot));
  return rate - slope_0 * g * (Count<R>{1} / 1_s);
}

}  // namespace detail

template <class R>
LoadLimits<R> saturation(const LoadInput<R>& x, const LoadInput<double>& flat) {
  LoadLimits<R> out;
  Smallest<kHertz, R> first;
  if (!x.decodes()) {
    auto S = prompt_work(x, Count<R>{0}).slot;
    NAME(S);
    out.by_prefill = kLimitByPrefillAlone(1 / S);
    out.rate = kSaturationAlone(*out.by_prefill);
    out.by_prefill_first = true;
    return out;
  }
  const double slots = plain(x.slots);
  const auto batch = [&](double n) { return detail::filled_at(flat, n).batch - slots; };
  const auto prefill = [&](double n) { return detail::filled_at(flat, n).prefill - 1; };
  auto B = x.slots;
  NAME(B);
  const double n_b = detail::near_root(slots, -slots, batch);
  out.by_batch = kLimitByBatch(detail::rate_where<R>(
      x, flat, n_b, batch,
      [&](Count<R> n, Frequency<R> rate, Seconds<R> S) { return n + rate * S - B; }));
  first.offer("batch", *out.by_batch);
  out.n = n_b;
  // Only as far as the batch can go: beyond, prefill does not bind.
  if (prefill(n_b) > 0) {
    const double n_p = detail::near_root(n_b, -detail::nothing_decodes(flat),
                                         [&](double n) { return detail::beyond_prefill(flat, n); });
    out.by_prefill = kLimitByPrefill(detail::rate_where<R>(
        x, flat, n_p, prefill,
        [](Count<R>, Frequency<R> rate, Seconds<R> S) { return rate * S - 1; }));
    first.offer("prefill", *out.by_prefill);
    if (first.winner() == 1) out.n = n_p;
  }
  out.rate = kSaturation(first.best());
  out.by_prefill_first = first.winner() == 1;
  return out;
}

template <class R>
struct LoadDecoding {
  Count<R> n, seen;                      // that decode; as one of them sees them
  Seconds<R> step;                       // of these, without prompts
  std::optional<Seconds<R>> tpot, left;  // left: prefill in front of one that begins to decode
  PromptWork<R> work;
  Ratio<R> rho;
};

// With so many decodes, at a rate that belongs to them.
template <class R>
LoadDecoding<R> decoding_of(const LoadInput<R>& x, Count<R> n, const PromptWork<R>& work) {
  LoadDecoding<R> out;
  auto rate = x.rate;
  out.n = n;
  out.work = work;
  out.seen = x.decodes() ? seen_decoding(x, n) : n;
  auto t_0 = called("t_0", x.step(out.seen, Count<R>{0}));
  auto E = out.work.cost;
  auto S = out.work.slot;
  NAME(rate, n);
  out.step = t_0;
  if (x.decodes()) out.tpot = kTpot(t_0 / (1 - rate * E));
  out.rho = kPrefillShare(rate * S);
  return out;
}

template <class R>
LoadDecoding<R> decoding_of(const LoadInput<R>& x, Count<R> n) {
  return decoding_of(x, n, prompt_work(x, n));
}

// Of a rate to which nearly n decodes belong.
template <class R>
LoadDecoding<R> decoding_near(const LoadInput<R>& x, const LoadInput<double>& flat, double n) {
  auto rate = x.rate;
  NAME(rate);
  const auto rate_at = [&](double m) { return detail::flat_rate(flat, m); };
  auto n_0 = found<R>("n_0", n);
  auto miss = called("miss", rate_of_decodes(x, n_0) - rate);
  const double slope = detail::slope_at(n, rate_at);
  // Steps that take no time without decodes: no n belongs to a low rate, and none decodes for long.
  if (!(std::abs(plain(miss)) <= 1e-3 * slope * (1 + n))) return decoding_of(x, n_0);
  auto slope_0 = found<R>("dλ/dn", slope);
  return decoding_of(x, kDecoding(n_0 - miss / (slope_0 * (Count<R>{1} / 1_s))));
}

// Of a rate below saturation.
template <class R>
LoadDecoding<R> decoding(const LoadInput<R>& x, const LoadInput<double>& flat) {
  if (!x.decodes()) return decoding_of(x, Count<R>{});
  const double rate = plain(x.rate);
  const double n = detail::near_root(plain(x.slots), -rate * detail::nothing_decodes(flat),
                                     [&](double m) { return detail::beyond_rate(flat, rate, m); });
  return decoding_near(x, flat, n);
}

// With T of a request's time in the engine before its first token.
template <class R>
void add_left(const LoadInput<R>& x, Seconds<R> T, LoadDecoding<R>& d) {
  if (!d.tpot || x.users) return;
  auto rate = x.rate;
  auto E = d.work.cost;
  auto o = x.output;
  NAME(rate, E, o, T);
  auto E_own = d.work.own;  // of its own engine: the others' pass beside
  NAME(E_own);
  auto V_0 = kPrefillLeft(rate * E_own * T);
  if (!(plain(V_0) > 0)) return;
  d.left = V_0;
  auto left = called("left", 1 - rate * E * max(o - 2, 0) / (o - 1));
  auto t_n = d.step;
  NAME(t_n);
  auto TPOT_0 = called("TPOT_0", (t_n + V_0 / (o - 1)) / left);
  auto B = x.slots;
  NAME(B);
  d.n = kDecodingLeft(min(rate * (o - 1) * TPOT_0, B));
  d.seen = seen_decoding(x, d.n);
  d.step = called("t_0", x.step(d.seen, Count<R>{0}));
  auto t_0 = d.step;
  auto TPOT = kTpotLeft((t_0 + V_0 / (o - 1)) / left);
  d.tpot = TPOT;
  if (x.prompts == PromptSteps::kFirst) return;
  auto t_c = called("t_c", x.step(d.seen, x.chunk));
  d.tpot = kTpotFull(min(TPOT, t_c));
}

template <class R>
Frequency<R> little_bound(const LoadInput<R>& x) {
  auto B = x.slots;
  auto o = x.output;
  NAME(B, o);
  auto t_B = called("t_B", x.step(B, Count<R>{0}));
  return kLittleBound(B / ((o - 1) * t_B));
}

}  // namespace reckon
