// Parameters of a model, by part.
//
//   Parameters<double> n = parameters(model);
//   n.total         // every parameter on a token's path or beside it: memory
//   n.matmul        // those a token multiplies with: FLOPs (no input table, no norms)
//   n.active, n.active_no_input, n.active_no_embeddings     // three conventions for MoE models
//   n.mtp, n.vision // modules that predict further tokens, a vision tower: not in the total
//
// Two walks serve counting, tensor-parallel splitting (shards.hpp), adapters, factored optimizer
// states and what files hold (files.hpp): for_each_matrix, over what a linear layer multiplies, and
// for_each_vector, over the rest: norms, biases, sinks, and of recurrent mixers the filters of the
// short convolution, decay rates, skips and time-step biases (their work is in flops.hpp). Counting
// rules: Hugging Face reference implementations, held to published counts by
// tests/engine/models_test.cpp.
#pragma once

#include <optional>

#include "reckon/spec/model.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kLayerVectors{"parameters.layer.vectors", "N_vec",
                                   "norms and biases of a layer", "sum over its vectors",
                                   Hint::kParams};
inline const Formula kTotalParameters{"parameters.total", "N", "all parameters",
                                      "sum over the model's parts", Hint::kParams};
inline const Formula kStatedParameters{"parameters.stated", "N", "all parameters, as stated",
                                       "the model's params", Hint::kParams};
inline const Formula kMatmulParameters{
    "parameters.matmul", "N_mm", "parameters a token multiplies with",
    "matrices on a token's path, input table excluded", Hint::kParams};
inline const Formula kActiveParameters{"parameters.active", "N_act", "active parameters",
                                       "with input table and head", Hint::kParams};
inline const Formula kActiveNoInput{"parameters.active_no_input", "N_act'",
                                    "active parameters without the input table",
                                    "the table is read, not multiplied", Hint::kParams};
inline const Formula kActiveNoEmbeddings{"parameters.active_no_embeddings", "N_act''",
                                         "active parameters without input table and head",
                                         "layers and final norm", Hint::kParams};

inline const Formula kMtpParameters{"parameters.mtp", "N_mtp",
                                    "modules that predict further tokens",
                                    "a layer, a matrix from two hidden states to one, norms; no "
                                    "copies of the tables: DeepSeek-V3, section 2.2",
                                    Hint::kParams};
inline const Formula kVisionParameters{"parameters.vision", "N_vis", "vision tower and projector",
                                       "patches, positions, layers, projector", Hint::kParams};

// How a matrix is split over tensor ranks: by columns (its outputs), by rows (its inputs), not at
// all; and whether it belongs to a routed expert.
enum class Split { kColumns, kRows, kWhole };
enum class Part { kAttention, kMlp, kExpert, kShared, kRouter };

template <class R>
struct Matrix {
  const char* name;
  Part part;
  Split split;
  Count<R> in, out, copies;
  // Width along the outputs in units that can't be split further (key and value heads): 0 = any.
  Count<R> units{0};
  bool narrow = false;  // files keep it as they keep routers, whatever its part's format
};

// What is no matrix. `copies`: routed experts that have one each, else 1.
enum class VectorKind { kNorm, kBias, kCorrection, kFilter, kRecurrence };

template <class R>
struct Vector {
  const char* name;
  VectorKind kind;
  Part part;
  Count<R> width, copies{1};
  bool channels = false;  // of a recurrent mixer's channels: split over tensor ranks as they are
};

// A part's label: by number where a model has several layer groups.
template <class R>
Label group_label(const Model<R>& model, std::string_view alone, std::string_view numbered,
                  std::size_t g) {
  return model.layers.size() == 1 ? Label(alone) : Label(numbered, static_cast<int>(g));
}

template <class R>
Count<R> elements(const Matrix<R>& m) {
  return m.copies * m.in * m.out;
}
template <class R>
Count<R> elements(const Vector<R>& v) {
  return v.copies * v.width;
}

