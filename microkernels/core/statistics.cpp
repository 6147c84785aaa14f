#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace reckon::bench {

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

Spread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

double relative_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  const double mean = sum / static_cast<double>(values.size());
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

}  // namespace reckon::bench
