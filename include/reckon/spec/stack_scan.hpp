// How well a stack runs the kernels of mixers that keep a state: mamba1, mamba2, delta_net, lightning.
//
//   scan: {ceiling: 13.7%, vector: 10%, backward: 3.6, kernels: 5, measured: no}
//
//   t_scan = max(FLOPs / (P_16 · ceiling), bytes / (W_m · traffic.efficiency)) + kernels · fixed.kernel
//
// `measured: no` says that no training run with such layers stands behind the shares: every estimate that uses them
// says so. Shares are of 1.
#pragma once

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

template <class R>
struct ScanStack {
  Ratio<R> ceiling{1}, vector{1}, backward{1};
  Count<R> kernels{1};
  bool measured = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ceiling", "c_scan", "share of the 16-bit peak that products within chunks reach")
          .required()
          .efficiency(),
      s.ceiling...);
    v(Field("vector", "c_vec", "mamba1: share of the fp32 peak that its scan reaches")
          .required()
          .efficiency(),
      s.vector...);
    v(Field("backward", "f_scan", "time of the backward kernels over that of the forward ones")
          .required()
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.backward...);
    v(Field("kernels", "n_scan", "kernels of a scan, forward").required().count(), s.kernels...);
    v(Field("measured", "", "whether training runs with such layers stand behind these"),
      s.measured...);
  }
};

}  // namespace reckon
