// Time of one matrix product C[m,n] = A[m,k]·B[k,n], and of a grouped one (experts).
//
//   GemmCost<double> x = gemm_cost({m, n, k}, kernel, {P, W});
//   x.time, x.compute, x.memory, x.quantize
//
//   t = t_0 + q + max(2·m·n·k/(P·c), (n·k·w + m·k·a + m·n·o)/(W·e))     q = m·k·(o + a)/(W·e) if it quantizes
//
// A fixed time, a ceiling of the peak and a share of the bandwidth: three constants per chip, library and format.
// Tiles, waves and p-norms buy nothing at n ≥ 4096 (docs/accuracy.md); below n = 2048 nothing was measured.
#pragma once

#include "reckon/spec/kernels.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kGemmFlops{"gemm.flops", "F", "FLOP of the product", "2·m·n·k"};
inline const Formula kGemmBytes{"gemm.bytes", "D", "bytes read and written",
                                "both operands and the product, once"};
inline const Formula kGemmQuantize{"gemm.quantize", "q", "time to quantize the activation",
                                   "read in the output's format, written in the operands'"};
inline const Formula kGemmCompute{"gemm.compute", "t_F", "time of the FLOP",
                                  "FLOP over the share of the peak a large product reaches"};
inline const Formula kGemmMemory{"gemm.memory", "t_D", "time of the bytes",
                                 "bytes over the share of the bandwidth a skinny product reaches"};
inline const Formula kProductTime{"gemm.time", "t_gemm", "time of the product",
                                  "fixed time + the slower of FLOP and bytes: Williams 2009"};
inline const Formula kProductTimeQuantized{
    "gemm.time_quantized", "t_gemm", "time of the product, the activation quantized first",
    "fixed time + quantizing + the slower of FLOP and bytes"};
inline const Formula kGroupedFlops{"grouped_gemm.flops", "F", "FLOP of all groups",
                                   "2·rows·n·k over all groups together"};
inline const Formula kGroupedBytes{"grouped_gemm.bytes", "D", "bytes read and written",
                                   "the matrices of the groups that have rows; all rows"};
inline const Formula kGroupedTime{"grouped_gemm.time", "t_grouped", "time of the grouped product",
                                  "fixed time + the slower of FLOP and bytes"};

template <class R>
struct GemmShape {
  Count<R> m, n, k;
};

// What a chip could do at best.
template <class R>
struct Peaks {
  FlopRate<R> P;
  ByteRate<R> W;
};

template <class R>
struct GemmCost {
  Flops<R> flops;
  Bytes<R> bytes;
  Seconds<R> fixed, quantize, compute, memory, time;
};

namespace detail {

// The slower of computing and reading; the other is kept for the derivation.
template <class R>
Seconds<R> roofline(Seconds<R> t_F, Seconds<R> t_D) {
  Largest<kSecond, R> slower;
  slower.offer("compute", t_F);
  slower.offer("memory", t_D);
  return slower.best();
}

template <class R, class Kernel>
void price(GemmCost<R>& x, const Kernel& kernel, const Peaks<R>& peaks, Ratio<R> c) {
  auto F = x.flops;
  auto D = x.bytes;
  auto P = peaks.P;
  auto W = peaks.W;
  auto e = kernel.memory;
  NAME(F, D, P, W, c, e);
  x.fixed = kernel.fixed;
  x.compute = kGemmCompute(F / (P * c));
  x.memory = kGemmMemory(D / (W * e));
}

}  // namespace detail

// `Kernel`: a GemmKernel, or whatever has its constants.
template <class R, class Kernel>
GemmCost<R> gemm_cost(const GemmShape<R>& shape, const Kernel& kernel, const Peaks<R>& peaks) {
  auto [m, n, k] = shape;
  auto w = kernel.weight;
  auto a = kernel.activation;
  auto o = kernel.output;
  auto W = peaks.W;
  auto e = kernel.memory;
  NAME(m, n, k, w, a, o, W, e);
  GemmCost<R> x;
  x.flops = kGemmFlops(2_flop * m * n * k);
  x.bytes = kGemmBytes(n * k * w + m * k * a + m * n * o);
  detail::price(x, kernel, peaks, kernel.compute);
  auto t_0 = x.fixed;
  auto work = detail::roofline(x.compute, x.memory);
  NAME(t_0, work);
  if (!kernel.quantizes) {
    x.time = kProductTime(t_0 + work);
    return x;
  }
  x.quantize = kGemmQuantize(m * k * (o + a) / (W * e));
  auto q = x.quantize;
  x.time = kProductTimeQuantized(t_0 + q + work);
  return x;
}

template <class R>
GemmCost<R> gemm_cost(const GemmShape<R>& shape, const GemmKernel<R>& kernel,
                      const Peaks<R>& peaks) {
  return gemm_cost<R, GemmKernel<R>>(shape, kernel, peaks);
}

// One kernel over the experts of a GPU: `rows` token copies in all, `touched` experts that have any. `slower`: the
// share of a dense product's ceiling that a grouped one reaches.
template <class R>
struct GroupedShape {
  Count<R> rows, touched, n, k;
  Ratio<R> slower{1};
};

template <class R, class Kernel>
GemmCost<R> grouped_gemm_cost(const GroupedShape<R>& shape, const Kernel& kernel,
                              const Peaks<R>& peaks) {
  auto [rows, touched, n, k, c_moe] = shape;
  auto w = kernel.weight;
  auto a = kernel.activation;
  auto o = kernel.output;
  auto c_dense = kernel.compute;
  NAME(rows, touched, n, k, c_moe, w, a, o, c_dense);
  GemmCost<R> x;
  x.flops = kGroupedFlops(2_flop * rows * n * k);
  x.bytes = kGroupedBytes(touched * n * k * w + rows * (k * a + n * o));
  detail::price(x, kernel, peaks, c_dense * c_moe);
  auto t_0 = x.fixed;
  auto work = detail::roofline(x.compute, x.memory);
  NAME(t_0, work);
  x.time = kGroupedTime(t_0 + work);
  return x;
}

template <class R>
GemmCost<R> grouped_gemm_cost(const GroupedShape<R>& shape, const GemmKernel<R>& kernel,
                              const Peaks<R>& peaks) {
  return grouped_gemm_cost<R, GemmKernel<R>>(shape, kernel, peaks);
}

}  // namespace reckon
