// What our own kernels are to reach, as files of kind `aims` say it (spec/aims.hpp).
//
//   std::vector<Aim> aims = read_aims(work, "microkernels/aims/cuda.yaml", diagnostics);
//   held_against(document, aims)                   // core/ceilings.hpp
#pragma once

#include "problem.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon::bench {

struct Aim {
  Problem
      kernel;  // of which points: op, and what else is stated; empty texts and no size hold for any
  std::string of;        // a library, or an operation
  bool by_best = false;  // `of` is an operation: its best rate is the yardstick
  double at_least = 0;   // 0: shown and not judged
  std::string on, source;
};

// Nothing after a fault.
std::vector<Aim> read_aims(Workspace& work, const std::string& file, Diagnostics& diagnostics);

// "gemm bf16 m=8192 n=8192 k=8192, wgmma"
std::string name_of(const Aim& aim);

}  // namespace reckon::bench
