// GPUs by the hour: compute as GPU time, and that as days, dollars, energy and carbon dioxide; and back.
//
//   hired_time(flops, rate)     GPU time = C / (peak · MFU)
//   flops_in(time, rate)        the reverse
#pragma once

#include "reckon/cost/run.hpp"
#include "reckon/cost/whole.hpp"
#include "reckon/spec/questions/scaling.hpp"

namespace reckon {

inline const Formula kHiredPeak{"hire.reached_peak", "P_eff", "FLOP/s that a GPU reaches",
                                "peak · MFU"};
inline const Formula kHiredTime{"hire.gpu_time", "T_gpu", "GPU time of the run",
                                "compute over what a GPU reaches", Hint::kGpuHours};
inline const Formula kHiredFlops{"hire.flops", "C", "compute of so much GPU time",
                                 "GPU time · what a GPU reaches"};
inline const Formula kTimeOfMoney{"hire.gpu_time_of_budget", "T_gpu", "GPU time that money buys",
                                  "budget / price", Hint::kGpuHours};
inline const Formula kTimeOfDays{"hire.gpu_time_of_days", "T_gpu", "GPU time of a cluster's days",
                                 "days · GPUs", Hint::kGpuHours};
inline const Formula kHiredDays{"hire.days", "T_run_time", "length of the run",
                                "GPU time over GPUs", Hint::kDays};
inline const Formula kHiredGpus{"hire.gpus", "n_GPU", "GPUs that finish in that time",
                                "GPU time over the length, rounded up", Hint::kCount};
inline const Formula kCarbon{"hire.carbon", "CO2", "carbon dioxide of the run",
                             "energy · intensity of the electricity"};

// Dense peak of what was named, or as stated.
template <class R>
std::optional<FlopRate<R>> hired_peak(const OnHire<R>& hire) {
  if (hire.chip.peak) return hire.chip.peak;
  return hire.hardware ? hire.hardware->peak.of(hire.chip.compute) : std::nullopt;
}

// Absent where peak or MFU are not stated.
template <class R>
std::optional<FlopRate<R>> hired_rate(const OnHire<R>& hire) {
  const auto peak = hired_peak(hire);
  if (!peak || !hire.mfu) return {};
  auto P_chip = *peak;
  auto MFU = *hire.mfu;
  NAME(P_chip, MFU);
  return kHiredPeak(P_chip * MFU);
}

template <class R>
Seconds<R> hired_time(Flops<R> C, FlopRate<R> P_eff) {
  NAME(C, P_eff);
  return kHiredTime(C / P_eff);
}
template <class R>
Flops<R> flops_in(Seconds<R> T_gpu, FlopRate<R> P_eff) {
  NAME(T_gpu, P_eff);
  return kHiredFlops(T_gpu * P_eff);
}

// What a run costs beside time.
template <class R>
struct Hired {
  std::optional<Seconds<R>> gpu_time, days;
  std::optional<Count<R>> gpus;
  std::optional<Dollars<R>> cost;
  std::optional<Joules<R>> energy;
  std::optional<Grams<R>> carbon;
};

template <class R>
std::optional<Watts<R>> hired_power(const OnHire<R>& hire) {
  if (hire.power) return hire.power;
  return hire.hardware ? hire.hardware->power : std::nullopt;
}

template <class R>
Hired<R> hired(const OnHire<R>& hire, Seconds<R> gpu_time, const std::optional<Seconds<R>>& days,
               const std::optional<Count<R>>& gpus, const Assume<R>& assume) {
  Hired<R> out;
  auto T_gpu = gpu_time;
  NAME(T_gpu);
  out.gpu_time = T_gpu;
  out.gpus = gpus;
  if (gpus) {
    auto n_GPU = *gpus;
    NAME(n_GPU);
    out.days = kHiredDays(T_gpu / n_GPU);
  } else if (days) {
    auto T_run_time = *days;
    NAME(T_run_time);
    out.days = days;
    out.gpus = kHiredGpus(least_whole(T_gpu / T_run_time));
  }
  if (const auto power = hired_power(hire)) {
    auto P_w = *power;
    NAME(P_w);
    out.energy = kEnergy(T_gpu * P_w * assume.power * assume.pue);
    if (hire.carbon) out.carbon = kCarbon(*out.energy * *hire.carbon);
  }
  if (hire.price) out.cost = kCost(T_gpu * *hire.price);
  return out;
}

}  // namespace reckon
