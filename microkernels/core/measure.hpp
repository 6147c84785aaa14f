// One problem on one back end: prepared, checked, sampled.
//
//   Measured m = measure(backend, problem, rule);
//   if (m.ok()) document.points.push_back(m.point);
#pragma once

#include "document.hpp"

namespace reckon::bench {

enum class Outcome { kMeasured, kNotHere, kMemory, kWrong };

struct Measured {
  Outcome outcome = Outcome::kMeasured;
  Point point;
  std::string why;    // where it was not measured
  double set_up = 0;  // seconds that memory, inputs and the check took before the first sample
  bool ok() const { return outcome == Outcome::kMeasured; }
};

Measured measure(Backend& backend, const Problem& problem, const StopRule& rule);

// "1.35 TB/s", "612 TFLOP/s": what the median comes to; "" where there is neither.
std::string rate_of(const Point& point);

}  // namespace reckon::bench
