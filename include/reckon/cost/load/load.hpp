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

// Users of prompts that differ and answers that do not: tokens of an answer from which TPOT is within a seventh; of
// their waits nothing is said. Answers that differ, and prompts before decodes: from where waits are said, and TPOT.
constexpr double kDriftShortest = 128, kFirstShortest = 8, kFirstShortestTpot = 4;

// Answers of fewer tokens than this to a rate: up to which utilisation TPOT is within a third, and its percentiles are.
constexpr double kShort = 32, kShortUntil = 0.5, kVeryShort = 8, kVeryShortUntil = 0.25;

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
  std::optional<TpotSpread<R>> users_spread;  // of users by chance
  std::optional<TurnsLevelled<R>> levelled;   // of users in turn who are no whole number
  bool some_full = false;                     // of such users, chunks of some engines alone
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

// Users in turn all take one time from request to request: who waits least decodes longest.
template <class R>
void tpot_of_turns(const LoadInput<R>& x, LoadFigures<R>& f) {
  auto o = x.output;
  auto TPOT = *f.decoding->tpot;
  auto TTFT = f.waiting->ttft;
  NAME(o, TPOT, TTFT);
  const auto rank = [&](double p) {
    const LoadWaiting<R>& waits = f.levelled ? f.levelled->waiting : *f.waiting;
    auto TTFT_low = ttft_percentile(kTtftLow, kTtftLowAtom, waits, 1 - p);
    if (f.levelled) return called("TPOT_p", (f.levelled->circle - TTFT_low) / (o - 1));
    return called("TPOT_p", TPOT + (TTFT - TTFT_low) / (o - 1));
  };
  f.tpot_p90 = kTpotP90Turns(rank(0.9));
  if (x.only_p90) return;
  f.tpot_p50 = kTpotP50Turns(rank(0.5));
  if (plain(f.utilisation) <= kP99Until) f.tpot_p99 = kTpotP99Turns(rank(0.99));
}

// Prompt tokens that others bring to a step at most: a full chunk, or all that they have.
template <class R>
Count<R> tokens_of_others(const LoadInput<R>& x) {
  if (!x.users || x.prompts == PromptSteps::kFirst || x.lengths.size() > 1 || !(x.stages <= 1))
    return x.chunk;
  auto N = *x.users;
  auto s = x.prompt;
  NAME(N, s);
  const double others = std::max(std::ceil(plain(N) - 1e-9) - 1, 0.0);
  return others * plain(s) < plain(x.chunk) ? called("c_N", max(N - 1, 0) * s) : x.chunk;
}

// How many decode is what their rate and their time make of it, and no more than there are places.
template <class R>
void decode_as_long(const LoadInput<R>& x, LoadDecoding<R>& d) {
  auto rate = x.rate;
  auto o = x.output;
  auto B = x.slots;
  NAME(rate, o, B);
  auto most = called("TPOT_B", B / (rate * (o - 1)));
  if (plain(*d.tpot) > plain(most)) d.tpot = called("TPOT", max(most, d.step));
  auto TPOT = *d.tpot;
  NAME(TPOT);
  d.n = kUsersDecoding(rate * (o - 1) * TPOT);
}

template <class R>
void tpot_figures(const LoadInput<R>& x, LoadFigures<R>& f) {
  if (!f.decoding->tpot) return;
  const bool chunks = x.prompts != PromptSteps::kFirst;
  auto n = f.decoding->seen;
  auto c = tokens_of_others(x);
  NAME(n, c);
  auto t_c = chunks ? x.step(n, c) : *f.decoding->tpot;
  NAME(t_c);
  std::optional<Seconds<R>> most;
  if (chunks) most = t_c;
  TpotSpread<R> spread;  // users in turn who wait alike meet the same prompts
  if (x.users && f.users_spread) spread = *f.users_spread;
  if (!x.users) {
    spread.none = meets_no_prompt(x, *f.decoding);
    if (chunks) f.decoding->tpot = tpot_met(*f.decoding, spread.none, t_c);
    decode_as_long(x, *f.decoding);
  }
  if (f.no_tpot) return;
  f.tpot = f.decoding->tpot;
  if (f.no_tpot_percentiles) return;
  const bool differ = f.waiting && (f.waiting->own.size() > 1 || !f.waiting->windows.empty());
  if (users_in_turn(x) && differ) return tpot_of_turns(x, f);
  if (!x.users) spread.deviation = tpot_deviation(x, *f.decoding, f.waiting);
  const auto rank = [&](double p) { return tpot_rank(*f.decoding, spread, most, p); };
  auto p90 = rank(0.9);
  const bool p99_holds = plain(f.utilisation) <= kP99Until && !x.only_p90;
  if (!x.only_p90) f.tpot_p50 = kTpotP50(rank(0.5));
  f.tpot_p90 = chunks ? kTpotP90Capped(min(p90, t_c)) : kTpotP90(p90);
  if (!p99_holds) return;
  auto p99 = rank(0.99);
  f.tpot_p99 = chunks ? kTpotP99Capped(min(p99, t_c)) : kTpotP99(p99);
}

// Users in turn who come a while after their answers catch up with those before them, and wait there; all of one group,
// whose prompts share a step, come together. Where that while is brief the form of those who ask at once is said, and
// beside it what it leaves out (TTFT up to half higher: docs/decisions/0028).
template <class R>
bool together_after_overhead(const LoadInput<R>& x) {
  return !(plain(x.overhead) > 0) || *x.users <= 1 || brief_overhead(x);
}

