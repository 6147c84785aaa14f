// Compute, parameters, tokens and loss: the closed forms of L = E + A / N^α + B / D^β with C = k·N·D.
//
//   Along C = k·N·D the loss is least where both marginal returns are equal (Lagrange):
//   α·A·N^−α = β·B·D^−β, so N* = G·(C/k)^(β/s) and D* = (C/k)^(α/s) / G, with s = α + β and
//   G = (α·A / (β·B))^(1/s). Inverses by N, by D and by the loss follow.
//
// N and D are counts, C is in FLOP, losses in nats a token.   Source: Hoffmann 2022, section 3.3.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

inline const Formula kFlopsPerParamToken{"scaling.flops_per_param_token", "k",
                                         "FLOPs of a parameter and token in training",
                                         "Kaplan 2020, section 2.1: 2 forward + 4 backward"};
inline const Formula kScalingFlops{"scaling.flops", "C", "compute of the run", "C = k·N·D"};
inline const Formula kTokensOfBudget{"scaling.tokens_of_budget", "D",
                                     "tokens that the compute pays for", "C = k·N·D",
                                     Hint::kTokens};
inline const Formula kParamsOfBudget{"scaling.params_of_budget", "N",
                                     "parameters that the compute pays for", "C = k·N·D",
                                     Hint::kParams};
inline const Formula kTokensPerParam{"scaling.tokens_per_param", "D/N", "tokens per parameter",
                                     "D / N", Hint::kRatio};

inline const Formula kBalance{"scaling.balance", "G", "split between parameters and tokens",
                              "Hoffmann 2022, equation 4", Hint::kRatio};
inline const Formula kGrowth{"scaling.growth", "a", "exponent with which N* grows with compute",
                             "β / s", Hint::kRatio};
inline const Formula kOptimalParams{"scaling.optimal_params", "N*", "compute-optimal parameters",
                                    "Lagrange: α·A·N^−α = β·B·D^−β on C = k·N·D", Hint::kParams};
inline const Formula kOptimalTokens{"scaling.optimal_tokens", "D*", "compute-optimal tokens",
                                    "Lagrange: α·A·N^−α = β·B·D^−β on C = k·N·D", Hint::kTokens};
inline const Formula kFlopsOfParams{"scaling.flops_of_params", "C",
                                    "compute for which a size is optimal", "N* solved for C"};
inline const Formula kFlopsOfTokens{"scaling.flops_of_tokens", "C",
                                    "compute for which so many tokens are optimal",
                                    "D* solved for C"};
inline const Formula kParamsOfLoss{
    "scaling.params_of_loss", "N*", "parameters of the cheapest run with a loss",
    "at the optimum the capacity term is β/s of what is reducible", Hint::kParams};
inline const Formula kTokensOfLoss{
    "scaling.tokens_of_loss", "D*", "tokens of the cheapest run with a loss",
    "at the optimum the data term is α/s of what is reducible", Hint::kTokens};
inline const Formula kTokensToReach{"scaling.tokens_to_reach", "D",
                                    "tokens after which a size has a loss", "L(N, D) solved for D",
                                    Hint::kTokens};
inline const Formula kParamsToReach{"scaling.params_to_reach", "N",
                                    "parameters with which so many tokens give a loss",
                                    "L(N, D) solved for N", Hint::kParams};

inline const Formula kCapacityTerm{"loss.capacity_term", "L_N", "loss for want of parameters",
                                   "A / N^α", Hint::kRatio};
inline const Formula kDataTerm{"loss.data_term", "L_D", "loss for want of data", "B / D^β",
                               Hint::kRatio};
inline const Formula kLossTotal{"loss.of_terms", "L", "loss, nats a token",
                                "Hoffmann 2022, equation 2", Hint::kRatio};
inline const Formula kMarginalParams{"marginal.of_params", "−dL/dlnN",
                                     "what growing the model is worth, per unit of ln N",
                                     "α·A·N^−α", Hint::kRatio};
inline const Formula kMarginalTokens{"marginal.of_tokens", "−dL/dlnD",
                                     "what more tokens are worth, per unit of ln D", "β·B·D^−β",
                                     Hint::kRatio};
inline const Formula kMarginalRatio{"marginal.over", "ratio_m",
                                    "marginal return of parameters over that of tokens",
                                    "1 at the optimum", Hint::kRatio};

template <class R>
Flops<R> flops_per_param_token() {
  Flops<R> forward(2_flop), backward(4_flop);
  NAME(forward, backward);
  return kFlopsPerParamToken(forward + backward);
}

