// Constants of a model from measured values, robustly: the sum of Huber losses of ln(predicted/measured).
//
//   const std::vector<FitParameter> p{{"c", 0.05, 1, true}, {"t0", 1e-8, 1e-3, true}};
//   FitOutcome f = fit_robustly(p, starts, errors_of);       // errors_of(values) -> ln(predicted/measured) of each row
//   f.values[0], f.low[0], f.high[0]                         // 95 % interval; equal where the constant is at a bound
//
// The interval is Student's, with as many degrees of freedom as there are more rows than constants within their bounds;
// with none, or where no row tells a constant that nothing is held for usual of, low and high are NaN: the rows don't
// fix it, however well they are met.
//
// Levenberg–Marquardt with the rows beyond the knee weighted down, in logarithms of the constants that are sizes,
// kept inside their bounds, from every start that is given; the best wins. Deterministic. Few constants (at most a
// dozen), any number of rows. The knee 0.15 is where a row counts as an outlier rather than as noise.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace reckon {

struct FitParameter {
  std::string name;
  double low, high;
  bool logarithmic = true;  // a size: fitted in its logarithm
  // What it is without evidence, and how far from that (of the logarithm, for a size) it usually lies: for constants
  // that few rows say little of. 0: nothing is held for usual.
  double usual = 0, spread = 0;
};

struct FitOutcome {
  std::vector<double> values, low, high;
  std::vector<bool> at_bound;
  double loss = 0;
  std::vector<double> errors;  // of each row
};

using LogErrors = std::function<std::vector<double>(const std::vector<double>& values)>;

inline constexpr double kHuberKnee = 0.15;
// A constant that lies a spread from what is usual costs as much as one row that is off by this.
inline constexpr double kPriorNoise = 0.06;

// Huber's function, or with `smooth` the pseudo-Huber one: knee²·(√(1 + (e/knee)²) − 1).
struct RobustLoss {
  double knee = kHuberKnee;
  bool smooth = false;
  double prior = kPriorNoise;
};

// At least one start, each a value for every parameter.
FitOutcome fit_robustly(const std::vector<FitParameter>& parameters,
                        const std::vector<std::vector<double>>& starts, const LogErrors& errors,
                        const RobustLoss& loss = {});

// What is printed of errors e = predicted/measured − 1.
struct ErrorSummary {
  std::size_t rows = 0;
  double mean = 0, median = 0, p90 = 0;  // of |e|
  double bias = 0;                       // mean e
};
ErrorSummary summarize_log_errors(const std::vector<double>& log_errors);

}  // namespace reckon
