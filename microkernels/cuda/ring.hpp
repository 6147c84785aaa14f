// The ring of stages between the warps that load and those that multiply, as the order of its barriers' phases.
//
//   stage_of(use)                 // where the use-th piece lies, counted over all tiles
//   filled(use)                   // parity that `full` of its stage is waited for with, before it is read
//   must_wait(use), freed(use)    // whether and with which parity `empty` is waited for, before it is written
//
// A barrier is waited for by the parity of the phase that ends: the first has parity 0. `full` ends one when its bytes
// are there, `empty` when every warp that reads has arrived, of all blocks of the cluster: a block's loads go to all of
// them. The test plays it in random orders (tests/microkernels/ring_test.cpp).
#pragma once

#include "core/check.hpp"

namespace reckon::bench::cuda {

inline constexpr int kRingStages = 4;
inline constexpr int kReadingWarps = 8;  // of a block

RECKON_BOTH constexpr int stage_of(unsigned use) { return static_cast<int>(use % kRingStages); }
RECKON_BOTH constexpr unsigned filled(unsigned use) { return use / kRingStages % 2; }
RECKON_BOTH constexpr bool must_wait(unsigned use) { return use >= kRingStages; }
RECKON_BOTH constexpr unsigned freed(unsigned use) { return (use / kRingStages - 1) % 2; }
RECKON_BOTH constexpr unsigned arrivals_to_free(int cluster) {
  return static_cast<unsigned>(kReadingWarps * cluster);
}

}  // namespace reckon::bench::cuda
