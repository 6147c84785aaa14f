// One layer's operators and collectives in the order they run, forward and backward: what layer.hpp adds up, one by
// one.
//
//   list_layer(plan, group, layout, shape, machine)   rows of both passes
//
// Without sequence parallelism a region of two products ends in an all-reduce forward, and backward begins with one;
// with it each begins with an all-gather and ends in a reduce-scatter, both ways, and the inputs are gathered again for
// the weights' gradients. Their exposed parts and the operators' times are the layer's time.
// Source: Shoeybi 2019 (f and g), Korthikanti 2022 (g and its conjugate).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "reckon/base/text.hpp"
#include "reckon/cost/operators/layer.hpp"

namespace reckon {

inline const Formula kAttentionBytes{"operator.attention.bytes", "bytes",
                                     "bytes of the attention core",
                                     "queries, keys, values and output once forward, twice back"};
inline const Formula kLeftOf{"operator.collective.left", "t_left", "a collective left exposed",
                             "its time, less the share that hides"};

// What runs: a matrix product with its shape, something else with its FLOPs or bytes, or a collective among a group.
template <class R>
struct LayerRow {
  bool backward = false;
  std::string id, label;
  std::optional<Gemm<R>> gemm;
  std::optional<Flops<R>> flops;
  Bytes<R> bytes{};
  Seconds<R> time{};
  std::optional<Seconds<R>> exposed;  // of a collective; an operator's time counts whole
  std::optional<Group<R>> group;
};

template <class R>
class LayerList {
 public:
  LayerList(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const Layout<R>& x,
            const LayerShape<R>& l, const OperatorMachine<R>& m)
      : plan_(plan), g_(g), x_(x), l_(l), m_(m), traffic_(layer_traffic(plan, g, l)) {
    layer_gemms(plan, g, l, gemms_);
  }

  std::vector<LayerRow<R>> all() {
    forward();
    backward();
    return std::move(rows_);
  }

 private:
  static bool of_mixer(std::string_view label) {
    return label == "QKV" || label == "latents" || label == "queries" ||
           label == "keys and values" || label == "attention output" || label.starts_with("mixer ");
  }
  static bool closes(std::string_view label) {
    return label == "attention output" || label == "mixer out" || label == "latent out" ||
           label.ends_with("down");
  }
  bool attends() const { return mixes() && !recurrent(g_.mixer.kind); }
  bool mixes() const { return g_.mixer.kind != MixerKind::kNone; }
  bool has_mlp() const { return g_.mlp.kind != MlpKind::kNone; }
  bool moe() const { return g_.mlp.kind == MlpKind::kMoe; }
  // Experts that are whole on a rank send tokens, not sums.
  bool joins_mlp() const { return has_mlp() && !(moe() && expert_tensor(plan_) <= 1 && mixes()); }
  bool split() const { return !(l_.t <= 1); }
  bool sequence() const { return plan_.mesh.sequence; }

  LayerRow<R>& add(const std::string& id, const std::string& label) {
    LayerRow<R>& row = rows_.emplace_back();
    row.backward = backward_;
    row.id = id;
    row.label = label;
    return row;
  }

  void forward() {
    backward_ = false;
    traffic(LayerPlace::kNormMixer);
    begin(mixes(), "mixer");
    products([&](const NamedGemm<R>& n) { return of_mixer(n.label) && !closes(n.label); });
    traffic(LayerPlace::kPositions);
    attention();
    traffic(LayerPlace::kConvolution);
    small_sum();
    scan();
    traffic(LayerPlace::kGate);
    products([&](const NamedGemm<R>& n) { return of_mixer(n.label) && closes(n.label); });
    end(mixes(), "mixer");
    traffic(LayerPlace::kResidualMixer);
    traffic(LayerPlace::kNormMlp);
    begin(joins_mlp(), "mlp");
    traffic(LayerPlace::kRoute);
    exchange("dispatch", true);
    products([&](const NamedGemm<R>& n) { return !of_mixer(n.label) && !closes(n.label); });
    traffic(LayerPlace::kActivation);
    products([&](const NamedGemm<R>& n) { return !of_mixer(n.label) && closes(n.label); });
    exchange("combine", false);
    end(joins_mlp(), "mlp");
    traffic(LayerPlace::kResidualMlp);
    casts();
  }

