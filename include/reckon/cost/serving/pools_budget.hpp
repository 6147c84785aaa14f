// Which pools a budget pays: of all pairs of whole workers the one that takes most requests, and of these the fewest.
//
//   best_paid({30, 5, 10}, [](int x) { return 3.0 * x; }, [](int y) { return 9.0 * y; })     // 3 and 1
//
// More workers of a pool never take fewer requests, and fewer of the one pay for more of the other: what both take is
// most where the two sides cross, so a search by halves finds it.
#pragma once

#include <algorithm>
#include <cmath>

#include "reckon/cost/serving/targets.hpp"

namespace reckon {

// What there is, and what a worker costs: all in one unit.
struct PoolPrices {
  double budget = 0, prefill = 0, decode = 0;
};

struct PoolWorkers {
  int x = 0, y = 0;  // none: it does not pay one of each
  double rate = 0;
};

// `by_prefill(x)`, `by_decode(y)`: requests/s that so many take.
template <class Prefill, class Decode>
PoolWorkers best_paid(const PoolPrices& cost, const Prefill& by_prefill, const Decode& by_decode) {
  constexpr double kMost = 1e6, kRounding = 1e-12;
  const double all = cost.budget * (1 + kRounding);
  const auto beside = [&](int x) {
    return static_cast<int>(std::min(std::floor((all - x * cost.prefill) / cost.decode), kMost));
  };
  const int most = static_cast<int>(std::min((all - cost.decode) / cost.prefill, kMost));
  PoolWorkers best;
  const auto offer = [&](int x) {
    if (x < 1 || x > most) return;
    const double rate = std::min(by_prefill(x), by_decode(beside(x)));
    if (best.x == 0 || rate > best.rate * (1 + kRounding)) best = {x, beside(x), rate};
  };
  int low = 0, high = std::max(most, 0) + 1;  // prefill holds below, decode from there
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (by_prefill(middle) <= by_decode(beside(middle)) ? low : high) = middle;
  }
  offer(low);
  offer(low + 1);
  if (best.x == 0) return best;
  const double enough = best.rate * (1 - kRounding);
  best.x = *fewest(1, best.x, [&](int k) { return k == best.x || by_prefill(k) >= enough; });
  best.y = *fewest(1, best.y, [&](int k) { return k == best.y || by_decode(k) >= enough; });
  return best;
}

}  // namespace reckon
