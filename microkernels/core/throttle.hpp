// Whether a device ran slower than it may: from the clock read after each sample.
//
//   ThrottleWatch w(1980e6);
//   w.saw(1755e6);                    // of the sample just taken
//   w.throttled()                     // true once a tenth of the samples ran below 75 % of the stated clock
//   w.median()                        // 1755e6; 0 where no clock could be read
#pragma once

#include <cstddef>
#include <vector>

#include "statistics.hpp"

namespace reckon::bench {

// nvbench's bound for a sample that does not count.
inline constexpr double kSlowClock = 0.75;
inline constexpr double kSlowShare = 0.1;

class ThrottleWatch {
 public:
  explicit ThrottleWatch(double stated) : stated_(stated) {}

  void saw(double clock) {
    if (clock > 0) clocks_.push_back(clock);
  }
  std::size_t slow() const {
    std::size_t n = 0;
    for (const double c : clocks_) n += c < kSlowClock * stated_ ? 1 : 0;
    return n;
  }
  bool throttled() const {
    return stated_ > 0 &&
           static_cast<double>(slow()) > kSlowShare * static_cast<double>(clocks_.size());
  }
  double median() const { return clocks_.empty() ? 0 : quantile(clocks_, 0.5); }

 private:
  double stated_;
  std::vector<double> clocks_;
};

}  // namespace reckon::bench
