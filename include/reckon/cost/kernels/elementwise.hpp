// Time of kernels that only move bytes (norms, activations, casts), and what launching kernels costs.
//
//   moving_time(bytes, n, fixed, W, e)       n·t_0 + bytes/(W·e)
//   launched_time(n, gpu, launch)            eager: n kernels can't be issued faster than the host launches them
#pragma once

#include "reckon/spec/kernels.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kMovingTime{"elementwise.time", "t_move", "time of kernels that move bytes",
                                 "a fixed time each, and the bytes over the bandwidth reached"};
inline const Formula kLaunchTime{"launch.time", "t_launch", "time to launch the kernels",
                                 "from one launch to the next"};
inline const Formula kLaunchedTime{"launch.step", "t_step", "time of kernels launched one by one",
                                   "the slower of host and GPU"};

template <class R>
Seconds<R> moving_time(Bytes<R> bytes, Count<R> n, Seconds<R> fixed, ByteRate<R> W, Ratio<R> e) {
  auto t_0 = fixed;
  NAME(bytes, n, t_0, W, e);
  return kMovingTime(n * t_0 + bytes / (W * e));
}

// `each`: LaunchCost::graph or ::stream.
template <class R>
Seconds<R> launch_time(Count<R> n, Seconds<R> each) {
  NAME(n, each);
  return kLaunchTime(n * each);
}

template <class R>
Seconds<R> launched_time(Count<R> n, Seconds<R> gpu, Seconds<R> each) {
  Largest<kSecond, R> slower;
  slower.offer("host", launch_time(n, each));
  slower.offer("GPU", gpu);
  return kLaunchedTime(slower.best());
}

}  // namespace reckon
