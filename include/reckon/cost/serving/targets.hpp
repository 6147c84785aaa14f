// When a target is kept under a load, and the fewest workers or replicas with which it is.
//
//   keeps_target(plan.targets.ttft, f.ttft, f.ttft_p90)      // nine of ten requests, or on average
//   fewest(2, 128, [&](int k) { return …; })                 // none up to 128: no value
//
// Nine of ten requests keep it where the closed form has percentiles, the mean where it has none. Where it has not
// even that (bursts), nothing speaks against it: a simulation says.   Source of nine of ten: Zhong 2024 (DistServe)
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
  kTpotNever
};
constexpr auto names(SizedBy) {
  return std::array{"throughput", "rate", "TTFT", "TPOT", "no TTFT", "no TPOT"};
}
constexpr bool never(SizedBy by) { return by == SizedBy::kTtftNever || by == SizedBy::kTpotNever; }

template <class Time>
bool keeps_target(const std::optional<Time>& most, const std::optional<Time>& mean,
                  const std::optional<Time>& p90) {
  const std::optional<Time>& is = p90 ? p90 : mean;
  return !most || !is || plain(*is) <= plain(*most);
}

// So many times what the rate needs leaves nothing to wait for: what still misses a target always will.
inline int most_times(int least) {
  constexpr int kTimes = 64, kMost = 1 << 24;
  return std::max(std::min(least, kMost / kTimes) * kTimes, least);
}

// The fewest from `least` up to `most` that serve; more of them serve no worse.
template <class Serves>
std::optional<int> fewest(int least, int most, const Serves& serves) {
  int low = least - 1, high = least;
  for (int by = 1; !serves(high); by *= 2) {
    if (high >= most) return {};
    low = high;
    high = std::min(high + by, most);
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (serves(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace reckon
