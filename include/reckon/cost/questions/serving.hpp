// The server a serving question describes.
#pragma once

#include "reckon/cost/decode_limits.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/spec/questions/serving.hpp"

namespace reckon {

// Q has model, served, cluster, on, chip and assume.
template <class R, template <class> class Q>
Server<R> server_of(const Q<R>& q) {
  Server<R> s{q.model, parameters(q.model), {}, {}, {}, {}, {}, {}, q.assume};
  s.size = {q.served.weights.size, q.served.cache.size, q.served.activations.size};
  s.classes = q.served.classes;
  s.links = links_of(q.cluster, q.on, q.assume);
  s.assume.latency = latency_of(q.on, q.assume);
  if (q.on.node_gpus)
    s.node_gpus = q.on.node_gpus;
  else if (q.cluster)
    s.node_gpus = q.cluster->node.gpus;
  if (q.cluster && !q.on.link) s.torus = q.cluster->node.torus;
  if (q.chip.peak || (q.cluster && q.cluster->node.chip.peak.of(q.chip.compute)))
    s.peak = peak_of(q.cluster, q.chip);
  if (q.chip.bandwidth || q.cluster) {
    auto W_m = bandwidth_of(q.cluster, q.chip);
    auto e_m = q.assume.efficiency.memory;
    NAME(W_m, e_m);
    s.read_rate = kReadRate(W_m * e_m);
  }
  return s;
}

// Stated, or from prompt and answer; `share` of the answer counts.
template <class R>
Count<R> mean_context(const DecodeBatch<R>& load) {
  if (load.context) return *load.context;
  auto T = *load.prompt;
  auto T_out = *load.output;
  NAME(T, T_out);
  return kMeanContext(T + T_out / 2);
}

template <class R>
Count<R> held_context(const DecodeBatch<R>& load, const Assume<R>& assume) {
  if (!load.prompt || !load.output) return *load.context;
  auto T = *load.prompt;
  auto T_out = *load.output;
  auto r_out = assume.decode.reserved;
  NAME(T, T_out, r_out);
  return kHeld(T + r_out * T_out);
}

// Metrics of the all-reduces of tensor ranks; absent on one GPU.
template <class R, class V>
void reduce_metrics(V&& v, const std::optional<TensorReduces<R>>& r) {
  constexpr const char* kAlone = "one GPU has nothing to exchange: tensor: 2";
  const auto part = [&](auto get) {
    using T = std::decay_t<decltype(get(*r))>;
    return r ? std::optional<T>(get(*r)) : std::nullopt;
  };
  using Reduces = const TensorReduces<R>&;
  v(kReduceCount, part([](Reduces x) { return x.count; }), kAlone);
  v(kReduceMessage, part([](Reduces x) { return x.one.message; }), kAlone);
  v(kReduceSent, part([](Reduces x) { return x.one.sent; }), kAlone);
  v(kReduceTransfer, part([](Reduces x) { return x.one.transfer; }), kAlone);
  v(kReduceWait, part([](Reduces x) { return x.one.wait; }), kAlone);
  v(kReduceTime, part([](Reduces x) { return x.one.time; }), kAlone);
  v(kReducesTransfer, part([](Reduces x) { return x.transfer; }), kAlone);
  v(kReducesWait, part([](Reduces x) { return x.wait; }), kAlone);
  v(kReducesTime, part([](Reduces x) { return x.time; }), kAlone);
}

}  // namespace reckon
