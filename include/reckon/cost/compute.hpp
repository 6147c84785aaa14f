// Compute time of a step: from an assumed MFU, T = FLOPs / (GPUs · peak · MFU).
//
// ComputeTime is the seam: a model of kernels fills the same struct from a software stack, and
// nothing above changes.
#pragma once

#include "reckon/cost/flops.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/cost/operators/layer.hpp"

namespace reckon {

inline const Formula kFlopsPerStep{"flops.per_step", "F_step", "FLOPs of a step, all GPUs",
                                   "FLOPs of a token · tokens"};
inline const Formula kCompute{"step.compute", "T_compute", "compute time of a step",
                              "FLOPs over the GPUs' peak · MFU"};
inline const Formula kRecomputeTime{"step.recompute", "T_again", "recomputed work",
                                    "its FLOPs over the GPUs' peak · MFU"};

inline const Formula kModuleTime{
    "recompute.time", "T_mod", "a module of all layers, computed again",
    "its FLOPs at the stated MFU, and what else passes through memory"};
inline const Formula kModulesTime{"step.recompute_modules", "T_again", "recomputed modules",
                                  "sum over the modules"};

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

// Whether recompute takes time of its own beside a stated MFU.
template <class R>
bool adds_recompute(const Assume<R>& assume) {
  return assume.recompute == RecomputeCount::kAdded && assume.flops != FlopCount::kHfu;
}

// One module in a step, a mean over the stages. F_run: attention cores of all layers, forward, as the MFU's convention
// counts them.
template <class R>
Seconds<R> assumed_module_time(const TrainingPlan<R>& plan, const Layout<R>& x, RecomputeModule m,
                               Flops<R> F_run) {
  auto F_mod = module_flops(plan.model, m, F_run);
  auto S_mod = module_bytes(plan, m, layer_shape(plan, x));
  auto P = peak(plan);
  auto MFU = *plan.assume.train.mfu;
  auto G = x.G;
  auto T_step = x.tokens;
  auto n = x.n;
  auto p = plan.mesh.pipeline;
  const auto& W_m = plan.cluster.node.chip.memory.bandwidth;
  const auto& e_m = plan.assume.efficiency.memory;
  NAME(F_mod, S_mod, P, MFU, G, T_step, n, p);
  return kModuleTime(F_mod * T_step / (G * P * MFU) + n * S_mod / p / (W_m * e_m));
}

template <class R>
Seconds<R> assumed_modules_time(const TrainingPlan<R>& plan, const Layout<R>& x, Flops<R> F_run) {
  Sum<kSecond, R> all;
  for (const RecomputeModule m : modules_again(plan))
    all.add(name_of(m), assumed_module_time(plan, x, m, F_run));
  return kModulesTime(all.total());
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
  if (!adds_recompute(plan.assume)) return c;
  if (by_modules(plan.recompute) && tokens.core) {
    c.recompute = assumed_modules_time(plan, x, *tokens.core);
  } else if (tokens.again) {
    auto F_again = *tokens.again;
    NAME(F_again);
    c.recompute = kRecomputeTime(F_again * T_step / (G * P * MFU));
  }
  return c;
}

}  // namespace reckon