  void backward() {
    backward_ = true;
    traffic(LayerPlace::kResidualMlp);
    begin(joins_mlp(), "mlp");
    exchange("combine", false);
    products([&](const NamedGemm<R>& n) { return !of_mixer(n.label) && closes(n.label); });
    traffic(LayerPlace::kActivation);
    products([&](const NamedGemm<R>& n) { return !of_mixer(n.label) && !closes(n.label); });
    exchange("dispatch", true);
    traffic(LayerPlace::kRoute);
    end(joins_mlp(), "mlp");
    if (has_mlp()) gather_again("mlp");
    traffic(LayerPlace::kNormMlp);
    traffic(LayerPlace::kResidualMixer);
    begin(mixes(), "mixer");
    products([&](const NamedGemm<R>& n) { return of_mixer(n.label) && closes(n.label); });
    traffic(LayerPlace::kGate);
    scan();
    small_sum();
    traffic(LayerPlace::kConvolution);
    attention();
    traffic(LayerPlace::kPositions);
    products([&](const NamedGemm<R>& n) { return of_mixer(n.label) && !closes(n.label); });
    end(mixes(), "mixer");
    if (mixes()) gather_again("mixer");
    traffic(LayerPlace::kNormMixer);
    casts();
  }

  // Of the kernels that a layer starts for these, each has its even share.
  void traffic(LayerPlace place) {
    for (const TrafficPart<R>& part : traffic_) {
      if (part.place != place) continue;
      const auto& k = m_.stack.traffic;
      auto parts = structural<R>("parts", static_cast<int>(traffic_.size()));
      auto ew = traffic_factor(m_.stack);
      NAME(ew);
      const bool small = std::string_view(part.label).starts_with("norms of time step");
      LayerRow<R>& row = add(small ? "small_norms" : id_of(place), part.label);
      row.bytes = ew * (backward_ ? part.backward : part.forward);
      row.time = traffic_time(row.bytes, (backward_ ? k.backward_kernels : k.kernels) / parts, m_);
    }
  }
  static std::string id_of(LayerPlace place) {
    constexpr std::array ids{"norm_mixer", "positions",      "convolution",
                             "gate",       "residual_mixer", "norm_mlp",
                             "route",      "activation",     "residual_mlp"};
    return ids[static_cast<std::size_t>(place)];
  }

  template <class Wanted>
  void products(Wanted wanted) {
    for (const NamedGemm<R>& n : gemms_) {
      if (!wanted(n)) continue;
      std::string id = lowered(n.label);
      std::replace(id.begin(), id.end(), ' ', '_');
      const auto& [M, N, K, batch] = n.gemm;
      if (!backward_) {
        product(n, id, n.label, n.gemm);
      } else {
        product(n, id + "_input", std::string(n.label) + ", gradient of its input",
                {M, K, N, batch});
        product(n, id + "_weight", std::string(n.label) + ", gradient of its weight",
                {K, N, M, batch});
      }
    }
  }
  void product(const NamedGemm<R>& n, const std::string& id, const std::string& label,
               const Gemm<R>& shape) {
    LayerRow<R>& row = add(id, label);
    row.gemm = shape;
    row.flops = gemm_flops(shape);
    row.bytes = gemm_bytes(shape, n.rates(m_));
    row.time = gemm_time(shape, n.rates(m_), m_);
    if (n.grouped) row.time = row.time / m_.stack.gemm.grouped;
  }

  void scan() {
    if (!recurrent(g_.mixer.kind)) return;
    const Pass<R> time = scan_time(plan_, g_.mixer, l_, m_);
    const Mixer<R> x = mixer_on_rank(g_.mixer, l_.t);
    LayerRow<R>& row = add("scan", "scan");
    row.flops = l_.T * scan_flops(plan_.model, x);
    row.bytes = l_.T * scan_bytes(plan_.model, x);
    row.time = time.forward;
    if (!backward_) return;
    row.flops = m_.stack.scan->backward * *row.flops;
    row.bytes = m_.stack.scan->backward * row.bytes;
    row.time = time.backward;
  }
  void small_sum() {
    auto time = small_reduce(g_.mixer, x_.tensor, l_, m_);
    if (time <= Seconds<R>{}) return;
    auto q = x_.tensor.q;
    NAME(q);
    LayerRow<R>& row = add("reduce_small", "all-reduce of time step, B and C");
    row.bytes = 2 * ((q - 1) / q) * (2_B * l_.T * small_elements(g_.mixer));
    row.time = time;
    row.exposed = time;
    row.group = x_.tensor;
  }

  void attention() {
    if (!attends()) return;
    const Pass<R> time = attention_time(plan_, g_.mixer, m_);
    ring(time);
    LayerRow<R>& row = add("attention", "attention core");
    const bool flash = plan_.assume.attention == AttentionKernel::kFlash;
    auto F = flash_flops(attention_shape(plan_, g_.mixer));
    NAME(F);
    const auto& k = m_.stack.attention;
    auto all = flash ? F : 2 * F;  // unfused kernels skip nothing
    NAME(all);
    row.flops = !backward_ ? all : flash ? k.backward_flops * all : 2 * all;
    const AttentionWidths<R> w = own_widths(plan_.model, g_.mixer, l_.t);
    auto once = 2_B * l_.T * (w.q + w.k + w.v + w.out);
    NAME(once);
    auto times = backward_ ? Count<R>{2} : Count<R>{1};
    NAME(times);
    row.bytes = kAttentionBytes(times * once);
    row.time = backward_ ? time.backward : time.forward;
  }

