// Time to send tokens to the GPUs of their experts, or to bring the results back: low-latency kernels, which send one
// copy an expert.
//
//   t = t_0 + T·k·h·b/B           T tokens of a GPU, k experts each, h numbers of b bytes
#pragma once

#include "reckon/spec/kernels.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kDispatchSent{"dispatch_kernel.bytes", "S", "bytes a GPU sends",
                                   "one copy of a token for each of its experts"};
inline const Formula kDispatchTime{"dispatch_kernel.time", "t_dispatch", "time to send the tokens",
                                   "fixed time + bytes over the rate reached"};

template <class R>
Seconds<R> dispatch_time(Count<R> tokens, Count<R> experts, Count<R> width,
                         const DispatchKernel<R>& kernel) {
  auto T = tokens;
  auto k = experts;
  auto h = width;
  auto b = kernel.size;
  auto t_0 = kernel.fixed;
  auto B = kernel.rate;
  NAME(T, k, h, b, t_0, B);
  auto S = kDispatchSent(T * k * h * b);
  return kDispatchTime(t_0 + S / B);
}

}  // namespace reckon
