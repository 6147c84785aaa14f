// Quantiles: of values that were drawn, and of the normal distribution.
//
//   interval_95(values)          // between what 2.5 % lie below and 2.5 % lie above
//   normal_quantile(0.975)       // 1.959964
#pragma once

#include <vector>

namespace reckon {

struct Interval95 {
  double low, high;
};
// Between neighbours linearly; of at least one value.
Interval95 interval_95(std::vector<double> values);

// x with Φ(x) = p, 0 < p < 1, to rounding.
double normal_quantile(double p);
// Φ and its density.
double normal_share(double x);
double normal_density(double x);

}  // namespace reckon
