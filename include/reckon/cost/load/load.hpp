// What users wait under a load, in closed form: percentiles where they hold, and a reason where they don't.
//
//   LoadFigures<R> f = load_figures(x, flat);        // x.rate; or x.users
//   f.unbounded                                       // the rate is beyond saturation: no number
//   *f.ttft_p90, *f.tpot
//
// How well it agrees with the simulation, and over which loads: tests/load/agreement_test.cpp, docs/decisions. The 99th
// percentile is given up to a utilisation of 0.5.
#pragma once

#include "reckon/cost/load/users.hpp"

namespace reckon {

inline const Formula kInclusive{"load.tpot_inclusive", "TPOT_incl",
                                "time per token with the first, mean", "end to end / o"};
inline const Formula kEndAtFirst{"load.end_at_first", "T_all", "time to the last token, mean",
                                 "the first is the last"};
inline const Formula kEndToEnd{"load.end_to_end", "T_all", "time to the last token, mean",
                               "TTFT + (o − 1)·TPOT"};
inline const Formula kOutputRate{"load.tokens_rate", "X_tok", "tokens/s of all answers", "λ·o",
                                 Hint::kTokenRate};
inline const Formula kPresent{"load.present", "L", "requests inside at once, on average",
                              "Little's law: λ · end to end", Hint::kRatio};

constexpr double kP99Until = 0.5;  // utilisation
constexpr double kUsersPercentilesUntil = 0.9;

// Dispersion of arrivals, Poisson 1, up to which a mean wait is within a third of the simulated one; and how near to 1
// percentiles hold (docs/decisions/0022).
constexpr double kMostUneven = 4, kEven = 0.25;

// Utilisation up to which engines that share stages wait as said, to a tenth, and their tokens come as said, to a
// fifth: beyond, a small error of the rate is a large one of both.
constexpr double kStagesUntil = 0.4, kStagesShortest = 64;  // of saturation; tokens of an answer

template <class R>
struct LoadFigures {
  LoadLimits<R> full;
  Frequency<R> rate;
  Ratio<R> utilisation;
  bool unbounded = false;
  bool no_form = false;    // users before pools: the limits alone
  bool in_bursts = false;  // what share of the time an engine runs, is not known either
  // Why there are no waits, no time per token, or no percentiles, where the arrivals are others than the form is for.
  const char *no_waits = nullptr, *no_percentiles = nullptr, *no_tpot = nullptr,
             *no_tpot_percentiles = nullptr;
  std::optional<Frequency<R>> little;
  // Absent beyond saturation.
  std::optional<LoadDecoding<R>> decoding;
  std::optional<LoadWaiting<R>> waiting;  // absent for more users than places
  std::optional<Seconds<R>> ttft, ttft_p50, ttft_p90, ttft_p99;
  std::optional<Seconds<R>> tpot, tpot_p50, tpot_p90, tpot_p99, inclusive, end_to_end;
  std::optional<Ratio<R>> present;
  std::optional<Frequency<R>> tokens_rate;
};

// Why there is no such figure.
template <class R>
const char* no_figure(const LoadFigures<R>& f) {
  return f.unbounded        ? "beyond saturation the queue grows without bound"
         : f.no_form        ? "users before pools: no closed form, simulate"
         : f.no_percentiles ? f.no_percentiles
                            : "no closed form here: simulate";
}
template <class R>
const char* no_tpot_figure(const LoadFigures<R>& f) {
  if (f.no_tpot) return f.no_tpot;
  return f.unbounded || f.no_form || f.tpot ? no_figure(f)
                                            : "answers of one token have none after the first";
}

namespace detail {

template <class R>
void tpot_figures(const LoadInput<R>& x, LoadFigures<R>& f) {
  if (!f.decoding->tpot) return;
  auto TPOT = *f.decoding->tpot;
  auto n = f.decoding->seen;
  auto c = x.chunk;
  NAME(TPOT, n, c);
  if (f.no_tpot) return;
  f.tpot = TPOT;
  if (f.no_tpot_percentiles) return;
  // Users in step meet the same prompts.
  auto sigma = users_in_step(x) > 1 ? Seconds<R>{} : tpot_deviation(x, *f.decoding, f.waiting);
  const auto rank = [&](double z) { return tpot_rank(*f.decoding, sigma, z); };
  auto p90 = rank(1.2816);
  const bool p99_holds = plain(f.utilisation) <= kP99Until && !x.only_p90;
  const bool chunks = x.prompts != PromptSteps::kFirst;
  if (!x.only_p90) f.tpot_p50 = kTpotP50(rank(0));
  auto t_c = chunks ? x.step(n, c) : TPOT;
  NAME(t_c);
  f.tpot_p90 = chunks ? kTpotP90Capped(max(TPOT, min(p90, t_c))) : kTpotP90(p90);
  if (!p99_holds) return;
  auto p99 = rank(2.3263);
  f.tpot_p99 = chunks ? kTpotP99Capped(max(TPOT, min(p99, t_c))) : kTpotP99(p99);
}

// What the closed form cannot hold is not said.
template <class R>
void judge(const LoadInput<R>& x, LoadFigures<R>& f) {
  const double uneven = x.users ? 1 : plain(x.burst);
  if (x.think)
    f.no_waits = "users who think come by chance: no closed form of their wait, simulate";
  f.in_bursts = uneven > kMostUneven;
  if (f.in_bursts)
    f.no_waits = f.no_tpot = "arrivals in bursts: no closed form of their wait, simulate";
  if (!(x.stages <= 1) &&
      (plain(f.utilisation) > kStagesUntil || plain(x.output) < kStagesShortest)) {
    f.no_waits = f.no_tpot_percentiles =
        "stages passed by many prompts, or by short answers: no closed form of the wait, simulate";
    if (!x.users) f.no_tpot = f.no_waits;
  }
  f.no_percentiles = f.no_waits;
  if (!(std::abs(uneven - 1) > kEven)) return;
  f.no_tpot_percentiles = "uneven arrivals: no closed form of percentiles, simulate";
  if (!f.no_waits) f.no_percentiles = f.no_tpot_percentiles;
}

template <class R>
void drop_waits(LoadFigures<R>& f) {
  f.ttft.reset();
  f.end_to_end.reset();
  f.inclusive.reset();
  f.present.reset();
}

template <class R>
void totals(const LoadInput<R>& x, LoadFigures<R>& f) {
  auto TTFT = *f.ttft;
  auto o = x.output;
  auto rate = f.rate;
  NAME(TTFT, o, rate);
  auto T_all = f.tpot ? kEndToEnd(TTFT + (o - 1) * *f.tpot) : kEndAtFirst(TTFT);
  f.end_to_end = T_all;
  f.inclusive = kInclusive(T_all / o);
  f.present = kPresent(rate * T_all);
  f.tokens_rate = kOutputRate(rate * o);
  if (f.no_waits) drop_waits(f);
}

template <class R>
void percentiles(const LoadInput<R>& x, const LoadWaiting<R>& w, LoadFigures<R>& f) {
  if (f.no_percentiles) return;
  f.ttft_p90 = ttft_percentile(kTtftP90, kTtftP90Atom, w, 0.9);
  if (x.only_p90) return;
  f.ttft_p50 = ttft_percentile(kTtftP50, kTtftP50Atom, w, 0.5);
  if (plain(f.utilisation) <= kP99Until)
    f.ttft_p99 = ttft_percentile(kTtftP99, kTtftP99Atom, w, 0.99);
}

}  // namespace detail

namespace detail {

// An engine is full when every place has its user, however few there are now.
template <class R>
LoadInput<R> with_every_place_taken(LoadInput<R> x) {
  x.users = max(*x.users, x.slots);
  return x;
}

}  // namespace detail

// With x.users and flat.users, of a closed loop; else of x.rate.
template <class R>
LoadFigures<R> load_figures(LoadInput<R> x, const LoadInput<double>& flat) {
  LoadFigures<R> f;
  f.full = x.users
               ? saturation(detail::with_every_place_taken(x), detail::with_every_place_taken(flat))
               : saturation(x, flat);
  if (x.decodes()) f.little = little_bound(x);
  if (x.users) {
    const UsersLoad<R> u = load_of_users(x, flat, *x.users, f.full);
    x.rate = u.rate;
    f.decoding = u.decoding;
    f.waiting = u.waiting;
    f.ttft = u.ttft;
  }
  f.rate = x.rate;
  auto rate = f.rate;
  auto rate_sat = f.full.rate;
  NAME(rate, rate_sat);
  f.utilisation = kUtilisation(rate / rate_sat);
  if (!x.users) {
    f.unbounded = !(plain(rate) < plain(rate_sat));
    if (f.unbounded) return f;
    f.decoding = decoding(x, flat);
    f.waiting = waiting(x, *f.decoding, f.full);
    f.ttft = f.waiting->ttft;
    add_left(x, *f.ttft - f.waiting->overhead - f.waiting->slots, *f.decoding);
  }
  detail::judge(x, f);
  const bool queue_outside = x.users && plain(f.utilisation) > kUsersPercentilesUntil;
  if (f.waiting && !queue_outside) detail::percentiles(x, *f.waiting, f);
  detail::tpot_figures(x, f);
  detail::totals(x, f);
  return f;
}

}  // namespace reckon
