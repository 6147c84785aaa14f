// The answer to activations: every tensor that is kept, of one GPU, and what they add up to.
//
//   ActivationsAnswer<double> a = answer(question);
//   a.total; a.tensors[0].per_token_layer
//
// Logits stand apart: they are of the last stage, once, and no layer's.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/layers.hpp"
#include "reckon/cost/stage_activations.hpp"
#include "reckon/spec/questions/activations.hpp"

namespace reckon {

inline const Formula kTensorTotal{"activations.tensor", "M_x", "one tensor, of all layers",
                                  "layers · bytes of one"};
inline const Formula kTensorPerToken{
    "activations.tensor_per_token", "m_x", "one tensor of one layer, a token",
    "bytes over tokens and the layers that keep it", Hint::kPerToken};
inline const Formula kAllLayers{"activations.all_layers", "M_kept",
                                "what all layers keep of one micro-batch",
                                "layers · what one keeps"};
inline const Formula kInputs{"activations.inputs", "M_ckpt",
                             "inputs of all layers, what full recompute keeps",
                             "layers · bytes · tokens · hidden"};
inline const Formula kPerTokenLayer{"activations.per_token_layer", "m_layer",
                                    "kept of a token by a layer", "bytes over tokens and layers",
                                    Hint::kPerToken};
inline const Formula kPerHidden{"activations.per_hidden", "m_1",
                                "kept of a token by a layer for each hidden element",
                                "48 B in the textbook accounting of a Llama 3 layer"};
inline const Formula kWithLogits{"activations.with_logits", "M_all", "activations and logits",
                                 "the logits are of the last stage"};

template <class R>
struct TensorTotal {
  const char* id;
  const char* title;
  Sum<kByte, R> all;
  Count<R> layers{0};
  std::optional<Bytes<R>> total, per_token_layer;
};

template <class R>
struct ActivationsAnswer {
  ActivationCount count;
  Count<R> T;
  std::vector<TensorTotal<R>> tensors;
  Bytes<R> total, inputs, per_token_layer, per_hidden, with_logits;
  std::optional<Bytes<R>> logits;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ActivationsAnswer<R> answer(const ActivationsQuestion<R>& question);

template <class R>
template <class V>
void ActivationsAnswer<R>::metrics(V&& v) const {
  v(MetricInfo{"memory.activations", "activations of one GPU"}, total);
  v(kPerTokenLayer, per_token_layer);
  v(kPerHidden, per_hidden);
  v(kInputs, inputs);
  v(kLogits, logits, "the model states no vocabulary: model: {vocab: 128256}");
  v(kWithLogits, with_logits);
  v(MetricInfo{"batch.micro_tokens", "tokens of the micro-batch on one GPU", Hint::kTokens}, T);
  for (const TensorTotal<R>& t : tensors) {
    const std::string id = std::string("tensor.") + t.id;
    v(MetricInfo{id + ".per_token_layer", std::string(t.title) + ", a token and layer",
                 Hint::kPerToken},
      t.per_token_layer, "");
    v(MetricInfo{id + ".total", std::string(t.title) + ", all layers"}, t.total, "");
    v(MetricInfo{id + ".layers", std::string(t.title) + ": layers that keep it", Hint::kCount},
      t.layers);
  }
}

}  // namespace reckon
