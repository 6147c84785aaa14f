// kind: loss-error. How many tokens tell a loss to so many nats?
//
//   kind: loss-error
//   deviation: 2.4             # of the loss of single tokens, nats: measure it, there is no default
//   error: 0.01                # half the width of the interval; or tokens: 1M, for the error they leave
//   confidence: 95%
//   document: 1000             # tokens of one document are alike:
//   correlation: 0.02
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"

namespace reckon {

template <class R>
struct LossErrorQuestion {
  std::string name, comment;
  Ratio<R> deviation;
  std::optional<Ratio<R>> error;
  std::optional<Count<R>> tokens;
  Ratio<R> confidence{0.95};
  std::optional<Ratio<R>> z;
  std::optional<Count<R>> document;
  std::optional<Ratio<R>> correlation;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("deviation", "σ", "standard deviation of the loss of single tokens, nats")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive)
          .required(),
      s.deviation...);
    v(Field("error", "e", "half the width of the interval, nats")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.error...);
    v(Field("tokens", "n", "in place of that: tokens that were evaluated")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.tokens...);
    v(Field("confidence", "p", "that the true loss lies in the interval").efficiency(),
      s.confidence...);
    v(Field("z", "z", "standard errors of that confidence; filled in by the program")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.z...);
    v(Field("document", "m", "tokens of a document").hint(Hint::kTokens).limit(Limit::kAtLeastOne),
      s.document...);
    v(Field("correlation", "ρ", "of the losses of two tokens of one document").share(),
      s.correlation...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
