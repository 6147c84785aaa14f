// kind: tensor. Is a layer split over p GPUs still bound by compute, or by the all-reduces that join it again?
//
//   kind: tensor
//   ranks: 8
//   peak: 989 TFLOP/s
//   link: 450 GB/s
//   inner: 4096             # the dimension that is split; or a whole layer: model: llama-3-8b
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct TensorQuestion {
  std::string name, comment;
  std::optional<Model<R>> model;
  std::optional<Count<R>> ranks;
  std::optional<Cluster<R>> cluster;
  std::optional<Count<R>> inner, tokens, outputs;
  Stored<R> sent;
  bool sequence = false;
  OnPeak<R> chip;
  OnLinks<R> on;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/: the whole layer, not one product").by_name(),
      s.model...);
    v(Field("ranks", "p", "GPUs that split a layer; the cluster's if not stated").degree(),
      s.ranks...);
    v(Field("cluster", "", "64xh100-sxm, or a file in hardware/clusters").by_name(), s.cluster...);
    v(Field("inner", "D", "inner dimension of one product, the one that is split").degree(),
      s.inner...);
    v(Field("tokens", "T", "rows of the product: tokens of one all-reduce").degree(), s.tokens...);
    v(Field("outputs", "F", "columns of the product; the model's hidden width if not stated")
          .degree(),
      s.outputs...);
    v(Field("sent", "e", "format of what is all-reduced; bf16 if not stated").by_name(), s.sent...);
    v(Field("sequence", "",
            "sequence parallelism: all-gather and reduce-scatter for each all-reduce"),
      s.sequence...);
    OnPeak<R>::fields(v, s.chip...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
