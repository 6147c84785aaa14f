// Where a function that grows passes zero, in about ten evaluations where it is smooth.
//
//   const double n = root(0, B, [&](double m) { return rate_at(m) - rate; });
//
// Chandrupatla's method: inverse quadratic steps where three points allow them, halving where not; to two units in the
// last place. Like `bisect` (solve.hpp), which takes sixty: an end where the function does not pass zero.
// Source: Chandrupatla 1997, Advances in Engineering Software 28.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon {

// `within`: of the root, relatively; 0 as near as can be. Callers whose Newton step follows ask for less.
template <class F>
double root(double low, double high, F f, double within = 0) {
  double a = high, fa = f(high), b = low, fb = f(low), c = a, fc = fa, t = 0.5;
  if (!(fa >= 0)) return high;
  if (fb >= 0) return low > 0 ? low : high * 0x1p-200;
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

}  // namespace reckon