// Whom the closed form of users does not hold for.
template <class R>
void judge_users(const LoadInput<R>& x, LoadFigures<R>& f) {
  const bool spread = plain(x.output_spread) > 0, first = x.prompts == PromptSteps::kFirst;
  if (first && spread && plain(x.output) < kFirstShortest) {
    f.no_waits = f.no_tpot_percentiles =
        "short answers, and prompts before decodes: no closed form of the wait, simulate";
    if (plain(x.output) < kFirstShortestTpot) f.no_tpot = f.no_waits;
  }
  if (first && !spread && !f.waiting)
    f.no_tpot_percentiles =
        "more users than places, and prompts before decodes: no closed form of percentiles, "
        "simulate";
  if (!first && !spread && x.lengths.size() > 1 && !(*x.users <= 1)) {
    f.no_waits = f.no_tpot_percentiles =
        "answers of one length to prompts that differ: no closed form of the wait, simulate";
    if (plain(x.output) < kDriftShortest) f.no_tpot = f.no_waits;
  }
  if (!spread && !together_after_overhead(x))
    f.no_waits = f.no_tpot_percentiles =
        "answers of one length, and an overhead between them: no closed form of the wait, simulate";
  if (f.some_full)
    f.no_tpot_percentiles =
        "one user more fills every chunk of some engines alone: no closed form of percentiles, "
        "simulate";
  if (x.think)
    f.no_waits = "users who think come by chance: no closed form of their wait, simulate";
}

// Short answers meet a part of a prompt, or of the queue behind it, of which the mean says little.
template <class R>
void judge_short(const LoadInput<R>& x, LoadFigures<R>& f) {
  const double o = plain(x.output), u = plain(f.utilisation);
  const bool few = o < kShort && u > kShortUntil, fewer = o < kVeryShort && u > kVeryShortUntil;
  if (!few && !fewer) return;
  f.no_tpot_percentiles = "short answers at such a load: no closed form of TPOT, simulate";
  if (few) f.no_tpot = f.no_tpot_percentiles;
}

// What the closed form cannot hold is not said.
template <class R>
void judge(const LoadInput<R>& x, LoadFigures<R>& f) {
  const double uneven = x.users ? 1 : plain(x.burst);
  if (x.users)
    judge_users(x, f);
  else
    judge_short(x, f);
  f.in_bursts = uneven > kMostUneven;
  if (f.in_bursts)
    f.no_waits = f.no_tpot = "arrivals in bursts: no closed form of their wait, simulate";
  if (!(x.stages <= 1) && !x.users &&
      (plain(f.utilisation) > kStagesUntil || plain(x.output) < kStagesShortest)) {
    f.no_waits = f.no_tpot_percentiles =
        "stages passed by many prompts, or by short answers: no closed form of the wait, simulate";
    f.no_tpot = f.no_waits;
  }
  f.no_percentiles = f.some_full && !f.no_waits ? f.no_tpot_percentiles : f.no_waits;
  if (!(std::abs(uneven - 1) > kEven)) return;
  f.no_tpot_percentiles = "uneven arrivals: no closed form of percentiles, simulate";
  if (!f.no_waits) f.no_percentiles = f.no_tpot_percentiles;
}

template <class R>
void drop_ends(LoadFigures<R>& f) {
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
  if (f.no_waits) f.ttft.reset();
  if (f.no_waits || f.no_tpot) drop_ends(f);
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

// A step carries no more prompts than there are places; with a single one they are worked on alone.
template <class R>
LoadInput<R> within_places(LoadInput<R> x) {
  if (x.prompts != PromptSteps::kShared) return x;
  if (x.only_place()) {
    x.prompts = PromptSteps::kAlone;
    return x;
  }
  double longest = 0;
  for (const LengthShare<R>& one : x.lengths) longest = std::max(longest, plain(one.tokens));
  auto B = x.slots;
  auto s = x.prompt;
  NAME(B, s);
  const double tokens = plain(B) * plain(s);
  if (tokens < plain(x.chunk) && tokens >= longest) x.chunk = called("c", B * s);
  return x;
}

}  // namespace detail

// With x.users and flat.users, of a closed loop; else of x.rate.
template <class R>
LoadFigures<R> load_figures(LoadInput<R> stated, const LoadInput<double>& stated_flat) {
  LoadInput<R> x = detail::within_places(std::move(stated));
  const LoadInput<double> flat = detail::within_places(stated_flat);
  LoadFigures<R> f;
  if (x.decodes()) f.little = little_bound(x);
  if (!x.users) {
    f.full = saturation(x, flat);
  } else {
    const UsersLoad<R> full = users_of_all_places(x);
    f.full = saturation_of_users(full);
    const UsersLoad<R> u = load_of_users(x, flat, *x.users, full);
    x.rate = u.rate;
    f.decoding = u.decoding;
    f.waiting = u.waiting;
    f.ttft = u.ttft;
    f.users_spread = u.spread;
    f.levelled = u.levelled;
    f.some_full = u.some_full;
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
    f.waiting = waiting(x, flat, *f.decoding, f.full);
    f.ttft = f.waiting->ttft;
    add_left(x, *f.ttft - f.waiting->overhead - f.waiting->slots, *f.decoding);
  }
  detail::judge(x, f);
  const bool queue_outside =
      x.users && !x.all_stages && plain(f.utilisation) > kUsersPercentilesUntil;
  if (f.waiting && !queue_outside) detail::percentiles(x, *f.waiting, f);
  detail::tpot_figures(x, f);
  detail::totals(x, f);
  return f;
}

}  // namespace reckon
