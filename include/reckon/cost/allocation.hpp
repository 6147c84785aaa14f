// How a law splits compute between parameters and tokens, whatever its family.
//
//   loss         where the loss is least (scaling.hpp)
//   ratio        D = r·N: N = √(C / (k·r))
//   allocation   powers of C for N, for D, or for the FLOPs of a token, M = k·N; C = k·N·D gives what is missing
//   kaplan       powers of C_min, the compute at a batch far below the critical one. At the critical batch C is
//                twice that.
//
//   Sources: Hoffmann 2022, Kaplan 2020 section 6, DeepSeek LLM 2024 section 3.
#pragma once

#include "reckon/cost/scaling.hpp"

namespace reckon {

inline const Formula kRatioParams{"scaling.ratio_params", "N*", "parameters at a fixed D / N",
                                  "C = k·N·D with D = r·N", Hint::kParams};
inline const Formula kRatioTokens{"scaling.ratio_tokens", "D*", "tokens at a fixed D / N",
                                  "D = r·N", Hint::kTokens};
inline const Formula kRatioFlops{"scaling.ratio_flops", "C", "compute of a size at a fixed D / N",
                                 "C = k·N·D with D = r·N"};
inline const Formula kRatioFlopsTokens{"scaling.ratio_flops_of_tokens", "C",
                                       "compute of so many tokens at a fixed D / N",
                                       "C = k·N·D with N = D / r"};

inline const Formula kPowerParams{"scaling.power_params", "N*", "parameters by a power of compute",
                                  "the law's file", Hint::kParams};
inline const Formula kPowerTokens{"scaling.power_tokens", "D*", "tokens by a power of compute",
                                  "the law's file", Hint::kTokens};
inline const Formula kPowerPerToken{"scaling.power_flops_per_token", "M",
                                    "FLOPs of a token by a power of compute", "the law's file",
                                    Hint::kPerToken};
inline const Formula kParamsOfPerToken{"scaling.params_of_flops_per_token", "N*",
                                       "parameters that do so many FLOPs a token", "N = M / k",
                                       Hint::kParams};
inline const Formula kPowerBatch{"scaling.power_batch", "B", "tokens of a step, by compute",
                                 "the law's file", Hint::kTokens};
inline const Formula kPowerSteps{"scaling.power_steps", "S", "steps, by compute", "the law's file",
                                 Hint::kRatio};
inline const Formula kPowerFlops{"scaling.flops_by_power", "C",
                                 "compute for which a size is the law's", "N = n·C^a solved for C"};
inline const Formula kPowerFlopsTokens{"scaling.flops_by_token_power", "C",
                                       "compute for which so many tokens are the law's",
                                       "D = d·C^a solved for C"};
inline const Formula kPowerFlopsPerToken{"scaling.flops_by_flops_per_token", "C",
                                         "compute for which a size is the law's",
                                         "k·N = m·C^a solved for C"};
inline const Formula kOtherFlops{"scaling.flops_by_other_power", "C",
                                 "compute for which this is what the other power leaves",
                                 "C = k·N·D with the other a power of C"};
inline const Formula kRunOfMin{"scaling.flops_at_critical_batch", "C",
                               "compute of a run at the critical batch",
                               "McCandlish 2018: C = C_min·(1 + B/B_crit), B = B_crit"};
inline const Formula kMinOfRun{"scaling.c_min", "C_min",
                               "compute of the same at a batch far below the critical one",
                               "McCandlish 2018: C_min = C / (1 + B/B_crit), B = B_crit"};

namespace detail {

template <class R>
Count<R> by_power(const Formula& f, const PowerLaw<R>& p, Flops<R> C, Flops<R> unit) {
  auto n = p.scale, a = p.exponent;
  auto C_unit = unit;
  NAME(n, a, C, C_unit);
  return f(n * pow(C / C_unit, a));
}
template <class R>
Flops<R> invert_power(const Formula& f, const PowerLaw<R>& p, Count<R> x, Flops<R> unit) {
  auto n = p.scale, a = p.exponent;
  auto C_unit = unit;
  NAME(x, n, a, C_unit);
  return f(C_unit * pow(x / n, 1 / a));
}
// The other of N and D is a power of C: x = C / (k · n · (C/C_unit)^a).
template <class R>
Flops<R> invert_other(const PowerLaw<R>& p, Count<R> x, Flops<R> unit, Flops<R> k) {
  auto n = p.scale, a = p.exponent;
  auto C_unit = unit;
  NAME(x, k, n, a, C_unit);
  return kOtherFlops(C_unit * pow(k * n * x / C_unit, 1 / (1 - a)));
}

// N = M / k, M in FLOP.
template <class R>
Count<R> by_flops_per_token(const PowerLaw<R>& p, Flops<R> C, Flops<R> unit, Flops<R> k) {
  auto m = p.scale, a = p.exponent;
  auto C_unit = unit;
  NAME(m, a, C, C_unit, k);
  auto M = kPowerPerToken(m * pow(C / C_unit, a) * 1_flop);
  return kParamsOfPerToken(M / k);
}
template <class R>
Flops<R> invert_flops_per_token(const PowerLaw<R>& p, Count<R> N, Flops<R> unit, Flops<R> k) {
  auto m = p.scale, a = p.exponent;
  auto C_unit = unit;
  NAME(N, k, m, a, C_unit);
  return kPowerFlopsPerToken(C_unit * pow(N * k / (m * 1_flop), 1 / a));
}

template <class R>
Point<R> split_by_powers(const Allocation<R>& x, Flops<R> C, Flops<R> k) {
  std::optional<Count<R>> N, D;
  if (x.params) N = by_power(kPowerParams, *x.params, C, x.unit);
  if (x.flops_per_token) N = by_flops_per_token(*x.flops_per_token, C, x.unit, k);
  if (x.tokens) D = by_power(kPowerTokens, *x.tokens, C, x.unit);
  if (!N) N = params_of_budget(C, *D, k);
  if (!D) D = tokens_of_budget(C, *N, k);
  return {*N, *D};
}

template <class R>
Point<R> split_by_ratio(Ratio<R> ratio, Flops<R> C, Flops<R> k) {
  auto r = ratio;
  NAME(C, k, r);
  auto N = kRatioParams(sqrt(C / (k * r)));
  return {N, kRatioTokens(r * N)};
}

}  // namespace detail

// Whether a law says how compute is split.
template <class R>
bool allocates(const Law<R>& law) {
  return law.family == LawFamily::kLoss || law.family == LawFamily::kRatio ||
         law.family == LawFamily::kAllocation || law.family == LawFamily::kKaplan;
}

// C_min of a run's compute; the compute itself where the law counts no such thing.
template <class R>
Flops<R> counted_flops(const Law<R>&, Flops<R> C, bool critical_batch) {
  if (!critical_batch) return C;
  NAME(C);
  return kMinOfRun(C / 2);
}
template <class R>
Flops<R> run_flops(Flops<R> C_min, bool critical_batch) {
  if (!critical_batch) return C_min;
  NAME(C_min);
  return kRunOfMin(2 * C_min);
}

// C as the law counts it.
template <class R>
Point<R> split(const Law<R>& law, Flops<R> C, Flops<R> k) {
  if (law.family == LawFamily::kRatio) return detail::split_by_ratio(*law.tokens_per_param, C, k);
  if (law.family == LawFamily::kLoss) return optimum(loss_curve(*law.loss), C, k);
  return detail::split_by_powers(*law.allocation, C, k);
}

template <class R>
Flops<R> flops_for_params(const Law<R>& law, Count<R> N, Flops<R> k) {
  using namespace detail;
  if (law.family == LawFamily::kLoss) return flops_of_params(loss_curve(*law.loss), N, k);
  if (law.family == LawFamily::kRatio) {
    auto r = *law.tokens_per_param;
    NAME(N, k, r);
    return kRatioFlops(k * r * N * N);
  }
  const Allocation<R>& x = *law.allocation;
  if (x.params) return invert_power(kPowerFlops, *x.params, N, x.unit);
  if (x.flops_per_token) return invert_flops_per_token(*x.flops_per_token, N, x.unit, k);
  return invert_other(*x.tokens, N, x.unit, k);
}

template <class R>
Flops<R> flops_for_tokens(const Law<R>& law, Count<R> D, Flops<R> k) {
  using namespace detail;
  if (law.family == LawFamily::kLoss) return flops_of_tokens(loss_curve(*law.loss), D, k);
  if (law.family == LawFamily::kRatio) {
    auto r = *law.tokens_per_param;
    NAME(D, k, r);
    return kRatioFlopsTokens(k * D * D / r);
  }
  const Allocation<R>& x = *law.allocation;
  if (x.tokens) return invert_power(kPowerFlopsTokens, *x.tokens, D, x.unit);
  return invert_other(*x.params, D, x.unit, k);
}

}  // namespace reckon
