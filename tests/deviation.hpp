// A closed form held to its simulation over many loads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "catch.hpp"

namespace reckon::test {

// Mean of the absolute deviations, and the widest of the simulation's own intervals beside it.
struct Deviation {
  double sum = 0, worst = 0, interval = 0;
  int n = 0;

  void add(double form, double simulated, double half) {
    const double d = std::abs(form / simulated - 1);
    CHECK(std::isfinite(d));
    sum += d;
    worst = std::max(worst, d);
    interval = std::max(interval, half / simulated);
    ++n;
  }
  double mean() const { return sum / n; }
  void print(const char* name) const {
    fmt::print("{:10} mean {:4.1f} %  worst {:4.1f} %  of {} loads; simulated ± {:.1f} % at most\n",
               name, 100 * mean(), 100 * worst, n, 100 * interval);
  }
};

}  // namespace reckon::test
