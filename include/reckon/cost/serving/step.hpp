// One step of a serving engine, operator by operator: a prefill, a decode step, or both mixed.
//
//   StepCall<double> call;  call.n = 32;  call.T = 2250;          // 32 sequences decode over 2,250 tokens each
//   StepTimes<double> t = serving_step(machine, call);
//   t.time, t.of(StepOp::kAttention)
//
//   T_step = Σ_layers (products + attention + elementwise + o_layer) + head + collectives + o_step
//
// A prompt's tokens and decoding tokens share every product: m = n·(1 + v) + x rows. Quantities are of one data rank.
// With pipeline stages the batch goes through in as many parts, one behind the other, so each product sees that share
// of the rows; a part has its tokens when it has passed all stages, and by then every other part has too. So the time
// of a passage is the time between a sequence's tokens. serving_step() asks for all parts, stage_passage() for one;
// serving_step_time() and passage_time() for the time alone.
// Source: shared equations of kernels (cost/kernels); constants: hardware/engines.
#pragma once

#include <array>

#include "reckon/cost/serving/operators.hpp"

namespace reckon {

enum class StepOp {
  kQkv,
  kAttention,
  kOut,
  kUp,
  kDown,
  kExperts,
  kShared,
  kElementwise,
  kAllReduce,
  kAllToAll,
  kOverhead,
  kHead,
  kHop,
  kContext
};
inline constexpr std::size_t kStepOps = 14;

inline const Formula kStepOperators{"serving.step.operator", "t_op", "an operator in all layers",
                                    "layers · its time in one"};
inline const Formula kStepGpu{"serving.step.gpu", "t_gpu", "GPU time of a step",
                              "sum over its operators"};
inline const Formula kStepGraph{"serving.step.time", "t_step", "time of a step",
                                "GPU time + the engine's own"};
inline const Formula kStepEager{
    "serving.step.eager", "t_step", "time of a step, kernels launched one by one",
    "host and GPU side by side, blended by a power, + the engine's own"};

template <class R>
struct StepTimes {
  std::array<Seconds<R>, kStepOps> op{};
  Seconds<R> gpu{}, host{}, time{};

