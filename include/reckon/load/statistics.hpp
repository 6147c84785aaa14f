// Samples in a few numbers, and how sure these are.
//
//   Spread s = spread_of(values);                   // mean, p50, p90, p95, p99
//   Figures f = across(replications);               // their mean, and half of its 95 % confidence interval
//
// Replications are independent, so Student's t over them holds for percentiles as for means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reckon::load {

struct Spread {
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;
  std::size_t count = 0;  // of values
};

// Zeros of no values. Percentiles by rank, linearly between neighbours.
Spread spread_of(std::vector<double> values);
// Of values with whole weights.
struct Weighted {
  double value;
  std::int64_t count;
};
Spread spread_of(std::vector<Weighted> values);

// ± half: 95 % confidence. `runs`: how many say something; of none there is no value, of one no interval.
struct Figures {
  Spread value, half;
  std::size_t runs = 0;
};
// Of the replications that have values.
Figures across(const std::vector<Spread>& replications);

struct Figure {
  double value = 0, half = 0;
  std::size_t runs = 0;
};
Figure across(const std::vector<double>& replications);

// Student's t that 97.5 % lie below, for so many degrees of freedom.
double student_t(int freedom);

}  // namespace reckon::load
