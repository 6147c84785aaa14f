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
// of a passage is the time between a sequence's tokens. serving_step() asks for all parts, stage_passage() for one.
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

template <class R>
using OpTimes = std::array<Seconds<R>, kStepOps>;

// Matrices between hidden state and attention's core, in and out.
template <class R>
void mixer_products(const ServingMachine<R>& s, const Mixer<R>& x, Count<R> m, OpTimes<R>& t) {
  auto& in = t[static_cast<std::size_t>(StepOp::kQkv)];
  auto& out = t[static_cast<std::size_t>(StepOp::kOut)];
  auto tp = s.mesh.tensor;
  auto h = *s.model.hidden;
  if (x.kind == MixerKind::kAttention) {
    auto q = query_width(s.model, x);
    auto kv = max(kv_heads(x) / tp, 1) * (head_width(s.model, x) + value_head_width(s.model, x));
    auto n_qkv = (x.output_gate ? 2 * q : q) / tp + kv;
    NAME(n_qkv);
    in = served_product<R>({m, n_qkv, h}, s.attention, s.chip);
    out = served_product<R>({m, h, value_width(s.model, x) / tp}, s.attention, s.chip);
    return;
  }
  for_each_mixer_matrix(s.model, x, [&](const Matrix<R>& w) {
    auto n_w = w.split == Split::kColumns ? w.out / tp : w.out;
    auto k_w = w.split == Split::kRows ? w.in / tp : w.in;
    NAME(n_w, k_w);
    (w.split == Split::kRows ? out : in) += served_product<R>({m, n_w, k_w}, s.attention, s.chip);
  });
}

template <class R>
void mlp_products(const ServingMachine<R>& s, const Mlp<R>& x, Count<R> m, OpTimes<R>& t) {
  auto tp = s.mesh.tensor;
  auto h = *s.model.hidden;
  if (x.kind == MlpKind::kDense) {
    auto f_rank = *x.width / tp;
    NAME(f_rank);
    t[static_cast<std::size_t>(StepOp::kUp)] =
        served_product<R>({m, (x.matrices - 1) * f_rank, h}, s.mlp, s.chip);
    t[static_cast<std::size_t>(StepOp::kDown)] = served_product<R>({m, h, f_rank}, s.mlp, s.chip);
  }
  if (x.kind != MlpKind::kMoe) return;
  t[static_cast<std::size_t>(StepOp::kExperts)] = experts_time(s, x, m);
  if (x.shared <= 0) return;
  auto f_sh = x.shared * shared_width(x) / tp;
  NAME(f_sh);
  t[static_cast<std::size_t>(StepOp::kShared)] =
      served_product<R>({m, (x.matrices - 1) * f_sh, h}, s.mlp, s.chip) +
      served_product<R>({m, h, f_sh}, s.mlp, s.chip);
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

// Of all layers of one kind.
template <class R>
detail::OpTimes<R> layer_times(const ServingMachine<R>& s, const LayerGroup<R>& g,
                               const StepCall<R>& call) {
  detail::OpTimes<R> t{};
  auto m = rows_of(call);
  detail::mixer_products(s, g.mixer, m, t);
  t[static_cast<std::size_t>(StepOp::kAttention)] = mixer_time(s, g.mixer, call);
  detail::mlp_products(s, g.mlp, m, t);
  t[static_cast<std::size_t>(StepOp::kElementwise)] = elementwise_time(s, m);
  if (!(s.mesh.tensor <= 1)) {
    auto both = (g.mixer.kind == MixerKind::kNone || g.mlp.kind == MlpKind::kNone) ? Count<R>{1}
                                                                                   : Count<R>{2};
    NAME(both);
    t[static_cast<std::size_t>(StepOp::kAllReduce)] = both * served_all_reduce(s, m);
  }
  if (call.x_rank && g.mixer.kind != MixerKind::kNone)
    t[static_cast<std::size_t>(StepOp::kContext)] = context_gather(s, g.mixer, call);
  if (g.mlp.kind == MlpKind::kMoe && !(s.mesh.data <= 1))
    t[static_cast<std::size_t>(StepOp::kAllToAll)] = expert_exchange(s, g.mlp, m, call);
  t[static_cast<std::size_t>(StepOp::kOverhead)] = s.engine.overhead.layer;
  return t;
}

inline constexpr const char* kStepOpNames[] = {
    "qkv",         "attention",  "out",        "up",       "down", "experts", "shared",
    "elementwise", "all_reduce", "all_to_all", "overhead", "head", "hop",     "context"};

// What passes the stages together.
template <class R>
StepTimes<R> stage_passage(const ServingMachine<R>& s, StepCall<R> call) {
  StepTimes<R> out;
  auto p = s.mesh.pipeline;
  if (!(s.mesh.context <= 1) && !(call.x <= 0)) {
    auto x_all = call.x;
    auto c = s.mesh.context;
    NAME(x_all, c);
    call.x_rank = kContextRows(x_all / c);
  }
  int i = 0;
  std::array<Sum<kSecond, R>, kStepOps> sums;
  for (const LayerGroup<R>& g : s.model.layers) {
    const detail::OpTimes<R> t = layer_times(s, g, call);
    const Label label{"layers of group", i++};
    for (std::size_t o = 0; o < kStepOps; ++o) {
      auto t_one = t[o];
      if (t_one <= Seconds<R>{}) continue;
      NAME(t_one);
      sums[o].add(label, kStepOperators(g.count * t_one));
    }
  }
  Sum<kSecond, R> all;
  for (std::size_t o = 0; o < kStepOps; ++o) out.op[o] = sums[o].total();
  auto emit = emitted(call);
  out.of(StepOp::kHead) = head_time(s, emit);
  if (!(p <= 1)) out.of(StepOp::kHop) = stage_hops(s, rows_of(call));
  for (std::size_t o = 0; o < kStepOps; ++o)
    if (!(out.op[o] <= Seconds<R>{})) all.add(kStepOpNames[o], out.op[o]);
  out.gpu = kStepGpu(all.total());
  auto t_gpu = out.gpu;
  auto o_step = s.engine.overhead.step;
  NAME(o_step);
  if (!s.eager) {
    out.time = kStepGraph(t_gpu + o_step);
    return out;
  }
  out.host = host_time(s, call);
  auto t_host = out.host;
  auto p_host = s.engine.overhead.blend;
  NAME(t_host, p_host);
  out.time = kStepEager(t_gpu * pow(1 + pow(t_host / t_gpu, p_host), 1 / p_host) + o_step);
  return out;
}

// All that a data rank does between a sequence's tokens.
template <class R>
StepTimes<R> serving_step(const ServingMachine<R>& s, const StepCall<R>& call) {
  return stage_passage(s, detail::part_of_pipeline(call, s.mesh.pipeline));
}

}  // namespace reckon
