// How many copies of its inputs a cold measurement goes round, so that no cache still holds what a sample reads.
//
//   copies_needed(64e6, 50e6, 40e9)   // 4: what lies between two uses of one copy is three caches' worth
//   copies_needed(1e9, 50e6, 40e9)    // 2: it evicts itself, but its end may still lie there
//
// Bytes throughout: of the inputs of one run, of the last-level cache, of the memory that may be used. 0: they don't
// fit. A hot measurement has one copy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reckon::bench {

inline constexpr double kCachesBetween = 3;

inline std::size_t copies_needed(double bytes, double cache, double memory) {
  if (bytes <= 0 || bytes > memory) return 0;
  const double wanted = 1 + std::ceil(std::max(1., kCachesBetween * cache / bytes));
  return static_cast<std::size_t>(std::min(wanted, std::floor(memory / bytes)));
}

// Whether so many copies keep every cache cold.
inline bool is_cold(std::size_t copies, double bytes, double cache) {
  return static_cast<double>(copies - 1) * bytes >= kCachesBetween * cache;
}

}  // namespace reckon::bench
