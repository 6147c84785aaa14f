// One transformer layer on one GPU and one micro-batch: forward, backward, recompute, operator by
// operator, and what its communication leaves exposed.
//
//   F = GEMMs + attention or scan + elementwise + fp8 casts + exposed tensor, expert and context traffic
//   B = the same backwards, with two GEMMs for each
//
// Rows of a GEMM are the tokens T of the micro-batch on this rank; widths are a tensor rank's.
#pragma once

#include <array>
#include <vector>

#include "reckon/cost/activations.hpp"
#include "reckon/cost/experts.hpp"
#include "reckon/cost/operators/attention.hpp"
#include "reckon/cost/operators/context.hpp"
#include "reckon/cost/operators/elementwise.hpp"
#include "reckon/cost/operators/recompute.hpp"
#include "reckon/cost/operators/recurrent.hpp"
#include "reckon/cost/operators/tokens.hpp"

namespace reckon {

inline const Formula kOperatorForward{"operator.layer.forward", "F", "one layer, forward",
                                      "its operators and what communication leaves exposed"};
inline const Formula kOperatorBackward{"operator.layer.backward", "B", "one layer, backward",
                                       "its operators and what communication leaves exposed"};
inline const Formula kOperatorRecompute{"operator.layer.recompute", "R", "one layer, recomputed",
                                        "what the policy runs again before the backward pass"};
inline const Formula kRecomputeAttention{"operator.layer.recompute_attention", "R",
                                         "one layer, recomputed", "the attention core"};
inline const Formula kRecomputeOperators{"operator.layer.recompute_operators", "R",
                                         "one layer, recomputed", "every second operator"};
inline const Formula kTensorExposed{"operator.tensor.exposed", "t_tp",
                                    "tensor-parallel collectives left exposed",
                                    "Korthikanti 2022, section 4.2: two a pass"};
inline const Formula kTensorBackward{"operator.tensor.backward", "t_tp_b",
                                     "tensor-parallel collectives left exposed, backward",
                                     "as forward, and a second gather mostly behind the weight "
                                     "gradient"};
template <class R>
struct NamedGemm {
  const char* label = "";
  Gemm<R> gemm;
  bool grouped = false;
  bool wide = false;  // in 16 bits, whatever the format of the run

  const GemmRates<R>& rates(const OperatorMachine<R>& m) const { return wide ? m.gemm16 : m.gemm; }
};

template <class R>
using NamedGemms = ShortList<NamedGemm<R>, 14>;

// With its times: groups of layers share their mixers' products.
template <class R>
struct PricedGemm {
  NamedGemm<R> of;
  Pass<R> time;

