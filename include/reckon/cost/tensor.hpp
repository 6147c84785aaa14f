// Tensor parallelism: what splitting a product over p ranks saves in compute, and what joining it costs.
//
// A product of T × D by D × F whose inner dimension D is split leaves partial sums, T·F of them on
// every rank, which an all-reduce adds up. Per element of the output
//
//   compute   2·D/p FLOP                 communication   2·(p − 1)/p·e bytes
//
// so that compute takes longer from D = (p − 1)·e·P/W on: e bytes of an element *sent*, P the peak
// of the operands' format, W the rate one way. A whole layer has an all-reduce after attention's
// output and one after the MLP's; the matrices before those are split by columns and need none.
// Source: Shoeybi 2019 (Megatron-LM), section 3; Korthikanti 2022 for sequence parallelism.
#pragma once

#include "reckon/cost/algorithms.hpp"
#include "reckon/cost/shards.hpp"

namespace reckon {

inline const Formula kReducedBytes{"tensor.bytes_per_element", "s",
                                   "bytes a rank sends per element of a product",
                                   "a ring all-reduce: 2·(p − 1)/p of its bytes"};
inline const Formula kCrossover{
    "tensor.crossover", "D_min", "inner dimension from which compute takes longer",
    "2·D/p FLOP at P as long as s bytes at W: (p − 1)·e·P/W", Hint::kRatio};
inline const Formula kCrossoverWaiting{"tensor.crossover_waiting", "D_wait",
                                       "that inner dimension with waiting counted",
                                       "2·T·F·D/p FLOP as long as one all-reduce", Hint::kRatio};
inline const Formula kSplitRatio{"tensor.compute_over_communication", "ratio",
                                 "compute over communication of one product",
                                 "both are proportional to the elements", Hint::kRatio};
inline const Formula kMostRanks{"tensor.most_ranks", "p_max",
                                "most ranks that leave compute the longer",
                                "(p − 1)·e·P/W at most D", Hint::kCount};
inline const Formula kMostRanksDropped{"tensor.most_ranks_dropped", "p_max",
                                       "most ranks that leave compute the longer",
                                       "p·e·P/W at most D: (p − 1)/p taken for 1", Hint::kCount};

inline const Formula kPathOnRank{
    "tensor.layer.path", "N_rank", "parameters a token multiplies with in a layer, on one rank",
    "each matrix over the ranks, K and V by whole heads, mean layer", Hint::kParams};
inline const Formula kPathStated{"tensor.layer.path_stated", "N_rank",
                                 "parameters a token multiplies with in a layer, on one rank",
                                 "those stated, over layers and ranks", Hint::kParams};
inline const Formula kLayerReduces{
    "tensor.layer.all_reduces", "n_ar", "all-reduces of a layer, forward",
    "one after attention, one after the MLP; mean layer", Hint::kRatio};
inline const Formula kLayerInner{"tensor.layer.inner", "D_layer",
                                 "parameters of a layer per all-reduced element",
                                 "stands where one product has its inner dimension", Hint::kRatio};
inline const Formula kLayerCompute{"tensor.layer.compute", "t_compute",
                                   "compute of a layer on one rank, forward",
                                   "2 FLOP a parameter on the token's path"};
inline const Formula kLayerBytes{"tensor.layer.bytes", "bytes_layer",
                                 "bytes a rank sends in a layer, forward", "all-reduces · bytes"};
inline const Formula kLayerCommunication{"tensor.layer.communication", "t_comm",
                                         "communication of a layer, forward",
                                         "all-reduces · time of one"};
inline const Formula kLayerRatio{
    "tensor.layer.over_compute", "ratio", "communication over compute of a layer, forward",
    "hidden, if anything can run beside it, while below 1", Hint::kRatio};
inline const Formula kTrainingRatio{"tensor.training.over_compute", "ratio_train",
                                    "communication over compute, forward and backward",
                                    "backward reduces as often and computes twice as much",
                                    Hint::kRatio};
inline const Formula kGatherAndScatter{"tensor.halves", "t_halves",
                                       "an all-gather and a reduce-scatter",
                                       "sequence parallelism: one before, one after"};

// What one product or layer is split over.
template <class R>
struct TensorSplit {
  Group<R> group;
  Bytes<R> e;     // of an element sent
  FlopRate<R> P;  // reached by one rank
  Links<R> links;
  const Assume<R>& assume;  // with the latencies in force
};

template <class R>
Bytes<R> reduced_bytes(const TensorSplit<R>& x) {
  auto p = x.group.q;
  auto e = x.e;
  NAME(p, e);
  auto share = moved(p, x.assume);
  NAME(share);
  return kReducedBytes(2 * share * e);
}

// Over a link of rate W; one rank sends nothing.
template <class R>
Ratio<R> crossover(const TensorSplit<R>& x, ByteRate<R> W) {
  if (x.group.q <= 1) return Ratio<R>{0};
  auto s = reduced_bytes(x);
  auto p = x.group.q;
  auto P = x.P;
  NAME(p, P, W);
  return kCrossover(s * p * P / (2_flop * W));
}

// Sequence parallelism sends the same bytes as two collectives, each with its own waiting.
template <class R>
Transfer<R> join(const TensorSplit<R>& x, Bytes<R> S, bool sequence) {
  const Count<R> one{1}, two{2};
  if (!sequence) return collective(two, S, x.group, x.links, x.assume);
  const Transfer<R> half = collective(one, S, x.group, x.links, x.assume);
  return {half.bytes + half.bytes, kGatherAndScatter(half.time + half.time)};
}

template <class R>
Ratio<R> crossover_waiting(const TensorSplit<R>& x, Count<R> T, Count<R> F, bool sequence) {
  NAME(T, F);
  auto S = x.e * T * F;
  NAME(S);
  auto t_join = join(x, S, sequence).time;
  auto p = x.group.q;
  auto P = x.P;
  NAME(t_join, p, P);
  return kCrossoverWaiting(t_join * p * P / (2_flop * T * F));
}

// Most ranks for which an inner dimension D, or a layer's, is computed no faster than it is sent over
// a link of rate W; W_peer is what two ranks have of it.
template <class R>
Count<R> most_ranks(const TensorSplit<R>& x, Ratio<R> D, ByteRate<R> W, ByteRate<R> W_peer) {
  auto e = x.e;
  auto P = x.P;
  NAME(D, e, P, W);
  if (D * 2_flop * W_peer < 2 * e * P) return Count<R>{1};  // two ranks are too many
  if (x.assume.ring_factor == RingFactor::kDrop)
    return kMostRanksDropped(floor(D * 2_flop * W / (2 * e * P)));
  return kMostRanks(1 + floor(D * 2_flop * W / (2 * e * P)));
}

// All-reduces of a mean layer, one way through it.
template <class R>
Count<R> layer_reduces(const Model<R>& model) {
  Count<R> n{0}, L{0};
  for (const LayerGroup<R>& g : model.layers) {
    L += g.count;
    if (g.mixer.kind != MixerKind::kNone) n += g.count;
    if (g.mlp.kind != MlpKind::kNone) n += g.count;
  }
  NAME(n, L);
  return kLayerReduces(n / L);
}

// Of one layer of a group, what a token multiplies with on one of t ranks.
template <class R>
Count<R> path_on_rank(const Model<R>& model, const LayerGroup<R>& g, Count<R> t) {
  const Degrees<R> degrees{t, Count<R>{1}, {}};
  Sum<kOne, R> path;
  for_each_matrix(model, g, [&](const Matrix<R>& m) {
    const Count<R> held = on_rank(m, degrees).full;
    path.add(m.name, m.part == Part::kExpert ? held * *g.mlp.top_k / *g.mlp.experts : held);
  });
  return path.total();
}

template <class R>
Count<R> layer_path(const Model<R>& model, Count<R> p) {
  Sum<kOne, R> layers;
  Count<R> L{0};
  for (std::size_t g = 0; g < model.layers.size(); ++g) {
    const auto& group = model.layers[g];
    L += group.count;
    if (!model.abstract())
      layers.add(group_label(model, "layers", "layers of group", g),
                 group.count * path_on_rank(model, group, p));
  }
  NAME(L);
  if (model.abstract()) {
    auto N_act = parameters(model).on_path;
    NAME(N_act, p);
    return kPathStated(N_act / (L * p));
  }
  auto N_layers = layers.total();
  NAME(N_layers);
  return kPathOnRank(N_layers / L);
}

// A whole layer, forward, for T tokens.
template <class R>
struct LayerSplit {
  Count<R> reduces, path;
  Ratio<R> inner;
  Seconds<R> compute, communication;
  Bytes<R> bytes;
  Ratio<R> over_compute, training_over_compute;
};

template <class R>
LayerSplit<R> split_layer(const Model<R>& model, const TensorSplit<R>& x, Count<R> T,
                          bool sequence) {
  LayerSplit<R> l;
  auto h = *model.hidden;
  auto n_ar = layer_reduces(model);
  auto N_layer = layer_path(model, Count<R>{1});
  NAME(T, h, N_layer);
  l.reduces = n_ar;
  l.inner = kLayerInner(N_layer / (n_ar * h));
  auto N_rank = layer_path(model, x.group.q);
  auto P = x.P;
  NAME(P);
  l.path = N_rank;
  l.compute = kLayerCompute(2_flop * N_rank * T / P);
  auto S = x.e * T * h;
  NAME(S);
  const Transfer<R> one = join(x, S, sequence);
  auto bytes_one = one.bytes;
  auto t_one = one.time;
  NAME(bytes_one, t_one);
  l.bytes = kLayerBytes(n_ar * bytes_one);
  l.communication = kLayerCommunication(n_ar * t_one);
  l.over_compute = kLayerRatio(l.communication / l.compute);
  l.training_over_compute = kTrainingRatio(2 * l.communication / (3 * l.compute));
  return l;
}

}  // namespace reckon
