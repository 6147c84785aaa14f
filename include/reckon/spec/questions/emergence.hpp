// kind: emergence. A smooth loss, and an exact-match score that seems to jump.
//
//   kind: emergence
//   answer_tokens: 5           # all must be right
//   flops: 1e24 FLOP
//   law: besiroglu
//   floor: 0                   # irreducible nats of the answer's tokens: 0 where the answer is determined
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

template <class R>
struct EmergenceQuestion {
  std::string name, comment;
  Law<R> law;
  Count<R> answer_tokens;
  std::optional<Flops<R>> flops;
  std::optional<Ratio<R>> accuracy;
  Ratio<R> floor{0.0}, target{0.5};
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("answer_tokens", "k_ans", "tokens of an answer that must all be right")
          .degree()
          .required(),
      s.answer_tokens...);
    v(Field("flops", "C", "compute, spent as the law says").limit(Limit::kPositive), s.flops...);
    v(Field("accuracy", "a", "in place of that: per-token accuracy").efficiency(), s.accuracy...);
    v(Field("law", "", "a file in laws/, of family loss").by_name().supplied(), s.law...);
    v(Field("floor", "L_0", "nats a token that the answer keeps: 0 where it is determined")
          .hint(Hint::kRatio),
      s.floor...);
    v(Field("target", "x", "exact match to pass").efficiency(), s.target...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
