// The answer to tensor parallelism: where compute and communication cross, for one product and for a layer.
//
//   TensorAnswer<double> a = answer(question);
//   a.crossover, a.ratio, a.layer->over_compute, a.inside.most_layer
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/cost/tensor.hpp"
#include "reckon/spec/questions/tensor.hpp"

namespace reckon {

inline const Formula kLinkOverNetwork{"link_over_network", "ratio_W",
                                      "rate inside a node over rate between nodes", "W_link / W_x",
                                      Hint::kRatio};

// The same split over one kind of link: absent where its rate is not known.
template <class R>
struct TensorOnLink {
  std::optional<ByteRate<R>> rate;
  std::optional<Ratio<R>> crossover;
  std::optional<Count<R>> most, most_layer;
};

template <class R>
struct TensorAnswer {
  Group<R> group;
  FlopRate<R> P;
  Bytes<R> element;
  Ratio<R> crossover;
  std::optional<Ratio<R>> waiting, ratio;
  std::optional<LayerSplit<R>> layer;
  TensorOnLink<R> inside, across;
  std::optional<Ratio<R>> link_over_network;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
TensorAnswer<R> answer(const TensorQuestion<R>& question);

namespace detail {

struct TensorLinkNames {
  MetricInfo rate, crossover, most, most_layer;
};
inline const TensorLinkNames kInNode{
    {"node.rate", "rate inside a node, one way"},
    {"node.crossover", "inner dimension needed inside a node", Hint::kRatio},
    {"node.most_ranks", "most ranks in a node that `inner` keeps busy", Hint::kCount},
    {"node.layer_most_ranks", "most ranks in a node that the layer keeps busy", Hint::kCount}};
inline const TensorLinkNames kOnNetwork{
    {"network.rate", "rate between nodes, one way"},
    {"network.crossover", "inner dimension needed between nodes", Hint::kRatio},
    {"network.most_ranks", "most ranks between nodes that `inner` keeps busy", Hint::kCount},
    {"network.layer_most_ranks", "most ranks between nodes that the layer keeps busy",
     Hint::kCount}};

template <class R, class V>
void link_metrics(const TensorOnLink<R>& x, const TensorLinkNames& names, const char* no_rate,
                  V&& v) {
  const auto reason = [&](const char* otherwise) { return x.rate ? otherwise : no_rate; };
  v(names.rate, x.rate, no_rate);
  v(names.crossover, x.crossover, reason("a node has fewer GPUs than that"));
  v(names.most, x.most, reason("the question states no inner dimension: inner: 4096"));
  v(names.most_layer, x.most_layer, reason("the question names no model: model: llama-3-8b"));
}

}  // namespace detail

template <class R>
template <class V>
void TensorAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoInner = "the question states no inner dimension: inner: 4096";
  constexpr const char* kNoModel = "the question names no model: model: llama-3-8b";
  v(kRanks, group.q);
  v(kReachedPeak, P);
  v(kReducedBytes, element);
  v(kCrossover, crossover);
  v(kCrossoverWaiting, waiting,
    "asked for with tokens: 8192 and outputs: 4096 (or a model), on more than one rank");
  v(kSplitRatio, ratio, group.q <= 1 ? "one rank sends nothing" : kNoInner);
  const auto of_layer = [this](auto member) {
    using T = std::decay_t<decltype((*layer).*member)>;
    return layer ? std::optional<T>((*layer).*member) : std::nullopt;
  };
  v(kLayerReduces, of_layer(&LayerSplit<R>::reduces), kNoModel);
  v(kPathOnRank, of_layer(&LayerSplit<R>::path), kNoModel);
  v(kLayerInner, of_layer(&LayerSplit<R>::inner), kNoModel);
  v(kLayerCompute, of_layer(&LayerSplit<R>::compute), kNoModel);
  v(kLayerBytes, of_layer(&LayerSplit<R>::bytes), kNoModel);
  v(kLayerCommunication, of_layer(&LayerSplit<R>::communication), kNoModel);
  v(kLayerRatio, of_layer(&LayerSplit<R>::over_compute), kNoModel);
  v(kTrainingRatio, of_layer(&LayerSplit<R>::training_over_compute), kNoModel);
  detail::link_metrics(inside, detail::kInNode, "no rate inside a node is stated", v);
  detail::link_metrics(across, detail::kOnNetwork, "no rate between nodes is stated", v);
  v(kLinkOverNetwork, link_over_network, "both rates are needed: link and network");
}

}  // namespace reckon