template <class R>
Count<R> head_width(const Model<R>& model, const Mixer<R>& x) {
  return x.head_width ? *x.head_width : *model.hidden / *x.heads;
}
template <class R>
Count<R> value_head_width(const Model<R>& model, const Mixer<R>& x) {
  return x.v_width ? *x.v_width : head_width(model, x);
}
template <class R>
Count<R> kv_heads(const Mixer<R>& x) {
  return x.kv_heads ? *x.kv_heads : *x.heads;
}
template <class R>
Count<R> shared_width(const Mlp<R>& x) {
  return x.shared_width ? *x.shared_width : *x.width;
}
// The width routed experts read and write.
template <class R>
Count<R> expert_hidden(const Model<R>& model, const Mlp<R>& x) {
  return x.latent ? *x.latent : *model.hidden;
}

// A state of fixed size stands in the place of a growing cache.
constexpr bool recurrent(MixerKind kind) {
  return kind == MixerKind::kMamba1 || kind == MixerKind::kMamba2 || kind == MixerKind::kDeltaNet ||
         kind == MixerKind::kLightning;
}
template <class R>
bool any_recurrent(const Model<R>& model) {
  for (const LayerGroup<R>& g : model.layers) {
    if (recurrent(g.mixer.kind)) return true;
  }
  return false;
}

// Width of all query heads (what the scores are computed with) and of all value heads: what goes
// into the output matrix.
template <class R>
Count<R> query_width(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kMla) return *x.heads * (*x.nope_width + *x.rope_width);
  return *x.heads * head_width(model, x);
}
template <class R>
Count<R> value_width(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kMamba1) return *x.inner;
  if (x.kind == MixerKind::kMla) return *x.heads * *x.v_width;
  return *x.heads * value_head_width(model, x);
}

// Width of all keys of a gated delta-net.
template <class R>
Count<R> key_width(const Mixer<R>& x) {
  return *x.key_heads * *x.head_width;
}
// Channels that the short convolution of a recurrent mixer runs over.
template <class R>
Count<R> conv_channels(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kMamba2) return value_width(model, x) + 2 * *x.groups * *x.state;
  if (x.kind == MixerKind::kDeltaNet) return 2 * key_width(x) + value_width(model, x);
  return *x.inner;
}

template <class R, class Visit>
void for_each_attention_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const Count<R> one{1};
  auto h = *model.hidden;
  auto kv = kv_heads(x);
  auto q = query_width(model, x);
  auto k = kv * head_width(model, x);
  visit(Matrix<R>{"q", Part::kAttention, Split::kColumns, h, x.output_gate ? 2 * q : q, one});
  visit(Matrix<R>{"k", Part::kAttention, Split::kColumns, h, k, one, kv});
  if (!x.values_are_keys)
    visit(Matrix<R>{"v", Part::kAttention, Split::kColumns, h, kv * value_head_width(model, x), one,
                    kv});
  visit(Matrix<R>{"o", Part::kAttention, Split::kRows, value_width(model, x), h, one});
}

// The indexer picks the tokens that are attended to: queries from the query latent, one key head.
template <class R, class Visit>
void for_each_indexer_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  if (!x.index_heads) return;
  const Count<R> one{1};
  auto h = *model.hidden;
  auto q = *x.index_heads * *x.index_width;
  visit(Matrix<R>{"index_q", Part::kAttention, Split::kWhole, x.q_rank ? *x.q_rank : h, q, one});
  visit(Matrix<R>{"index_k", Part::kAttention, Split::kWhole, h, *x.index_width, one});
  Matrix<R> weights{"index_weights", Part::kAttention, Split::kWhole, h, *x.index_heads, one};
  weights.narrow = true;
  visit(weights);
}

template <class R, class Visit>
void for_each_mla_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const Count<R> one{1};
  auto h = *model.hidden;
  auto q = query_width(model, x);
  if (x.q_rank) {
    visit(Matrix<R>{"q_a", Part::kAttention, Split::kWhole, h, *x.q_rank, one});
    visit(Matrix<R>{"q", Part::kAttention, Split::kColumns, *x.q_rank, q, one});
  } else {
    visit(Matrix<R>{"q", Part::kAttention, Split::kColumns, h, q, one});
  }
  visit(Matrix<R>{"kv_a", Part::kAttention, Split::kWhole, h, *x.kv_rank + *x.rope_width, one});
  visit(Matrix<R>{"kv_b", Part::kAttention, Split::kColumns, *x.kv_rank,
                  *x.heads * (*x.nope_width + *x.v_width), one});
  visit(Matrix<R>{"o", Part::kAttention, Split::kRows, *x.heads * *x.v_width, h, one});
  for_each_indexer_matrix(model, x, visit);
}

