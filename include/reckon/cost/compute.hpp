// Compute time of a step: from an assumed MFU, T = FLOPs / (GPUs · peak · MFU).
//
// ComputeTime is the seam: a model of kernels fills the same struct from a software stack, and
// nothing above changes.
#pragma once

#include "reckon/cost/flops.hpp"
#include "reckon/cost/layout.hpp"

namespace reckon {

inline const Formula kFlopsPerStep{"flops.per_step", "F_step", "FLOPs of a step, all GPUs",
                                   "FLOPs of a token · tokens"};
inline const Formula kCompute{"step.compute", "T_compute", "compute time of a step",
                              "FLOPs over the GPUs' peak · MFU"};
inline const Formula kRecomputeTime{"step.recompute", "T_again", "recomputed work",
                                    "its FLOPs over the GPUs' peak · MFU"};

template <class R>
FlopRate<R> peak(const TrainingPlan<R>& plan) {
  return *plan.cluster.node.chip.peak.of(
      plan.precision.compute);  // legality has checked it is there
}

// Compute time of a step on one GPU, mean over the stages, and how the stages share it.
template <class R>
struct ComputeTime {
  Seconds<R> useful, recompute{};

  Seconds<R> total() const { return useful + recompute; }
};

// FLOPs of a step on all GPUs, under the plan's convention.
template <class R>
std::optional<Flops<R>> step_flops(const TrainingPlan<R>& plan, const Layout<R>& x,
                                   const TokenFlops<R>& tokens) {
  const auto per_token = tokens.of(plan.assume.flops);
  if (!per_token) return {};
  auto F = *per_token;
  auto T_step = x.tokens;
  NAME(F, T_step);
  return kFlopsPerStep(F * T_step);
}

// The seam: an operator-level model fills the same struct from kernels.
template <class R>
ComputeTime<R> assumed_compute(const TrainingPlan<R>& plan, const Layout<R>& x,
                               const TokenFlops<R>& tokens, Flops<R> flops) {
  auto T_step = x.tokens;
  NAME(T_step);
  auto P = peak(plan);
  auto MFU = *plan.assume.train.mfu;
  auto G = x.G;
  NAME(P, MFU, G);
  ComputeTime<R> c{kCompute(flops / (G * P * MFU)), {}};
  const bool added =
      plan.assume.recompute == RecomputeCount::kAdded && plan.assume.flops != FlopCount::kHfu;
  if (tokens.again && added) {
    auto F_again = *tokens.again;
    NAME(F_again);
    c.recompute = kRecomputeTime(F_again * T_step / (G * P * MFU));
  }
  return c;
}

}  // namespace reckon
