// Kaplan's losses: from compute, or from parameters and tokens both.
//
//   L(C_min) = (c / C_min)^α_C
//   L(N, D)  = [(N_c/N)^(α_N/α_D) + D_c/D]^α_D
//
// N counts no embeddings, C_min is in the law's unit (a PF-day).   Source: Kaplan 2020, equations 1.3 and 1.5.
#pragma once

#include "reckon/cost/scaling.hpp"

namespace reckon {

inline const Formula kKaplanCompute{"loss.of_compute", "L", "loss at the best split of compute",
                                    "Kaplan 2020, equation 1.3", Hint::kRatio};
inline const Formula kKaplanJoint{"loss.of_params_and_tokens", "L",
                                  "loss of a size on so many tokens", "Kaplan 2020, equation 1.5",
                                  Hint::kRatio};

template <class R>
Ratio<R> kaplan_loss(const KaplanLosses<R>& law, Flops<R> C_min, Flops<R> unit) {
  auto c = law.compute.scale, a = law.compute.exponent;
  auto C_unit = unit;
  NAME(c, a, C_min, C_unit);
  return kKaplanCompute(pow(c / (C_min / C_unit), a));
}

template <class R>
Ratio<R> kaplan_loss(const KaplanLosses<R>& law, const Point<R>& x) {
  auto [N, D] = x;
  NAME(N, D);
  return kKaplanJoint(pow(
      pow(law.joint_params / N, law.alpha_N / law.alpha_D) + law.joint_tokens / D, law.alpha_D));
}

}  // namespace reckon
