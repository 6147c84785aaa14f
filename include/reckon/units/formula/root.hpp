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

// Where a search ended, and the other end of what it still had in doubt: f is known at both.
struct Root {
  double at, other;
};

// `within`: of the root, relatively; 0 as near as can be. Callers whose Newton step follows ask for less.
// `at_low`: f(low), from who knows it or nearly so.
template <class F>
Root root_between(double low, double high, F f, double within, RootStart start, double at_low) {
  double a = high, fa = f(high), b = low, fb = at_low, c = a, fc = fa, t = 0.5;
  if (!(fa >= 0)) return {high, high};
  if (fb >= 0) return {low > 0 ? low : high * 0x1p-200, high};
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
    if (fa == 0) return {a, b};
    if (least > 0.5 || fb == 0) return {best, first ? b : a};
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool smooth = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    t = smooth
            ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            : 0.5;
    t = std::clamp(t, least, 1 - least);
  }
  return {a, b};
}

template <class F>
double root(double low, double high, F f, double within = 0, RootStart start = RootStart::kMiddle) {
  return root_between(low, high, f, within, start, f(low)).at;
}

// Largest n up to `most` with f(n) ≤ 0, for f that grows; 0 where there is none. `start`: where it is guessed to be;
// from there by doublings, without it from both ends. In between by Chandrupatla's steps, cut to whole numbers: some
// six evaluations.
template <class F>
int largest_whole(int most, F f, int start = 0) {
  int low = 0, high = most + 1;  // f(low) ≤ 0 < f(high), each once it is known
  double f_low = 0, f_high = 0;
  double out = 0, f_out = 0;  // the end that the last look replaced
  bool known = false;         // there was one
  const auto look = [&](int k) {
    const double f_k = f(k);
    int& end = f_k <= 0 ? low : high;
    double& f_end = f_k <= 0 ? f_low : f_high;
    known = end >= 1 && end <= most;
    out = end;
    f_out = f_end;
    end = k;
    f_end = f_k;
  };
  if (most > 0 && start <= 0) look(most);
  int k = std::clamp(start, 1, std::max(most, 1));
  while (low == 0 && high > 1) {
    look(k);
    k = high / 2;
  }
  while (high > most && low < most) look(low > most / 2 ? most : 2 * low);
  constexpr int kLooks =
      40;  // of steps that are no halvings: enough for any curve, not for any table
  int looks = 0;
  while (high <= most && high - low > 1) {
    double t = f_low / (f_low - f_high);
    if (known) {  // as in root(), with the newer end of low and high first
      const bool newer_low = out < low;
      const double a = newer_low ? low : high, fa = newer_low ? f_low : f_high;
      const double b = newer_low ? high : low, fb = newer_low ? f_high : f_low;
      const double xi = (a - b) / (out - b), phi = (fa - fb) / (f_out - fb);
      const bool smooth = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
      const double step = fa / (fb - fa) * f_out / (fb - f_out) +
                          (out - a) / (b - a) * fa / (f_out - fa) * fb / (f_out - fb);
      t = !smooth ? 0.5 : newer_low ? step : 1 - step;
    }
    const bool halve = !std::isfinite(t) || ++looks > kLooks;
    const double x = low + (high - low) * (halve ? 0.5 : std::clamp(t, 0.0, 1.0));
    look(std::clamp(static_cast<int>(x), low + 1, high - 1));
  }
  return low;
}

}  // namespace reckon
