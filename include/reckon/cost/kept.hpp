// What an accounting of activations asks: sizes of a micro-batch on one rank, and a tensor that a layer keeps.
//
//   ActivationShape<double> x = activation_shape(plan, layout);
//   KeptTensor<double>{"q", "queries", x.b * x.T * q}
//
// Bytes of one micro-batch on one GPU.
#pragma once

#include "reckon/cost/layout.hpp"
#include "reckon/cost/parameters.hpp"

namespace reckon {

template <class R>
struct ActivationShape {
  Bytes<R> b;              // one element
  Count<R> T, h, t, t_sp;  // tokens; hidden; tensor ranks; t with sequence parallelism, else 1
  const Assume<R>& assume;
  std::optional<Count<R>> s;                  // sequence length, where the plan states one
  const ActivationFormats<R>* own = nullptr;  // of tensors that are kept in another format
  std::optional<Count<R>> t_e = {};           // tensor ranks of an expert; t if not stated

  bool textbook() const { return assume.activations == ActivationCount::kTextbook; }
  // Korthikanti's layer in place of the model's own.
  bool fixed() const {
    return assume.activations == ActivationCount::kMegatron34 ||
           assume.activations == ActivationCount::kMegatron34Swiglu;
  }
  // Bytes of an element of what a matrix takes, of attention's output, of what an MLP's function takes.
  Bytes<R> input_size() const { return own && own->inputs ? own->inputs->size : b; }
  Bytes<R> attention_size() const { return own && own->attention ? own->attention->size : b; }
  Bytes<R> inner_size() const { return own && own->inner ? own->inner->size : b; }
  bool masks() const {
    return assume.dropout || fixed() || assume.activations == ActivationCount::kMegatron;
  }
};

template <class R>
ActivationShape<R> activation_shape(const TrainingPlan<R>& plan, const Layout<R>& x) {
  const auto& t = plan.mesh.tensor;
  auto T = x.T;
  auto t_sp = plan.mesh.sequence ? t : Count<R>{1};
  NAME(T, t_sp);
  return {plan.precision.activations.size,
          T,
          *plan.model.hidden,
          t,
          t_sp,
          plan.assume,
          plan.batch.sequence,
          plan.precision.activation_classes ? &*plan.precision.activation_classes : nullptr,
          plan.mesh.expert_tensor};
}

// A tensor that a layer keeps. One name means the same tensor in every layer.
template <class R>
struct KeptTensor {
  const char* id;
  const char* title;
  Bytes<R> bytes;
  ModuleSet by = 0;  // modules that make it again
};

}  // namespace reckon
