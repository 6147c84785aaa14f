// kind: activations. What does a model keep between forward and backward, tensor by tensor?
//
//   kind: activations
//   model: llama-3-8b
//   batch: 8
//   sequence: 8192
//   assume: {activations: autograd, swiglu: fused}
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/questions/layers.hpp"

namespace reckon {

template <class R>
struct ActivationsQuestion {
  std::string name, comment;
  Model<R> model;
  Count<R> batch{1}, data{1};
  OnLayers<R> on;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/, a path, or a model written out").by_name().required(),
      s.model...);
    v(Field("batch", "B", "sequences at once").degree(), s.batch...);
    v(Field("data", "D", "GPUs the sequences are dealt out to").degree(), s.data...);
    OnLayers<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
