// Parameters of a model, by part.
//
//   Parameters<double> n = parameters(model);
//   n.total         // every parameter: memory
//   n.matmul        // those a token multiplies with: FLOPs (no input table, no norms)
//   n.active, n.active_no_input, n.active_no_embeddings     // three conventions for MoE models
//
// One walk over the weight matrices (for_each_matrix) serves counting, tensor-parallel splitting
// (shards.hpp), adapters and factored optimizer states. Counting rules: Hugging Face reference
// implementations, held to published counts by tests/engine/models_test.cpp.
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
Count<R> head_width(const Model<R>& model, const Mixer<R>& x) {
  return x.head_width ? *x.head_width : *model.hidden / *x.heads;
}
template <class R>
Count<R> kv_heads(const Mixer<R>& x) {
  return x.kv_heads ? *x.kv_heads : *x.heads;
}
template <class R>
Count<R> shared_width(const Mlp<R>& x) {
  return x.shared_width ? *x.shared_width : *x.width;
}
// Width of all query heads (what the scores are computed with) and of all value heads.
template <class R>
Count<R> query_width(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kMla) return *x.heads * (*x.nope_width + *x.rope_width);
  return *x.heads * head_width(model, x);
}
template <class R>
Count<R> value_width(const Model<R>& model, const Mixer<R>& x) {
  if (x.kind == MixerKind::kMla) return *x.heads * *x.v_width;
  return *x.heads * head_width(model, x);
}

template <class R, class Visit>
void for_each_mixer_matrix(const Model<R>& model, const Mixer<R>& x, Visit visit) {
  const Count<R> one{1};
  if (x.kind == MixerKind::kAttention) {
    auto h = *model.hidden;
    auto d = head_width(model, x);
    auto q = *x.heads * d;
    auto kv = kv_heads(x) * d;
    visit(Matrix<R>{"q", Part::kAttention, Split::kColumns, h, q, one});
    visit(Matrix<R>{"k", Part::kAttention, Split::kColumns, h, kv, one, kv_heads(x)});
    visit(Matrix<R>{"v", Part::kAttention, Split::kColumns, h, kv, one, kv_heads(x)});
    visit(Matrix<R>{"o", Part::kAttention, Split::kRows, q, h, one});
  } else if (x.kind == MixerKind::kMla) {
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
  }
}

// The matrices of an MLP of width f, `copies` of it: gate and up (or up alone), down.
template <class R, class Visit>
void for_each_mlp_matrix(Count<R> h, Count<R> f, Count<R> matrices, Count<R> copies, Part part,
                         Visit visit) {
  if (!(matrices <= 2)) visit(Matrix<R>{"gate", part, Split::kColumns, h, f, copies});
  visit(Matrix<R>{"up", part, Split::kColumns, h, f, copies});
  visit(Matrix<R>{"down", part, Split::kRows, f, h, copies});
}

// All weight matrices of one layer of a group. Routed experts come once, with `copies` = experts.
template <class R, class Visit>
void for_each_matrix(const Model<R>& model, const LayerGroup<R>& g, Visit visit) {
  for_each_mixer_matrix(model, g.mixer, visit);
  const Mlp<R>& m = g.mlp;
  if (m.kind == MlpKind::kDense) {
    for_each_mlp_matrix(*model.hidden, *m.width, m.matrices, Count<R>{1}, Part::kMlp, visit);
  } else if (m.kind == MlpKind::kMoe) {
    if (m.router)
      visit(Matrix<R>{"router", Part::kRouter, Split::kWhole, *model.hidden, *m.experts,
                      Count<R>{1}});
    for_each_mlp_matrix(*model.hidden, *m.width, m.matrices, *m.experts, Part::kExpert, visit);
    if (!(m.shared <= 0))
      for_each_mlp_matrix(*model.hidden, shared_width(m), m.matrices, m.shared, Part::kShared,
                          visit);
  }
}

// Parameters of one layer by part. `vectors` are norms and biases.
template <class R>
struct LayerParameters {
  Count<R> attention{0}, mlp{0}, experts{0}, shared{0}, router{0}, vectors{0};
  Count<R> one_token{0};  // matrices on the path of one token: top_k of the routed experts

