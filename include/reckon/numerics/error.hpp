// How far values are from what they stand for.
//
//   ErrorStats e;
//   e.add(0.3, {.code = 25, .value = 0.2953}, 0);
//   e.rms(), e.sqnr()                                   // sqnr in dB: 10 log10(sum x² / sum error²)
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "reckon/numerics/scheme.hpp"

namespace reckon {

struct ErrorStats {
  std::uint64_t count = 0, clipped = 0, zeroed = 0;  // zeroed: not 0, but stored as 0
  double largest = 0;                                // |error|
  std::uint64_t largest_at = 0;
  double squares = 0, value_squares = 0, sum = 0;  // of errors; of values; of errors, signed

  void add(double x, const Quantized& q, std::uint64_t at) {
    const double error = q.value - x;
    ++count;
    clipped += q.clipped;
    zeroed += q.value == 0 && x != 0;
    if (std::abs(error) > largest) {
      largest = std::abs(error);
      largest_at = at;
    }
    squares += error * error;
    value_squares += x * x;
    sum += error;
  }
  double rms() const { return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0; }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  // Infinite without an error, NaN if there is nothing but zeros.
  double sqnr() const { return 10 * std::log10(value_squares / squares); }
};

// Which codes occur. Small alphabets as flags, larger ones as a set that stops counting at a million.
class CodesUsed {
 public:
  explicit CodesUsed(const Element& e);
  void add(std::int64_t code);
  std::uint64_t count() const;
  bool complete() const { return rest_.size() < kMost; }
  char* flags() { return flags_.data() - lowest_; }

 private:
  static constexpr std::size_t kMost = 1'000'000;
  std::int64_t lowest_;
  std::vector<char> flags_;
  std::set<std::int64_t> rest_;
};

// Counts of errors in bins of one width around 0; the width doubles when an error lies outside.
class ErrorHistogram {
 public:
  static constexpr int kBins = 1024;  // even
  void add(double error);
  double width() const { return width_; }
  const std::vector<std::uint64_t>& bins() const {
    return bins_;
  }  // bin i from (i - kBins / 2) · width
  // As so many bins over the errors that occurred, from `first` to `last`.
  struct Bar {
    double from, to;
    std::uint64_t count;
  };
  std::vector<Bar> bars(int most) const;

 private:
  void widen();
  double width_ = 0;
  std::vector<std::uint64_t> bins_ = std::vector<std::uint64_t>(kBins);
};

}  // namespace reckon