// Into the mixer, what small ones there are, and out of it.
template <class R, class Visit>
void for_each_recurrent_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const Count<R> one{1};
  auto h = *model.hidden;
  auto v = value_width(model, x);
  const auto add = [&](const char* name, Split split, Count<R> in, Count<R> out) {
    visit(Matrix<R>{name, Part::kAttention, split, in, out, one});
  };
  if (x.kind == MixerKind::kMamba1) {
    add("in", Split::kColumns, h, 2 * v);
    add("x", Split::kRows, v, *x.dt_rank + 2 * *x.state);
    add("dt", Split::kColumns, *x.dt_rank, v);
  } else if (x.kind == MixerKind::kMamba2) {
    add("in", Split::kColumns, h, 2 * v + 2 * *x.groups * *x.state + *x.heads);
  } else if (x.kind == MixerKind::kDeltaNet) {
    add("qkvz", Split::kColumns, h, 2 * key_width(x) + 2 * v);
    add("ba", Split::kColumns, h, 2 * *x.heads);
  } else {
    for (const char* name : {"q", "k", "v", "output_gate"}) add(name, Split::kColumns, h, v);
  }
  add(x.kind == MixerKind::kLightning ? "o" : "out", Split::kRows, v, h);
}

template <class R, class Visit>
void for_each_mixer_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  if (x.kind == MixerKind::kAttention) for_each_attention_matrix(model, x, visit);
  if (x.kind == MixerKind::kMla) for_each_mla_matrix(model, x, visit);
  if (recurrent(x.kind)) for_each_recurrent_matrix(model, x, visit);
}

// The matrices of an MLP of width f, `copies` of it: gate and up (or up alone), down.
template <class R, class Visit>
void for_each_mlp_matrix(Count<R> h, Count<R> f, Count<R> matrices, Count<R> copies, Part part,
                         Visit visit) {
  if (!(matrices <= 2)) visit(Matrix<R>{"gate", part, Split::kColumns, h, f, copies});
  visit(Matrix<R>{"up", part, Split::kColumns, h, f, copies});
  visit(Matrix<R>{"down", part, Split::kRows, f, h, copies});
}

// Routed experts come once, with `copies` = experts. Every token passes the matrices between hidden
// width and the experts' latent: they count as shared.
template <class R, class Visit>
void for_each_moe_matrix(const Model<R>& model, const Mlp<R>& m, Visit visit) {
  const Count<R> one{1};
  auto h = *model.hidden;
  if (m.router) visit(Matrix<R>{"router", Part::kRouter, Split::kWhole, h, *m.experts, one});
  if (m.latent) {
    visit(Matrix<R>{"to_latent", Part::kShared, Split::kWhole, h, *m.latent, one});
    visit(Matrix<R>{"from_latent", Part::kShared, Split::kWhole, *m.latent, h, one});
  }
  for_each_mlp_matrix(expert_hidden(model, m), *m.width, m.matrices, *m.experts, Part::kExpert,
                      visit);
  if (m.shared <= 0) return;
  for_each_mlp_matrix(h, shared_width(m), m.matrices, m.shared, Part::kShared, visit);
  if (!m.shared_gate) return;
  Matrix<R> gate{"shared_gate", Part::kShared, Split::kWhole, h, one, one};
  gate.narrow = true;
  visit(gate);
}

// All weight matrices of one layer with this mixer and MLP.
template <class R, class Visit>
void for_each_matrix(const Model<R>& model, const Mixer<R>& mixer, const Mlp<R>& m, Visit visit) {
  for_each_mixer_matrix(model, mixer, visit);
  if (m.kind == MlpKind::kDense)
    for_each_mlp_matrix(*model.hidden, *m.width, m.matrices, Count<R>{1}, Part::kMlp, visit);
  if (m.kind == MlpKind::kMoe) for_each_moe_matrix(model, m, visit);
}
template <class R, class Visit>
void for_each_matrix(const Model<R>& model, const LayerGroup<R>& g, Visit visit) {
  for_each_matrix(model, g.mixer, g.mlp, visit);
}

template <class R>
Count<R> norm_width(const Model<R>& model) {
  return model.norm == Norm::kLayer ? 2 * *model.hidden : *model.hidden;
}
template <class R>
Count<R> layer_norms(const Model<R>& model, const LayerGroup<R>& g) {
  return g.norms ? *g.norms : model.norms_per_layer;
}

