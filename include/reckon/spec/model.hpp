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
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class MixerKind { kAttention, kMla, kAbstract, kNone };
constexpr auto names(MixerKind) { return std::array{"attention", "mla", "abstract", "none"}; }

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
  Bias bias = Bias::kNone;
  QkNorm qk_norm = QkNorm::kNone;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "", "attention (MHA, GQA, MQA) | mla | none"), s.kind...);
    v(Field("heads", "a", "query heads").degree(), s.heads...);
    v(Field("kv_heads", "a_kv", "key and value heads; query heads if not stated").degree(),
      s.kv_heads...);
    v(Field("head_width", "d", "width of a head; hidden / heads if not stated").degree(),
      s.head_width...);
    v(Field("q_rank", "r_q", "MLA: query latent; absent = one plain matrix").count(), s.q_rank...);
    v(Field("kv_rank", "r_kv", "MLA: latent that is cached").degree(), s.kv_rank...);
    v(Field("nope_width", "d_n", "MLA: head width without positions").degree(), s.nope_width...);
    v(Field("rope_width", "d_r", "MLA: head width with positions").count(), s.rope_width...);
    v(Field("v_width", "d_v", "MLA: width of a value head").degree(), s.v_width...);
    v(Field("window", "w", "tokens a layer looks back; absent = all").degree(), s.window...);
    v(Field("bias", "", "none | qkv | all"), s.bias...);
    v(Field("qk_norm", "", "none | head | width"), s.qk_norm...);
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
  bool router = true, router_bias = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "", "dense | moe | none"), s.kind...);
    v(Field("width", "f", "inner width; of one expert in an MoE").degree(), s.width...);
    v(Field("matrices", "g", "3 if gated (SwiGLU), else 2").degree(), s.matrices...);
    v(Field("bias", "", "whether the matrices carry biases"), s.bias...);
    v(Field("experts", "E", "routed experts").degree(), s.experts...);
    v(Field("top_k", "k", "experts a token is routed to").degree(), s.top_k...);
    v(Field("shared", "E_s", "experts every token passes").count(), s.shared...);
    v(Field("shared_width", "f_s", "of a shared expert; `width` if not stated").degree(),
      s.shared_width...);
    v(Field("router", "", "whether the hidden × experts router is counted"), s.router...);
    v(Field("router_bias", "", "a correction bias per expert"), s.router_bias...);
    v(Field("node_limit", "", "most nodes a token may be sent to; 0 = any").count(),
      s.node_limit...);
  }
};

template <class R>
struct LayerGroup {
  Count<R> count;
  Mixer<R> mixer;
  Mlp<R> mlp;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("count", "L", "layers of this kind").required().degree(), s.count...);
    v(Field("mixer", "", "attention or what stands in its place").required(), s.mixer...);
    v(Field("mlp", "", "feed-forward part").required(), s.mlp...);
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
  std::string id, name, source;
  std::optional<Count<R>> params, active;  // abstract models
  std::optional<Count<R>> hidden;
  Count<R> vocab{0}, positions{0};
  bool tied = false, final_norm = true;
  Norm norm = Norm::kRms;
  Count<R> norms_per_layer{2};
  std::vector<LayerGroup<R>> layers;
  std::optional<Count<R>> context;
  PublishedCount parameters;

  bool abstract() const { return params.has_value(); }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
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
    v(Field("layers", "", "layer groups, first layer first; or a number in an abstract model"),
      s.layers...);
    v(Field("context", "", "published context length").hint(Hint::kLength), s.context...);
    v(Field("parameters", "", "what sources print, for comparison"), s.parameters...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
