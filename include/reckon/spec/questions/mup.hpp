// kind: mup. How learning rate, initialization and attention scale follow the width, so that a small proxy
// tunes a large model.
//
//   kind: mup
//   width: 8192
//   base_width: 256            # of the proxy that was tuned
//   trials: 100                # runs of the proxy
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"

namespace reckon {

template <class R>
struct MupQuestion {
  std::string name, comment;
  Count<R> width, base_width;
  std::optional<Count<R>> head_width, base_head_width;
  std::optional<Count<R>> params, base_params, tokens, base_tokens, trials;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("width", "n", "hidden width of the target").degree().required(), s.width...);
    v(Field("base_width", "n_0", "hidden width of the proxy that is tuned").degree().required(),
      s.base_width...);
    v(Field("head_width", "d", "width of the target's heads; the proxy's if not stated").degree(),
      s.head_width...);
    v(Field("base_head_width", "d_0", "width of the proxy's heads").degree(), s.base_head_width...);
    v(Field("params", "N", "parameters of the target, for the cost of tuning")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.params...);
    v(Field("base_params", "N_0", "parameters of the proxy; (n_0/n)² of the target's if not stated")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.base_params...);
    v(Field("tokens", "D", "tokens of the target's run")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.tokens...);
    v(Field("base_tokens", "D_0", "tokens of one run of the proxy; the target's if not stated")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.base_tokens...);
    v(Field("trials", "n_try", "runs of the proxy; 1 if not stated").degree(), s.trials...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
