// How numbers are kept and computed: formats, precision recipes, optimizers.
//
//   formats/bf16.yaml             bits per weight
//   formats/recipes/bf16.yaml     which format for weights, gradients, master copy, wire, and for which tensors
//   optimizers/adamw.yaml         states per parameter
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/spec/hardware.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// The scales of a format whose elements share them by blocks: of a matrix, blocks at the edges are
// counted whole in both directions.
template <class R>
struct BlockScales {
  std::string format;
  Bytes<R> element, size;  // of one code; of one block's scale
  Count<R> columns{1}, rows{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("format", "", "of a scale"), s.format...);
    v(Field("element", "", "bytes of one code").required().limit(Limit::kPositive), s.element...);
    v(Field("size", "", "bytes of a block's scale").required(), s.size...);
    v(Field("columns", "", "of a block").required().degree(), s.columns...);
    v(Field("rows", "", "of a block").degree(), s.rows...);
  }
};

// A number format where only its size matters. In a recipe its name stands for the file's values.
template <class R>
struct Stored {
  std::string name;
  Bytes<R> size;  // of one element, scales included
  std::optional<BlockScales<R>> scales;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "a file in formats/").required(), s.name...);
    v(Field("size", "", "bytes of one element, scales included").required().limit(Limit::kPositive),
      s.size...);
    v(Field("scales", "", "of blocks, where a model's files are counted to the byte"), s.scales...);
  }
};

// A format for each class of tensors, where it differs from the rest: what a training recipe keeps in fp32, or a
// published file in 16 bits beside quantized matrices.
//
//   classes: {experts: mxfp4, router: fp32, vectors: fp32}
template <class R>
struct TensorFormats {
  std::optional<Stored<R>> embedding, head, attention, mlp, experts, shared, router, router_bias,
      vectors;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("embedding", "b_emb", "input and position tables; a tied one is the head too")
          .by_name(),
      s.embedding...);
    v(Field("head", "b_head", "output head with a table of its own").by_name(), s.head...);
    v(Field("attention", "b_att", "matrices of attention and what stands in its place").by_name(),
      s.attention...);
    v(Field("mlp", "b_mlp", "matrices of dense MLPs").by_name(), s.mlp...);
    v(Field("experts", "b_exp", "routed experts").by_name(), s.experts...);
    v(Field("shared", "b_sh", "experts that every token passes").by_name(), s.shared...);
    v(Field("router", "b_rtr", "routers, and in files matrices too narrow for blocks").by_name(),
      s.router...);
    v(Field("router_bias", "", "in files: correction biases; as `vectors` if not stated").by_name(),
      s.router_bias...);
    v(Field("vectors", "b_vec", "norms and biases").by_name(), s.vectors...);
  }
};

// A format for what is kept of some tensors between forward and backward, where it differs from the rest.
//
//   activation_classes: {inputs: fp8-e4m3-1x128, attention: {name: e5m6, size: 1.5 B}}
template <class R>
struct ActivationFormats {
  std::optional<Stored<R>> inputs, attention, inner;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("inputs", "b_in",
            "inputs of matrices: outputs of norms, tokens at their experts, what goes down")
          .by_name(),
      s.inputs...);
    v(Field("attention", "b_att", "output of attention").by_name(), s.attention...);
    v(Field("inner", "b_gu", "of an MLP: what its activation function takes").by_name(),
      s.inner...);
  }
};

// Serving reads weights, classes, activations and kv of a recipe; a recipe that states no gradients is for serving.
template <class R>
struct Precision {
  std::string id, name, source;
  Compute compute = Compute::kBf16;
  Stored<R> weights, gradients, activations, reduce, gather;
  std::optional<Stored<R>> master, kv, accumulation;
  std::optional<TensorFormats<R>> classes, gradient_classes;
  std::optional<ActivationFormats<R>> activation_classes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("compute", "", "which peak of the chip").required(), s.compute...);
    v(Field("weights", "w", "the working copy").by_name().required(), s.weights...);
    v(Field("classes", "", "weights of classes of tensors that are kept in another format"),
      s.classes...);
    v(Field("gradients", "g", "as kept").by_name().supplied(), s.gradients...);
    v(Field("accumulation", "g_acc",
            "a buffer beside the gradients that sums them over micro-batches; none = they are "
            "summed in place")
          .by_name(),
      s.accumulation...);
    v(Field("gradient_classes", "", "gradients of classes that are kept in another format"),
      s.gradient_classes...);
    v(Field("master", "m",
            "the copy the optimizer updates; none = the weights. A class whose weights have this "
            "format already keeps no second copy")
          .by_name(),
      s.master...);
    v(Field("activations", "b", "as kept between forward and backward").by_name().required(),
      s.activations...);
    v(Field("activation_classes", "",
            "activations of some tensors that are kept in another format"),
      s.activation_classes...);
    v(Field("kv", "b_kv", "keys and values that a server caches; bf16 if not stated").by_name(),
      s.kv...);
    v(Field("reduce", "b_red", "gradients on the wire").by_name().supplied(), s.reduce...);
    v(Field("gather", "b_gat", "weights on the wire (ZeRO)").by_name().supplied(), s.gather...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

// Which tensors an optimizer state is kept for.
enum class Covers { kAll, kMatrices, kVectors, kLayerMatrices, kOther };
constexpr auto names(Covers) {
  return std::array{"all", "matrices", "vectors", "layer_matrices", "other"};
}
enum class StateShape { kFull, kFactored };
constexpr auto names(StateShape) { return std::array{"full", "factored"}; }

template <class R>
struct OptimizerState {
  std::string name;
  Stored<R> format;
  Covers covers = Covers::kAll;
  StateShape shape = StateShape::kFull;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "momentum, variance, …").required(), s.name...);
    v(Field("format", "s", "a file in formats/").by_name().required(), s.format...);
    v(Field("covers", "", "all | matrices | vectors | layer_matrices | other"), s.covers...);
    v(Field("shape", "", "full | factored (rows + columns of each matrix)"), s.shape...);
  }
};

template <class R>
struct Optimizer {
  std::string id, name, source;
  std::vector<OptimizerState<R>> states;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("states", "", "what it keeps per parameter").required(), s.states...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
