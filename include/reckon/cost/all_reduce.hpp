// The all-reduces that tensor parallelism puts into a forward pass: two a layer, after the mixer and
// after the MLP; none for a head split over the vocabulary.
//
//   TensorReduces<double> r = tensor_reduces(server, tokens, t);
//   r.count                    // 64 in 32 layers
//   r.one.time                 // wait + transfer of one
//   r.time                     // of all
//
// Inside a node the faster of ring and direct exchange, between nodes the faster of one ring and
// ring in the node, then between nodes.   Source: Shoeybi 2019, section 3.
#pragma once

#include "reckon/cost/algorithms.hpp"
#include "reckon/cost/server.hpp"

namespace reckon {

inline const Formula kReduceCount{"all_reduce.count", "n_ar", "all-reduces of a forward pass",
                                  "one after each mixer and each MLP", Hint::kCount};
inline const Formula kReduceMessage{"all_reduce.message", "S_ar",
                                    "bytes that one all-reduce adds up", "tokens · hidden"};
inline const Formula kReduceSent{"all_reduce.sent", "sent_ar",
                                 "bytes a GPU sends in one all-reduce", "of the faster algorithm"};
inline const Formula kReduceTime{"all_reduce.time", "t_ar", "time of one all-reduce",
                                 "the faster algorithm"};
inline const Formula kReduceWait{"all_reduce.wait", "a_ar", "waiting of one all-reduce",
                                 "its time without bytes"};
inline const Formula kReduceTransfer{"all_reduce.transfer", "t_bytes",
                                     "time that the bytes of one all-reduce take",
                                     "its time beyond waiting"};
inline const Formula kReducesTime{"all_reduce.total", "T_ar", "time of all all-reduces",
                                  "count · time of one"};
inline const Formula kReducesWait{"all_reduce.total_wait", "A_ar", "waiting of all all-reduces",
                                  "count · waiting of one"};
inline const Formula kReducesTransfer{"all_reduce.total_transfer", "T_bytes",
                                      "time that the bytes of all all-reduces take",
                                      "count · transfer of one"};

template <class R>
struct Reduce {
  Bytes<R> message{}, sent{};
  Seconds<R> time{}, wait{}, transfer{};
};

template <class R>
struct TensorReduces {
  Count<R> count{0};
  Reduce<R> one;
  Seconds<R> time{}, wait{}, transfer{};
};

// An all-reduce of S over q GPUs beside each other.
template <class R>
Reduce<R> reduce_over(const Server<R>& server, Bytes<R> S, Count<R> q) {
  if (q <= 1) return {S};
  const Group<R> g = beside(server, q);
  const auto shape = [&](Bytes<R> bytes) {
    return CollectiveShape<R>{Count<R>{2}, bytes, g, ceil(g.q / g.r), server.links, server.assume};
  };
  const bool nodes_alike = whole(g.q) % whole(g.r) == 0 && !(g.r <= 1);
  const auto run = [&](bool direct, Bytes<R> bytes) {
    const auto x = shape(bytes);
    if (!direct) return by_ring(x);
    return g.crosses() ? by_hierarchy(x, false) : by_all_peers(x);
  };
  Smallest<kSecond, R> faster;
  const Way<R> ring = run(false, S);
  faster.offer("ring", ring.time);
  Way<R> direct = ring;
  if (!g.crosses() || nodes_alike) {
    direct = run(true, S);
    faster.offer(g.crosses() ? "node, then network" : "all peers at once", direct.time);
  }
  const bool is_direct = faster.winner() == 1;
  auto sent = is_direct ? direct.bytes : ring.bytes;
  NAME(sent);
  auto t_ar = kReduceTime(faster.best());
  auto t_empty = run(is_direct, Bytes<R>{}).time;
  NAME(t_empty);
  auto a_ar = kReduceWait(t_empty);
  return {S, kReduceSent(sent), t_ar, a_ar, kReduceTransfer(t_ar - a_ar)};
}

template <class R>
Count<R> reduces_of(const Model<R>& model) {
  Sum<kOne, R> n;
  int i = 0;
  for (const LayerGroup<R>& g : model.layers) {
    const int each = (g.mixer.kind != MixerKind::kNone) + (g.mlp.kind != MlpKind::kNone);
    auto per_layer = structural<R>("per_layer", each);
    n.add({"layers of group", i++}, per_layer * g.count);
  }
  return kReduceCount(n.total());
}

// In a forward pass of so many tokens.
template <class R>
TensorReduces<R> tensor_reduces(const Server<R>& server, Count<R> tokens, Count<R> t) {
  auto h = *server.model.hidden;
  auto b = server.size.activation;
  NAME(tokens, h, b);
  TensorReduces<R> out;
  out.count = reduces_of(server.model);
  out.one = reduce_over(server, kReduceMessage(tokens * h * b), t);
  if (t <= 1) return out;
  auto n_ar = out.count;
  out.time = kReducesTime(n_ar * out.one.time);
  out.wait = kReducesWait(n_ar * out.one.wait);
  out.transfer = kReducesTransfer(n_ar * out.one.transfer);
  return out;
}

}  // namespace reckon