  Seconds<R>& of(StepOp o) { return op[static_cast<std::size_t>(o)]; }
  const Seconds<R>& of(StepOp o) const { return op[static_cast<std::size_t>(o)]; }
};

namespace detail {

// Matrices between hidden state and attention's core, in and out.
template <class R>
struct InAndOut {
  Seconds<R> in{}, out{};
};
template <class R>
InAndOut<R> mixer_products(const ServingMachine<R>& s, const Mixer<R>& x, Count<R> m) {
  InAndOut<R> t;
  auto tp = s.mesh.tensor;
  auto h = *s.model.hidden;
  if (x.kind == MixerKind::kAttention) {
    auto q = query_width(s.model, x);
    auto kv = max(kv_heads(x) / tp, 1) * (head_width(s.model, x) + value_head_width(s.model, x));
    auto n_qkv = (x.output_gate ? 2 * q : q) / tp + kv;
    NAME(n_qkv);
    t.in = served_product<R>({m, n_qkv, h}, s.attention, s.chip);
    t.out = served_product<R>({m, h, value_width(s.model, x) / tp}, s.attention, s.chip);
    return t;
  }
  for_each_mixer_matrix(s.model, x, [&](const Matrix<R>& w) {
    auto n_w = w.split == Split::kColumns ? w.out / tp : w.out;
    auto k_w = w.split == Split::kRows ? w.in / tp : w.in;
    NAME(n_w, k_w);
    (w.split == Split::kRows ? t.out : t.in) +=
        served_product<R>({m, n_w, k_w}, s.attention, s.chip);
  });
  return t;
}

// take(StepOp, its time)
template <class R, class Take>
void mlp_products(const ServingMachine<R>& s, const Mlp<R>& x, Count<R> m, const Take& take) {
  auto tp = s.mesh.tensor;
  auto h = *s.model.hidden;
  if (x.kind == MlpKind::kDense) {
    auto f_rank = *x.width / tp;
    NAME(f_rank);
    take(StepOp::kUp, served_product<R>({m, (x.matrices - 1) * f_rank, h}, s.mlp, s.chip));
    take(StepOp::kDown, served_product<R>({m, h, f_rank}, s.mlp, s.chip));
  }
  if (x.kind != MlpKind::kMoe) return;
  take(StepOp::kExperts, experts_time(s, x, m));
  if (x.shared <= 0) return;
  auto f_sh = x.shared * shared_width(x) / tp;
  NAME(f_sh);
  take(StepOp::kShared, served_product<R>({m, (x.matrices - 1) * f_sh, h}, s.mlp, s.chip) +
                            served_product<R>({m, h, f_sh}, s.mlp, s.chip));
}

// The share of a call that passes together: of few sequences one is not divided, and a prompt alone passes whole.
template <class R>
StepCall<R> part_of_pipeline(StepCall<R> call, Count<R> p) {
  if (p <= 1 || call.n <= 0) return call;
  call.n = max(call.n / p, min(call.n, 1));
  call.x = call.x / p;
  call.prompts = call.prompts / p;
  return call;
}

}  // namespace detail

// What one layer of a kind does in m rows: take(StepOp, its time), in the order of StepOp but for the last.
template <class R, class Take>
void for_each_operator(const ServingMachine<R>& s, const LayerGroup<R>& g, Count<R> m,
                       const StepCall<R>& call, const Take& take) {
  const auto products = detail::mixer_products(s, g.mixer, m);
  take(StepOp::kQkv, products.in);
  take(StepOp::kAttention, mixer_time(s, g.mixer, call));
  take(StepOp::kOut, products.out);
  detail::mlp_products(s, g.mlp, m, take);
  take(StepOp::kElementwise, elementwise_time(s, m));
  if (!(s.mesh.tensor <= 1)) {
    auto both = (g.mixer.kind == MixerKind::kNone || g.mlp.kind == MlpKind::kNone) ? Count<R>{1}
                                                                                   : Count<R>{2};
    NAME(both);
    take(StepOp::kAllReduce, both * served_all_reduce(s, m));
  }
  if (g.mlp.kind == MlpKind::kMoe && !(s.mesh.data <= 1))
    take(StepOp::kAllToAll, expert_exchange(s, g.mlp, m, call));
  take(StepOp::kOverhead, s.engine.overhead.layer);
  if (call.x_rank && g.mixer.kind != MixerKind::kNone)
    take(StepOp::kContext, context_gather(s, g.mixer, call));
}

inline constexpr const char* kStepOpNames[] = {
    "qkv",         "attention",  "out",        "up",       "down", "experts", "shared",
    "elementwise", "all_reduce", "all_to_all", "overhead", "head", "hop",     "context"};

namespace detail {

// Context ranks share a prompt's rows.
template <class R>
StepCall<R> shared_by_context(const ServingMachine<R>& s, StepCall<R> call) {
  if (s.mesh.context <= 1 || call.x <= 0) return call;
  auto x_all = call.x;
  auto c = s.mesh.context;
  NAME(x_all, c);
  call.x_rank = kContextRows(x_all / c);
  return call;
}

// Of a step whose GPU time is known.
template <class R>
Seconds<R> with_engine(const ServingMachine<R>& s, Seconds<R> t_gpu, Seconds<R> t_host) {
  auto o_step = s.engine.overhead.step;
  NAME(t_gpu, o_step);
  if (!s.eager) return kStepGraph(t_gpu + o_step);
  auto p_host = s.engine.overhead.blend;
  NAME(t_host, p_host);
  return kStepEager(t_gpu * pow(1 + pow(t_host / t_gpu, p_host), 1 / p_host) + o_step);
}

// What a passage takes beside its layers, and all of it together.
template <class R>
void add_outside_layers(const ServingMachine<R>& s, const StepCall<R>& call, Count<R> m,
                        StepTimes<R>& out) {
  out.of(StepOp::kHead) = head_time(s, emitted(call));
  if (!(s.mesh.pipeline <= 1)) out.of(StepOp::kHop) = stage_hops(s, m);
  Sum<kSecond, R> all;
  for (std::size_t o = 0; o < kStepOps; ++o)
    if (!(out.op[o] <= Seconds<R>{})) all.add(kStepOpNames[o], out.op[o]);
  out.gpu = kStepGpu(all.total());
  if (s.eager) out.host = host_time(s, call);
  out.time = with_engine(s, out.gpu, out.host);
}

}  // namespace detail

// What passes the stages together.
template <class R>
StepTimes<R> stage_passage(const ServingMachine<R>& s, StepCall<R> call) {
  StepTimes<R> out;
  call = detail::shared_by_context(s, call);
  const Count<R> m = rows_of(call);
  int i = 0;
  std::array<Sum<kSecond, R>, kStepOps> sums;
  for (const LayerGroup<R>& g : s.model.layers) {
    const Label label{"layers of group", i++};
    for_each_operator(s, g, m, call, [&](StepOp op, Seconds<R> t) {
      auto t_one = t;
      if (t_one <= Seconds<R>{}) return;
      NAME(t_one);
      sums[static_cast<std::size_t>(op)].add(label, kStepOperators(g.count * t_one));
    });
  }
  for (std::size_t o = 0; o < kStepOps; ++o) out.op[o] = sums[o].total();
  detail::add_outside_layers(s, call, m, out);
  return out;
}

// Its time alone, to the same bits: on plain numbers without the account of what takes it.
template <class R>
Seconds<R> passage_time(const ServingMachine<R>& s, const StepCall<R>& asked) {
  if constexpr (std::is_same_v<R, double>) {
    const StepCall<R> call = detail::shared_by_context(s, asked);
    const Count<R> m = rows_of(call);
    StepTimes<R> out;
    for (const LayerGroup<R>& g : s.model.layers)
      for_each_operator(s, g, m, call, [&](StepOp o, Seconds<R> t) { out.of(o) += g.count * t; });
    detail::add_outside_layers(s, call, m, out);
    return out.time;
  } else {
    return stage_passage(s, asked).time;
  }
}

// All that a data rank does between a sequence's tokens.
template <class R>
StepTimes<R> serving_step(const ServingMachine<R>& s, const StepCall<R>& call) {
  return stage_passage(s, detail::part_of_pipeline(call, s.mesh.pipeline));
}
template <class R>
Seconds<R> serving_step_time(const ServingMachine<R>& s, const StepCall<R>& call) {
  return passage_time(s, detail::part_of_pipeline(call, s.mesh.pipeline));
}

}  // namespace reckon
