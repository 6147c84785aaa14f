// A model as a list of layer groups: so many layers with this mixer and this MLP.
//
//   hidden: 4096
//   vocab: 128256
//   layers:
//     - count: 32
//       mixer: {kind: attention, heads: 32, kv_heads: 8, head_width: 128}
//       mlp: {kind: dense, width: 14336, matrices: 3}
//
// or abstract, with only the parameter count known for certain:
//
//   {params: 7B, layers: 32, hidden: 4096}
//
// Widths count elements. A group of an abstract model has mixer and MLP of kind `abstract`.
//
// Mixers that keep a state of fixed size instead of a growing cache:
//   mamba1      inner, state, conv, dt_rank                        Gu 2023
//   mamba2      heads, head_width, state, groups, conv             Dao 2024
//   delta_net   heads (value), key_heads, head_width (key), v_width, conv: gated delta-net, Yang 2024
//   lightning   heads, head_width: linear attention with an output gate, MiniMax-01
// Training runs the last three in chunks of `chunk` tokens: products within one, a state from one to the next.
//
// Beside the token path, counted only when asked for: `mtp` (modules that predict further tokens),
// `vision` (a tower and its projector). `files` says what the published files hold and in which
// formats.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class MixerKind {
  kAttention,
  kMla,
  kAbstract,
  kNone,
  kMamba1,
  kMamba2,
  kDeltaNet,
  kLightning
};
constexpr auto names(MixerKind) {
  return std::array{"attention", "mla",    "abstract",  "none",
                    "mamba1",    "mamba2", "delta_net", "lightning"};
}

enum class MlpKind { kDense, kMoe, kAbstract, kNone };
constexpr auto names(MlpKind) { return std::array{"dense", "moe", "abstract", "none"}; }

enum class Bias { kNone, kQkv, kAll };
constexpr auto names(Bias) { return std::array{"none", "qkv", "all"}; }

enum class QkNorm { kNone, kHead, kWidth };
constexpr auto names(QkNorm) { return std::array{"none", "head", "width"}; }

enum class Norm { kRms, kLayer, kLayerNoBias };
constexpr auto names(Norm) { return std::array{"rms", "layer", "layer_no_bias"}; }

template <class R>
struct Mixer {
  MixerKind kind = MixerKind::kAttention;
  std::optional<Count<R>> heads, kv_heads, head_width;                       // attention
  std::optional<Count<R>> q_rank, kv_rank, nope_width, rope_width, v_width;  // mla
  std::optional<Count<R>> window;
  std::optional<Count<R>> index_heads, index_width, index_top_k;                  // mla + indexer
  std::optional<Count<R>> key_heads, inner, state, groups, conv, dt_rank, chunk;  // recurrent
  bool conv_bias = false, small_norms = false;
  Bias bias = Bias::kNone;
  QkNorm qk_norm = QkNorm::kNone;
  bool sinks = false, output_gate = false, values_are_keys = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "",
            "attention (MHA, GQA, MQA) | mla | mamba1 | mamba2 | delta_net | lightning | none"),
      s.kind...);
    v(Field("heads", "a", "query heads; of a recurrent mixer, heads of its values").degree(),
      s.heads...);
    v(Field("kv_heads", "a_kv", "key and value heads; query heads if not stated").degree(),
      s.kv_heads...);
    v(Field("head_width", "d", "width of a head; hidden / heads if not stated").degree(),
      s.head_width...);
    v(Field("q_rank", "r_q", "MLA: query latent; absent = one plain matrix").count(), s.q_rank...);
    v(Field("kv_rank", "r_kv", "MLA: latent that is cached").degree(), s.kv_rank...);
    v(Field("nope_width", "d_n", "MLA: head width without positions").degree(), s.nope_width...);
    v(Field("rope_width", "d_r", "MLA: head width with positions").count(), s.rope_width...);
    v(Field("v_width", "d_v", "width of a value head; head_width if not stated").degree(),
      s.v_width...);
    v(Field("window", "w", "tokens a layer looks back; absent = all").degree(), s.window...);
    v(Field("index_heads", "a_idx", "indexer of sparse attention: its heads").degree(),
      s.index_heads...);
    v(Field("index_width", "d_idx", "indexer: width of a head").degree(), s.index_width...);
    v(Field("index_top_k", "k_idx", "indexer: tokens that are then attended to").degree(),
      s.index_top_k...);
    v(Field("key_heads", "a_k", "delta_net: heads of queries and keys").degree(), s.key_heads...);
    v(Field("inner", "d_in", "mamba1: inner width").degree(), s.inner...);
    v(Field("state", "d_st", "mamba: state of a channel").degree(), s.state...);
    v(Field("groups", "G", "mamba2: groups that share B and C").degree(), s.groups...);
    v(Field("conv", "K", "taps of the short convolution").degree(), s.conv...);
    v(Field("dt_rank", "r_dt", "mamba1: rank of the time step").degree(), s.dt_rank...);
    v(Field("chunk", "Q", "mamba2, delta_net, lightning: tokens that training takes at a time")
          .degree(),
      s.chunk...);
    v(Field("conv_bias", "", "the convolution has a bias"), s.conv_bias...);
    v(Field("small_norms", "", "mamba1: norms on the time step, B and C (Jamba)"),
      s.small_norms...);
    v(Field("bias", "", "none | qkv | all"), s.bias...);
    v(Field("qk_norm", "", "none | head | width"), s.qk_norm...);
    v(Field("sinks", "", "a learned sink per head"), s.sinks...);
    v(Field("output_gate", "", "queries come with a gate of the output, as wide as they are"),
      s.output_gate...);
    v(Field("values_are_keys", "", "one matrix gives keys and values"), s.values_are_keys...);
  }
};

