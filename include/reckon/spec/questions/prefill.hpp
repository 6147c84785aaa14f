// kind: prefill. FLOPs of a prompt under every convention, and the time to its first token.
//
//   kind: prefill
//   model: llama-3-8b
//   prompt: 2000
//   cluster: 8xh100-sxm
//   assume: {prefill.mfu: 50%}
#pragma once

#include <string>

#include "reckon/spec/questions/serving.hpp"

namespace reckon {

template <class R>
struct PrefillQuestion {
  std::string name, comment;
  Model<R> model;
  std::optional<Count<R>> prompt;
  Count<R> tensor{1};
  std::optional<Seconds<R>> target;
  Served<R> served;
  std::optional<Cluster<R>> cluster;
  OnLinks<R> on;
  OnChip<R> chip;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a model in models/, a file, or its dimensions").required().by_name(),
      s.model...);
    v(Field("prompt", "T", "tokens of the prompt").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.prompt...);
    v(Field("tensor", "t", "GPUs that compute a prompt together").degree(), s.tensor...);
    v(Field("target", "t_max", "longest time to the first token: which prompt still keeps it?")
          .limit(Limit::kPositive),
      s.target...);
    Served<R>::fields(v, s.served...);
    v(Field("cluster", "", "8xh100-sxm, or a file in hardware/clusters: its chip and links")
          .by_name(),
      s.cluster...);
    OnChip<R>::fields(v, s.chip...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
