// Activations that a pipeline stage keeps: its layers, for every micro-batch in flight.
//
//   stage i keeps   m_i · Σ layers · what a layer keeps for one micro-batch
//   full recompute  the layers' inputs, and the layer that is being recomputed
//
// Source: Korthikanti 2022 (what a layer keeps), Chen 2016 (checkpoints).
#pragma once

#include "reckon/cost/activations.hpp"
#include "reckon/cost/stages.hpp"

namespace reckon {

inline const Formula kActivations{"memory.activations", "M_a", "activations",
                                  "Korthikanti 2022, section 4"};
inline const Formula kRecomputed{"memory.recomputed_activations", "M_a",
                                 "layer inputs, and the layer being recomputed",
                                 "Chen 2016: checkpoints, and the layer that is recomputed"};
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
                                         Recompute policy) {
  std::vector<LayerMemory<R>> out;
  out.reserve(model.layers.size());
  for (const LayerGroup<R>& g : model.layers) {
    const bool whole = policy == Recompute::kFull || policy == Recompute::kOperators;
    auto live = layer_activations(model, g, shape, whole ? Recompute::kNone : policy);
    auto kept = live;
    if (policy == Recompute::kFull) kept = checkpoint(shape);
    if (policy == Recompute::kOperators) kept = kept_operators(live, shape);
    out.push_back({kept, live});
  }
  return out;
}

// What stage i keeps, and what is alive of the layer being recomputed (full recompute).
template <class R>
struct KeptActivations {
  Bytes<R> total, live{};
};

template <class R>
KeptActivations<R> stage_activations(const Model<R>& model, const Assume<R>& assume,
                                     Recompute policy, const std::vector<LayerMemory<R>>& layers,
                                     Count<R> m_i, const Stages<R>& stages, int i) {
  Sum<kByte, R> kept;
  Largest<kByte, R> largest;
  stages.groups_of(i, [&](std::size_t g, Count<R> n) {
    kept.add(group_label(model, "layers", "layers of group", g), n * layers[g].kept);
    largest.offer(group_label(model, "a layer", "layer of group", g), layers[g].live);
  });
  auto per_micro_batch = kept.total();
  // Of two copies a micro-batch passes through one.
  if (stages.copies() == 2) per_micro_batch = per_micro_batch / 2;
  NAME(per_micro_batch, m_i);
  if (policy != Recompute::kFull) return {kActivations(m_i * per_micro_batch)};
  auto M_live = assume.live_layers * largest.best();
  NAME(M_live);
  return {kRecomputed(m_i * per_micro_batch + M_live), M_live};
}

// What logits add to the activations. `live`: a layer being recomputed, which is never alive
// together with them.
template <class R>
Bytes<R> logits_beside(Bytes<R> logits, Recompute policy, Bytes<R> live) {
  if (policy != Recompute::kFull) return logits;
  auto M_logit = logits;
  auto M_live = live;
  NAME(M_live);
  return kLogitsBeyond(max(Bytes<R>{}, M_logit - M_live));
}

}  // namespace reckon
