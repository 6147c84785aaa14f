// How uneven arrivals are: the variance of the times between requests over that of exponential ones.
//
//   burst_of(shape, rate)                 // 1 of Poisson arrivals; ca² of gamma ones; the dispersion of bursts
//   burst_of_share(burst, engines)        // of those that reach one of several engines, each by chance
#pragma once

#include "reckon/cost/load/input.hpp"
#include "reckon/spec/questions/traffic.hpp"

namespace reckon {

inline const Formula kBurstVariance{"load.burst", "ca²",
                                    "variance of the times between requests, Poisson 1",
                                    "burstiness squared", Hint::kRatio};
inline const Formula kBurstDispersion{"load.burst_dispersion", "ca²",
                                      "dispersion of arrivals at long times, Poisson 1",
                                      "1 + 2·r·(1 − p) / (1/t_on + 1/t_off)", Hint::kRatio};
inline const Formula kBurstShare{"load.burst_share", "ca²",
                                 "dispersion of the arrivals at one engine",
                                 "a share by chance of uneven arrivals is more even", Hint::kRatio};
inline const Formula kBurstDealt{"load.burst_dealt", "ca²",
                                 "variance of the times between requests of one engine",
                                 "dealt in turn: over the engines", Hint::kRatio};

template <class R>
Ratio<R> burst_of(const TrafficShape<R>& t, const std::optional<Frequency<R>>& of) {
  if (t.arrivals == ArrivalKind::kGamma && t.burstiness) {
    auto ca = *t.burstiness;
    NAME(ca);
    return kBurstVariance(ca * ca);
  }
  if (t.arrivals != ArrivalKind::kBursts || !of) return Ratio<R>{1};
  auto t_on = *t.burst;
  auto t_off = *t.pause;
  auto rate = *of;
  NAME(t_on, t_off, rate);
  auto p = t_on / (t_on + t_off);
  NAME(p);
  auto r = called("r", rate / p, Hint::kRequestRate);
  return kBurstDispersion(1 + 2 * r * (1 - p) / (1 / t_on + 1 / t_off));
}

template <class R>
Ratio<R> burst_of_share(Ratio<R> burst, Count<R> engines) {
  if (plain(burst) == 1) return burst;
  auto I = burst;
  auto E = engines;
  NAME(I, E);
  return kBurstShare(1 + (I - 1) / E);
}

}  // namespace reckon