template <class R, class Visit>
void for_each_attention_vector(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const auto add = [&](const char* name, VectorKind kind, Count<R> width) {
    visit(Vector<R>{name, kind, Part::kAttention, width});
  };
  auto d = head_width(model, x);
  if (x.bias != Bias::kNone) {
    Sum<kOne, R> biases;
    for_each_attention_matrix(model, x, [&](const Matrix<R>& m) {
      if (m.split == Split::kColumns || x.bias == Bias::kAll) biases.add(m.name, m.out);
    });
    add(x.bias == Bias::kAll ? "biases of q, k, v, o" : "biases of q, k, v", VectorKind::kBias,
        biases.total());
  }
  if (x.qk_norm == QkNorm::kHead) add("q and k norms", VectorKind::kNorm, 2 * d);
  if (x.qk_norm == QkNorm::kWidth)
    add("q and k norms", VectorKind::kNorm, (*x.heads + kv_heads(x)) * d);
  if (x.sinks) add("sinks", VectorKind::kBias, *x.heads);
}

template <class R, class Visit>
void for_each_mla_vector(const Mixer<R>& x, Visit visit) {
  const auto norm = [&](const char* name, Count<R> width) {
    visit(Vector<R>{name, VectorKind::kNorm, Part::kAttention, width});
  };
  norm("norm of the KV latent", *x.kv_rank);
  if (x.q_rank) norm("norm of the query latent", *x.q_rank);
  if (x.index_heads) norm("norm of the indexer's keys", 2 * *x.index_width);  // with a bias
}

template <class R, class Visit>
void for_each_recurrent_vector(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const auto norm = [&](const char* name, Count<R> width, bool channels) {
    visit(Vector<R>{name, VectorKind::kNorm, Part::kAttention, width, Count<R>{1}, channels});
  };
  const auto add = [&](const char* name, VectorKind kind, Count<R> width) {
    visit(Vector<R>{name, kind, Part::kAttention, width, Count<R>{1}, true});
  };
  auto v = value_width(model, x);
  if (x.kind == MixerKind::kLightning) return norm("output norm", v, true);
  auto channels = conv_channels(model, x);
  add("convolution", VectorKind::kFilter, channels * *x.conv);
  if (x.conv_bias) add("bias of the convolution", VectorKind::kBias, channels);
  if (x.kind == MixerKind::kMamba1) {
    add("decay rates", VectorKind::kRecurrence, v * *x.state);
    add("time-step biases and skips", VectorKind::kRecurrence, 2 * v);
    if (x.small_norms) norm("norms of time step, B, C", *x.dt_rank + 2 * *x.state, false);
  } else if (x.kind == MixerKind::kMamba2) {
    add("decay rates, time-step biases, skips", VectorKind::kRecurrence, 3 * *x.heads);
    norm("output norm", v, true);
  } else {
    add("decay rates and time-step biases", VectorKind::kRecurrence, 2 * *x.heads);
    norm("output norm", value_head_width(model, x), false);  // one for all heads
  }
}

template <class R, class Visit>
void for_each_mlp_vector(const Model<R>& model, const Mlp<R>& m, Visit visit) {
  const auto biases = [&](Count<R> f, Count<R> out) { return (m.matrices - 1) * f + out; };
  auto h = *model.hidden;
  if (m.kind == MlpKind::kDense && m.bias)
    visit(Vector<R>{"biases of the MLP", VectorKind::kBias, Part::kMlp, biases(*m.width, h)});
  if (m.kind != MlpKind::kMoe) return;
  if (m.router_bias)
    visit(Vector<R>{"router correction", VectorKind::kCorrection, Part::kRouter, *m.experts});
  if (!m.bias) return;
  if (m.router) visit(Vector<R>{"router biases", VectorKind::kBias, Part::kRouter, *m.experts});
  visit(Vector<R>{"biases of the experts", VectorKind::kBias, Part::kExpert,
                  biases(*m.width, expert_hidden(model, m)), *m.experts});
  if (!(m.shared <= 0))
    visit(Vector<R>{"biases of shared experts", VectorKind::kBias, Part::kShared,
                    m.shared * biases(shared_width(m), h)});
}

