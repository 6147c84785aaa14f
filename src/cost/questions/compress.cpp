#include "reckon/cost/questions/compress.hpp"

namespace reckon {
namespace {

// How the weights are kept, before or after.
template <class R>
struct Formats {
  Bytes<R> weight, kv;
  TensorFormats<R> classes;
};

// Of a class: its own, what the question says of its like, or as before.
template <class R>
std::optional<Stored<R>> first_of(const std::optional<Stored<R>>& own,
                                  const std::optional<Stored<R>>& said,
                                  const std::optional<Stored<R>>& else_) {
  return own ? own : said ? said : else_;
}

template <class R>
Formats<R> formats_after(const CompressQuestion<R>& q) {
  Formats<R> f;
  f.weight = q.weights->size;
  f.kv = q.kv ? q.kv->size : q.original->size;
  if (q.classes) f.classes = *q.classes;
  // A recipe says what it means of all classes; without one the tables, the head and the norms stay as they were.
  const std::optional<Stored<R>> rest = q.recipe.empty() ? q.original : q.weights;
  f.classes.embedding = first_of(f.classes.embedding, q.embeddings, rest);
  f.classes.head = first_of(f.classes.head, q.head, rest);
  f.classes.vectors = first_of(f.classes.vectors, q.norms, rest);
  f.classes.router = first_of(f.classes.router, q.norms, rest);
  return f;
}

template <class R>
Formats<R> formats_before(const CompressQuestion<R>& q) {
  return {q.original->size, q.original->size, {}};
}

// One GPU that serves the model; a chip may be missing.
template <class R>
Server<R> server_of(const CompressQuestion<R>& q, const Parameters<R>& n, const Formats<R>& f,
                    bool before) {
  Server<R> s{q.model, n, {f.weight, f.kv, f.kv}, {}, {}, {}, {}, {}, q.assume, f.classes};
  if (!q.cluster && !(q.on.peak && q.on.bandwidth)) return s;
  s.peak = before && q.original_peak ? *q.original_peak : peak_of(q.cluster, q.on);
  auto W_m = bandwidth_of(q.cluster, q.on);
  auto e_m = q.assume.efficiency.memory;
  NAME(W_m, e_m);
  s.read_rate = kReadRate(W_m * e_m);
  return s;
}

template <class R>
Compressed<R> compressed(const CompressQuestion<R>& q, const Parameters<R>& n, const Formats<R>& f,
                         bool before) {
  Compressed<R> out;
  const Server<R> server = server_of(q, n, f, before);
  auto one = Count<R>{1};
  auto B = q.batch;
  auto T_ctx = q.context.value_or(Count<R>{0});
  NAME(B, T_ctx);
  BatchLimits<R> limits;
  limits.stored = stored_weights(server, one);
  out.weights = limits.stored;
  for_each_class(
      [&](TensorClass c, const Count<R>& count, const std::optional<Stored<R>>& own) {
        out.classes[c.at] = class_bytes(count, f.weight, own);
      },
      by_class(n), f.classes);
  out.read = weights_read(server, B);
  out.kv = kv_cache(q.model, cached_as(f.kv, q.assume), one).per_token;
  const auto C = capacity_of(q.cluster, q.on, q.assume.capacity);
  if (q.context && C) limit_by_memory(server, *C, T_ctx, one, limits);
  out.sequences = limits.by_memory;
  if (!server.peak) return out;
  const DecodeCall<R> call{B, T_ctx};
  out.step = decode_step(server, call, one).time;
  out.crossover = batch_limits(server, {}, call, T_ctx, one).crossover;
  return out;
}

template <class R>
void gptq(const CompressQuestion<R>& q, const Flops<R>& forward, QuantizingCost<R>& cost) {
  auto T_cal = *q.calibration;
  NAME(T_cal);
  Sum<kFlop, R> hessians, inverses, updates;
  Largest<kByte, R> widest;
  for (const LayerGroup<R>& g : q.model.layers) {
    for_each_matrix(q.model, g, [&](const Matrix<R>& m) {
      if (m.part == Part::kRouter || m.narrow) return;  // stays as it is
      auto count = g.count * m.copies;
      auto d = m.in;
      auto o = m.out;
      NAME(count, d, o);
      hessians.add(m.name, 2_flop * T_cal * d * d * count);
      inverses.add(m.name, 4_flop * d * d * d * count / 3);
      updates.add(m.name, 1_flop * d * d * o * count);
      widest.offer(m.name, 4_B * d * d);
    });
  }
  cost.gptq = kGptqFlops(forward + kGptqHessians(hessians.total()) +
                         kGptqInverses(inverses.total()) + kGptqUpdates(updates.total()));
  cost.hessian = kGptqHessian(widest.best());
}

// Of the whole model, nothing shared.
template <class R>
Bytes<R> training_state(const CompressQuestion<R>& q) {
  TrainingPlan<R> plan;
  plan.model = q.model;
  plan.precision = q.precision;
  plan.optimizer = q.optimizer;
  Layout<R> alone;
  alone.shard = alone.expert_shard = Count<R>{1};
  return kQatMemory(states(plan, alone, whole_shard(plan)).whole);
}

template <class R>
QuantizingCost<R> quantizing(const CompressQuestion<R>& q, const Parameters<R>& n) {
  QuantizingCost<R> cost;
  auto N_mm = n.matmul;
  NAME(N_mm);
  if (q.calibration) {
    auto T_cal = *q.calibration;
    NAME(T_cal);
    const Flops<R> forward = 2_flop * N_mm * T_cal;
    gptq(q, forward, cost);
    if (q.search) {
      auto G = *q.search;
      auto N_layers = n.attention + n.mlp + n.experts + n.shared;
      NAME(G, N_layers);
      cost.awq = kAwqFlops(forward + 2_flop * N_layers * T_cal * G);
    }
  }
  if (q.qat) {
    auto N_act = n.active;
    auto T_qat = *q.qat;
    NAME(N_act, T_qat);
    cost.qat = kQatFlops(6_flop * N_act * T_qat);
    cost.qat_memory = training_state(q);
  }
  if (!q.assume.train.mfu || (!q.cluster && !q.on.peak && !q.original_peak)) return cost;
  auto P = q.original_peak ? *q.original_peak : peak_of(q.cluster, q.on);
  auto MFU = *q.assume.train.mfu;
  NAME(P, MFU);
  const auto time = [&](const std::optional<Flops<R>>& flops) -> std::optional<Seconds<R>> {
    if (!flops) return {};
    auto F = *flops;
    NAME(F);
    return kCompressTime(F / (P * MFU));
  };
  cost.gptq_time = time(cost.gptq);
  cost.awq_time = time(cost.awq);
  cost.qat_time = time(cost.qat);
  return cost;
}

}  // namespace

template <class R>
CompressAnswer<R> answer(const CompressQuestion<R>& q) {
  const Parameters<R> n = parameters(q.model);
  CompressAnswer<R> out;
  out.before = compressed(q, n, formats_before(q), true);
  out.after = compressed(q, n, formats_after(q), false);
  auto M_before = out.before.weights;
  auto M_after = out.after.weights;
  auto read_before = out.before.read;
  auto read_after = out.after.read;
  NAME(M_before, M_after, read_before, read_after);
  out.smaller = kCompressSmaller(M_before / M_after);
  out.bound = kCompressBound(read_before / read_after);
  if (out.before.step) {
    auto t_before = *out.before.step;
    auto t_after = *out.after.step;
    NAME(t_before, t_after);
    out.speedup = kCompressSpeedup(t_before / t_after);
  }
  out.cost = quantizing(q, n);
  return out;
}

template CompressAnswer<double> answer(const CompressQuestion<double>&);
template CompressAnswer<Traced> answer(const CompressQuestion<Traced>&);

}  // namespace reckon
