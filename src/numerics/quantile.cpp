#include "reckon/numerics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reckon {

Interval95 interval_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double x = share * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(x);
    const double rest = x - static_cast<double>(i);
    return i + 1 < values.size() ? values[i] * (1 - rest) + values[i + 1] * rest : values[i];
  };
  return {at(0.025), at(0.975)};
}

double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

// Newton's steps on Φ(x) = p below 1/2, where erfc keeps its digits; Φ is concave upward there, so they never
// overshoot far.
double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  double x = -std::sqrt(std::max(0.0, -2 * std::log(2 * p)));
  for (int i = 0; i < 60; ++i) {
    const double step =
        (std::log(normal_share(x)) - std::log(p)) * normal_share(x) / normal_density(x);
    x -= step;
    if (std::abs(step) < 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

}  // namespace reckon
