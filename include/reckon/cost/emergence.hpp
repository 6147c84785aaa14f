// Exact match of an answer of k tokens against the accuracy of one token.
//
//   a = e^−(L_0 + L(C) − E)      a token's accuracy: what is reducible of the loss, and the answer's own floor
//   exact match = a^k            all k tokens right
//
// a grows smoothly with compute. a^k stays near 0 and then climbs within a decade or two: the jump is the metric's.
// Slopes are per decade of compute.   Source: Schaeffer 2023, section 2.
#pragma once

#include "reckon/cost/scaling.hpp"

namespace reckon {

inline const Formula kTokenAccuracy{"emergence.accuracy_of", "a", "accuracy of one token",
                                    "e^−loss", Hint::kFraction};
inline const Formula kExactMatch{"emergence.exact_of", "a^k", "exact match of the answer",
                                 "every token right: a^k", Hint::kFraction};
inline const Formula kTargetLoss{"emergence.loss_at_target", "L_x",
                                 "loss of a token at which the answer passes", "a = x^(1/k)",
                                 Hint::kRatio};
inline const Formula kReducible{"emergence.reducible", "r", "reducible loss at the optimum of C",
                                "L*(C) − E", Hint::kRatio};
inline const Formula kSmoothSlope{"emergence.smooth_slope", "da/dlogC",
                                  "accuracy of a token gained per decade of compute",
                                  "a · r · αβ/s · ln 10", Hint::kFraction};
inline const Formula kExactSlope{"emergence.exact_slope", "d(a^k)/dlogC",
                                 "exact match gained per decade of compute",
                                 "k · a^(k−1) · da/dlogC", Hint::kFraction};

template <class R>
Ratio<R> token_accuracy(Ratio<R> loss) {
  auto L_tok = loss;
  NAME(L_tok);
  return kTokenAccuracy(exp(-L_tok));
}
template <class R>
Ratio<R> exact_match(Ratio<R> a, Count<R> k_ans) {
  NAME(a, k_ans);
  return kExactMatch(pow(a, k_ans));
}
// The loss of a token at which an answer is right with chance x.
template <class R>
Ratio<R> loss_at_target(Ratio<R> x, Count<R> k_ans) {
  NAME(x, k_ans);
  return kTargetLoss(-(log(x) / k_ans));
}
// What compute leaves above E at the optimum: (A·G^−α + B·G^β) · (C/k)^(−αβ/s).
template <class R>
Ratio<R> reducible_at(const LossCurve<R>& l, Flops<R> C, Flops<R> k) {
  const Point<R> x = optimum(l, C, k);
  const Loss<R> loss = loss_at(l, x);
  auto L = loss.total;
  auto E = l.E;
  NAME(L, E);
  return kReducible(L - E);
}

template <class R>
struct EmergenceSlopes {
  Ratio<R> smooth, exact;
};
template <class R>
EmergenceSlopes<R> emergence_slopes(const LossCurve<R>& l, Ratio<R> a, Ratio<R> r, Count<R> k_ans) {
  NAME(a, r, k_ans);
  auto ln10 = called("ln10", log(Ratio<R>(10)));
  auto smooth = kSmoothSlope(a * r * l.alpha * l.beta / l.s * ln10);
  return {smooth, kExactSlope(k_ans * pow(a, k_ans - 1) * smooth)};
}

}  // namespace reckon
