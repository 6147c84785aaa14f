// Where a function that grows passes zero, in about ten evaluations where it is smooth; and the largest whole number
// for which it has not.
//
//   const double n = root(0, B, [&](double m) { return rate_at(m) - rate; });
//   const int b = largest_whole(2048, [&](int n) { return time_of(n) - target; });
//
// Chandrupatla's method: inverse quadratic steps where three points allow them, halving where not; to two units in the
// last place. Like `bisect` (solve.hpp), which takes sixty: an end where the function does not pass zero.
// Source: Chandrupatla 1997, Advances in Engineering Software 28.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon {

// Where the search looks first: in the middle, or where a straight line between the ends passes zero.
enum class RootStart { kMiddle, kStraight };

// `within`: of the root, relatively; 0 as near as can be. Callers whose Newton step follows ask for less.
// `at_low`: f(low), from who knows it or nearly so.
template <class F>
double root(double low, double high, F f, double within, RootStart start, double at_low) {
  double a = high, fa = f(high), b = low, fb = at_low, c = a, fc = fa, t = 0.5;
  if (!(fa >= 0)) return high;
  if (fb >= 0) return low > 0 ? low : high * 0x1p-200;
  constexpr double kInside = 1e-9;
  if (start == RootStart::kStraight && fa > 0 && std::isfinite(fa - fb))
    t = std::clamp(fa / (fa - fb), kInside, 1 - kInside);
  for (int i = 0; i < 100; ++i) {
    const double x = a + t * (b - a), fx = f(x);
    if ((fx >= 0) == (fa >= 0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const bool first = std::abs(fa) < std::abs(fb);
    const double best = first ? a : b;
    const double least = std::max(within, 2 * std::numeric_limits<double>::epsilon()) *
                         std::abs(best) / std::abs(b - a);
    if (least > 0.5 || fa == 0 || fb == 0) return fa == 0 ? a : best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool smooth = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    t = smooth
            ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            : 0.5;
    t = std::clamp(t, least, 1 - least);
  }
  return a;
}

template <class F>
double root(double low, double high, F f, double within = 0, RootStart start = RootStart::kMiddle) {
  return root(low, high, f, within, start, f(low));
}

// Largest n up to `most` with f(n) ≤ 0, for f that grows; 0 where there is none. `start`: where it is guessed to be;
// from there by doublings, without it from both ends. In between straight lines, the side that stays twice counts half
// (Illinois), and every third look halves: some six evaluations.
template <class F>
int largest_whole(int most, F f, int start = 0) {
  int low = 0, high = most + 1;  // f(low) ≤ 0 < f(high), each once it is known
  double f_low = 0, f_high = 0;
  int side = 0;  // how often in a row one side stayed
  const auto look = [&](int k) {
    const double f_k = f(k);
    const bool kept = f_k <= 0;
    (kept ? low : high) = k;
    (kept ? f_low : f_high) = f_k;
    side = kept ? std::max(side, 0) + 1 : std::min(side, 0) - 1;
    if (side > 1) f_high *= 0.5;
    if (side < -1) f_low *= 0.5;
  };
  if (most > 0 && start <= 0) look(most);
  int k = std::clamp(start, 1, std::max(most, 1));
  while (low == 0 && high > 1) {
    look(k);
    k = high / 2;
  }
  while (high > most && low < most) look(low > most / 2 ? most : 2 * low);
  side = 0;
  int turn = 0;
  while (high <= most && high - low > 1) {
    const double x = low + (high - low) * (f_low / (f_low - f_high));
    const bool halve = ++turn % 3 == 0 || !std::isfinite(x);
    k = halve ? low + (high - low) / 2 : static_cast<int>(std::clamp(x, 1.0 * low, 1.0 * high));
    look(std::clamp(k, low + 1, high - 1));
  }
  return low;
}

}  // namespace reckon
