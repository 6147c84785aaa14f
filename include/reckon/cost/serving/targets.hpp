// When a target is kept under a load, and the fewest workers or replicas with which it is.
//
//   kept(plan.targets.ttft, f.ttft, f.ttft_p90)              // by nine of ten requests: yes, no, or not known
//   fewest(2, 128, [&](int k) { return …; })                 // not even 128: no value
//
// Nine of ten requests must keep it. Where the closed form has no percentiles (uneven arrivals, full stages) a mean
// beyond the target is a no, and a mean within it is not a yes: how many GPUs that takes, a simulation says.
// Source of nine of ten: Zhong 2024 (DistServe)
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "reckon/units/formula/plain.hpp"

namespace reckon {

// What decides how many GPUs a rate takes.
enum class SizedBy {
  kNeverIdle,  // stated times, answers of one token: the queue is not looked at
  kRate,       // with fewer the queue grows
  kTtft,       // with fewer a target is missed
  kTpot,
  kTtftNever,  // no number of them keeps it
  kTpotNever,
  kUnknown  // with fewer, or with any, the closed form does not say that a target is kept
};
constexpr auto names(SizedBy) {
  return std::array{"throughput", "rate", "TTFT", "TPOT", "no TTFT", "no TPOT", "simulate"};
}
constexpr bool never(SizedBy by) { return by == SizedBy::kTtftNever || by == SizedBy::kTpotNever; }

enum class Kept { kYes, kNo, kUnknown };

// `none`: there is nothing to keep, as of answers of one token.
template <class Time>
Kept kept(const std::optional<Time>& most, const std::optional<Time>& mean,
          const std::optional<Time>& p90, bool none = false) {
  if (!most || none) return Kept::kYes;
  if (p90) return plain(*p90) <= plain(*most) ? Kept::kYes : Kept::kNo;
  return mean && plain(*mean) > plain(*most) ? Kept::kNo : Kept::kUnknown;
}

// What is not kept under a load, of both targets: nothing, or one of them, or who knows. A queue that grows keeps none.
template <class Targets, class Figures>
std::optional<SizedBy> misses(const Targets& targets, const Figures& f, bool decodes) {
  if (f.unbounded) return SizedBy::kRate;
  const Kept first = kept(targets.ttft, f.ttft, f.ttft_p90);
  const Kept each = kept(targets.tpot, f.tpot, f.tpot_p90, !decodes);
  if (first == Kept::kNo) return SizedBy::kTtft;
  if (each == Kept::kNo) return SizedBy::kTpot;
  if (first == Kept::kUnknown || each == Kept::kUnknown) return SizedBy::kUnknown;
  return {};
}

// Of so many each has next to nothing to do: what they miss any number does.
inline constexpr int kMostWorkers = 1 << 24;

// The fewest from `least` up to `most` that serve; more of them serve no worse.
template <class Serves>
std::optional<int> fewest(int least, int most, const Serves& serves) {
  if (serves(least)) return least;
  if (least >= most || !serves(most)) return {};
  int low = least, high = most;
  for (int by = 1; high - low > by; by *= 2) {
    const int next = low + by;
    if (serves(next)) {
      high = next;
      break;
    }
    low = next;
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (serves(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace reckon