template <class R>
struct Mlp {
  MlpKind kind = MlpKind::kDense;
  std::optional<Count<R>> width, shared_width;
  Count<R> matrices{3};
  bool bias = false;
  std::optional<Count<R>> experts, top_k;  // moe
  Count<R> shared{0}, node_limit{0};
  bool router = true, router_bias = false, shared_gate = false;
  std::optional<Count<R>> latent;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "", "dense | moe | none"), s.kind...);
    v(Field("width", "f", "inner width; of one expert in an MoE").degree(), s.width...);
    v(Field("matrices", "g", "3 if gated (SwiGLU), else 2").degree(), s.matrices...);
    v(Field("bias", "", "whether the matrices carry biases; in an MoE the router too"), s.bias...);
    v(Field("experts", "E", "routed experts").degree(), s.experts...);
    v(Field("top_k", "k", "experts a token is routed to").degree(), s.top_k...);
    v(Field("shared", "E_s", "experts every token passes").count(), s.shared...);
    v(Field("shared_width", "f_s", "of a shared expert; `width` if not stated").degree(),
      s.shared_width...);
    v(Field("router", "", "whether the hidden × experts router is counted"), s.router...);
    v(Field("router_bias", "", "a correction bias per expert"), s.router_bias...);
    v(Field("shared_gate", "", "a hidden × 1 gate on the shared experts"), s.shared_gate...);
    v(Field("latent", "h_lat", "width the routed experts work in; hidden if not stated").degree(),
      s.latent...);
    v(Field("node_limit", "", "most nodes a token may be sent to; 0 = any").count(),
      s.node_limit...);
  }
};

template <class R>
struct LayerGroup {
  Count<R> count;
  Mixer<R> mixer;
  Mlp<R> mlp;
  std::optional<Count<R>> norms;
  std::optional<TensorFormats<R>> stored;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("count", "L", "layers of this kind").required().degree(), s.count...);
    v(Field("mixer", "", "attention or what stands in its place").required(), s.mixer...);
    v(Field("mlp", "", "feed-forward part").required(), s.mlp...);
    v(Field("norms", "", "norms of a layer, where they differ from norms_per_layer").count(),
      s.norms...);
    v(Field("stored", "", "formats of these layers in the model's files, where they differ"),
      s.stored...);
  }
};

// Modules that predict tokens beyond the next (DeepSeek-V3, section 2.2): each a layer, a matrix
// from two hidden states to one, and norms.
template <class R>
struct Mtp {
  Count<R> modules{1};
  Mixer<R> mixer;
  Mlp<R> mlp;
  Count<R> norms{3};
  bool copies = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("modules", "D_mtp", "of this kind").degree(), s.modules...);
    v(Field("mixer", "", "of the module's layer").required(), s.mixer...);
    v(Field("mlp", "", "of the module's layer").required(), s.mlp...);
    v(Field("norms", "", "hidden-wide norms beside the layer's own").count(), s.norms...);
    v(Field("copies", "", "files hold copies of embedding and head in each module"), s.copies...);
  }
};

