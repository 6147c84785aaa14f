// How many sequences decode at once under a rate, and how long a token takes.
//
//   LoadDecoding<R> d = decoding(x, flat);       // of x.rate, below saturation
//   d.n, *d.tpot
//
// A step of one that decodes takes t(n', 0); a prompt adds E(n') to the steps that carry it (prompt_work.hpp), and in
// the steady state λ prompts a second do. What is left of a second decodes: TPOT = t(n', 0) / (1 − λ·E). By
// Little's law n = λ·(o − 1)·TPOT, so
//
//   λ(n) = n / ((o − 1)·t(n', 0) + n·E(n'))
//
// rises with n, and the fixed point of the two is the n with λ(n) = λ.
//
// Requests that come while one is still worked on are in front of it once it decodes: λ·E·T of prefill, T its time in
// the engine before its first token. What comes during its last step it never meets, so of m = o − 1 steps
// m·TPOT = m·t(n', 0) + λ·E·T + λ·E·(m − 1)·TPOT, much more for a short answer to a long prompt, and more
// decode at once than λ(n) says. Users who wait for their answers come by the clock of steps (users.hpp), which
// leaves nothing of it.
#pragma once

#include "reckon/cost/load/prompt_work.hpp"

namespace reckon {

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

// Between the two ends of what a search had in doubt, where it has the values already; to a millionth beside it where
// these lie too far apart, or too near.
template <class F>
double slope_at(const Root& n, const F& f) {
  const double apart = std::abs(n.other - n.at);
  const bool near = apart >= 1e-2 * kNearRoot * n.at && apart <= 1e-6 * (1 + n.at);
  const double m = near ? n.other : n.at + 1e-6 * (1 + n.at);
  return (f(m) - f(n.at)) / (m - n.at);
}

inline double flat_rate(const LoadInput<double>& x, double n) {
  return plain(rate_of_decodes(x, Count<double>(n)));
}
// A straight line, nearly, that passes zero where so many decode at a rate.
inline double beyond_rate(const LoadInput<double>& x, double rate, double n) {
  const Count<double> is(n);
  return n - rate * plain(time_of_answers(x, is, prompt_work(x, is, false)));
}
// From next to nothing on: what no sequence reads takes 0/0. `at_nothing`: f there.
template <class F>
Root near_root(double high, double at_nothing, const F& f) {
  const double low = high * 0x1p-100;
  return root_between(low, high, f, kNearRoot, RootStart::kStraight,
                      at_nothing < 0 ? at_nothing : f(low));
}
// (o − 1)·t of next to nothing: what of n/λ(n) is left there.
inline double nothing_decodes(const LoadInput<double>& x) {
  const Count<double> none(plain(x.slots) * 0x1p-100);
  return plain((x.output - 1) * x.step(seen_decoding(x, none), Count<double>{0}));
}

}  // namespace detail

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
LoadDecoding<R> decoding_near(const LoadInput<R>& x, const LoadInput<double>& flat, const Root& n) {
  auto rate = x.rate;
  NAME(rate);
  const auto rate_at = [&](double m) { return detail::flat_rate(flat, m); };
  auto n_0 = found<R>("n_0", n.at);
  const PromptWork<R> work = prompt_work(x, n_0);
  auto miss = called("miss", rate_of_decodes(x, n_0, work) - rate);
  // What the search left is often nothing: then n_0 is it, and recorded numbers follow its slope alone.
  constexpr double kNothing = 1e-13;
  const bool nothing = std::abs(plain(miss)) <= kNothing * plain(rate);
  if (std::is_same_v<R, double> && nothing) return decoding_of(x, n_0, work);
  const double slope = detail::slope_at(n, rate_at);
  // Steps that take no time without decodes: no n belongs to a low rate, and none decodes for long.
  if (!(std::abs(plain(miss)) <= 1e-3 * slope * (1 + n.at))) return decoding_of(x, n_0, work);
  auto miss_0 = found<R>("miss_0", nothing ? plain(miss) : 0) * (Count<R>{1} / 1_s);
  auto slope_0 = found<R>("dλ/dn", slope);
  return decoding_of(x, kDecoding(n_0 - (miss - miss_0) / (slope_0 * (Count<R>{1} / 1_s))));
}

// Of a rate below saturation.
template <class R>
LoadDecoding<R> decoding(const LoadInput<R>& x, const LoadInput<double>& flat) {
  if (!x.decodes()) return decoding_of(x, Count<R>{});
  const double rate = plain(x.rate);
  const Root n = detail::near_root(plain(x.slots), -rate * detail::nothing_decodes(flat),
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
  // Of its own engine: the others' pass beside.
  auto E_own = detail::of_those_met(d.work.met, d.work.own);
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

}  // namespace reckon
