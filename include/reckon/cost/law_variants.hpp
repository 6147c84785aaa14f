// Laws of mixtures of experts and of training in narrow numbers, at a stated size and number of tokens.
//
// Their printed constants do not give their papers' figures (laws/*.yaml say how far off they are): the trend
// is what they are good for. Sources: Krajewski 2024, Ludziejewski 2025, Clark 2022, Tian 2025, Kumar 2024.
#pragma once

#include "reckon/cost/scaling.hpp"
#include "reckon/spec/questions/scaling.hpp"

namespace reckon {

inline const Formula kGranularLoss{"loss.granular_moe", "L", "loss of a mixture of fine experts",
                                   "Krajewski 2024, equation 9", Hint::kRatio};
inline const Formula kEffectiveExperts{"moe.effective_experts", "Ê", "effective number of experts",
                                       "Clark 2022, equation 9: saturates at both ends",
                                       Hint::kRatio};
inline const Formula kRoutedLoss{"loss.routed_moe", "L", "loss of a routed model",
                                 "Clark 2022, equation 8", Hint::kRatio};
inline const Formula kJointLoss{"loss.joint_moe", "L", "loss of a mixture of experts",
                                "Ludziejewski 2025, equation 5", Hint::kRatio};
inline const Formula kEffectiveShare{"moe.effective_share", "Â",
                                     "effective share of active experts",
                                     "saturates at both ends, as in Clark 2022", Hint::kRatio};
inline const Formula kLeverage{"moe.leverage_of", "EL",
                               "dense compute over a mixture's, for the same loss",
                               "Tian 2025, equation 13", Hint::kRatio};
inline const Formula kKeptShare{"precision.kept", "N_eff/N", "share of the parameters that count",
                                "Kumar 2024: 1 − e^(−bits/γ) for weights, activations, cache",
                                Hint::kRatio};
inline const Formula kEffectiveParams{"precision.effective", "N_eff",
                                      "parameters that narrow numbers leave", "Kumar 2024",
                                      Hint::kParams};

template <class R>
struct LawVariant {
  std::optional<Ratio<R>> loss, effective_experts, leverage, kept;
  std::optional<Count<R>> effective_params;

  template <class V>
  void metrics(V&& v) const {
    if (effective_experts)
      v(MetricInfo{"moe.experts", "effective number of experts", Hint::kRatio}, *effective_experts);
    if (leverage)
      v(MetricInfo{"moe.leverage", "dense compute over a mixture's, for the same loss",
                   Hint::kRatio},
        *leverage);
    if (kept)
      v(MetricInfo{"precision.share", "share of the parameters that count", Hint::kRatio}, *kept);
    if (effective_params)
      v(MetricInfo{"precision.params", "parameters that narrow numbers leave", Hint::kParams},
        *effective_params);
  }
};

template <class R>
Ratio<R> granular_loss(const GranularMoe<R>& law, const Point<R>& x, Ratio<R> G) {
  auto [N, D] = x;
  NAME(N, D, G);
  return kGranularLoss(law.E + (law.g / pow(G, law.gamma) + law.a) / pow(N, law.alpha) +
                       law.b / pow(D, law.beta));
}

// 1/Ê = 1/(E − 1 + 1/(1/E_start − 1/E_max)) + 1/E_max
template <class R>
Ratio<R> effective_experts(const RoutedMoe<R>& law, Count<R> experts) {
  auto n_E = experts;
  auto E_0 = called("E_0", 1 / (1 / law.start - 1 / law.most));
  NAME(n_E);
  return kEffectiveExperts(1 / (1 / (n_E - 1 + E_0) + 1 / law.most));
}

template <class R>
Ratio<R> routed_loss(const RoutedMoe<R>& law, Count<R> N, Ratio<R> E_hat) {
  NAME(N, E_hat);
  auto ln10 = called("ln10", log(Ratio<R>(10)));
  auto n = called("n", log(N) / ln10);
  auto e = called("e", log(E_hat) / ln10);
  return kRoutedLoss(pow(Ratio<R>(10), law.d - law.a * n - law.b * e + law.c * n * e));
}

template <class R>
Ratio<R> joint_loss(const JointMoe<R>& law, const Point<R>& x, Count<R> experts) {
  auto [N, D] = x;
  auto n_E = experts;
  NAME(N, D, n_E);
  auto l = called("l", log(n_E));
  return kJointLoss(law.a / (pow(n_E, law.delta) * pow(N, law.alpha - law.gamma * l)) +
                    law.b * pow(n_E, law.omega) / pow(D, law.beta + law.zeta * l) + law.c);
}

template <class R>
Ratio<R> leverage(const LeverageTerms<R>& law, Flops<R> C, Ratio<R> active, Ratio<R> G) {
  auto A_share = active;
  NAME(C, A_share, G);
  auto A_0 = called("A_0", 1 / (1 / law.start - 1 / law.most));
  auto share = kEffectiveShare(1 / (1 / (A_share + A_0) + 1 / law.most));
  auto g = called("g", log(G));
  auto c = called("c", log(C / 1_flop) / log(Ratio<R>(10)));
  return kLeverage(pow(share, law.a - law.d * c + law.gamma * g * g - law.beta * g));
}

template <class R>
Ratio<R> kept_share(const PrecisionTerms<R>& law, Count<R> weights, Count<R> activations,
                    Count<R> cache) {
  auto P_bw = weights, P_ba = activations, P_bkv = cache;
  NAME(P_bw, P_ba, P_bkv);
  return kKeptShare((1 - exp(-(P_bw / law.weights))) * (1 - exp(-(P_ba / law.activations))) *
                    (1 - exp(-(P_bkv / law.cache))));
}

}  // namespace reckon