// All vectors of a layer with so many hidden-wide norms.
template <class R, class Visit>
void for_each_vector(const Model<R>& model, const Mixer<R>& x, const Mlp<R>& m, Count<R> norms,
                     Visit visit) {
  if (model.hidden && !(norms <= 0))
    visit(Vector<R>{"norms", VectorKind::kNorm, Part::kAttention, norms * norm_width(model)});
  if (x.kind == MixerKind::kAttention) for_each_attention_vector(model, x, visit);
  if (x.kind == MixerKind::kMla) for_each_mla_vector(x, visit);
  if (recurrent(x.kind)) for_each_recurrent_vector(model, x, visit);
  for_each_mlp_vector(model, m, visit);
}
template <class R, class Visit>
void for_each_vector(const Model<R>& model, const LayerGroup<R>& g, Visit visit) {
  for_each_vector(model, g.mixer, g.mlp, layer_norms(model, g), visit);
}

// Parameters of one layer by part. `vectors` is what no matrix is, routed experts' biases included.
template <class R>
struct LayerParameters {
  Count<R> attention{0}, mlp{0}, experts{0}, shared{0}, router{0}, vectors{0};
  // On the path of one token, which passes top_k of the routed experts: matrices, and the rest.
  Count<R> one_token{0}, one_token_vectors{0};

  Count<R> dense() const { return attention + mlp + shared + router; }
  Count<R> total() const { return dense() + experts + vectors; }
};

template <class R>
Count<R> layer_vectors(const Model<R>& model, const LayerGroup<R>& g) {
  Sum<kOne, R> parts;
  for_each_vector(model, g, [&](const Vector<R>& v) { parts.add(v.name, elements(v)); });
  return kLayerVectors(parts.total());
}

// Share of a layer's routed experts that one token passes.
template <class R>
Count<R> of_one_token(const Mlp<R>& m, Count<R> experts) {
  return experts * *m.top_k / *m.experts;
}

template <class R>
Count<R> vectors_of_one_token(const Model<R>& model, const LayerGroup<R>& g, Count<R> vectors) {
  Sum<kOne, R> routed;
  for_each_vector(model, g, [&](const Vector<R>& v) {
    if (v.part == Part::kExpert) routed.add(v.name, elements(v));
  });
  if (routed.total() <= 0) return vectors;
  auto N_vec = vectors;
  auto N_biases = routed.total();
  NAME(N_vec, N_biases);
  return N_vec - N_biases + of_one_token(g.mlp, N_biases);
}

// Of one layer of group `g` of a model with dimensions (not abstract).
template <class R>
LayerParameters<R> layer_parameters(const Model<R>& model, const LayerGroup<R>& g) {
  LayerParameters<R> n;
  Sum<kOne, R> attention, mlp, experts, shared, router;
  for_each_matrix(model, g, [&](const Matrix<R>& m) {
    Sum<kOne, R>* sums[] = {&attention, &mlp, &experts, &shared, &router};
    sums[static_cast<int>(m.part)]->add(m.name, elements(m));
  });
  n.attention = attention.total();
  n.mlp = mlp.total();
  n.experts = experts.total();
  n.shared = shared.total();
  n.router = router.total();
  n.vectors = layer_vectors(model, g);
  n.one_token = n.dense();
  if (g.mlp.kind == MlpKind::kMoe) n.one_token += of_one_token(g.mlp, n.experts);
  n.one_token_vectors = vectors_of_one_token(model, g, n.vectors);
  return n;
}

// The layer of one of a model's modules for further tokens.
template <class R>
LayerGroup<R> mtp_layer(const Model<R>& model, const Mtp<R>& x) {
  LayerGroup<R> g;
  g.count = x.modules;
  g.mixer = x.mixer;
  g.mlp = x.mlp;
  g.norms = model.norms_per_layer + x.norms;
  return g;
}

// Of all modules, without copies of embedding and head.
template <class R>
Count<R> mtp_parameters(const Model<R>& model) {
  if (!model.mtp) return {};
  auto h = *model.hidden;
  auto N_layer = layer_parameters(model, mtp_layer(model, *model.mtp)).total();
  auto D = model.mtp->modules;
  NAME(h, N_layer, D);
  return kMtpParameters(D * (N_layer + 2 * h * h));
}