  Count<R> dense() const { return attention + mlp + shared + router; }
  Count<R> total() const { return dense() + experts + vectors; }
};

template <class R>
Count<R> norm_width(const Model<R>& model) {
  return model.norm == Norm::kLayer ? 2 * *model.hidden : *model.hidden;
}

template <class R>
Count<R> layer_vectors(const Model<R>& model, const LayerGroup<R>& g) {
  Sum<kOne, R> parts;
  if (model.hidden && !(model.norms_per_layer <= 0))
    parts.add("norms", model.norms_per_layer * norm_width(model));
  const Mixer<R>& x = g.mixer;
  if (x.kind == MixerKind::kAttention) {
    auto d = head_width(model, x);
    auto qkv = (*x.heads + 2 * kv_heads(x)) * d;
    if (x.bias == Bias::kQkv) parts.add("biases of q, k, v", qkv);
    if (x.bias == Bias::kAll) parts.add("biases of q, k, v, o", qkv + *model.hidden);
    if (x.qk_norm == QkNorm::kHead) parts.add("q and k norms", 2 * d);
    if (x.qk_norm == QkNorm::kWidth) parts.add("q and k norms", (*x.heads + kv_heads(x)) * d);
  }
  if (x.kind == MixerKind::kMla) {
    parts.add("norm of the KV latent", *x.kv_rank);
    if (x.q_rank) parts.add("norm of the query latent", *x.q_rank);
  }
  const Mlp<R>& m = g.mlp;
  if (m.kind == MlpKind::kDense && m.bias)
    parts.add("biases of the MLP", (m.matrices - 1) * *m.width + *model.hidden);
  if (m.kind == MlpKind::kMoe && m.router_bias) parts.add("router correction", *m.experts);
  return kLayerVectors(parts.total());
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
  if (g.mlp.kind == MlpKind::kMoe) n.one_token += n.experts * *g.mlp.top_k / *g.mlp.experts;
  return n;
}

template <class R>
struct Parameters {
  Count<R> total, matmul, active, active_no_input, active_no_embeddings;
  Count<R> on_path{0};  // matrices of the layers that one token multiplies with
  // By part, all layers together; zero in an abstract model.
  Count<R> embedding{0}, positions{0}, head{0}, attention{0}, mlp{0}, experts{0}, shared{0},
      router{0}, vectors{0};
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

template <class R>
Parameters<R> parameters(const Model<R>& model) {
  if (model.abstract()) return stated_parameters(model);
  Parameters<R> n;
  for (const LayerGroup<R>& g : model.layers) {
    const LayerParameters<R> l = layer_parameters(model, g);
    n.attention += g.count * l.attention;
    n.mlp += g.count * l.mlp;
    n.experts += g.count * l.experts;
    n.shared += g.count * l.shared;
    n.router += g.count * l.router;
    n.vectors += g.count * l.vectors;
    n.on_path += g.count * l.one_token;
  }
  n.embedding = model.vocab * *model.hidden;
  n.positions = model.positions * *model.hidden;
  n.head = model.tied ? Count<R>{0} : n.embedding;
  if (model.final_norm) n.vectors += norm_width(model);

  Sum<kOne, R> total, active;
  total.add("embedding", n.embedding).add("positions", n.positions).add("head", n.head);
  total.add("attention", n.attention).add("MLP", n.mlp).add("routed experts", n.experts);
  total.add("shared experts", n.shared).add("routers", n.router).add("norms and biases", n.vectors);
  n.total = kTotalParameters(total.total());

  auto N_head = n.embedding;  // a tied table serves as the head
  auto N_path = n.on_path;
  NAME(N_path, N_head);
  n.matmul = kMatmulParameters(N_path + N_head);
  active.add("layers", N_path).add("norms and biases", n.vectors);
  n.active_no_embeddings = kActiveNoEmbeddings(active.total());
  active.add("head", N_head);
  n.active_no_input = kActiveNoInput(active.total());
  active.add("positions", n.positions);
  if (!model.tied) active.add("embedding", n.embedding);
  n.active = kActiveParameters(active.total());
  return n;
}

}  // namespace reckon
