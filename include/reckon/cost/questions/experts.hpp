// The answer to a mixture of experts: what is held, what a token uses, what dispatch and combine send and take.
//
//   ExpertsAnswer<double> a = answer(question);
//   a.n.total, a.per_gpu, a.inside->time, a.inside->over_compute
//
// A layer is the model's first kind of layer with experts. Routing is even; forward alone: backward sends as much again
// and computes twice as much.
#pragma once

#include "reckon/cost/experts.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/cost/shards.hpp"
#include "reckon/spec/questions/experts.hpp"

namespace reckon {

inline const Formula kOneExpert{"experts.one", "N_expert", "parameters of one expert",
                                "its matrices", Hint::kParams};
inline const Formula kMoeAttention{"experts.layer.attention", "N_att",
                                   "attention parameters of a layer", "its matrices",
                                   Hint::kParams};
inline const Formula kMoeLayer{"experts.layer.total", "N_layer",
                               "parameters of a layer with experts", "sum over its parts",
                               Hint::kParams};
inline const Formula kMoeLayerActive{"experts.layer.active", "N_layer_act",
                                     "parameters of a layer that a token uses",
                                     "k of the E routed experts, and all else", Hint::kParams};
inline const Formula kMoeLayerGpu{"experts.layer.per_gpu", "N_layer_gpu",
                                  "parameters of a layer on one GPU",
                                  "routed experts over the GPUs, all else whole", Hint::kParams};
inline const Formula kTotalOverActive{"parameters.total_over_active", "ratio_N",
                                      "all parameters over active ones", "N / N_act", Hint::kRatio};
inline const Formula kWeightsGpu{"experts.weights", "M_w", "weights on one GPU",
                                 "parameters on it · bytes of one"};
inline const Formula kLeavesGpu{"experts.leaves_gpu", "share_gpu",
                                "share of a token's experts on other GPUs",
                                "experts lie evenly: (q − 1)/q", Hint::kFraction};
inline const Formula kLeavesNode{"experts.leaves_node", "share_node",
                                 "share of a token's experts in other nodes",
                                 "experts lie evenly: (q − r)/q", Hint::kFraction};
inline const Formula kTokensPerExpert{"experts.tokens_each", "T_expert",
                                      "tokens an expert gets, of all GPUs", "even routing: k·T·q/E",
                                      Hint::kRatio};
inline const Formula kExpertCapacity{
    "experts.capacity", "C_expert", "tokens an expert has room for",
    "capacity factor · even share: Lepikhin 2020 (GShard)", Hint::kRatio};
inline const Formula kMoeCompute{"experts.layer.compute", "t_compute",
                                 "compute of a layer, forward",
                                 "2 FLOP a parameter that a token multiplies with"};
inline const Formula kPaddedPath{"experts.padded_path", "N_path",
                                 "parameters a token multiplies with, padding counted",
                                 "experts work on their whole capacity", Hint::kParams};
inline const Formula kDispatchAndCombineBytes{"experts.exchange_bytes", "bytes_ep",
                                              "bytes a GPU sends in dispatch and combine",
                                              "two all-to-alls"};
inline const Formula kDispatchAndCombine{"experts.exchange", "t_ep", "time of dispatch and combine",
                                         "two all-to-alls"};
inline const Formula kExchangeOverCompute{
    "experts.over_compute", "ratio", "dispatch and combine over the layer's compute",
    "hidden, if anything can run beside it, while below 1", Hint::kRatio};

// Dispatch and combine, with the GPUs placed one way.
template <class R>
struct ExpertExchange {
  Bytes<R> bytes;
  Seconds<R> time;
  std::optional<Ratio<R>> over_compute;
};

template <class R>
struct ExpertsAnswer {
  Group<R> group;
  Parameters<R> n;
  Count<R> one, attention, layer, layer_active, layer_gpu, per_gpu;
  Ratio<R> total_over_active, leaves_gpu, leaves_node;
  Bytes<R> weights;
  Count<R> k, to_gpus;               // copies of a token: one an expert, one a GPU
  std::optional<Count<R>> to_nodes;  // and one a node
  std::optional<Bytes<R>> dispatch;  // of all copies
  std::optional<Count<R>> tokens_each, capacity;
  std::optional<Seconds<R>> compute;
  std::optional<ExpertExchange<R>> inside, across, placed;
  const char* no_inside = "";

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ExpertsAnswer<R> answer(const ExpertsQuestion<R>& question);

// The first kind of layer with routed experts; there is one.
template <class R>
const LayerGroup<R>& moe_group(const Model<R>& model) {
  for (const LayerGroup<R>& g : model.layers)
    if (g.mlp.kind == MlpKind::kMoe) return g;
  return model.layers.front();
}

namespace detail {

inline constexpr const char* kNoGpuTokens = "the question states no tokens of a GPU: tokens: 8192";

struct ExchangeNames {
  MetricInfo bytes, time, over_compute;
};
inline const ExchangeNames kExchangeNames[] = {
    {{"inside.bytes", "dispatch and combine in a node: bytes a GPU sends"},
     {"inside.time", "dispatch and combine in a node: time"},
     {"inside.over_compute", "dispatch and combine in a node, over compute", Hint::kRatio}},
    {{"across.bytes", "dispatch and combine, a GPU a node: bytes a GPU sends"},
     {"across.time", "dispatch and combine, a GPU a node: time"},
     {"across.over_compute", "dispatch and combine, a GPU a node, over compute", Hint::kRatio}},
    {{"placed.bytes", "dispatch and combine as placed: bytes a GPU sends"},
     {"placed.time", "dispatch and combine as placed: time"},
     {"placed.over_compute", "dispatch and combine as placed, over compute", Hint::kRatio}},
};

template <class R, class V>
void exchange_metrics(const std::optional<ExpertExchange<R>>& x, const ExchangeNames& names,
                      const char* why, V&& v) {
  const auto part = [&](auto member) {
    using T = std::decay_t<decltype((*x).*member)>;
    return x ? std::optional<T>((*x).*member) : std::nullopt;
  };
  v(names.bytes, part(&ExpertExchange<R>::bytes), why);
  v(names.time, part(&ExpertExchange<R>::time), why);
  v(names.over_compute, x ? x->over_compute : std::nullopt,
    x ? "no efficiency of compute is stated: assume: {train.mfu: 40%}" : why);
}

}  // namespace detail

template <class R>
template <class V>
void ExpertsAnswer<R>::metrics(V&& v) const {
  using namespace detail;
  v(kTotalParameters, n.total);
  v(kActiveParameters, n.active);
  v(kTotalOverActive, total_over_active);
  v(kOneExpert, one);
  v(kMoeAttention, attention);
  v(kMoeLayer, layer);
  v(kMoeLayerActive, layer_active);
  v(kRanks, group.q);
  v(kMoeLayerGpu, layer_gpu);
  v(kRankTotal, per_gpu);
  v(kWeightsGpu, weights);
  v(kLeavesGpu, leaves_gpu);
  v(kLeavesNode, leaves_node);
  v(MetricInfo{"copies.per_expert", "copies of a token, one for each expert", Hint::kRatio}, k);
  v(MetricInfo{"copies.to_gpus", "copies of a token, one for each GPU", Hint::kRatio}, to_gpus);
  v(MetricInfo{"copies.to_nodes", "copies of a token, one for each node", Hint::kRatio}, to_nodes,
    "all GPUs share a node");
  v(kDispatchBytes, dispatch, kNoGpuTokens);
  v(kTokensPerExpert, tokens_each, kNoGpuTokens);
  v(kExpertCapacity, capacity, "the question states no capacity factor");
  v(kMoeCompute, compute,
    dispatch ? "no efficiency of compute is stated: assume: {train.mfu: 40%}" : kNoGpuTokens);
  exchange_metrics(inside, kExchangeNames[0], dispatch ? no_inside : kNoGpuTokens, v);
  exchange_metrics(across, kExchangeNames[1],
                   dispatch ? "no rate between nodes is stated" : kNoGpuTokens, v);
  exchange_metrics(placed, kExchangeNames[2],
                   dispatch ? "one GPU holds all experts: nothing is sent" : kNoGpuTokens, v);
}

}  // namespace reckon
