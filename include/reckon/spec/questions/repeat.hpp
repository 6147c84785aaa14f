// kind: repeat. What repeated tokens are worth, and when to stop repeating.
//
//   kind: repeat
//   unique: 25B
//   epochs: 4                  # or tokens: 100B; or flops: 1e22 FLOP, for the best split of a budget
//   params: 7B
//   law: muennighoff_c4        # with `repeat:` constants
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

template <class R>
struct RepeatQuestion {
  std::string name, comment;
  Law<R> law;
  Count<R> unique;
  std::optional<Ratio<R>> epochs;
  std::optional<Count<R>> tokens, params;
  std::optional<Flops<R>> flops;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("unique", "U_D", "different tokens there are")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive)
          .required(),
      s.unique...);
    v(Field("epochs", "n_ep", "how often each is read").hint(Hint::kRatio).limit(Limit::kPositive),
      s.epochs...);
    v(Field("tokens", "D", "in place of that: tokens read in all")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.tokens...);
    v(Field("params", "N", "parameters").hint(Hint::kParams).limit(Limit::kPositive), s.params...);
    v(Field("flops", "C", "in place of all that: compute to split between size and epochs")
          .limit(Limit::kPositive),
      s.flops...);
    v(Field("law", "", "a law with `repeat:` constants; muennighoff_c4 if not stated").by_name(),
      s.law...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
