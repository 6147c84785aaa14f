// How many copies of its inputs a cold measurement goes round, so that no cache still holds what a sample reads.
//
//   copies_needed(64e6, 50e6, 40e9)   // 4: what lies between two uses of one copy is three caches' worth
//   copies_needed(1e9, 50e6, 40e9)    // 2: it evicts itself, but its end may still lie there
//   whole_rounds(33, 6)               // 36: what is replayed from its beginning must end with the last copy
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

// Runs of a replay that goes round all copies: so many, or more. One that ended with a copy near the first would find
// that one in the cache when it begins again.
inline std::size_t whole_rounds(std::size_t runs, std::size_t copies) {
  return (std::max<std::size_t>(runs, 1) + copies - 1) / copies * copies;
}

}  // namespace reckon::bench
