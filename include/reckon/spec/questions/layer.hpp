// kind: layer. What does one transformer layer run on a GPU, forward and backward, operator by operator, with its
// collectives where they fall?
//
//   kind: layer
//   model: llama-3-8b
//   tensor: 8
//   chip: h100-sxm          # and stack: generic-h100; presets/layer.yaml says what else is assumed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/training.hpp"

namespace reckon {

template <class R>
struct LayerQuestion {
  std::string name, comment, chip;
  Model<R> model;
  std::optional<Cluster<R>> cluster;
  Count<R> tensor{1}, context{1}, expert{1}, micro{1}, sequence{1};
  std::optional<Count<R>> expert_tensor, layer;
  bool sequence_parallel = false;
  Recompute recompute = Recompute::kNone;
  std::vector<RecomputeModule> recompute_modules;
  Precision<R> precision;
  std::optional<Stack<R>> stack;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/").by_name().required(), s.model...);
    v(Field("cluster", "", "64xh100-sxm, or a file in hardware/clusters").by_name(), s.cluster...);
    v(Field("chip", "",
            "in place of a cluster: as many of it as the degrees take, in its usual node; "
            "h100-sxm if neither is stated"),
      s.chip...);
    v(Field("tensor", "t", "tensor parallel").degree(), s.tensor...);
    v(Field("sequence_parallel", "", "norms and residuals split over the tensor ranks"),
      s.sequence_parallel...);
    v(Field("context", "c", "context parallel, by a ring").degree(), s.context...);
    v(Field("expert", "e", "expert parallel").degree(), s.expert...);
    v(Field("expert_tensor", "t_e", "tensor ranks that share an expert: tensor, or 1").degree(),
      s.expert_tensor...);
    v(Field("micro", "b", "sequences of a micro-batch").supplied().degree(), s.micro...);
    v(Field("sequence", "s", "tokens of a sequence")
          .supplied()
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.sequence...);
    v(Field("layer", "", "which of the model's groups of layers, from 0; the largest if not stated")
          .count(),
      s.layer...);
    v(Field("recompute", "", "none | selective | norms | operators | full | modules"),
      s.recompute...);
    v(Field("recompute_modules", "", "recompute: modules: layernorm, mla_up_proj, moe_act …"),
      s.recompute_modules...);
    v(Field("precision", "", "a file in formats/recipes").by_name().supplied(), s.precision...);
    v(Field("stack", "", "software whose kernels are priced: a file in hardware/stacks").by_name(),
      s.stack...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}").by_name(), s.assume...);
  }
};

}  // namespace reckon