  // Keys and values around the context ranks.
  void ring(const Pass<R>& attention) {
    if (plan_.mesh.context <= 1) return;
    auto c = plan_.mesh.context;
    auto kv = 2_B * l_.T * kv_widths_on_rank(plan_.model, g_.mixer, plan_.mesh.tensor);
    NAME(c, kv);
    const Pass<R> left = ring_exposed(kv, attention, c, x_.context, m_);
    LayerRow<R>& row = add("ring", backward_ ? "keys, values and gradients around the ring"
                                             : "keys and values around the ring");
    auto hops = backward_ ? 2 * (c - 1) : c - 1;
    row.bytes = hops * kv;
    row.time = hops * ring_hop(kv, x_.context, m_);
    row.exposed = backward_ ? left.backward : left.forward;
    row.group = x_.context;
  }

  // At a region's edge: gathered where sequences are split, at its beginning; backward an all-reduce instead stands at
  // its end, which is where the forward pass begins.
  void begin(bool any, const char* where) {
    if (any && split() && sequence()) {
      collective(CollectiveOp::kAllGather, std::string("gather_") + where,
                 backward_ ? "all-gather of gradients" : "all-gather of activations");
    }
  }
  void end(bool any, const char* where) {
    if (!any || !split()) return;
    if (sequence())
      collective(CollectiveOp::kReduceScatter, std::string("scatter_") + where, "reduce-scatter");
    else
      collective(CollectiveOp::kAllReduce, std::string("reduce_") + where, "all-reduce");
  }
  void collective(CollectiveOp op, const std::string& id, const std::string& label) {
    auto time = collective_time(op, l_.H, x_.tensor, m_);
    tensor_row(id, label, op == CollectiveOp::kAllReduce ? Count<R>{2} : Count<R>{1}, time,
               left_of(time));
  }
  // Seen again by the weights' gradients, and mostly behind them.
  void gather_again(const char* where) {
    if (!split() || !sequence()) return;
    auto time = collective_time(CollectiveOp::kAllGather, l_.H, x_.tensor, m_);
    tensor_row(std::string("regather_") + where, "all-gather of inputs, for the weights",
               Count<R>{1}, time, m_.stack.overlap.regather * left_of(time));
  }
  Seconds<R> left_of(Seconds<R> time) const {
    const OverlapStack<R>& o = m_.stack.overlap;
    auto hides = m_.stack.async_tensor ? o.async_tensor : o.tensor;
    auto left = reckon::left_of(hides, o);
    NAME(time, left);
    return kLeftOf(time * left);
  }
  void tensor_row(const std::string& id, const std::string& label, Count<R> passes, Seconds<R> time,
                  Seconds<R> left) {
    LayerRow<R>& row = add(id, label);
    auto q = x_.tensor.q;
    NAME(q);
    row.bytes = passes * ((q - 1) / q) * l_.H;
    row.time = time;
    row.exposed = left;
    row.group = x_.tensor;
  }

  void exchange(const char* id, bool dispatch) {
    if (!moe() || plan_.mesh.expert <= 1) return;
    auto one = sent_to_experts(plan_, g_.mlp, l_.H);
    if (dispatch && m_.stack.fp8_dispatch) one = one / 2;
    NAME(one);
    auto time = dispatch_time(one, g_.mlp, x_.expert, plan_.assume.dispatch, m_);
    const OverlapStack<R>& o = m_.stack.overlap;
    auto left = m_.stack.overlap_experts ? reckon::left_of(o.expert, o) : Ratio<R>{1};
    NAME(time, left);
    LayerRow<R>& row = add(id, dispatch ? "all-to-all, tokens to experts" : "all-to-all, back");
    const Copies<R> copies = dispatch_copies(g_.mlp, x_.expert, plan_.assume.dispatch);
    row.bytes = all_to_all(one, copies, x_.expert, m_.links, m_.assume).bytes;
    row.time = time;
    row.exposed = time * left;
    row.group = x_.expert;
  }

  void casts() {
    if (!casts_inputs(plan_.precision.compute)) return;
    const Pass<R> time = cast_time(gemms_, m_);
    LayerRow<R>& row =
        add("casts", plan_.precision.compute == Compute::kFp4 ? "casts to fp4" : "casts to fp8");
    row.time = backward_ ? time.backward : time.forward;
  }

  const TrainingPlan<R>& plan_;
  const LayerGroup<R>& g_;
  const Layout<R>& x_;
  const LayerShape<R>& l_;
  const OperatorMachine<R>& m_;
  LayerTraffic<R> traffic_;
  NamedGemms<R> gemms_;
  std::vector<LayerRow<R>> rows_;
  bool backward_ = false;
};

}  // namespace reckon
