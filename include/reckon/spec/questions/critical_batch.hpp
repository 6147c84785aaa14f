// kind: critical-batch. How many tokens of a step still buy time?
//
//   kind: critical-batch
//   loss: 2.0                  # that the run is to reach, or params and tokens and the law they follow
//   batch: 4M                  # tokens of a step
//   law: kaplan_batch
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

template <class R>
struct CriticalBatchQuestion {
  std::string name, comment;
  Law<R> law;
  std::optional<Ratio<R>> loss;
  std::optional<Count<R>> params, tokens;
  std::optional<Law<R>> loss_law;
  std::optional<Count<R>> batch, per_rank;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("loss", "L", "that the run is to reach, nats a token")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.loss...);
    v(Field("params", "N", "in place of that: the size, and the tokens it is trained on")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.params...);
    v(Field("tokens", "D", "tokens of the run").hint(Hint::kTokens).limit(Limit::kPositive),
      s.tokens...);
    v(Field("batch", "B", "tokens of a step").hint(Hint::kTokens).limit(Limit::kPositive),
      s.batch...);
    v(Field("per_rank", "T_rank", "tokens of a step on one data rank")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.per_rank...);
    v(Field("law", "", "a law of the critical batch; kaplan_batch if not stated").by_name(),
      s.law...);
    v(Field("loss_law", "",
            "with params and tokens: the law of their loss; besiroglu if not stated")
          .by_name(),
      s.loss_law...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
