#include "reckon/cost/questions/compress.hpp"

namespace reckon {
namespace {

// Bytes of one element of each class of tensors.
template <class R>
struct Classes {
  Bytes<R> w, e, h, n, kv;
};

template <class R>
Bytes<R> size_or(const std::optional<Stored<R>>& said, const std::optional<Stored<R>>& original) {
  return said ? said->size : original->size;
}

template <class R>
Classes<R> classes_before(const CompressQuestion<R>& q) {
  const Bytes<R> b = q.original->size;
  return {b, b, b, b, b};
}

template <class R>
Classes<R> classes_after(const CompressQuestion<R>& q) {
  return {q.weights->size, size_or(q.embeddings, q.original), size_or(q.head, q.original),
          size_or(q.norms, q.original), size_or(q.kv, q.original)};
}

template <class R>
Bytes<R> weight_bytes(const Parameters<R>& n, const Classes<R>& c) {
  Sum<kByte, R> sum;
  sum.add("matrices of the layers", c.w * (n.attention + n.mlp + n.experts + n.shared));
  sum.add("input table", c.e * (n.embedding + n.positions));
  sum.add("output head", c.h * n.head);
  sum.add("norms, biases, routers", c.n * (n.vectors + n.router));
  return kCompressWeights(sum.total());
}

template <class R>
Bytes<R> read_bytes(const CompressQuestion<R>& q, const Parameters<R>& n, const Classes<R>& c) {
  auto touched = experts_read(q.model, q.batch);
  NAME(touched);
  Sum<kByte, R> sum;
  sum.add("matrices of the layers", c.w * (n.attention + n.mlp + n.shared + touched));
  sum.add("output head", q.model.tied ? c.e * n.embedding : c.h * n.head);
  sum.add("norms, biases, routers", c.n * (n.vectors + n.router));
  return kCompressRead(sum.total());
}

// How fast products are computed, and memory read, where a chip is stated.
template <class R>
struct Rates {
  FlopRate<R> P;
  ByteRate<R> W_m;
};

template <class R>
std::optional<Rates<R>> rates(const CompressQuestion<R>& q, bool before) {
  if (!q.cluster && !(q.on.peak && q.on.bandwidth)) return {};
  auto P = peak_of(q.cluster, q.on);
  if (before && q.original_peak) P = *q.original_peak;
  auto e = q.assume.decode.mfu;
  auto eta = q.assume.efficiency.memory;
  auto W_m = bandwidth_of(q.cluster, q.on);
  NAME(P, e, eta, W_m);
  return Rates<R>{P * e, W_m * eta};
}

template <class R>
Compressed<R> compressed(const CompressQuestion<R>& q, const Parameters<R>& n, const Classes<R>& c,
                         bool before) {
  Compressed<R> out;
  out.weights = weight_bytes(n, c);
  out.read = read_bytes(q, n, c);
  const Count<R> T = q.context.value_or(Count<R>{0});
  const KvCache<R> held = kv_cache(q.model, cached_as(c.kv, q.assume), T);
  out.kv = held.per_token;
  auto KV = held.sequence;
  NAME(KV);
  if (q.context) {
    if (const auto C = capacity_of(q.cluster, q.on, q.assume.capacity))
      out.sequences = kCompressRoom(floor(max((*C - out.weights) / KV, 0)));
  }
  const auto r = rates(q, before);
  if (!r) return out;
  auto cache = kCompressCache(q.batch * KV);
  auto N_mm = n.matmul;
  auto B = q.batch;
  NAME(N_mm, B);
  Largest<kSecond, R> step;
  step.offer("reading", (out.read + cache) / r->W_m);
  step.offer("computing", 2_flop * N_mm * B / r->P);
  out.step = kCompressStep(step.best());
  out.crossover = kCompressCrossover(out.read * r->P / (2_flop * N_mm * r->W_m));
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

// Of an optimizer that keeps its states for every parameter.
template <class R>
std::optional<Bytes<R>> training_state(const CompressQuestion<R>& q, Count<R> N) {
  Sum<kByte, R> each;
  each.add("weights", q.precision.weights.size);
  each.add("gradients", q.precision.gradients.size);
  if (q.precision.master) each.add("master copy", q.precision.master->size);
  for (const OptimizerState<R>& s : q.optimizer.states) {
    if (s.covers != Covers::kAll || s.shape != StateShape::kFull) return {};
    each.add("optimizer states", s.format.size);
  }
  return kQatMemory(N * each.total());
}

template <class R>
QuantizingCost<R> quantizing(const CompressQuestion<R>& q, const Parameters<R>& n) {
  QuantizingCost<R> cost;
  auto N_mm = n.matmul;
  auto N = n.total;
  NAME(N_mm, N);
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
    cost.qat_memory = training_state(q, N);
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
  out.before = compressed(q, n, classes_before(q), true);
  out.after = compressed(q, n, classes_after(q), false);
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
