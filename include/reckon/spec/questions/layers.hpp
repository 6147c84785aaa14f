// How a micro-batch passes the layers of a model: what decides the activations they keep.
//
//   sequence: 8192
//   tensor: 8
//   sequence_parallel: yes
//   recompute: selective
//
// Part of a question's description: `OnLayers<R>::fields(v, s.on...)` adds these keys to its own.
#pragma once

#include <optional>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

template <class R>
struct OnLayers {
  std::optional<Count<R>> sequence;
  Count<R> tensor{1};
  bool sequence_parallel = false;
  Recompute recompute = Recompute::kNone;
  std::vector<RecomputeModule> recompute_modules;
  Precision<R> precision;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("sequence", "s", "tokens of a sequence").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.sequence...);
    v(Field("tensor", "t", "tensor parallel ranks").degree(), s.tensor...);
    v(Field("sequence_parallel", "", "they share what lies between their regions, too"),
      s.sequence_parallel...);
    v(Field(
          "recompute", "",
          "none | selective (the attention core) | norms (and activation functions) | full (layer "
          "inputs kept) | modules"),
      s.recompute...);
    v(Field("recompute_modules", "",
            "recompute: modules: core_attn, layernorm, mla_up_proj, mlp, mlp_act, moe, moe_act, "
            "shared_experts"),
      s.recompute_modules...);
    v(Field("precision", "", "a file in formats/recipes: the format of activations").by_name(),
      s.precision...);
  }
};

}  // namespace reckon
