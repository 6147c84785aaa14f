// One optimizer step from operators: layers, stages, sharding, gradients, update.
//
//   t_i    = layers of the stage, embedding on the first, head on the last
//   T_pipe = n·(max t_i + p2p) + (Σ t_i − max t_i)/v + (p − 1)/v·p2p
//   T      = (T_pipe + exposed gathers and reductions + update + fixed) · growth
//
// The parts of a step are means over its stages; what the slowest stage takes beyond them is the
// imbalance. Source: Narayanan 2021 (pipeline), Zhao 2023 (FSDP).
#pragma once

#include "reckon/cost/operators/layer.hpp"
#include "reckon/cost/operators/machine.hpp"
#include "reckon/cost/operators/parts.hpp"
#include "reckon/cost/operators/sharded.hpp"
#include "reckon/cost/pipeline.hpp"
#include "reckon/cost/step.hpp"

namespace reckon {

inline const Formula kHeadTime{"operator.head", "t_head", "output head and loss of a micro-batch",
                               "three GEMMs in 16 bits, traffic of the logits"};
inline const Formula kEmbeddingTime{"operator.embedding", "t_emb", "embedding of a micro-batch",
                                    "rows read and written, gradients added"};
inline const Formula kTableReduce{"operator.table_reduce", "t_red",
                                  "tensor-parallel all-reduce of embedding or head, exposed",
                                  "one of the activation"};
inline const Formula kOperatorStage{"operator.stage", "t_i", "one stage, one micro-batch",
                                    "its layers and tables"};
inline const Formula kOperatorUseful{"step.operators", "T_compute", "compute time of a step",
                                     "operators of all micro-batches, mean over the stages"};
inline const Formula kOperatorAgain{"step.operators_again", "T_again", "recomputed work",
                                    "operators run again, mean over the stages"};
inline const Formula kMeanExposed{"operator.exposed", "T_exp",
                                  "communication between operators left exposed in a step",
                                  "all micro-batches, mean over the stages"};
inline const Formula kOperatorBubble{"step.operators_bubble", "T_bubble", "pipeline fill and drain",
                                     "all stages once but the slowest, over the chunks"};
inline const Formula kOperatorImbalance{"step.operators_imbalance", "T_imb",
                                        "waiting for the slowest stage",
                                        "n · (slowest stage − mean)"};
inline const Formula kPeerTime{"operator.p2p", "t_p2p", "sends of a micro-batch left exposed",
                               "there and back, for each chunk"};
inline const Formula kUpdateKernels{"operator.optimizer.kernels", "T_start",
                                    "kernels of an optimizer update", "one's fixed cost each"};
inline const Formula kPeerExposed{"operator.p2p.exposed", "T_p2p", "sends between stages, exposed",
                                  "of each micro-batch, and once through the pipeline"};

inline const Formula kPeerPlayed{"operator.p2p.played", "t_send",
                                 "of a send between stages, what delays the next one",
                                 "of the sends of a micro-batch, one"};

inline const Formula kScales{"operator.fp8.scales", "T_amax", "agreeing on fp8 scales",
                             "every pass of every chunk waits for all tensor, context and data "
                             "ranks: a doubling of them adds a share"};

inline const Formula kFixedScales{"step.fixed_and_scales", "T_fixed",
                                  "fixed time of a step, and of agreeing on scales",
                                  "of the software stack; fp8 with delayed scaling"};

// Embedding on the first stage or head on the last: work and its all-reduce.
template <class R>
struct TableTime {
  Seconds<R> work{}, reduce{};
};

template <class R>
Seconds<R> table_reduce(const Layout<R>& x, const LayerShape<R>& l, const OperatorMachine<R>& m) {
  if (l.t <= 1) return {};
  auto reduce = collective_time(CollectiveOp::kAllReduce, l.H, x.tensor, m);
  NAME(reduce);
  return kTableReduce(reduce * left_of(m.stack.overlap.tensor, m.stack.overlap));
}

template <class R>
TableTime<R> head_time(const TrainingPlan<R>& plan, const Layout<R>& x, const LayerShape<R>& l,
                       const OperatorMachine<R>& m) {
  if (plan.model.vocab <= 0) return {};
  auto columns = plan.model.vocab / l.t;
  NAME(columns);
  auto gemm = gemm_time<R>({l.T, columns, l.h, {}}, m.gemm16, m);
  auto logits = traffic_time(l.T * columns * m.stack.traffic.logits, Count<R>{4}, m);
  NAME(gemm, logits);
  return {kHeadTime(3 * gemm + logits), table_reduce(x, l, m)};
}

template <class R>
TableTime<R> embedding_time(const TrainingPlan<R>& plan, const Layout<R>& x, const LayerShape<R>& l,
                            const OperatorMachine<R>& m) {
  if (plan.model.vocab <= 0) return {};
  return {kEmbeddingTime(traffic_time(4 * l.H, Count<R>{2}, m)), table_reduce(x, l, m)};
}

// Sends of a micro-batch between stages, there and back for each chunk, that compute does not hide.
template <class R>
Seconds<R> peer_time(const OperatorContext<R>& x) {
  const TrainingPlan<R>& plan = x.plan;
  const auto& m = x.machine;
  if (plan.mesh.pipeline <= 1) return {};
  const bool split = plan.mesh.sequence || m.stack.scatter_gather;
  auto once = stage_hop(x.layout, split ? x.shape.H / x.shape.t : x.shape.H, m);
  if (m.stack.scatter_gather && !plan.mesh.sequence)
    once = once + collective_time(CollectiveOp::kAllGather, x.shape.H, x.layout.tensor, m);
  auto v = chunks_of(plan.schedule);
  NAME(once, v);
  return kPeerTime(2 * once * left_of(m.stack.overlap.pipeline, m.stack.overlap) * v);
}

// What a micro-batch takes, whatever stage a layer lies on and however states are sharded: follows from what LayerParts
// follow from.
template <class R>
struct OperatorLayers {
  std::vector<LayerTime<R>> times;  // one a group
  TableTime<R> embedding, head;
  mutable KnownTimes<R> known;  // of collectives, for all that is asked of one plan
};

// Layers of all groups, each quantity summed: `of(i)` for group i.
template <class R, class Of>
Seconds<R> over_layers(const OperatorContext<R>& x, Of of) {
  Sum<kSecond, R> sum;
  for (std::size_t g = 0; g < x.plan.model.layers.size(); ++g) {
    auto L_g = x.plan.model.layers[g].count;
    NAME(L_g);
    sum.add(group_label(x.plan.model, "layers", "layers of group", g), L_g * of(g));
  }
  return sum.total();
}

// Delayed scaling: the largest values are reduced over all ranks of a stage after every pass.
template <class R>
Seconds<R> scales_time(const OperatorContext<R>& x) {
  const auto& each = x.machine.stack.fixed.scales;
  if (x.plan.precision.compute != Compute::kFp8 || each <= Seconds<R>{}) return {};
  auto n = x.layout.n;
  auto v = chunks_of(x.plan.schedule);
  auto t = x.plan.mesh.tensor;
  auto ranks = x.layout.ranks;
  NAME(n, v, t, ranks);
  return kScales(2 * n * v * each * max(0, log2(t * ranks / 8)));
}

template <class R>
struct StageTimes {
  Seconds<R> slowest, all, layers_slowest;
};

template <class R>
StageTimes<R> stage_times(const OperatorContext<R>& x, const std::vector<ShardedLayer<R>>& layers,
                          const TableTime<R>& embedding, const TableTime<R>& head) {
  Largest<kSecond, R> slowest, most_layers;
  Sum<kSecond, R> all;
  const int p = x.stages.count();
  // A rank that holds a stage of each of two copies runs half of the micro-batches through either.
  const bool twice = x.stages.cut().layout().copies() == 2;
  for (int i = 0; i < p; ++i) {
    Sum<kSecond, R> of_layers, parts;
    x.stages.groups_of(i, [&](std::size_t g, Count<R> n) {
      auto F = layers[g].all.forward;
      auto B = layers[g].all.backward;
      NAME(F, B);
      of_layers.add(group_label(x.plan.model, "layers", "layers of group", g), n * (F + B));
    });
    const Seconds<R> t_layers = twice ? of_layers.total() / 2 : of_layers.total();
    parts.add("layers", t_layers);
    if (i == 0) parts.add("embedding", embedding.work + embedding.reduce);
    if (i == p - 1) parts.add("head", head.work + head.reduce);
    const auto t = kOperatorStage(parts.total());
    slowest.offer({"stage", i}, t);
    most_layers.offer({"stage", i}, t_layers);
    all.add({"stage", i}, t);
  }
  return {slowest.best(), all.total(), most_layers.best()};
}

// Each part of a step that all stages share: n micro-batches, mean over p stages.
template <class R>
Seconds<R> mean_of(const OperatorContext<R>& x, Seconds<R> through) {
  auto n = x.layout.n;
  auto p = x.plan.mesh.pipeline;
  NAME(through, n, p);
  return n * through / p;
}

template <class R>
void fill_layers(const OperatorContext<R>& x, const OperatorLayers<R>& layers,
                 const std::vector<ShardedLayer<R>>& sharded, OperatorStep<R>& s) {
  const std::vector<LayerTime<R>>& l = layers.times;
  const TableTime<R>&embedding = layers.embedding, &head = layers.head;
  const auto both = [](const Pass<R>& t) { return t.forward + t.backward; };
  const auto exposed = [&](Seconds<R> once) {
    return once <= Seconds<R>{} ? Seconds<R>{} : kMeanExposed(mean_of(x, once));
  };
  auto tables = embedding.work + head.work;
  NAME(tables);
  // What the host holds a layer back counts as work: it is in `all`, not in its parts.
  auto work = over_layers(x, [&](std::size_t g) {
    return both(l[g].all) - both(l[g].tensor) - both(l[g].expert) - both(l[g].context);
  });
  NAME(work);
  s.compute.useful = kOperatorUseful(mean_of(x, work + tables));
  auto again = over_layers(x, [&](std::size_t g) { return l[g].recompute; });
  NAME(again);
  if (x.plan.recompute != Recompute::kNone) s.compute.recompute = kOperatorAgain(mean_of(x, again));
  auto reduces = embedding.reduce + head.reduce;
  NAME(reduces);
  s.tensor = exposed(over_layers(x, [&](std::size_t g) { return both(l[g].tensor); }) + reduces);
  s.expert = exposed(over_layers(x, [&](std::size_t g) { return both(l[g].expert); }));
  s.context = exposed(over_layers(x, [&](std::size_t g) { return both(l[g].context); }));
  s.data = exposed(over_layers(
      x, [&](std::size_t g) { return both(sharded[g].all) - both(l[g].all) - l[g].recompute; }));
  s.parts.gemms = mean_of(x, over_layers(x, [&](std::size_t g) { return l[g].gemms; }));
  s.parts.attention = mean_of(x, over_layers(x, [&](std::size_t g) { return l[g].attention; }));
  if (any_recurrent(x.plan.model))
    s.parts.scan = mean_of(x, over_layers(x, [&](std::size_t g) { return l[g].scan; }));
  s.parts.elementwise = mean_of(x, over_layers(x, [&](std::size_t g) { return l[g].elementwise; }));
  s.parts.casts = mean_of(x, over_layers(x, [&](std::size_t g) { return l[g].casts; }));
  s.parts.tables = mean_of(x, tables);
}

// The gradients of a layer's weights, which a schedule that isn't a number of slots runs apart.
template <class R>
Seconds<R> weight_gradients(const OperatorContext<R>& x, const LayerGroup<R>& g) {
  NamedGemms<R> gemms;
  layer_gemms(x.plan, g, x.shape, gemms);
  Sum<kSecond, R> all;
  for (const NamedGemm<R>& n : gemms) {
    auto w = weight_gradient(n.gemm, n.rates(x.machine), x.machine);
    all.add(n.label, n.grouped ? w / x.machine.stack.gemm.grouped : w);
  }
  return all.total();
}

// Passes of every piece of the model.
template <class R>
std::vector<StagePasses<kSecond, R>> operator_pieces(const OperatorContext<R>& x,
                                                     const OperatorLayers<R>& layers,
                                                     const std::vector<ShardedLayer<R>>& sharded) {
  std::vector<StagePasses<kSecond, R>> out;
  const int pieces = x.stages.cut().pieces();
  for (int i = 0; i < pieces; ++i) {
    Sum<kSecond, R> F, B, W;
    x.stages.groups_of_piece(i, [&](std::size_t g, Count<R> n) {
      const Label label = group_label(x.plan.model, "layers", "layers of group", g);
      auto weights = weight_gradients(x, x.plan.model.layers[g]);
      NAME(weights);
      F.add(label, n * sharded[g].all.forward);
      B.add(label, n * (sharded[g].all.backward - weights));
      W.add(label, n * weights);
    });
    const auto& [embedding, head] = std::pair(layers.embedding, layers.head);
    if (i == 0) F.add("embedding", embedding.work + embedding.reduce);
    if (i == pieces - 1) {  // three GEMMs, a pass each
      auto third = (head.work + head.reduce) / 3;
      NAME(third);
      F.add("head", third);
      B.add("head", third);
      W.add("head", third);
    }
    out.push_back({F.total(), B.total(), W.total()});
  }
  return out;
}

template <class R>
void fill_pipeline(const OperatorContext<R>& x, const OperatorLayers<R>& layers,
                   const std::vector<ShardedLayer<R>>& sharded, const StageTimes<R>& t,
                   OperatorStep<R>& s) {
  if (x.plan.mesh.pipeline <= 1) return;
  auto t_max = t.slowest;
  auto t_all = t.all;
  auto t_p2p = peer_time(x);
  auto n = x.layout.n;
  auto v = chunks_of(x.plan.schedule);
  auto p = x.plan.mesh.pipeline;
  NAME(t_max, t_all, t_p2p, n, v, p);
  if (!counts_slots(x.plan.schedule.kind) || x.plan.schedule.played) {
    const auto pieces = operator_pieces(x, layers, sharded);
    auto send = t_p2p / (2 * v);  // there and back, of every chunk
    NAME(send);
    s.pipeline = played_pipeline(x.layout, x.stages, pieces, n * t_all / p, kPeerPlayed(1 * send));
    s.p2p = s.pipeline.transfers;
    return;
  }
  s.p2p = kPeerExposed((n + (p - 1) / v) * t_p2p);
  s.pipeline.bubble = kOperatorBubble((t_all - t_max) / v);
  s.pipeline.imbalance = kOperatorImbalance(n * (t_max - t_all / p));
}

template <class R>
OperatorLayers<R> operator_layers(const TrainingPlan<R>& plan, const Layout<R>& layout) {
  const LayerShape<R> shape = layer_shape(plan, layout);
  OperatorLayers<R> out;
  const OperatorMachine<R> m = operator_machine(plan, out.known);
  LayerGemms<R> gemms;
  out.times.reserve(plan.model.layers.size());
  for (const LayerGroup<R>& g : plan.model.layers)
    out.times.push_back(layer_time(plan, g, layout, shape, m, gemms));
  out.embedding = embedding_time(plan, layout, shape, m);
  out.head = head_time(plan, layout, shape, m);
  return out;
}

// Layers with what sharding their states adds; what stands outside of them goes to `outside`.
template <class R>
std::vector<ShardedLayer<R>> shard_layers(const OperatorContext<R>& x,
                                          const OperatorLayers<R>& layers,
                                          const LayerParts<R>& held, Seconds<R>& outside) {
  std::vector<ShardedLayer<R>> sharded;
  sharded.reserve(layers.times.size());
  for (std::size_t g = 0; g < layers.times.size(); ++g) {
    sharded.push_back(shard_layer(x, layers.times[g], held.shards[g], g == 0));
    if (g == 0) outside = sharded.back().outside;
  }
  return sharded;
}

// Passes of every piece of a plan's model, and one send between pieces: for lists that play the schedule out.
template <class R>
struct PlayedOperators {
  std::vector<StagePasses<kSecond, R>> pieces;
  Seconds<R> send;
};

template <class R>
PlayedOperators<R> played_operators(const TrainingPlan<R>& plan, const Layout<R>& layout,
                                    const Stages<R>& stages) {
  const OperatorLayers<R> layers = operator_layers(plan, layout);
  const OperatorMachine<R> m = operator_machine(plan, layers.known);
  const OperatorContext<R> x{plan, layout, stages, m, layer_shape(plan, layout)};
  Seconds<R> outside{};
  const auto sharded = shard_layers(x, layers, layer_parts(plan, layout), outside);
  auto v = chunks_of(plan.schedule);
  NAME(v);
  return {operator_pieces(x, layers, sharded), peer_time(x) / (2 * v)};
}

// All of a step. `memory`: of the heaviest stage, whose parameters are reduced and updated.
template <class R>
OperatorStep<R> operator_step(const TrainingPlan<R>& plan, const Layout<R>& layout,
                              const Stages<R>& stages, const StageMemory<R>& memory,
                              const LayerParts<R>& held, const OperatorLayers<R>& layers) {
  const OperatorMachine<R> m = operator_machine(plan, layers.known);
  const OperatorContext<R> x{plan, layout, stages, m, layer_shape(plan, layout)};
  Seconds<R> outside{};
  const auto sharded = shard_layers(x, layers, held, outside);
  OperatorStep<R> s;
  fill_layers(x, layers, sharded, s);
  const StageTimes<R> t = stage_times(x, sharded, layers.embedding, layers.head);
  fill_pipeline(x, layers, sharded, t, s);
  auto v = chunks_of(plan.schedule);
  auto p = plan.mesh.pipeline;
  auto busiest = t.layers_slowest;
  auto n = layout.n;
  NAME(v, p, busiest, n);
  // Of the first and last passes beside which chunks are done: no more than there are.
  auto in_window = min((1 + p * (v - 1)) / v, n);
  auto window = busiest * in_window;
  NAME(in_window, window);
  s.data = s.data + outside + gradients_exposed(x, memory.shard, window, in_window);
  s.optimizer = optimizer_time(plan, layout, memory, m.stack.traffic.efficiency) +
                kUpdateKernels(m.stack.traffic.optimizer_kernels * m.stack.fixed.kernel);
  auto T_amax = scales_time(x);
  s.fixed = T_amax <= Seconds<R>{} ? kFixedStep(m.stack.fixed.step)
                                   : kFixedScales(m.stack.fixed.step + T_amax);
  Sum<kSecond, R> step;
  step.add("compute", s.compute.useful).add("recompute", s.compute.recompute);
  step.add("imbalance", s.pipeline.imbalance).add("bubble", s.pipeline.bubble);
  step.add("tensor", s.tensor).add("context", s.context).add("expert", s.expert);
  step.add("pipeline", s.p2p).add("data", s.data);
  step.add("optimizer", s.optimizer).add("fixed", s.fixed);
  auto one_size = step.total();
  auto G = layout.G;
  NAME(one_size, G);
  auto doublings = max(0, log2(G / 8));
  NAME(doublings);
  auto T_sync = kClusterSync(doublings * m.stack.fixed.sync);
  NAME(T_sync);
  s.growth = kClusterGrowth(one_size * m.stack.fixed.growth * doublings + T_sync);
  step.add("growth", s.growth);
  s.time = kStepTime(step.total());
  return s;
}

}  // namespace reckon
