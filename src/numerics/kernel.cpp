// Compiled with -O3 (CMakeLists.txt): the loops over lanes become vector instructions, of AVX2 where the processor has
// them. Both ways are IEEE arithmetic without fused operations, so their results are the same.
#include "kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#if defined(__x86_64__) && defined(__GNUC__)
#define RECKON_AVX2 __attribute__((target("avx2")))
#define RECKON_INLINE __attribute__((always_inline)) inline
#endif

namespace reckon::detail {
namespace {

#ifndef RECKON_INLINE
#define RECKON_INLINE inline
#endif

constexpr std::size_t kLanes = LaneSums::kLanes;
constexpr double kRoundToEven = 0x1.8p52;  // adding and subtracting it rounds to a whole number

RECKON_INLINE void lane(LaneSums& s, std::size_t l, double x, double scale, double limit,
                        std::int32_t& code) {
  const double rounded = (x / scale + kRoundToEven) - kRoundToEven;
  const double above = rounded < -limit ? -limit : rounded;
  const double q = above > limit ? limit : above;
  const double error = q * scale - x;
  const double magnitude = std::abs(error);
  s.squares[l] += error * error;
  s.value_squares[l] += x * x;
  s.sum[l] += error;
  s.largest[l] = magnitude > s.largest[l] ? magnitude : s.largest[l];
  s.clipped[l] += rounded != q ? 1.0 : 0.0;
  s.zeroed[l] += ((q == 0) & (x != 0)) ? 1.0 : 0.0;
  code = static_cast<std::int32_t>(q);
}

// All whole groups of lanes; how many values that was.
RECKON_INLINE std::size_t groups(const float* x, std::size_t n, double scale, double limit,
                                 LaneSums& sums, char* flags) {
  LaneSums s = sums;
  std::array<std::int32_t, kLanes> codes{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane(s, l, x[i + l], scale, limit, codes[l]);
    for (std::size_t l = 0; l < kLanes; ++l) flags[codes[l]] = 1;
  }
  sums = s;
  return i;
}

// Magnitudes compare as their bits do, and what is not finite is above all that is.
RECKON_INLINE std::int32_t magnitude_bits(const float* x, std::size_t n) {
  std::array<std::int32_t, kLanes> largest{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::int32_t bits = std::bit_cast<std::int32_t>(x[i + l]) & 0x7FFFFFFF;
      largest[l] = bits > largest[l] ? bits : largest[l];
    }
  }
  for (; i < n; ++i)
    largest[0] = std::max(largest[0], std::bit_cast<std::int32_t>(x[i]) & 0x7FFFFFFF);
  return *std::max_element(largest.begin(), largest.end());
}

#ifdef RECKON_AVX2
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

RECKON_AVX2 std::size_t groups_avx2(const float* x, std::size_t n, double scale, double limit,
                                    LaneSums& sums, char* flags) {
  return groups(x, n, scale, limit, sums, flags);
}
RECKON_AVX2 std::int32_t magnitude_bits_avx2(const float* x, std::size_t n) {
  return magnitude_bits(x, n);
}
#endif

std::size_t best_groups(const float* x, std::size_t n, double scale, double limit, LaneSums& sums,
                        char* flags) {
#ifdef RECKON_AVX2
  if (kHasAvx2) return groups_avx2(x, n, scale, limit, sums, flags);
#endif
  return groups(x, n, scale, limit, sums, flags);
}

}  // namespace

float largest_magnitude(std::span<const float> values) {
#ifdef RECKON_AVX2
  if (kHasAvx2) return std::bit_cast<float>(magnitude_bits_avx2(values.data(), values.size()));
#endif
  return std::bit_cast<float>(magnitude_bits(values.data(), values.size()));
}

void SymmetricKernel::run(std::span<const float> values, double scale, std::uint64_t first_index) {
  std::int32_t code = 0;
  std::size_t i = best_groups(values.data(), values.size(), scale, limit_, sums_, flags_);
  for (; i < values.size(); ++i) {
    lane(sums_, 0, values[i], scale, limit_, code);
    flags_[code] = 1;
  }
  count_ += values.size();
  const double largest = *std::max_element(sums_.largest.begin(), sums_.largest.end());
  if (largest <= largest_) return;
  largest_ = largest;
  for (i = 0; i < values.size(); ++i) {  // seldom: records are broken ever less often
    LaneSums one;
    lane(one, 0, values[i], scale, limit_, code);
    if (one.largest[0] != largest) continue;
    largest_at_ = first_index + i;
    return;
  }
}

void SymmetricKernel::add_to(ErrorStats& stats) const {
  for (std::size_t l = 0; l < kLanes; ++l) {
    stats.squares += sums_.squares[l];
    stats.value_squares += sums_.value_squares[l];
    stats.sum += sums_.sum[l];
    stats.clipped += static_cast<std::uint64_t>(sums_.clipped[l]);
    stats.zeroed += static_cast<std::uint64_t>(sums_.zeroed[l]);
  }
  stats.count += count_;
  if (largest_ <= stats.largest) return;
  stats.largest = largest_;
  stats.largest_at = largest_at_;
}

}  // namespace reckon::detail
