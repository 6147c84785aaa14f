// Pages of a cache in an order that no prefetcher guesses, as a server's allocator leaves them after a while.
#pragma once

#include <cstdint>
#include <vector>

#include "attention.cuh"
#include "core/check.hpp"

namespace reckon::bench::cuda {

inline std::int64_t pages_of(std::int64_t length) { return (length + kPage - 1) / kPage; }

inline std::vector<int> shuffled_pages(std::int64_t n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = static_cast<int>(i);
  constexpr int kSteps = 1 << 20;
  for (std::int64_t i = n - 1; i > 0; --i) {  // Fisher and Yates
    const double x =
        0.5 + 0.5 * static_cast<double>(random_on_grid(99, static_cast<std::uint64_t>(i), kSteps));
    const auto j = std::min(i, static_cast<std::int64_t>(x * static_cast<double>(i + 1)));
    std::swap(out[static_cast<std::size_t>(i)], out[static_cast<std::size_t>(j)]);
  }
  return out;
}

}  // namespace reckon::bench::cuda
