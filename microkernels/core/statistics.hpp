// What is said of many times of one thing: median with the 10th and 90th percentile, never the best alone.
//
//   Spread s = spread_of(seconds);      // s.p10 <= s.median <= s.p90
//   relative_deviation({1, 1.1, 0.9})   // 0.1: standard deviation over mean, of a sample
#pragma once

#include <vector>

namespace reckon::bench {

struct Spread {
  double median = 0, p10 = 0, p90 = 0;
};

// Between neighbours linearly; of at least one value.
double quantile(std::vector<double> values, double share);
Spread spread_of(const std::vector<double>& values);

// 0 for fewer than two values.
double relative_deviation(const std::vector<double>& values);

}  // namespace reckon::bench
