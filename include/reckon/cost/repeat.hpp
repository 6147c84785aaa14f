// Loss with fewer unique tokens than are read.
//
//   R_D = D / U_D − 1 repetitions are worth  D' = U_D + U_D · R_D* · (1 − e^(−R_D / R_D*)) fresh tokens.
//   Parameters beyond those that U_D calls for, U_N = min(N, N*(U_D)), lose their worth the same way, by R_N*.
//   L = E + A / N'^α + B / D'^β
//
// N*(U_D) is the size for which U_D is compute-optimal. Source: Muennighoff 2023, equations 5 and 6.
#pragma once

#include "reckon/cost/scaling.hpp"

namespace reckon {

inline const Formula kUniqueParams{"repeat.unique_params", "N*(U_D)",
                                   "size for which the unique tokens are optimal",
                                   "Muennighoff 2023, appendix: N* at D* = U_D", Hint::kParams};
inline const Formula kRepetitions{"repeat.repetitions", "R_D", "repetitions",
                                  "D / U_D − 1, none below one epoch", Hint::kRatio};
inline const Formula kEffectiveTokens{"repeat.effective_tokens", "D'",
                                      "fresh tokens that these are worth",
                                      "Muennighoff 2023, equation 5", Hint::kTokens};
inline const Formula kEffectiveSize{"repeat.effective_params", "N'",
                                    "parameters that these are worth",
                                    "Muennighoff 2023, equation 6", Hint::kParams};
inline const Formula kNextToken{"repeat.next_token", "dD'/dD",
                                "what one more token is worth beside a fresh one",
                                "e^(−R_D / R_D*)", Hint::kFraction};
inline const Formula kCeiling{"repeat.ceiling", "D'_max",
                              "fresh tokens that endless repeating is worth", "U_D · (1 + R_D*)",
                              Hint::kTokens};
inline const Formula kEpochs{"repeat.epochs_of", "n_ep", "epochs", "D / U_D", Hint::kRatio};
inline const Formula kTokensOfEpochs{"repeat.tokens_of_epochs", "D", "tokens read in all",
                                     "epochs · unique tokens", Hint::kTokens};
inline const Formula kHalfWorth{"repeat.half_worth", "n_half",
                                "epochs after which a token is worth half a fresh one",
                                "1 + R_D* · ln 2", Hint::kRatio};

template <class R>
struct Repeated {
  Count<R> effective_tokens, effective_params;
  Ratio<R> repetitions, next_token;
  Loss<R> loss;
};

template <class R>
Count<R> unique_params(const LossCurve<R>& l, Count<R> U_D) {
  auto G = l.G;
  NAME(U_D, G);
  return kUniqueParams(G * pow(U_D * G, l.beta / l.alpha));
}

template <class R>
Repeated<R> repeated(const LossCurve<R>& l, const RepeatTerms<R>& law, const Point<R>& x,
                     Count<R> U_D) {
  auto [N, D] = x;
  auto N_fit = unique_params(l, U_D);
  NAME(N, D, U_D, N_fit);
  Repeated<R> out;
  auto R_D = kRepetitions(max(0, D / U_D - 1));
  auto U = called("U", min(D, U_D), Hint::kTokens);
  auto D_eff = kEffectiveTokens(U + U * law.tokens * (1 - exp(-(R_D / law.tokens))));
  auto U_N = called("U_N", min(N, N_fit), Hint::kParams);
  auto R_N = called("R_N", N / U_N - 1);
  auto N_eff = kEffectiveSize(U_N + U_N * law.params * (1 - exp(-(R_N / law.params))));
  out.repetitions = R_D;
  out.effective_tokens = D_eff;
  out.effective_params = N_eff;
  out.next_token = kNextToken(exp(-(R_D / law.tokens)));
  out.loss = loss_at(l, {N_eff, D_eff});
  return out;
}

}  // namespace reckon
