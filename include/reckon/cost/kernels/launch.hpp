// What launching adds to a kernel: in a stream none can follow another faster than the host launches them.
//
//   launched_time(gpu, launch.stream)        the slower of host and GPU; what keeps the GPU busy hides the host
#pragma once

#include "reckon/spec/kernels.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kLaunchedTime{"launch.time", "t_launched",
                                   "time from one such kernel to the next",
                                   "the slower of host and GPU"};

template <class R>
Seconds<R> launched_time(Seconds<R> gpu, Seconds<R> each) {
  Largest<kSecond, R> slower;
  slower.offer("host", each);
  slower.offer("GPU", gpu);
  return kLaunchedTime(slower.best());
}

}  // namespace reckon