// A run: so many parameters on so many tokens.
template <class R>
struct Point {
  Count<R> N, D;
};

template <class R>
Flops<R> flops_of(const Point<R>& x, Flops<R> k) {
  auto [N, D] = x;
  NAME(k, N, D);
  return kScalingFlops(k * N * D);
}
template <class R>
Count<R> tokens_of_budget(Flops<R> C, Count<R> N, Flops<R> k) {
  NAME(C, N, k);
  return kTokensOfBudget(C / (k * N));
}
template <class R>
Count<R> params_of_budget(Flops<R> C, Count<R> D, Flops<R> k) {
  NAME(C, D, k);
  return kParamsOfBudget(C / (k * D));
}
template <class R>
Ratio<R> tokens_per_param(const Point<R>& x) {
  auto [N, D] = x;
  NAME(N, D);
  return kTokensPerParam(D / N);
}

// The law with what its optimum is made of.
template <class R>
struct LossCurve {
  Ratio<R> E, A, B, alpha, beta, s, G;
};

template <class R>
LossCurve<R> loss_curve(const LossTerms<R>& law) {
  auto A = law.A, B = law.B, alpha = law.alpha, beta = law.beta;
  auto s = called("s", alpha + beta);
  auto G = kBalance(pow(alpha * A / (beta * B), 1 / s));
  return {law.E, A, B, alpha, beta, s, G};
}

template <class R>
Ratio<R> growth_of_params(const LossCurve<R>& l) {
  return kGrowth(l.beta / l.s);
}

template <class R>
Point<R> optimum(const LossCurve<R>& l, Flops<R> C, Flops<R> k) {
  auto G = l.G;
  NAME(C, k, G);
  return {kOptimalParams(G * pow(C / k, l.beta / l.s)),
          kOptimalTokens(pow(C / k, l.alpha / l.s) / G)};
}
template <class R>
Flops<R> flops_of_params(const LossCurve<R>& l, Count<R> N, Flops<R> k) {
  auto G = l.G;
  NAME(N, k, G);
  return kFlopsOfParams(k * pow(N / G, l.s / l.beta));
}
template <class R>
Flops<R> flops_of_tokens(const LossCurve<R>& l, Count<R> D, Flops<R> k) {
  auto G = l.G;
  NAME(D, k, G);
  return kFlopsOfTokens(k * pow(D * G, l.s / l.alpha));
}

// The cheapest run that reaches a loss above E.
template <class R>
Point<R> cheapest_with(const LossCurve<R>& l, Ratio<R> loss) {
  auto r = called("r", loss - l.E);
  return {kParamsOfLoss(pow(l.A * l.s / (l.beta * r), 1 / l.alpha)),
          kTokensOfLoss(pow(l.B * l.s / (l.alpha * r), 1 / l.beta))};
}
// Of a size that can reach it: A / N^α below loss − E.
template <class R>
Count<R> tokens_to_reach(const LossCurve<R>& l, Count<R> N, Ratio<R> loss) {
  NAME(N);
  auto r = called("r", loss - l.E);
  return kTokensToReach(pow(l.B / (r - l.A / pow(N, l.alpha)), 1 / l.beta));
}
template <class R>
Count<R> params_to_reach(const LossCurve<R>& l, Count<R> D, Ratio<R> loss) {
  NAME(D);
  auto r = called("r", loss - l.E);
  return kParamsToReach(pow(l.A / (r - l.B / pow(D, l.beta)), 1 / l.alpha));
}

template <class R>
struct Loss {
  Ratio<R> irreducible, capacity, data, total;
};

template <class R>
Loss<R> loss_at(const LossCurve<R>& l, const Point<R>& x) {
  auto [N, D] = x;
  NAME(N, D);
  auto E = l.E;
  auto capacity = kCapacityTerm(l.A / pow(N, l.alpha));
  auto data = kDataTerm(l.B / pow(D, l.beta));
  return {E, capacity, data, kLossTotal(E + capacity + data)};
}

// What one more per cent of parameters or tokens takes off the loss.
template <class R>
struct Marginal {
  Ratio<R> params, tokens, over;
};

template <class R>
Marginal<R> marginal_at(const LossCurve<R>& l, const Loss<R>& loss) {
  auto L_N = loss.capacity, L_D = loss.data;
  NAME(L_N, L_D);
  auto params = kMarginalParams(l.alpha * L_N);
  auto tokens = kMarginalTokens(l.beta * L_D);
  return {params, tokens, kMarginalRatio(params / tokens)};
}

}  // namespace reckon
