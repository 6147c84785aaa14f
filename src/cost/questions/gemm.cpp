#include "reckon/cost/questions/gemm.hpp"

namespace reckon {

template <class R>
GemmAnswer<R> answer(const GemmQuestion<R>& question) {
  const GemmKernel<R>& kernel = *question.kernel;
  const Peaks<R> peaks{*question.chip->peak.of(kernel.peak), question.chip->memory.bandwidth};
  GemmAnswer<R> out;
  out.grouped = question.groups.has_value();
  out.quantizes = kernel.quantizes && !out.grouped;
  out.cost = out.grouped ? grouped_gemm_cost({*question.m, *question.groups, *question.n,
                                              *question.k, Ratio<R>{1}},
                                             kernel, peaks)
                         : gemm_cost({*question.m, *question.n, *question.k}, kernel, peaks);
  out.time = question.launch == LaunchKind::kStream
                 ? launched_time(out.cost.time, question.host->stream)
                 : out.cost.time;
  auto F = out.cost.flops;
  auto D = out.cost.bytes;
  auto t = out.time;
  auto P = peaks.P;
  auto W = peaks.W;
  auto c = kernel.compute;
  auto e = kernel.memory;
  NAME(F, D, t, P, W, c, e);
  out.reached = kReachedFlops(F / t);
  auto P_reached = out.reached;
  out.share = kReachedPeakShare(P_reached / P);
  out.bytes_reached = kReachedBytes(D / t);
  out.intensity = kProductIntensity(F / D);
  out.ridge = kProductRidge(P * c / (W * e));
  return out;
}

template GemmAnswer<double> answer(const GemmQuestion<double>&);
template GemmAnswer<Traced> answer(const GemmQuestion<Traced>&);

}  // namespace reckon
