// The whole run: steps, days, GPU-hours, energy, dollars.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/step.hpp"

namespace reckon {

inline const Formula kSteps{"run.steps", "n_step", "optimizer steps of the run",
                            "tokens over tokens of a step, rounded up", Hint::kCount};
inline const Formula kRunTime{"run.days", "T_run_time", "length of the run", "steps · step time",
                              Hint::kDays};
inline const Formula kGpuTime{"run.gpu_hours", "T_gpu", "GPU-hours of the run", "GPUs · length",
                              Hint::kGpuHours};
inline const Formula kEnergy{"run.energy", "E", "energy of the run",
                             "GPU-hours · board power · mean draw · PUE"};
inline const Formula kCost{"run.cost", "cost", "cost of the run", "GPU-hours · price"};
inline const Formula kTokensPerSecond{"throughput.tokens_per_second", "tok/s",
                                      "tokens per second, all GPUs", "tokens of a step / step time",
                                      Hint::kTokenRate};
inline const Formula kTokensPerSecondGpu{"throughput.per_gpu", "tok/s/GPU",
                                         "tokens per second and GPU", "over all GPUs",
                                         Hint::kTokenRate};
inline const Formula kMfu{"mfu.share", "MFU", "share of the peak over the whole step",
                          "FLOPs of a step / (GPUs · peak · step time)", Hint::kFraction};
inline const MetricInfo kMfu6n{"mfu.6n", "MFU counting 6N", Hint::kFraction},
    kMfuFull{"mfu.full", "MFU counting full attention", Hint::kFraction},
    kMfuCausal{"mfu.causal", "MFU counting causal attention", Hint::kFraction},
    kMfuHfu{"mfu.hfu", "HFU: recomputed work counted too", Hint::kFraction};

template <class R>
struct RunEstimate {
  std::optional<Count<R>> steps;
  std::optional<Seconds<R>> length, gpu_time;
  std::optional<Joules<R>> energy;
  std::optional<Dollars<R>> cost;
};

template <class R>
std::optional<Count<R>> run_steps(const TrainingPlan<R>& plan, const Layout<R>& x) {
  if (!plan.run.tokens) return {};
  auto T_step = x.tokens;
  NAME(T_step);
  return kSteps(ceil(*plan.run.tokens / T_step));
}

// Fills in what follows from the step time. Needs `steps`.
template <class R>
void estimate_run(const TrainingPlan<R>& plan, const Layout<R>& x, Seconds<R> step,
                  RunEstimate<R>& r) {
  if (!r.steps) return;
  auto T = step;
  NAME(T);
  auto length = kRunTime(*r.steps * T);
  auto gpu_time = kGpuTime(x.G * length);
  r.length = length;
  r.gpu_time = gpu_time;
  const auto& board = plan.cluster.node.chip.power;
  if (plan.run.power || board) {
    auto P_w = plan.run.power ? *plan.run.power : *board;
    NAME(P_w);
    r.energy = kEnergy(gpu_time * P_w * plan.assume.power * plan.assume.pue);
  }
  if (plan.run.price) r.cost = kCost(gpu_time * *plan.run.price);
}

template <class R>
std::optional<Ratio<R>> mfu(const TrainingPlan<R>& plan, const Layout<R>& x,
                            const std::optional<Flops<R>>& per_token, Seconds<R> step) {
  if (!per_token) return {};
  auto F = *per_token;
  auto T_step = x.tokens;
  auto P = peak(plan);
  auto G = x.G;
  auto T = step;
  NAME(F, T_step, P, G, T);
  return kMfu(F * T_step / (G * P * T));
}

}  // namespace reckon
