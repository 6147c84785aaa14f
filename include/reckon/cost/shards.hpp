// What one GPU holds of the parameters: after tensor, pipeline and expert parallelism, before ZeRO.
//
// Column- and row-split matrices divide by t (key and value heads at least one a rank), so do a
// recurrent mixer's channels; latents, routers and norms stay whole, routed experts divide by e·t.
// The input table lies on the first stage, the head on the last (a tied table on both when p > 1).
// An abstract model divides evenly.
#pragma once

#include <vector>

#include "reckon/cost/classes.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/cost/stages.hpp"

namespace reckon {

inline const Formula kRankMatrices{"shard.layer.matrices", "P_mat",
                                   "dense matrices of a layer on one rank",
                                   "each matrix over the tensor ranks", Hint::kParams};
inline const Formula kRankExperts{"shard.layer.experts", "P_exp",
                                  "routed experts of a layer on one rank",
                                  "experts over expert and tensor ranks", Hint::kParams};
inline const Formula kRankVectors{
    "shard.layer.vectors", "P_vec", "norms, biases and filters of a layer on one rank",
    "experts' over expert ranks, recurrences' over tensor ranks", Hint::kParams};
inline const Formula kRankDense{"shard.dense", "P_dense",
                                "parameters on one GPU, without routed experts",
                                "layers of the stage and its tables", Hint::kParams};
inline const Formula kRankStated{"shard.stated", "P_dense", "parameters on one GPU",
                                 "all parameters over tensor and pipeline ranks", Hint::kParams};
inline const Formula kRankRouted{"shard.experts", "P_routed", "routed experts on one GPU",
                                 "of the stage's layers", Hint::kParams};
inline const Formula kRankTotal{"parameters.per_gpu", "P_gpu", "parameters on one GPU",
                                "dense + routed experts, before ZeRO", Hint::kParams};
inline const Formula kAdapterParameters{"shard.adapters", "P_adapter",
                                        "adapter parameters on one GPU",
                                        "rank · (inputs + outputs) of each target", Hint::kParams};

// A count and, beside it, what a factored optimizer state keeps of it: rows + columns of its
// matrices.
template <class R>
struct Held {
  Count<R> full{0}, factored{0};
  Held& operator+=(const Held& other) {
    full += other.full;
    factored += other.factored;
    return *this;
  }
};
template <class R>
Held<R> operator*(Count<R> n, const Held<R>& x) {
  return {n * x.full, n * x.factored};
}

// One layer of a group on one rank.
template <class R>
struct LayerShard {
  Held<R> matrices, experts;
  Count<R> vectors{0}, adapters{0};
  ByClass<R> classes;
};

template <class R>
struct Degrees {
  Count<R> t, e;
  std::optional<Count<R>> t_e{};  // of routed experts, where it is not t
};

// Share of a matrix's outputs that one rank holds: 1/t, or one indivisible unit (a KV head) at
// least.
template <class R>
Count<R> columns_on_rank(const Matrix<R>& m, Count<R> t) {
  if (m.units <= 0) return m.out / t;
  return max(m.units / t, 1) * (m.out / m.units);
}

template <class R>
Held<R> on_rank(const Matrix<R>& m, const Degrees<R>& d) {
  auto in = m.in;
  auto out = m.out;
  const auto t = m.part == Part::kExpert && d.t_e ? *d.t_e : d.t;
  if (m.split == Split::kColumns) out = columns_on_rank(m, t);
  if (m.split == Split::kRows) in = m.in / t;
  auto copies = m.part == Part::kExpert ? m.copies / d.e : m.copies;
  return {copies * in * out, copies * (in + out)};
}

inline bool targeted(std::string_view matrix, const std::vector<Target>& targets) {
  for (const Target t : targets) {
    if (name_of(t) == matrix) return true;
  }
  return false;
}

// An adapter's two matrices: rank × in and out × rank, split as the target is.
template <class R>
Count<R> adapter_on_rank(const Matrix<R>& m, Count<R> rank, const Degrees<R>& d) {
  return rank * on_rank(m, d).factored;
}

// Vectors stay whole, but those of routed experts and of a recurrence's channels.
template <class R>
Count<R> vectors_on_rank(const Model<R>& model, const LayerGroup<R>& g, const Degrees<R>& d) {
  Sum<kOne, R> held;
  bool split = false;
  for_each_vector(model, g, [&](const Vector<R>& v) {
    const bool expert = v.part == Part::kExpert;
    split = split || expert || v.channels;
    held.add(v.name, expert ? elements(v) / d.e : v.channels ? elements(v) / d.t : elements(v));
  });
  return split ? kRankVectors(held.total()) : layer_vectors(model, g);
}

template <class R>
LayerShard<R> layer_shard(const Model<R>& model, const std::optional<Adapters<R>>& adapters,
                          const LayerGroup<R>& g, const Degrees<R>& d) {
  LayerShard<R> x;
  Sum<kOne, R> dense, routed, attention, mlp, shared, router;
  Sum<kOne, R>* classes[] = {&attention, &mlp, &routed, &shared, &router};  // as Part has them
  for_each_matrix(model, g, [&](const Matrix<R>& m) {
    const Held<R> held = on_rank(m, d);
    const bool expert = m.part == Part::kExpert;
    if (!expert) dense.add(m.name, held.full);
    classes[static_cast<int>(m.part)]->add(m.name, held.full);
    (expert ? x.experts : x.matrices).factored += held.factored;
    if (adapters && targeted(m.name, adapters->targets))
      x.adapters += adapter_on_rank(m, adapters->rank, d);
  });
  x.matrices.full = kRankMatrices(dense.total());
  x.experts.full = routed.total();
  if (g.mlp.kind == MlpKind::kMoe) x.experts.full = kRankExperts(x.experts.full);
  x.vectors = vectors_on_rank(model, g, d);
  const Count<R> none{0};
  x.classes = {none,           none,           attention.total(), mlp.total(),
               x.experts.full, shared.total(), router.total(),    x.vectors};
  return x;
}

// One GPU of a stage.
template <class R>
struct StageShard {
  Held<R> matrices, experts, tables;
  Count<R> vectors{0}, adapters{0};
  Count<R> dense{0};  // matrices + tables + vectors, as one named sum
  Count<R> layers{0};
  ByClass<R> classes;  // empty in an abstract model
};

template <class R>
StageShard<R> stated_shard(const TrainingPlan<R>& plan) {
  StageShard<R> x;
  auto N = *plan.model.params;
  NAME(N);
  x.dense = kRankStated(N / (plan.mesh.tensor * plan.mesh.pipeline));
  x.matrices.full = x.dense;
  for (const LayerGroup<R>& g : plan.model.layers) x.layers += g.count / plan.mesh.pipeline;
  return x;
}

template <class R>
void add_tables(const TrainingPlan<R>& plan, bool first, bool last, StageShard<R>& x,
                Sum<kOne, R>& dense) {
  const Model<R>& model = plan.model;
  const auto& t = plan.mesh.tensor;
  auto rows = model.vocab / t;
  const auto add = [&](const char* name) {
    dense.add(name, rows * *model.hidden);
    x.tables += {rows * *model.hidden, rows + *model.hidden};
    const bool own_head = name == std::string_view("head") && !model.tied;
    (own_head ? x.classes.head : x.classes.embedding) += rows * *model.hidden;
  };
  if (first) {
    add("embedding");
    x.classes.embedding += model.positions * *model.hidden;
    dense.add("positions", model.positions * *model.hidden);
    x.tables += {model.positions * *model.hidden, model.positions + *model.hidden};
  }
  if (last && (!model.tied || !first)) add("head");
  for_each_outer_vector(model, [&](const char* name, VectorKind, Count<R> width) {
    if (!(std::string_view(name) == "embedding norm" ? first : last)) return;
    dense.add(name, width);
    x.vectors += width;
    x.classes.vectors += width;
  });
}

// Stage i; `layers`: one LayerShard a group.
template <class R>
StageShard<R> stage_shard(const TrainingPlan<R>& plan, const std::vector<LayerShard<R>>& layers,
                          const Stages<R>& stages, int i) {
  if (plan.model.abstract()) return stated_shard(plan);
  StageShard<R> x;
  Sum<kOne, R> dense, routed, adapters;
  stages.groups_of(i, [&](std::size_t g, Count<R> n) {
    const LayerShard<R>& l = layers[g];
    x.matrices += n * l.matrices;
    x.experts += n * l.experts;
    x.vectors += n * l.vectors;
    x.classes += n * l.classes;
    adapters.add(group_label(plan.model, "layers", "layers of group", g), n * l.adapters);
    x.layers += n;
    dense.add(group_label(plan.model, "layers", "layers of group", g),
              n * (l.matrices.full + l.vectors));
    routed.add(group_label(plan.model, "experts", "experts of group", g), n * l.experts.full);
  });
  add_tables(plan, stages.holds_first(i), stages.holds_last(i), x, dense);
  x.dense = kRankDense(dense.total());
  if (!(x.experts.full <= 0)) x.experts.full = kRankRouted(routed.total());
  if (plan.trainable.adapters) x.adapters = kAdapterParameters(adapters.total());
  return x;
}

// All layers on one stage.
template <class R>
StageShard<R> whole_shard(const TrainingPlan<R>& plan) {
  std::vector<LayerShard<R>> layers;
  if (!plan.model.abstract()) {
    for (const LayerGroup<R>& g : plan.model.layers)
      layers.push_back(layer_shard(plan.model, plan.trainable.adapters, g,
                                   {plan.mesh.tensor, plan.mesh.expert, plan.mesh.expert_tensor}));
  }
  return stage_shard(plan, layers, Stages<R>(plan.model, 1), 0);
}

}  // namespace reckon
