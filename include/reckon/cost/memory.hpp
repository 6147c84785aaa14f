// Memory of one GPU of the heaviest pipeline stage, by component.
//
//   states       weights w·P, gradients g·P, optimizer and master copy; ZeRO stage z divides by the
//                shard group: the optimizer from z = 1, gradients from 2, weights from 3
//   activations  layers · micro-batches in flight · what a layer keeps
//   logits       of one micro-batch, on the last stage; never alive with a layer being recomputed
//   buffers      ZeRO-3: layers gathered whole for use, and gradients before they are reduced
//   reserve      context and allocator, an assumption
//
// Where the recipe keeps classes of tensors in formats of their own, weights and gradients are summed by class, and a
// class whose weights have the master copy's format already keeps no second copy.
//
// Source: Rajbhandari 2020 (ZeRO), Korthikanti 2022 (activations), Zhao 2023 (FSDP).
#pragma once

#include <utility>
#include <vector>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/schedule.hpp"
#include "reckon/cost/shards.hpp"
#include "reckon/cost/stage_activations.hpp"

namespace reckon {

inline const Formula kWeights{"memory.weights", "M_w", "weights", "Rajbhandari 2020, section 3"};
inline const Formula kWeightsMoe{"memory.weights_moe", "M_w", "weights, dense and routed",
                                 "Rajbhandari 2020, section 3; experts in their own group"};
inline const Formula kWeightsByClass{"memory.weights_by_class", "M_w", "weights",
                                     "sum over classes of tensors; Rajbhandari 2020, section 3"};
inline const Formula kWeightsByClassMoe{"memory.weights_by_class_moe", "M_w",
                                        "weights, dense and routed",
                                        "sum over classes of tensors; experts in their own group"};
inline const Formula kGradientsByClass{"memory.gradients_by_class", "M_g", "gradients",
                                       "sum over classes of tensors; Rajbhandari 2020, section 3"};
inline const Formula kGradientsByClassMoe{
    "memory.gradients_by_class_moe", "M_g", "gradients, dense and routed",
    "sum over classes of tensors; experts in their own group"};
inline const Formula kMasterByClass{"memory.master_by_class", "M_m", "master copy",
                                    "of the classes whose weights are kept in another format"};
inline const Formula kFrozenWeights{"memory.frozen_weights", "M_w", "frozen weights and adapters",
                                    "base format + working copy"};
inline const Formula kGradients{"memory.gradients", "M_g", "gradients",
                                "Rajbhandari 2020, section 3"};
inline const Formula kGradientsMoe{"memory.gradients_moe", "M_g", "gradients, dense and routed",
                                   "Rajbhandari 2020, section 3; experts in their own group"};
inline const Formula kAdapterGradients{"memory.adapter_gradients", "M_g", "gradients of adapters",
                                       "Hu 2021, section 4.2"};
inline const Formula kOptimizer{"memory.optimizer", "M_o", "optimizer states and master copy",
                                "Rajbhandari 2020, section 3"};
inline const Formula kOptimizerMoe{"memory.optimizer_moe", "M_o",
                                   "optimizer states and master copy, dense and routed",
                                   "Rajbhandari 2020, section 3; experts in their own group"};
inline const Formula kStates{"memory.states", "M_states", "training state",
                             "weights + gradients + optimizer"};
inline const Formula kBuffers{"memory.buffers", "M_buf", "gathered layers and their gradients",
                              "Zhao 2023, PyTorch FSDP: gathered and prefetched layers"};
inline const Formula kStageBuffers{"memory.stage_buffers", "M_buf",
                                   "a stage's gathered weights and whole gradients",
                                   "FSDP with a pipeline gathers once a step"};
inline const Formula kKeptBuffers{"memory.kept_weights", "M_buf",
                                  "gathered weights kept from forward to backward, and gradients "
                                  "before they are reduced",
                                  "FSDP without resharding after the forward pass"};
inline const Formula kCommunicators{"memory.reserve_with_communicators", "M_res",
                                    "context, communicators and allocator",
                                    "fixed + groups that communicate + share of the rest"};
inline const Formula kAccumulated{"memory.gradients_accumulated", "M_g",
                                  "gradients and the buffer that sums them",
                                  "both formats; Rajbhandari 2020, section 3"};
inline const Formula kReserve{"memory.reserve", "M_res", "context and allocator",
                              "fixed + share of the rest"};
inline const Formula kMemoryTotal{"memory.total", "M", "memory per GPU", "sum of its parts"};
inline const Formula kHeaviest{"memory.heaviest_stage", "M", "memory per GPU of the heaviest stage",
                               "largest of the stages"};
inline const Formula kCapacity{"memory.capacity", "C", "capacity", "the chip"};
inline const Formula kUsableCapacity{"memory.usable_capacity", "C", "usable capacity",
                                     "as the driver reports it"};
inline const Formula kHeadroom{"memory.headroom", "C − M", "headroom", "capacity − total"};
inline const Formula kShortfall{"memory.shortfall", "short", "memory that is missing",
                                "total − capacity, where positive"};
inline const Formula kAfterStates{"memory.after_states", "C − M_states",
                                  "left for activations after the states", "capacity − states"};
inline const Formula kStatesWhole{"memory.states_unsharded", "M_0", "training state without ZeRO",
                                  "bytes per parameter · parameters"};
inline const Formula kBytesPerParameter{"memory.bytes_per_param", "β",
                                        "state bytes per parameter, unsharded",
                                        "weights + gradients + optimizer", Hint::kPerParam};
inline const Formula kBytesPerParameterGpu{"memory.bytes_per_param_gpu", "β_gpu",
                                           "state bytes per parameter on one GPU",
                                           "states / parameters on the GPU", Hint::kPerParam};
inline const Formula kOptimizerPerParameter{"memory.optimizer_bytes_per_param", "β_o",
                                            "optimizer bytes per parameter, unsharded",
                                            "states and master copy", Hint::kPerParam};
inline const Formula kOptimizerOverWeights{"memory.optimizer_over_weights", "M_o/M_w",
                                           "optimizer over weights, unsharded",
                                           "Rajbhandari 2020, section 3.1", Hint::kRatio};
inline const Formula kFrozenWeightsMoe{"memory.frozen_weights_moe", "M_w",
                                       "frozen weights and adapters, dense and routed",
                                       "base format + working copy; experts in their own group"};
inline const Formula kFrozenByClass{"memory.frozen_weights_by_class", "M_w",
                                    "frozen weights and adapters",
                                    "sum over classes of tensors + working copy of adapters"};
inline const Formula kFrozenByClassMoe{
    "memory.frozen_weights_by_class_moe", "M_w", "frozen weights and adapters, dense and routed",
    "sum over classes of tensors + adapters; experts in their own group"};
inline const Formula kFrozenWhole{"memory.frozen_weights_unsharded", "M_w0",
                                  "frozen weights and adapters without ZeRO",
                                  "base format + working copy"};
inline const Formula kWeightsWhole{"memory.weights_unsharded", "M_w0", "weights without ZeRO",
                                   "bytes per weight · parameters"};
inline const Formula kWeightsWholeByClass{"memory.weights_unsharded_by_class", "M_w0",
                                          "weights without ZeRO", "sum over classes of tensors"};
inline const Formula kHostCapacity{"memory.host_capacity", "C_host", "host memory of one GPU",
                                   "the node's, over its GPUs"};
inline const Formula kHostMemory{"memory.host", "M_host", "host memory per GPU",
                                 "what is offloaded"};
inline const Formula kHostActivations{"memory.host.activations", "M_off",
                                      "activations in the host's memory",
                                      "share of what the stage keeps"};
inline const Formula kActivationsLeft{"memory.activations_left", "M_a",
                                      "activations that the host doesn't hold",
                                      "what is left, and two layers on their way"};

// Bytes of one GPU's states before ZeRO, dense and routed experts apart (their shard groups
// differ).
template <class R>
struct StateBytes {
  Bytes<R> dense{}, experts{};
};

template <class R>
Count<R> covered(const Held<R>& x, StateShape shape) {
  return shape == StateShape::kFactored ? x.factored : x.full;
}

// Parameters a state is kept for: dense part and routed experts.
template <class R>
struct Covered {
  Count<R> dense{0}, experts{0};
};

template <class R>
Covered<R> covered_by(const OptimizerState<R>& state, const StageShard<R>& x) {
  const StateShape shape = state.shape;
  switch (state.covers) {
    case Covers::kAll:
      if (shape == StateShape::kFull) return {x.dense, x.experts.full};
      return {x.matrices.factored + x.tables.factored, x.experts.factored};
    case Covers::kMatrices:
      return {covered(x.matrices, shape) + covered(x.tables, shape), covered(x.experts, shape)};
    case Covers::kVectors:
      return {x.vectors, Count<R>{0}};
    case Covers::kLayerMatrices:
      return {covered(x.matrices, shape), covered(x.experts, shape)};
    case Covers::kOther:
      return {covered(x.tables, shape) + x.vectors, Count<R>{0}};
  }
  return {};
}

// A GPU's parameters, each class in its format, else in `rest`. Routed experts apart.
template <class R>
StateBytes<R> bytes_by_class(const ByClass<R>& n, Bytes<R> rest, const TensorFormats<R>& formats) {
  ByClass<R> dense = n, routed;
  std::swap(dense.experts, routed.experts);
  return {class_bytes(dense, rest, formats), class_bytes(routed, rest, formats)};
}

// Those that need a second copy for the optimizer.
template <class R>
ByClass<R> mastered(ByClass<R> n, const Precision<R>& precision) {
  for_each_class(
      [&](TensorClass, Count<R>& count, const std::optional<Stored<R>>& own) {
        const Stored<R>& kept = own ? *own : precision.weights;
        if (kept.name == precision.master->name) count = Count<R>{0};
      },
      n, *precision.classes);
  return n;
}

template <class R>
StateBytes<R> master_bytes(const Precision<R>& precision, const StageShard<R>& x) {
  const auto& m = precision.master->size;
  if (!precision.classes) return {m * x.dense, m * x.experts.full};
  const auto bytes = bytes_by_class<R>(mastered(x.classes, precision), m, {});
  return {kMasterByClass(bytes.dense), bytes.experts};
}

// All optimizer states and the master copy of one GPU, before ZeRO.
template <class R>
StateBytes<R> optimizer_bytes(const Precision<R>& precision, const Optimizer<R>& optimizer,
                              const StageShard<R>& x) {
  Sum<kByte, R> dense, experts;
  if (precision.master) {
    const StateBytes<R> master = master_bytes(precision, x);
    dense.add("master copy", master.dense);
    experts.add("master copy", master.experts);
  }
  for (const OptimizerState<R>& state : optimizer.states) {
    const Covered<R> n = covered_by(state, x);
    dense.add(std::string_view(state.name), state.format.size * n.dense);
    experts.add(std::string_view(state.name), state.format.size * n.experts);
  }
  return {dense.total(), experts.total()};
}
template <class R>
StateBytes<R> optimizer_bytes(const TrainingPlan<R>& plan, const StageShard<R>& x) {
  return optimizer_bytes(plan.precision, plan.optimizer, x);
}

// Only adapters train: full-shaped states for them, none for the base.
template <class R>
StateBytes<R> adapter_optimizer_bytes(const TrainingPlan<R>& plan, const StageShard<R>& x) {
  Sum<kByte, R> parts;
  auto P_adapter = x.adapters;
  NAME(P_adapter);
  if (plan.precision.master) parts.add("master copy", plan.precision.master->size * P_adapter);
  for (const OptimizerState<R>& state : plan.optimizer.states) {
    if (state.covers == Covers::kVectors || state.covers == Covers::kOther) continue;
    parts.add(std::string_view(state.name), state.format.size * P_adapter);
  }
  return {parts.total(), {}};
}

inline constexpr MetricInfo kClassWeights[] =
    RECKON_CLASS_METRICS("memory.weights.", "weights on one GPU: ");

// One GPU's weights of a class of tensors, where the recipe has formats by class.
template <class R>
struct ClassWeights {
  std::size_t at;  // which class
  Bytes<R> bytes;
};

// States of one GPU that lie in the host's memory.
template <class R>
struct StatesOnHost {
  Bytes<R> weights{}, gradients{}, optimizer{};
};

template <class R>
struct States {
  Bytes<R> weights, gradients, optimizer;
  StatesOnHost<R> host;
  Bytes<R> whole;  // everything, without ZeRO
  Bytes<R> whole_weights, whole_optimizer;
  std::vector<ClassWeights<R>> classes;
};

// Ranks that share a state, dense and routed: those of the shard groups, or one each.
template <class R>
struct SharedBy {
  Count<R> dense{1}, experts{1};
};
template <class R>
SharedBy<R> shared_by(const Layout<R>& x, bool divided, const char* dense, const char* experts) {
  const Count<R> one{1};
  return {called(dense, divided ? x.shard : one), called(experts, divided ? x.expert_shard : one)};
}

// One GPU's part; the second formula adds routed experts, which have their own group.
template <class R>
Bytes<R> shared_out(const Formula& dense, const Formula& with_experts, const StateBytes<R>& b,
                    const SharedBy<R>& n) {
  if (b.experts <= Bytes<R>{}) return dense(b.dense / n.dense);
  return with_experts(b.dense / n.dense + b.experts / n.experts);
}

// Of a state that the recipe may keep by class of tensors: before ZeRO, and how one GPU's part is said.
template <class R>
struct KeptState {
  StateBytes<R> bytes;
  const Formula &dense, &with_experts;
};
template <class R>
Bytes<R> shared_out(const KeptState<R>& kept, const SharedBy<R>& n) {
  return shared_out(kept.dense, kept.with_experts, kept.bytes, n);
}

template <class R>
KeptState<R> kept_weights(const Precision<R>& precision, const StageShard<R>& x) {
  const auto& w = precision.weights.size;
  if (!precision.classes) return {{w * x.dense, w * x.experts.full}, kWeights, kWeightsMoe};
  return {bytes_by_class(x.classes, w, *precision.classes), kWeightsByClass, kWeightsByClassMoe};
}

template <class R>
KeptState<R> kept_gradients(const Precision<R>& precision, const StageShard<R>& x) {
  const auto& g = precision.gradients.size;
  if (!precision.gradient_classes)
    return {{g * x.dense, g * x.experts.full}, kGradients, kGradientsMoe};
  return {bytes_by_class(x.classes, g, *precision.gradient_classes), kGradientsByClass,
          kGradientsByClassMoe};
}

template <class R>
bool offloads(const TrainingPlan<R>& plan) {
  const Offloaded<R>& o = plan.offloaded;
  return plan.offload == Offload::kOptimizer || o.weights || o.gradients ||
         !(o.activations <= Ratio<R>{});
}

// What the GPU keeps of the states. Weights and gradients must have been counted before.
template <class R>
void store_optimizer(const TrainingPlan<R>& plan, Bytes<R> bytes, States<R>& s) {
  const bool on_host = plan.offload == Offload::kOptimizer;
  s.optimizer = on_host ? Bytes<R>{} : bytes;
  if (on_host) s.host.optimizer = bytes;
  if (plan.offloaded.weights) {
    s.host.weights = s.weights;
    s.weights = Bytes<R>{};
    s.classes.clear();
  }
  if (plan.offloaded.gradients) {
    s.host.gradients = s.gradients;
    s.gradients = Bytes<R>{};
  }
}

template <class R>
std::vector<ClassWeights<R>> weights_of_classes(const ByClass<R>& n, Bytes<R> rest,
                                                const TensorFormats<R>& formats,
                                                const SharedBy<R>& shared) {
  std::vector<ClassWeights<R>> out;
  for_each_class(
      [&](TensorClass c, const Count<R>& count, const std::optional<Stored<R>>& own) {
        if (count <= 0) return;
        const bool routed = &count == &n.experts;
        auto n_cls = routed ? shared.experts : shared.dense;
        NAME(n_cls);
        out.push_back({c.at, kClassOnGpu(class_bytes(count, rest, own) / n_cls)});
      },
      n, formats);
  return out;
}

// Only adapters train; the base is frozen. Quantizers replace the layers' matrices; tables and norms stay in the
// working format, or in their class's.
template <class R>
TensorFormats<R> frozen_formats(const TensorFormats<R>& classes,
                                const std::optional<Stored<R>>& base) {
  TensorFormats<R> out = classes;
  if (!base) return out;
  out.attention = out.mlp = out.experts = out.shared = base;
  if (!out.router) out.router = base;
  return out;
}

template <class R>
StateBytes<R> frozen_bytes(const TrainingPlan<R>& plan, const StageShard<R>& x) {
  const auto& w = plan.precision.weights.size;
  const auto& base = plan.trainable.adapters->base;
  auto w_0 = base ? base->size : w;
  auto P_mat = x.matrices.full;
  auto P_rest = x.tables.full + x.vectors;
  auto P_adapter = x.adapters;
  NAME(w_0, P_mat, P_rest, P_adapter);
  if (!plan.precision.classes)
    return {w_0 * P_mat + w * (P_rest + P_adapter), w_0 * x.experts.full};
  auto frozen = bytes_by_class(x.classes, w, frozen_formats(*plan.precision.classes, base));
  auto M_frozen = frozen.dense;
  NAME(M_frozen);
  return {M_frozen + w * P_adapter, frozen.experts};
}

template <class R>
States<R> adapter_states(const TrainingPlan<R>& plan, const Layout<R>& layout,
                         const StageShard<R>& x) {
  const auto& z = plan.sharding.zero;
  const auto& g = plan.precision.gradients.size;
  const auto& classes = plan.precision.classes;
  const SharedBy<R> n_w = shared_by(layout, !(z < 3), "n_w", "n_we");
  const SharedBy<R> n_g = shared_by(layout, !(z < 2), "n_g", "n_ge");
  const SharedBy<R> n_o = shared_by(layout, !(z < 1), "n_o", "n_oe");
  States<R> s;
  const StateBytes<R> weights = frozen_bytes(plan, x);
  s.weights = classes ? shared_out(kFrozenByClass, kFrozenByClassMoe, weights, n_w)
                      : shared_out(kFrozenWeights, kFrozenWeightsMoe, weights, n_w);
  if (classes)
    s.classes = weights_of_classes(x.classes, plan.precision.weights.size,
                                   frozen_formats(*classes, plan.trainable.adapters->base), n_w);
  auto gradients = g * x.adapters;
  s.gradients = kAdapterGradients(gradients / n_g.dense);
  const Bytes<R> optimizer = adapter_optimizer_bytes(plan, x).dense;
  store_optimizer(plan, kOptimizer(optimizer / n_o.dense), s);
  auto M_dense = weights.dense;
  auto M_routed = weights.experts;
  NAME(M_dense, M_routed);
  s.whole_weights = kFrozenWhole(M_dense + M_routed);
  s.whole_optimizer = optimizer;
  auto M_g0 = gradients;
  auto M_o0 = optimizer;
  NAME(M_g0, M_o0);
  s.whole = kStatesWhole(s.whole_weights + M_g0 + M_o0);
  return s;
}

template <class R>
Bytes<R> whole_weights(const Precision<R>& precision, const StageShard<R>& x) {
  if (precision.classes)
    return kWeightsWholeByClass(class_bytes(x.classes, precision.weights.size, *precision.classes));
  auto P_gpu = x.dense + x.experts.full;
  NAME(P_gpu);
  return kWeightsWhole(precision.weights.size * P_gpu);
}

template <class R>
Bytes<R> whole_gradients(const Precision<R>& precision, const StageShard<R>& x,
                         const StateBytes<R>& by_class) {
  if (precision.gradient_classes) return by_class.dense + by_class.experts;
  auto P_gpu = x.dense + x.experts.full;
  NAME(P_gpu);
  return precision.gradients.size * P_gpu;
}

// `optimizer`: what all ranks together would hold once.
template <class R>
States<R> states(const TrainingPlan<R>& plan, const Layout<R>& layout, const StageShard<R>& x,
                 const StateBytes<R>& optimizer) {
  const auto& z = plan.sharding.zero;
  const Precision<R>& precision = plan.precision;
  const KeptState<R> weights = kept_weights(precision, x), gradients = kept_gradients(precision, x);
  const SharedBy<R> n_w = shared_by(layout, !(z < 3), "n_w", "n_we");
  States<R> s;
  s.weights = shared_out(weights, n_w);
  if (precision.classes)
    s.classes = weights_of_classes(x.classes, precision.weights.size, *precision.classes, n_w);
  const SharedBy<R> n_g = shared_by(layout, !(z < 2), "n_g", "n_ge");
  s.gradients = shared_out(gradients, n_g);
  auto M_acc0 = Bytes<R>{};
  if (const auto& sums = precision.accumulation) {
    auto M_kept = s.gradients;
    auto M_sums = sums->size * x.dense / n_g.dense + sums->size * x.experts.full / n_g.experts;
    NAME(M_kept, M_sums);
    s.gradients = kAccumulated(M_kept + M_sums);
    M_acc0 = sums->size * (x.dense + x.experts.full);
  }
  store_optimizer(
      plan,
      shared_out(kOptimizer, kOptimizerMoe, optimizer, shared_by(layout, !(z < 1), "n_o", "n_oe")),
      s);
  s.whole_weights = whole_weights(precision, x);
  auto M_g0 = whole_gradients(precision, x, gradients.bytes);
  if (precision.accumulation) M_g0 = M_g0 + M_acc0;
  auto M_o0 = optimizer.dense + optimizer.experts;
  NAME(M_g0, M_o0);
  s.whole_optimizer = M_o0;
  s.whole = kStatesWhole(s.whole_weights + M_g0 + M_o0);
  return s;
}

template <class R>
States<R> states(const TrainingPlan<R>& plan, const Layout<R>& layout, const StageShard<R>& x) {
  if (plan.trainable.adapters) return adapter_states(plan, layout, x);
  return states(plan, layout, x, optimizer_bytes(plan, x));
}

template <class R>
Bytes<R> state_total(const States<R>& s) {
  auto M_o = s.optimizer;
  NAME(M_o);
  return kStates(s.weights + s.gradients + M_o);
}

template <class R>
Bytes<R> zero3_buffers(const TrainingPlan<R>& plan, const std::vector<LayerShard<R>>& layers,
                       const StageShard<R>& x) {
  const auto& n_gat = plan.assume.gathered_layers;
  if (plan.sharding.zero < 3 || n_gat <= 0) return {};
  const auto& adapters = plan.trainable.adapters;
  auto b_gat = adapters && adapters->base ? adapters->base->size : plan.precision.gather.size;
  auto b_red = adapters ? Bytes<R>{} : plan.precision.reduce.size;
  NAME(b_gat, b_red);
  auto P_gpu = x.dense + x.experts.full;
  NAME(P_gpu);
  if (!(plan.mesh.pipeline <= 1)) return kStageBuffers((b_gat + b_red) * P_gpu);
  if (!plan.sharding.reshard) return kKeptBuffers((b_gat + b_red) * P_gpu);
  auto P_tables = x.tables.full;
  NAME(P_tables);
  if (plan.model.abstract()) {
    if (x.layers <= 0) return {};
    auto P_layer = P_gpu / x.layers;
    NAME(P_layer);
    return kBuffers((n_gat * b_gat + b_red) * P_layer + b_gat * P_tables);
  }
  Largest<kOne, R> largest;
  int i = 0;
  for (const LayerShard<R>& l : layers)
    largest.offer(
        group_label(plan.model, "a layer", "layer of group", static_cast<std::size_t>(i++)),
        l.matrices.full + l.experts.full + l.vectors);
  auto P_layer = largest.best();
  NAME(P_layer);
  return kBuffers((n_gat * b_gat + b_red) * P_layer + b_gat * P_tables);
}

template <class R>
Bytes<R> logits(const TrainingPlan<R>& plan, const Layout<R>& x, Bytes<R> live) {
  if (plan.model.vocab <= 0) return {};
  return logits_beside(logit_bytes(plan.model, plan.assume, x.T, plan.mesh.tensor), again_of(plan),
                       live);
}

// The plan's pipeline, as its schedule has it.
template <class R>
PipelineShape<R> pipeline_shape(const TrainingPlan<R>& plan, const Layout<R>& x) {
  return {plan.schedule.kind, plan.mesh.pipeline, chunks_of(plan.schedule), x.n};
}

template <class R>
Cut cut_of(const TrainingPlan<R>& plan) {
  const Schedule<R>& s = plan.schedule;
  Cut cut{whole(plan.mesh.pipeline), s.kind, whole(chunks_of(s))};
  if (s.first) cut.first = whole(*s.first);
  if (s.last) cut.last = whole(*s.last);
  return cut;
}

template <class R>
struct StageMemory {
  int stage = 0;
  StageShard<R> shard;
  States<R> states;
  Count<R> in_flight{1};
  std::optional<Bytes<R>> activations;  // absent: the model states no dimensions
  std::optional<Bytes<R>>
      host_micro_batch;                 // of it, what one micro-batch puts into the host's memory
  Bytes<R> host{}, host_activations{};  // what this GPU puts there
  Bytes<R> state_total, logits{}, buffers{}, reserve{}, total;
};

// A layer of each group, whatever stage it lies on and however states are sharded: follows from the model, the
// conventions, the tensor, sequence, context and expert degrees, micro-batch, precision and recompute policy alone.
template <class R>
struct LayerParts {
  std::vector<LayerShard<R>> shards;  // one a group; empty of an abstract model
  std::vector<LayerMemory<R>> kept;   // one a group; empty without dimensions
  std::optional<Bytes<R>> mask;       // of the embedding's dropout
};

template <class R>
struct MemoryInputs {
  const TrainingPlan<R>& plan;
  const Layout<R>& layout;
  const Stages<R>& stages;
  const LayerParts<R>& layers;
};

// Groups of ranks that a GPU is in and talks to.
template <class R>
int communicators(const TrainingPlan<R>& plan, const Layout<R>& x) {
  int n = 0;
  for (const Group<R>* g :
       {&x.tensor, &x.context, &x.data, &x.expert, &x.experts_data, &x.pipeline, &x.copies}) {
    const bool of_experts = g == &x.experts_data && plan.mesh.expert <= 1;  // the data group itself
    if (!of_experts && !(g->q <= 1)) ++n;
  }
  return n;
}

template <class R>
Bytes<R> reserve(const TrainingPlan<R>& plan, const Layout<R>& x, Bytes<R> M_plan) {
  const Reserve<R>& r = plan.assume.reserve;
  NAME(M_plan);
  if (r.communicator <= Bytes<R>{}) return kReserve(r.fixed + r.share * M_plan);
  auto n_groups = structural<R>("n_groups", communicators(plan, x));
  return kCommunicators(r.fixed + n_groups * r.communicator + r.share * M_plan);
}

// Part of what a stage keeps goes to the host; room for two layers stays, one that leaves and one that returns.
template <class R>
void activations_to_host(const TrainingPlan<R>& plan, const LayerParts<R>& layers,
                         const KeptActivations<R>& kept, StageMemory<R>& m) {
  const auto& x_off = plan.offloaded.activations;
  if (x_off <= Ratio<R>{}) return;
  auto M_a = kept.total;
  auto M_live = kept.live;
  NAME(M_a, M_live);
  m.host_activations = kHostActivations(x_off * (M_a - M_live));
  Largest<kByte, R> largest;
  int i = 0;
  for (const LayerMemory<R>& l : layers.kept) largest.offer({"a layer of group", i++}, l.kept);
  auto M_off = m.host_activations;
  auto M_layer = largest.best();
  NAME(M_off, M_layer);
  m.activations = kActivationsLeft(M_a - M_off + min(M_off, 2 * x_off * M_layer));
  auto m_i = m.in_flight;
  NAME(m_i);
  m.host_micro_batch = M_off / m_i;
}

template <class R>
Bytes<R> host_memory(const StageMemory<R>& m) {
  const StatesOnHost<R>& s = m.states.host;
  Sum<kByte, R> all;
  all.add("optimizer", s.optimizer).add("weights", s.weights).add("gradients", s.gradients);
  all.add("activations", m.host_activations);
  return kHostMemory(all.total());
}

template <class R>
StageMemory<R> stage_memory(const MemoryInputs<R>& in, int i) {
  const TrainingPlan<R>& plan = in.plan;
  StageMemory<R> m;
  m.stage = i;
  m.shard = stage_shard(plan, in.layers.shards, in.stages, i);
  m.states = states(plan, in.layout, m.shard);
  m.state_total = state_total(m.states);
  m.in_flight = in_flight(pipeline_shape(plan, in.layout), i);
  Sum<kByte, R> parts;
  parts.add("states", m.state_total);
  if (!in.layers.kept.empty()) {
    const KeptActivations<R> kept = stage_activations(
        plan.model, plan.assume, again_of(plan), in.layers.kept, m.in_flight, in.stages, i,
        plan.recompute_every, std::optional(in.layout.n), in.layers.mask);
    m.activations = kept.total;
    activations_to_host(plan, in.layers, kept, m);
    parts.add("activations", *m.activations);
    if (in.stages.holds_last(i)) {
      m.logits = logits(plan, in.layout, kept.live);
      parts.add("logits", m.logits);
    }
  }
  m.buffers = zero3_buffers(plan, in.layers.shards, m.shard);
  parts.add("buffers", m.buffers);
  auto M_plan = parts.total();
  NAME(M_plan);
  m.reserve = reserve(plan, in.layout, M_plan);
  m.total = kMemoryTotal(M_plan + m.reserve);
  if (offloads(plan)) m.host = host_memory(m);
  return m;
}

template <class R>
LayerParts<R> layer_parts(const TrainingPlan<R>& plan, const Layout<R>& layout) {
  LayerParts<R> out;
  const Model<R>& model = plan.model;
  const Degrees<R> degrees{plan.mesh.tensor, plan.mesh.expert, plan.mesh.expert_tensor};
  if (!model.abstract()) {
    out.shards.reserve(model.layers.size());
    for (const LayerGroup<R>& g : model.layers)
      out.shards.push_back(layer_shard(model, plan.trainable.adapters, g, degrees));
  }
  if (!model.hidden || model.layers.empty()) return out;
  const ActivationShape<R> shape = activation_shape(plan, layout);
  out.kept = layer_memory(model, shape, again_of(plan));
  out.mask = table_mask(shape);
  return out;
}

// The stage that needs most, among those that differ.
template <class R>
StageMemory<R> heaviest_stage(const MemoryInputs<R>& in) {
  StageMemory<R> heaviest = stage_memory(in, 0);
  if (in.stages.count() == 1) return heaviest;
  Largest<kByte, R> largest;
  largest.offer({"stage", 0}, heaviest.total);
  for (int i = 1; i < in.stages.count(); ++i) {
    if (in.stages.like_an_earlier(i)) continue;
    StageMemory<R> m = stage_memory(in, i);
    largest.offer({"stage", i}, m.total);
    if (heaviest.total < m.total) heaviest = std::move(m);
  }
  heaviest.total = kHeaviest(largest.best());
  return heaviest;
}

template <class R>
Bytes<R> capacity(const TrainingPlan<R>& plan) {
  const ChipMemory<R>& m = plan.cluster.node.chip.memory;
  const bool usable = plan.assume.capacity == CapacityCount::kUsable && m.usable;
  return usable ? kUsableCapacity(*m.usable) : kCapacity(m.capacity);
}

}  // namespace reckon
