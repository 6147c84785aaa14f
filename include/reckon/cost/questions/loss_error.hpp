// How many tokens tell a loss to ± e: n = (z·σ/e)², times the design effect of tokens that are alike.
//
// Tokens of one document move together: m of them with correlation ρ tell as much as m / (1 + (m − 1)·ρ)
// independent ones.
// Source: Kish 1965, section 5.4 (design effect of clusters).
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/spec/questions/loss_error.hpp"

namespace reckon {

inline const Formula kDesignEffect{"loss_error.design_effect", "deff",
                                   "tokens that tell as much as one independent one",
                                   "Kish 1965: 1 + (m − 1)·ρ", Hint::kRatio};
inline const Formula kErrorTokens{"loss_error.tokens", "n", "tokens to evaluate",
                                  "(z·σ/e)² times the design effect, rounded up", Hint::kTokens};
inline const Formula kErrorOfTokens{"loss_error.error", "e", "half the width of the interval, nats",
                                    "z·σ·√(deff / n)", Hint::kRatio};
inline const Formula kErrorDocuments{"loss_error.documents", "n_doc", "documents that is",
                                     "tokens over tokens of a document, rounded up", Hint::kCount};

template <class R>
struct LossErrorAnswer {
  Ratio<R> design, error, z;
  Count<R> tokens;
  std::optional<Count<R>> documents;

  template <class V>
  void metrics(V&& v) const {
    v(MetricInfo{"tokens", "tokens to evaluate", Hint::kTokens}, tokens);
    v(MetricInfo{"error", "half the width of the interval, nats", Hint::kRatio}, error);
    v(MetricInfo{"z", "standard errors of the confidence", Hint::kRatio}, z);
    v(MetricInfo{"design_effect", "tokens that tell as much as one independent one", Hint::kRatio},
      design);
    v(MetricInfo{"documents", "documents that is", Hint::kCount}, documents,
      "the question states no document: document: 1000");
  }
};

template <class R>
LossErrorAnswer<R> answer(const LossErrorQuestion<R>& question);

}  // namespace reckon
