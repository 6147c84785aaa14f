// The inner loops of quantizing weights: single precision in, integer codes, errors summed. What they give is what
// quantize() and ErrorStats give one value at a time, bit for bit but for the order of the sums.
//
//   SymmetricKernel kernel(127, used.flags());
//   for each block: kernel.run(values, scale, first_index);
//   kernel.add_to(stats);
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reckon/numerics/error.hpp"

namespace reckon::detail {

// The largest magnitude; not finite if any value isn't.
float largest_magnitude(std::span<const float> values);

// Sums that independent additions build side by side, so that vector units can.
struct LaneSums {
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<double, kLanes>;
  Lanes squares{}, value_squares{}, sum{}, largest{}, clipped{}, zeroed{};
};

class SymmetricKernel {
 public:
  // Codes are kept within ±limit; `flags[code]` becomes 1 for each one that occurs.
  SymmetricKernel(std::int64_t limit, char* flags)
      : limit_(static_cast<double>(limit)), flags_(flags) {}

  void run(std::span<const float> values, double scale, std::uint64_t first_index);
  void add_to(ErrorStats& stats) const;

 private:
  double limit_;
  char* flags_;
  std::uint64_t count_ = 0;
  double largest_ = 0;
  std::uint64_t largest_at_ = 0;
  LaneSums sums_;
};

}  // namespace reckon::detail
