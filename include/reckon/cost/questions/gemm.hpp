// The answer to a matrix product: FLOP, bytes, time, what bounds it, and the rates it reaches.
#pragma once

#include "reckon/cost/kernels/gemm.hpp"
#include "reckon/cost/kernels/launch.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/spec/questions/gemm.hpp"

namespace reckon {

inline const Formula kReachedFlops{"rate.flops", "P_reached", "FLOP/s it reaches",
                                   "FLOP over time"};
inline const Formula kReachedPeakShare{"rate.peak_share", "share", "share of the peak",
                                       "FLOP/s over the chip's dense peak", Hint::kFraction};
inline const Formula kReachedBytes{"rate.bytes", "W_reached", "bytes/s it reaches",
                                   "bytes over time"};
inline const Formula kProductIntensity{"intensity", "I", "FLOP a byte", "FLOP over bytes"};
inline const Formula kProductRidge{"ridge", "I_ridge", "FLOP a byte where compute takes over",
                                   "(P·c)/(W·e)"};

template <class R>
struct GemmAnswer {
  GemmCost<R> cost;
  bool grouped = false, quantizes = false;
  Seconds<R> time;
  FlopRate<R> reached;
  Ratio<R> share;
  ByteRate<R> bytes_reached;
  Quantity<kFlop / kByte, R> intensity, ridge;

  std::string_view bound() const { return cost.compute < cost.memory ? "memory" : "compute"; }

  template <class V>
  void metrics(V&& v) const {
    v(MetricInfo{"time", "time of the product"}, time);
    v(MetricInfo{"bound", "bound by"}, bound());
    v(MetricInfo{"flops", "FLOP"}, cost.flops);
    v(MetricInfo{"bytes", "bytes read and written"}, cost.bytes);
    v(MetricInfo{"time.gpu", "time on the GPU"}, cost.time);
    v(MetricInfo{"time.fixed", "fixed time of the kernel"}, cost.fixed);
    v(MetricInfo{"time.compute", "time of the FLOP"}, cost.compute);
    v(MetricInfo{"time.memory", "time of the bytes"}, cost.memory);
    if (quantizes) v(MetricInfo{"time.quantize", "time to quantize the activation"}, cost.quantize);
    v(kReachedFlops, reached);
    v(kReachedPeakShare, share);
    v(kReachedBytes, bytes_reached);
    v(kProductIntensity, intensity);
    v(kProductRidge, ridge);
  }
};

template <class R>
GemmAnswer<R> answer(const GemmQuestion<R>& question);

}  // namespace reckon
