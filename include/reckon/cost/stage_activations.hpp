// Activations that a pipeline stage keeps: its layers, for every micro-batch in flight.
//
//   stage i keeps   m_i · Σ layers · what a layer keeps for one micro-batch
//   full recompute  the layers' inputs, and the layer that is being recomputed
//   modules         what none of them makes again, and what is made again of one layer
//
// With dropout the first stage keeps the mask of the embedding's, too.
//
// Source: Korthikanti 2022 (what a layer keeps), Chen 2016 (checkpoints).
#pragma once

#include "reckon/cost/activations.hpp"
#include "reckon/cost/stages.hpp"

namespace reckon {

inline const Formula kActivations{"memory.activations", "M_a", "activations",
                                  "Korthikanti 2022, section 4"};
inline const Formula kActivationsByPiece{"memory.activations_by_piece", "M_a",
                                         "activations of pieces that hold unlike layers",
                                         "what each has begun when the warm-up ends: "
                                         "Megatron-LM schedules.py, DeepSeek-V3 report"};
inline const Formula kRecomputed{"memory.recomputed_activations", "M_a",
                                 "layer inputs, and the layer being recomputed",
                                 "Chen 2016: checkpoints, and the layer that is recomputed"};
inline const Formula kRecomputedByPiece{
    "memory.recomputed_by_piece", "M_a",
    "layer inputs of unlike pieces, and the layer being recomputed",
    "as memory.recomputed_activations, piece by piece"};
inline const Formula kMadeAgain{"activations.made_again", "M_again",
                                "tensors of a layer that recomputed modules make again",
                                "all that it would keep, less what it keeps"};
inline const Formula kKeptWithAgain{"memory.activations_modules", "M_a",
                                    "what modules leave, and what is made again of one layer",
                                    "as memory.recomputed_activations, of modules"};
inline const Formula kKeptWithAgainByPiece{
    "memory.activations_modules_by_piece", "M_a",
    "what modules leave of unlike pieces, and what is made again of one layer",
    "as memory.activations_modules, piece by piece"};
inline const Formula kLogitsBeyond{"memory.logits_beyond", "M_logit'",
                                   "logits beyond the layer being recomputed",
                                   "the two are never alive together"};

inline const Formula kKeptOperators{"activations.kept_operators", "M_layer",
                                    "kept by one layer when every second operator runs again",
                                    "share of all its tensors and its input"};

template <class R>
Bytes<R> kept_operators(Bytes<R> all, const ActivationShape<R>& x) {
  auto input = checkpoint(x);
  NAME(all, input);
  return kKeptOperators(x.assume.operators.kept * (all + input));
}

// A layer of each group: what it keeps for one micro-batch, and what is kept of it under full
// recompute.
template <class R>
struct LayerMemory {
  Bytes<R> kept, live;
};

template <class R>
std::vector<LayerMemory<R>> layer_memory(const Model<R>& model, const ActivationShape<R>& shape,
                                         const Again& again) {
  std::vector<LayerMemory<R>> out;
  out.reserve(model.layers.size());
  const Recompute policy = again.policy;
  const bool whole = policy == Recompute::kFull || policy == Recompute::kOperators;
  for (const LayerGroup<R>& g : model.layers) {
    auto live = layer_activations(model, g, shape, whole ? Again(Recompute::kNone) : again);
    auto kept = live;
    if (policy == Recompute::kFull) kept = checkpoint(shape);
    if (policy == Recompute::kOperators) kept = kept_operators(live, shape);
    if (policy == Recompute::kModules) {
      auto M_all = layer_activations(model, g, shape, Recompute::kNone);
      auto M_kept = kept;
      NAME(M_all, M_kept);
      live = kMadeAgain(M_all - M_kept);
    }
    out.push_back({kept, live});
  }
  return out;
}

// What stage i keeps, and what is alive of the layer being recomputed (full recompute).
template <class R>
struct KeptActivations {
  Bytes<R> total, live{};
};

// Micro-batches of each piece that a stage has begun when its warm-up ends. Interleaved: as many of a
// chunk as there are stages, then of the next. Of two copies each begins what its stages after this
// one need.
inline std::vector<int> begun_by_piece(const Cut& cut, int i, int n) {
  const int p = cut.ranks, v = cut.chunks;
  if (cut.kind != ScheduleKind::kInterleaved)
    return {std::min(n / 2, p - i), std::min(n / 2, i + 1)};
  int left = std::min(n * v, (v - 1) * p + 2 * (p - i - 1) + 1);
  std::vector<int> out(static_cast<std::size_t>(v), 0);
  for (int at = 0; left > 0; at += p) {
    for (int c = 0; c < v && left > 0; ++c) {
      const int some = std::min({left, p, n - at});
      out[static_cast<std::size_t>(c)] += some;
      left -= some;
    }
  }
  return out;
}

template <class R>
Bytes<R> kept_by_piece(const std::vector<LayerMemory<R>>& layers, const Stages<R>& stages, int i,
                       Count<R> n, const std::optional<Count<R>>& every,
                       const std::optional<Bytes<R>>& mask) {
  const std::vector<int> begun = begun_by_piece(stages.cut(), i, whole(n));
  Sum<kByte, R> kept;
  for (int c = 0; c < stages.cut().layout().held(); ++c) {
    const int pieces = begun[static_cast<std::size_t>(c)];
    if (pieces == 0) continue;
    Sum<kByte, R> piece;
    stages.groups_of_piece(stages.cut().layout().piece(i, c), [&](std::size_t g, Count<R> L) {
      if (every) L = ceil(L / *every);
      piece.add({"layers of group", static_cast<int>(g)}, L * layers[g].kept);
    });
    if (mask && stages.cut().layout().piece(i, c) == 0) piece.add("mask of the embedding", *mask);
    if (piece.total() <= Bytes<R>{}) continue;
    auto m_c = structural<R>("m_piece", pieces);
    auto M_c = piece.total();
    NAME(m_c, M_c);
    kept.add({"piece", c}, m_c * M_c);
  }
  return kActivationsByPiece(kept.total());
}

template <class R>
KeptActivations<R> stage_activations(const Model<R>& model, const Assume<R>& assume,
                                     const Again& again, const std::vector<LayerMemory<R>>& layers,
                                     Count<R> m_i, const Stages<R>& stages, int i,
                                     const std::optional<Count<R>>& apart = {},
                                     const std::optional<Count<R>>& micro_batches = {},
                                     const std::optional<Bytes<R>>& mask = {}) {
  const Recompute policy = again.policy;
  std::optional<Count<R>> every;  // of whole layers recomputed, one input in so many
  if (policy == Recompute::kFull) every = apart;
  Sum<kByte, R> kept;
  Largest<kByte, R> largest;
  stages.groups_of(i, [&](std::size_t g, Count<R> n) {
    if (every) n = ceil(n / *every);
    kept.add(group_label(model, "layers", "layers of group", g), n * layers[g].kept);
    largest.offer(group_label(model, "a layer", "layer of group", g), layers[g].live);
  });
  if (mask && stages.holds_first(i)) kept.add("mask of the embedding", *mask);
  auto per_micro_batch = kept.total();
  // Of two copies a micro-batch passes through one.
  if (stages.copies() == 2) per_micro_batch = per_micro_batch / 2;
  NAME(per_micro_batch, m_i);
  const bool by_piece = micro_batches && !stages.pieces_alike(i);
  Bytes<R> M_kept{};
  if (by_piece) M_kept = kept_by_piece(layers, stages, i, *micro_batches, every, mask);
  if (policy == Recompute::kModules) {
    auto M_again = largest.best();
    NAME(M_again, M_kept);
    if (by_piece) return {kKeptWithAgainByPiece(M_kept + M_again), M_again};
    return {kKeptWithAgain(m_i * per_micro_batch + M_again), M_again};
  }
  if (policy != Recompute::kFull) return {by_piece ? M_kept : kActivations(m_i * per_micro_batch)};
  auto M_live = assume.live_layers * largest.best();
  if (every) {  // all of a block's layers are made again before its backward pass
    auto M_between = (*every - 1) * largest.best();
    NAME(M_between);
    M_live = M_live + M_between;
  }
  NAME(M_live, M_kept);
  if (by_piece) return {kRecomputedByPiece(M_kept + M_live), M_live};
  return {kRecomputed(m_i * per_micro_batch + M_live), M_live};
}

// What logits add to the activations. `live`: a layer being recomputed, which is never alive
// together with them.
template <class R>
Bytes<R> logits_beside(Bytes<R> logits, const Again& again, Bytes<R> live) {
  if (!again.has_live()) return logits;
  auto M_logit = logits;
  auto M_live = live;
  NAME(M_live);
  return kLogitsBeyond(max(Bytes<R>{}, M_logit - M_live));
}

}  // namespace reckon