  bool holds(const NamedGemm<R>& x) const {
    const auto same = [](const Count<R>& a, const Count<R>& b) { return plain(a) == plain(b); };
    return of.label == x.label && of.grouped == x.grouped && of.wide == x.wide &&
           same(of.gemm.M, x.gemm.M) && same(of.gemm.N, x.gemm.N) && same(of.gemm.K, x.gemm.K) &&
           of.gemm.batch.has_value() == x.gemm.batch.has_value() &&
           (!x.gemm.batch || same(*of.gemm.batch, *x.gemm.batch));
  }
};

template <class R>
LayerShape<R> layer_shape(const TrainingPlan<R>& plan, const Layout<R>& x) {
  auto T = x.T;
  auto t = plan.mesh.tensor;
  auto h = *plan.model.hidden;
  NAME(T, t, h);
  auto t_sp = plan.mesh.sequence ? t : Count<R>{1};
  auto t_e = expert_tensor(plan);
  NAME(t_sp, t_e);
  auto T_e = tokens_for_experts(T, t, t_e, plan.mesh.sequence);
  if (!(plan.assume.expert_capacity <= 1)) T_e = plan.assume.expert_capacity * T_e;
  auto H = 2_B * T * h;
  NAME(T_e, H);
  return {T, t, t_sp, h, T_e, t_e, H};
}

template <class R>
void mixer_gemms(const Model<R>& model, const Mixer<R>& x, const LayerShape<R>& l,
                 NamedGemms<R>& out) {
  if (x.kind == MixerKind::kAttention) {
    const AttentionWidths<R> w = own_widths(model, x, l.t);
    out.push_back({"QKV", {l.T, w.q + w.k + w.v, l.h, {}}});
    out.push_back({"attention output", {l.T, l.h, w.out, {}}});
  } else if (x.kind == MixerKind::kMla) {
    auto q = query_width(model, x) / l.t;
    auto latents = *x.kv_rank + *x.rope_width;
    if (x.q_rank)
      latents = latents + *x.q_rank;
    else
      latents = latents + q;
    out.push_back({"latents", {l.T, latents, l.h, {}}});
    if (x.q_rank) out.push_back({"queries", {l.T, q, *x.q_rank, {}}});
    auto kv = *x.heads * (*x.nope_width + *x.v_width) / l.t;
    out.push_back({"keys and values", {l.T, kv, *x.kv_rank, {}}});
    out.push_back({"attention output", {l.T, l.h, *x.heads * *x.v_width / l.t, {}}});
  } else if (recurrent(x.kind)) {
    recurrent_gemms(model, x, l, out);
  }
}

// Gate and up in one, and down.
template <class R>
void mlp_gemms(Count<R> rows, Count<R> h, Count<R> f, Count<R> matrices,
               const std::array<const char*, 2>& labels, const std::optional<Count<R>>& batch,
               NamedGemms<R>& out) {
  const bool grouped = batch.has_value();
  out.push_back({labels[0], {rows, (matrices - 1) * f, h, batch}, grouped});
  out.push_back({labels[1], {rows, h, f, batch}, grouped});
}

template <class R>
void layer_gemms(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const LayerShape<R>& l,
                 NamedGemms<R>& out) {
  out.clear();
  mixer_gemms(plan.model, g.mixer, l, out);
  const Mlp<R>& m = g.mlp;
  if (m.kind == MlpKind::kDense)
    mlp_gemms<R>(l.T, l.h, *m.width / l.t, m.matrices, {"MLP up", "MLP down"}, {}, out);
  if (m.kind != MlpKind::kMoe) return;
  auto e = plan.mesh.expert;
  auto E = *m.experts;
  auto k = *m.top_k;
  NAME(e, E, k);
  auto T = tokens_for_experts(l.T, l.t, l.t_e, plan.mesh.sequence);
  auto rows = l.T_e * e * k / E;  // balanced routing, and the room that a capacity factor pads
  NAME(T, rows);
  out.push_back({"router", {T, E, l.h, {}}, false, true});
  if (m.latent) out.push_back({"latent in", {T, *m.latent, l.h, {}}});
  mlp_gemms<R>(rows, expert_hidden(plan.model, m), *m.width / l.t_e, m.matrices,
               {"experts up", "experts down"}, E / e, out);
  if (m.latent) out.push_back({"latent out", {T, l.h, *m.latent, {}}});
  if (!(m.shared <= 0))
    mlp_gemms<R>(l.T, l.h, m.shared * shared_width(m) / l.t, m.matrices,
                 {"shared up", "shared down"}, {}, out);
}

// Norms, residual sums, positions, the activation, the permutation of routed tokens.
template <class R>
Pass<R> elementwise_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g,
                         const LayerShape<R>& l, const OperatorMachine<R>& m) {
  const auto& k = m.stack.traffic;
  Sum<kByte, R> forward, backward;
  for (const TrafficPart<R>& part : layer_traffic(plan, g, l)) {
    forward.add(part.label, part.forward);
    backward.add(part.label, part.backward);
  }
  auto ew = traffic_factor(m.stack);
  NAME(ew);
  return {traffic_time(ew * forward.total(), k.kernels, m),
          traffic_time(ew * backward.total(), k.backward_kernels, m)};
}

// Casts to fp8 or fp4: inputs are read in 16 bits, written and written transposed; backward casts the
// output gradients too.
inline bool casts_inputs(Compute c) { return c == Compute::kFp8 || c == Compute::kFp4; }

template <class R>
Pass<R> cast_time(const NamedGemms<R>& gemms, const OperatorMachine<R>& m) {
  Count<R> inputs{}, outputs{};
  for (const NamedGemm<R>& x : gemms) {
    if (x.wide) continue;
    const Gemm<R>& g = x.gemm;
    inputs += g.batch ? *g.batch * g.M * g.K : g.M * g.K;
    outputs += g.batch ? *g.batch * g.M * g.N : g.M * g.N;
  }
  const auto& cast = m.stack.traffic.cast;
  auto moved = 2_B + 2 * m.gemm.element;
  NAME(moved);
  auto forward = traffic_time(moved * inputs * cast, Count<R>{4}, m);
  return {forward, 0.5 * forward + traffic_time(moved * outputs * cast, Count<R>{4}, m)};
}