// A vision transformer whose output is projected to the model's hidden width.
template <class R>
struct VisionTower {
  Count<R> layers, hidden, width, heads;
  Count<R> patch_inputs;  // channels · patch²
  Count<R> positions{0}, class_tokens{0}, outer_norms{0}, matrices{2};
  bool patch_bias = true, bias = true;
  std::vector<Count<R>> projector;  // elements of each of its tensors
  std::string text;                 // the sentence that says where the projector's come from

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("layers", "", "of the tower").required().degree(), s.layers...);
    v(Field("hidden", "", "its width").required().degree(), s.hidden...);
    v(Field("width", "", "inner width of its MLPs").required().degree(), s.width...);
    v(Field("heads", "", "attention heads").required().degree(), s.heads...);
    v(Field("patch_inputs", "", "channels · patch height · patch width").required().degree(),
      s.patch_inputs...);
    v(Field("positions", "", "rows of the position table").count(), s.positions...);
    v(Field("class_tokens", "", "learned rows beside the patches").count(), s.class_tokens...);
    v(Field("outer_norms", "", "norms before and after the layers").count(), s.outer_norms...);
    v(Field("matrices", "", "of an MLP").degree(), s.matrices...);
    v(Field("patch_bias", "", "the patch matrix has a bias"), s.patch_bias...);
    v(Field("bias", "", "matrices have biases"), s.bias...);
    v(Field("projector", "", "elements of each tensor between tower and model").hint(Hint::kParams),
      s.projector...);
    v(Field("projector_source", "", "where they come from"), s.text...);
  }
};

// Elements that files hold beside the parameters: rotary tables, causal masks.
template <class R>
struct StoredBuffer {
  std::string name, source;
  Count<R> elements;
  std::optional<Stored<R>> format;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as the files call it").required(), s.name...);
    v(Field("elements", "", "all layers together").required().hint(Hint::kParams), s.elements...);
    v(Field("format", "", "the files' base format if not stated").by_name(), s.format...);
    v(Field("source", "", "where the figure comes from"), s.source...);
  }
};

// What the model's published files hold, and in which formats.
template <class R>
struct ModelFiles {
  Stored<R> base;
  std::optional<TensorFormats<R>> formats;
  bool mtp = false, vision = false, tied_copy = false;
  std::vector<StoredBuffer<R>> buffers;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("base", "", "format of every tensor whose class is not named").by_name().required(),
      s.base...);
    v(Field("formats", "", "by class of tensor"), s.formats...);
    v(Field("mtp", "", "the modules for further tokens are in the files"), s.mtp...);
    v(Field("vision", "", "the vision tower is in the files"), s.vision...);
    v(Field("tied_copy", "", "a tied head is stored a second time"), s.tied_copy...);
    v(Field("buffers", "", "elements that are no parameters"), s.buffers...);
  }
};

struct PublishedCount {
  std::string published, rounded, active, source;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("published", "", "exact count that a source prints"), s.published...);
    v(Field("rounded", "", "a rounded count that a source prints"), s.rounded...);
    v(Field("active", "", "active parameters that a source prints"), s.active...);
    v(Field("source", "", "where"), s.source...);
  }
};

template <class R>
struct Model {
  std::string id, name, source, assumed;
  std::optional<Count<R>> params, active;  // abstract models
  std::optional<Count<R>> hidden;
  Count<R> vocab{0}, positions{0};
  bool tied = false, final_norm = true, embedding_norm = false, head_bias = false;
  Norm norm = Norm::kRms;
  Count<R> norms_per_layer{2};
  std::vector<LayerGroup<R>> layers;
  std::optional<Mtp<R>> mtp;
  std::optional<VisionTower<R>> vision;
  std::optional<ModelFiles<R>> files;
  std::optional<Count<R>> context;
  PublishedCount parameters;

  bool abstract() const { return params.has_value(); }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("assumed", "", "the architecture whose facts an import took for an unknown one"),
      s.assumed...);
    v(Field("params", "N", "abstract models: all parameters")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.params...);
    v(Field("active", "N_act", "abstract MoE models: parameters a token passes")
          .hint(Hint::kParams)
          .limit(Limit::kPositive),
      s.active...);
    v(Field("hidden", "h", "width of the residual stream").degree(), s.hidden...);
    v(Field("vocab", "V", "rows of the embedding table").count(), s.vocab...);
    v(Field("positions", "S_pos", "rows of a learned position table").count(), s.positions...);
    v(Field("tied", "", "the head is the embedding table"), s.tied...);
    v(Field("norm", "", "rms (h) | layer (2h) | layer_no_bias (h)"), s.norm...);
    v(Field("norms_per_layer", "n_norm", "").count(), s.norms_per_layer...);
    v(Field("final_norm", "", "a norm before the head"), s.final_norm...);
    v(Field("embedding_norm", "", "a norm after the embedding"), s.embedding_norm...);
    v(Field("head_bias", "", "the output head has a bias"), s.head_bias...);
    v(Field("layers", "", "layer groups, first layer first; or a number in an abstract model"),
      s.layers...);
    v(Field("mtp", "", "modules that predict further tokens; off the token path"), s.mtp...);
    v(Field("vision", "", "vision tower and projector; off the token path"), s.vision...);
    v(Field("files", "", "what the published files hold, and in which formats"), s.files...);
    v(Field("context", "", "published context length").hint(Hint::kLength), s.context...);
    v(Field("parameters", "", "what sources print, for comparison"), s.parameters...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