// One tensor or several of a kind of a vision tower; biases and norms come as their own.
template <class R, class Visit>
void for_each_vision_tensor(const VisionTower<R>& x, Visit visit) {
  auto h = x.hidden;
  auto f = x.width;
  visit("patches", x.patch_inputs * h);
  if (x.patch_bias) visit("bias of the patches", h);
  visit("positions", (x.positions + x.class_tokens) * h);
  visit("attention", x.layers * (4 * h * h));
  visit("MLPs", x.layers * (x.matrices * h * f));
  if (x.bias) visit("biases", x.layers * (4 * h + (x.matrices - 1) * f + h));
  visit("norms", (2 * x.layers + x.outer_norms) * (2 * h));
  for (const Count<R>& n : x.projector) visit("projector", n);
}

template <class R>
Count<R> vision_parameters(const Model<R>& model) {
  if (!model.vision) return {};
  Sum<kOne, R> tensors;
  for_each_vision_tensor(*model.vision,
                         [&](const char* name, Count<R> n) { tensors.add(name, n); });
  return kVisionParameters(tensors.total());
}

template <class R>
struct Parameters {
  Count<R> total, matmul, active, active_no_input, active_no_embeddings;
  Count<R> on_path{0};  // matrices of the layers that one token multiplies with
  // By part, all layers together; zero in an abstract model.
  Count<R> embedding{0}, positions{0}, head{0}, attention{0}, mlp{0}, experts{0}, shared{0},
      router{0}, vectors{0};
  Count<R> mtp{0}, vision{0};  // beside the token path: in no other count
};

template <class R>
Parameters<R> stated_parameters(const Model<R>& model) {
  auto total = kStatedParameters(*model.params);
  auto active = model.active ? *model.active : total;
  Parameters<R> n;
  n.total = total;
  n.active = active;
  n.matmul = active;
  n.active_no_input = active;
  n.active_no_embeddings = active;
  n.on_path = active;
  return n;
}

// Norms and biases outside the layers, on the way in and out.
template <class R, class Visit>
void for_each_outer_vector(const Model<R>& model, Visit visit) {
  if (model.embedding_norm) visit("embedding norm", VectorKind::kNorm, norm_width(model));
  if (model.final_norm) visit("final norm", VectorKind::kNorm, norm_width(model));
  if (model.head_bias) visit("head bias", VectorKind::kBias, model.vocab);
}

template <class R>
Parameters<R> parameters(const Model<R>& model) {
  if (model.abstract()) return stated_parameters(model);
  Parameters<R> n;
  Count<R> vectors_on_path{0};
  for (const LayerGroup<R>& g : model.layers) {
    const LayerParameters<R> l = layer_parameters(model, g);
    n.attention += g.count * l.attention;
    n.mlp += g.count * l.mlp;
    n.experts += g.count * l.experts;
    n.shared += g.count * l.shared;
    n.router += g.count * l.router;
    n.vectors += g.count * l.vectors;
    n.on_path += g.count * l.one_token;
    vectors_on_path += g.count * l.one_token_vectors;
  }
  n.embedding = model.vocab * *model.hidden;
  n.positions = model.positions * *model.hidden;
  n.head = model.tied ? Count<R>{0} : n.embedding;
  for_each_outer_vector(model, [&](const char*, VectorKind, Count<R> width) {
    n.vectors += width;
    vectors_on_path += width;
  });
  n.mtp = mtp_parameters(model);
  n.vision = vision_parameters(model);

  Sum<kOne, R> total, active;
  total.add("embedding", n.embedding).add("positions", n.positions).add("head", n.head);
  total.add("attention", n.attention).add("MLP", n.mlp).add("routed experts", n.experts);
  total.add("shared experts", n.shared).add("routers", n.router).add("norms and biases", n.vectors);
  n.total = kTotalParameters(total.total());

  auto N_head = n.embedding;  // a tied table serves as the head
  auto N_path = n.on_path;
  NAME(N_path, N_head);
  n.matmul = kMatmulParameters(N_path + N_head);
  active.add("layers", N_path).add("norms and biases", vectors_on_path);
  n.active_no_embeddings = kActiveNoEmbeddings(active.total());
  active.add("head", N_head);
  n.active_no_input = kActiveNoInput(active.total());
  active.add("positions", n.positions);
  if (!model.tied) active.add("embedding", n.embedding);
  n.active = kActiveParameters(active.total());
  return n;
}

}  // namespace reckon