inline const Formula kTensorSmall{"operator.tensor.small", "t_tp",
                                  "tensor-parallel collectives left exposed, a mamba1 layer",
                                  "and its sum of time steps, B and C, for which the scan waits"};

// The scan's small sum stands in the way both ways.
template <class R>
Pass<R> with_small(const Pass<R>& regions, Seconds<R> small) {
  if (small <= Seconds<R>{}) return regions;
  const auto both = [&small](Seconds<R> t_regions) {
    NAME(t_regions, small);
    return kTensorSmall(t_regions + small);
  };
  return {both(regions.forward), both(regions.backward)};
}

template <class R>
Pass<R> tensor_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const Layout<R>& x,
                    const LayerShape<R>& l, const OperatorMachine<R>& m) {
  if (l.t <= 1) return {};
  const OverlapStack<R>& o = m.stack.overlap;
  auto exposed = left_of(m.stack.async_tensor ? o.async_tensor : o.tensor, o);
  const bool alone = g.mlp.kind == MlpKind::kMoe && expert_tensor(plan) <= 1;
  auto regions = alone || g.mlp.kind == MlpKind::kNone || g.mixer.kind == MixerKind::kNone
                     ? Count<R>{1}
                     : Count<R>{2};
  NAME(exposed, regions);
  const Seconds<R> small = small_reduce(g.mixer, x.tensor, l, m);
  if (!plan.mesh.sequence) {
    auto each = collective_time(CollectiveOp::kAllReduce, l.H, x.tensor, m);
    NAME(each);
    auto both = kTensorExposed(regions * each * exposed);
    return with_small(Pass<R>{both, both}, small);
  }
  auto gather = collective_time(CollectiveOp::kAllGather, l.H, x.tensor, m);
  auto each = gather + collective_time(CollectiveOp::kReduceScatter, l.H, x.tensor, m);
  NAME(gather, each);
  auto forward = kTensorExposed(regions * each * exposed);
  auto as_forward = forward;
  const bool half = g.mlp.kind == MlpKind::kNone || g.mixer.kind == MixerKind::kNone;
  auto blocks = half ? Count<R>{1} : Count<R>{2};
  NAME(as_forward, blocks);
  return with_small(
      Pass<R>{forward, kTensorBackward(as_forward + o.regather * (blocks * gather * exposed))},
      small);
}

// What the host needs to issue a layer, forward: the GPU can't run it faster. Nothing where a graph is replayed.
inline const Formula kHostLayer{"operator.host.layer", "hl", "host time of a layer, forward",
                                "kernels started in a stream, and what is beside them"};
inline const Formula kHostMoe{"operator.host.moe", "hl", "host time of an MoE layer, forward",
                              "kernels started in a stream, and what is beside them"};

template <class R>
Seconds<R> host_time(const LayerGroup<R>& g, std::size_t products, const OperatorMachine<R>& m) {
  const FixedStack<R>& k = m.stack.fixed;
  if (m.stack.graphs) return {};
  auto n_gemm = structural<R>("n_gemm", static_cast<int>(products));
  auto n_el = m.stack.traffic.kernels;
  NAME(n_gemm, n_el);
  auto issued = k.layer + (n_gemm + n_el + 1) * k.launch;
  if (g.mlp.kind != MlpKind::kMoe) return kHostLayer(issued);
  NAME(issued);
  return kHostMoe(issued + k.experts);
}

// What a layer takes, apart: work, recomputed work, exposed communication by kind.
template <class R>
struct LayerTime {
  Pass<R> work, tensor, expert, context, all;
  Seconds<R> recompute{}, attention{}, scan{}, elementwise{}, gemms{}, casts{}, host{};
};

template <class R>
Seconds<R> recompute_time(const TrainingPlan<R>& plan, Seconds<R> F, Seconds<R> attention) {
  switch (plan.recompute) {
    case Recompute::kNone:
    case Recompute::kNorms:
    case Recompute::kModules:  // operators/recompute.hpp
      return {};
    case Recompute::kSelective:
      return kRecomputeAttention(attention);
    case Recompute::kFull:
      return kOperatorRecompute(F);
    case Recompute::kOperators:
      return kRecomputeOperators(plan.assume.operators.work * F);
  }
  return {};
}

