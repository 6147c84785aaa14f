// A sum as a machine keeps it: rounded after every addition, promoted now and then, or truncated in a narrow adder.
//
//   Accumulator a{.sum = e4m3};                         // saturating, to nearest even
//   for (int i = 0; i < 100; ++i) a.add(3);
//   a.result().sum                                      // 64: 64 + 3 is 64 again
//   a.result().last_change                              // 18
//
// Three machines
//   rounded    the running sum is rounded to a format after every term
//   promoted   that, but every `promote` terms (and at the end) the partial sum is added to a total in a wider format
//              and cleared
//   aligned    a tensor core with a narrow adder: `chunk` terms and the running sum are aligned to the largest exponent
//              among them, cut to `bits` significant bits, added exactly, and the sum cut to `bits` again
// Terms are exact (products of two 8-bit floats are). Sums that a double can't hold are rounded once all the same.
//
// bound: the sum of the largest errors that each rounding of this run could have made (a running error analysis). The
// measured error is below it, unless the sum left the range of its format.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reckon/numerics/element.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon {

struct NarrowAdder {
  int bits = 14;   // significant, the leading one included
  int chunk = 32;  // terms added at once
  Rounding rounding = Rounding::kTowardZero;
};

struct SumSpec {
  Element sum;  // of the running sum, unless there is a narrow adder
  std::optional<NarrowAdder> adder = {};
  Rounding rounding = Rounding::kNearestEven;
  bool saturate = true;
  std::uint64_t promote = 0;  // terms; 0: never
  Element total = {};         // where partial sums are promoted to
  double start = 0;
  std::uint64_t seed = 1;  // of stochastic rounding
};

struct SumResult {
  double sum = 0, exact = 0;
  double magnitude = 0;  // sum of |terms|
  std::uint64_t terms = 0, last_change = 0, unchanged = 0;
  double bound = 0;
  bool left_range = false;
  std::vector<double> path;  // the first sums, the start not included
};

class Accumulator {
 public:
  explicit Accumulator(SumSpec spec, std::size_t keep = 64);
  void add(double term);
  SumResult result();  // ends the sum

 private:
  void add_rounded(double term);
  void flush_adder();
  void promote();
  double cut(double x, int exponent) const;
  RoundingMode mode();

  SumSpec spec_;
  std::size_t keep_;
  Random random_;
  double partial_ = 0, total_ = 0;
  double exact_high_ = 0, exact_low_ = 0;
  std::vector<double> waiting_;  // for the narrow adder
  std::uint64_t since_promotion_ = 0;
  SumResult out_;
};

// How far one rounding can move a sum of this size: half a step to nearest, a step otherwise.
double rounding_error(const Element& e, double value, Rounding rounding);

// Relative size of the last place: 2^-(bits - 1), the leading one counted among the bits.
double relative_step(int bits);

}  // namespace reckon
