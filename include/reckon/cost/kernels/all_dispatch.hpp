// What a kernels file says of tokens to experts and back, all of it priced: for listing and recording.
#pragma once

#include <vector>

#include "reckon/cost/kernels/dispatch.hpp"

namespace reckon {

template <class R>
std::vector<Seconds<R>> dispatch_times(const Kernels<R>& kernels, Count<R> tokens, Count<R> experts,
                                       Count<R> width) {
  std::vector<Seconds<R>> out;
  for (const DispatchKernel<R>& k : kernels.dispatch)
    out.push_back(dispatch_time(tokens, experts, width, k));
  return out;
}

}  // namespace reckon