// The products of the layers so far, in the order of a layer.
template <class R>
struct LayerGemms {
  NamedGemms<R> all;
  ShortList<PricedGemm<R>, 14> priced;

  const Pass<R>& time(std::size_t i, const OperatorMachine<R>& m) {
    const NamedGemm<R>& x = all[i];
    if (i < priced.size() && priced[i].holds(x)) return priced[i].time;
    Pass<R> t{gemm_time(x.gemm, x.rates(m), m), gemm_gradients(x.gemm, x.rates(m), m)};
    if (x.grouped) {
      t.forward = t.forward / m.stack.gemm.grouped;
      t.backward = t.backward / m.stack.gemm.grouped;
    }
    if (i == priced.size()) priced.push_back({});
    priced[i] = {x, t};
    return priced[i].time;
  }
};

// For modules that run again. Of the tensor collectives a region takes one of the layer's two.
template <class R>
ForwardParts<R> forward_parts(const TrainingPlan<R>& plan, const LayerGroup<R>& g,
                              const Pass<R>& attention, const LayerTime<R>& l) {
  const bool alone = g.mlp.kind == MlpKind::kMoe && expert_tensor(plan) <= 1;
  const bool two = !alone && g.mixer.kind != MixerKind::kNone;
  Seconds<R> tensor{};
  if (!alone) tensor = two ? l.tensor.forward / 2 : l.tensor.forward;
  return {attention.forward, tensor, l.expert.forward};
}

template <class R>
LayerTime<R> layer_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const Layout<R>& x,
                        const LayerShape<R>& l, const OperatorMachine<R>& m,
                        LayerGemms<R>& products) {
  NamedGemms<R>& gemms = products.all;
  layer_gemms(plan, g, l, gemms);
  Sum<kSecond, R> forward, backward;
  LayerTime<R> out;
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    const Pass<R>& t = products.time(i, m);
    forward.add(gemms[i].label, t.forward);
    backward.add(gemms[i].label, t.backward);
  }
  out.gemms = forward.total() + backward.total();
  const Pass<R> attention = attention_time(plan, g.mixer, m);
  const Pass<R> scan = scan_time(plan, g.mixer, l, m);
  const Pass<R> elementwise = elementwise_time(plan, g, l, m);
  const Pass<R> casts = casts_inputs(plan.precision.compute) ? cast_time(gemms, m) : Pass<R>{};
  for (const auto& [label, time] : {std::pair{"attention", attention},
                                    {"scan", scan},
                                    {"elementwise", elementwise},
                                    {"casts", casts}}) {
    forward.add(label, time.forward);
    backward.add(label, time.backward);
  }
  if (g.mlp.kind == MlpKind::kMoe && !(m.stack.fixed.routing <= Seconds<R>{}))
    forward.add("routing", m.stack.fixed.routing);
  out.attention = attention.forward + attention.backward;
  out.scan = scan.forward + scan.backward;
  out.elementwise = elementwise.forward + elementwise.backward;
  out.casts = casts.forward + casts.backward;
  out.work = {forward.total(), backward.total()};
  out.tensor = tensor_time(plan, g, x, l, m);
  out.expert = expert_time(plan, g, x, l, m);
  out.context = context_time(plan, g.mixer, x.context, l.T, attention, m);
  for (const auto& [label, time] : {std::pair{"tensor exposed", out.tensor},
                                    {"experts exposed", out.expert},
                                    {"context exposed", out.context}}) {
    forward.add(label, time.forward);
    backward.add(label, time.backward);
  }
  auto hl = host_time(g, gemms.size(), m);
  NAME(hl);
  out.host = hl;
  auto F = kOperatorForward(max(forward.total(), hl));
  auto B = kOperatorBackward(max(backward.total(), 1.5 * hl));
  out.recompute = recompute_time(plan, F, attention.forward);
  if (plan.recompute == Recompute::kModules || plan.recompute == Recompute::kNorms)
    out.recompute = modules_time(plan, g, l, m, gemms, forward_parts(plan, g, attention, out));
  out.all = {F, B};
  return out;
}

}  // namespace reckon
