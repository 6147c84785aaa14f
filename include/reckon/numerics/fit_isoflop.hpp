// N* as a power of compute, from parabolas through runs of equal compute: approach 2 of Hoffmann 2022.
//
//   const IsoflopFit fit = fit_isoflops(runs);          // fit.scale · C^fit.exponent
//
// Runs whose compute lies within a window of 0.08 decades (20 %) are a group, the fullest window first; what is left in
// no window of three belongs to none. In each group, loss over ln N is fitted by a parabola; its lowest point is N*.
// Over the groups, ln N* is a line in ln C. Where α ≠ β the true curve is no parabola and the estimate is biased, by 1
// to 3 % over a range of 4 to 8 times either side.
#pragma once

#include <cstdint>
#include <vector>

#include "reckon/numerics/fit_loss.hpp"

namespace reckon {

inline constexpr double kSameCompute = 0.08;  // decades from the least to the most of a group

struct IsoflopGroup {
  double flops = 0;               // geometric mean
  std::vector<std::size_t> runs;  // by their place in what was given
  double best_N = 0, best_loss = 0;
  bool bottom = false;  // the parabola opens upward
  bool inside = false;  // and its lowest point lies between the sizes that were run
};

struct IsoflopFit {
  std::vector<IsoflopGroup> groups;
  double scale = 0, exponent = 0;
  std::size_t used = 0;     // groups with a bottom inside: two at least, or there is no line
  std::size_t outside = 0;  // runs of no group
};

struct Parabola {
  double c0 = 0, c1 = 0, c2 = 0;  // of x about its mean
  double mean = 0;
  double lowest() const { return mean - c1 / (2 * c2); }
  double at(double x) const { return c0 + (x - mean) * (c1 + (x - mean) * c2); }
};
// Least squares; three different x at least.
Parabola fit_parabola(const std::vector<double>& x, const std::vector<double>& y);

// y = intercept + slope · x; two different x at least.
struct Line {
  double intercept = 0, slope = 0;
};
Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

// `flops` beside the runs, in their order.
IsoflopFit fit_isoflops(const std::vector<LossRun>& runs, const std::vector<double>& flops);

// Refits with each group's runs drawn anew; a resample without two bottoms is left out.
std::vector<Line> bootstrap_isoflops(const std::vector<LossRun>& runs,
                                     const std::vector<double>& flops, std::size_t count,
                                     std::uint64_t seed, unsigned threads);

}  // namespace reckon
