// Time of a collective by NCCL's own tuning model: for every algorithm and protocol a latency L and a bandwidth W,
// t = L + S/W, and the smallest wins.
//
//   NcclCost<double> x = nccl_cost(CollectiveOp::kAllReduce, S, {q, r, N, W_nic}, nccl, generation);
//   x.time, kNcclWays[x.winner].name                                             // "ring LL128"
//
// q ranks, r of them in a node, N nodes; steps = 2(q − 1) for an all-reduce, q − 1 for its halves;
// B = channels · speed:
//
//   ring      L = base + (steps − X)·h_node + X·h_net, X = 2(N − 1) or N − 1; W = B·q/steps
//   tree      L = base + 2·((r − 1)·h_node + log2 N·h_net); W = B/2 · correction(S); all-reduce only
//   NVLS      L = h_node; W = 2·q·w·eff·(q − 1)/q · q/steps; one node
//   NVLSTree  L = h_node + 2·log2 N·h_net; W the same, at most the network's
//
// Between nodes B is at most the ports of a node's ranks, whatever N (NCCL itself takes the node's for two nodes). 7 to
// 14 % off on 4 and 8 H100, 17 to 26 % on 2, and 20 to 37 % too fast on A100 and B200 at small sizes: a curve that was
// measured is better (collective_curve.hpp). Source: NCCL 2.30.7 src/graph/tuning.cc
#pragma once

#include <array>
#include <string_view>

#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/spec/nccl.hpp"

namespace reckon {

inline const Formula kNcclSteps{"nccl.steps", "steps", "steps of a ring", "passes · (q − 1)",
                                Hint::kCount};
inline const Formula kNcclCrossing{"nccl.crossing", "X", "steps of a ring that leave a node",
                                   "passes · (N − 1)", Hint::kCount};
inline const Formula kNcclBus{"nccl.channels", "B", "channels in a node, together",
                              "channels · speed"};
inline const Formula kNcclBusNodes{"nccl.channels_nodes", "B", "channels between nodes, together",
                                   "channels · speed, at most the ports of a node's ranks"};
inline const Formula kNcclHop{"nccl.hop", "h_net", "latency of a hop between nodes",
                              "of the algorithm, and the port's own"};
inline const Formula kNcclHopSimple{"nccl.hop_simple", "h_net",
                                    "latency of a hop between nodes by Simple",
                                    "of the algorithm, and the port's own twice: it flushes"};
inline const Formula kNcclRingLatency{"nccl.ring.latency", "L", "latency of the ring",
                                      "base + hops in nodes + hops between them"};
inline const Formula kNcclRingLatencyChunked{"nccl.ring.latency_chunked", "L",
                                             "latency of a ring by Simple between nodes",
                                             "longer once a channel's chunk is large"};
inline const Formula kNcclRingLl{"nccl.ring.rate_ll", "B_ring", "ring by LL",
                                 "at most LL's limit, and a share of the channels"};
inline const Formula kNcclRingLl128{"nccl.ring.rate_ll128", "B_ring", "ring by LL128",
                                    "at most LL128's limit a channel, and a share of the channels"};
inline const Formula kNcclRingRate{"nccl.ring.rate", "W", "array over time of a ring",
                                   "bus · q/steps"};
inline const Formula kNcclRingTime{"nccl.ring.time", "t_ring", "time by ring", "L + S/W"};
inline const Formula kNcclTreeLatency{"nccl.tree.latency", "L", "latency of the tree",
                                      "base + twice: a chain in the node, a tree of nodes"};
inline const Formula kNcclTreeBus{"nccl.tree.channels", "B_tree", "channels of a tree, together",
                                  "at most its limit a channel, and a share of the channels"};
inline const Formula kNcclTreeLl{"nccl.tree.rate_ll", "B_proto", "tree by LL",
                                 "at most LL's limit, and a share of the tree's"};
inline const Formula kNcclTreeLl128{"nccl.tree.rate_ll128", "B_proto", "tree by LL128",
                                    "at most LL128's limit a channel, and a share of the tree's"};
inline const Formula kNcclTreeRate{"nccl.tree.rate", "W", "array over time of a tree",
                                   "half the bus, times the share reached at this size"};
inline const Formula kNcclTreeTime{"nccl.tree.time", "t_tree", "time by tree", "L + S/W"};
inline const Formula kNcclSwitchBus{"nccl.nvls.channels", "B_nvls",
                                    "bus bandwidth through the switch",
                                    "a channel a rank, both ways, of those for the others"};
inline const Formula kNcclSwitchTime{"nccl.nvls.time", "t_nvls", "time in the switch",
                                     "L + S/W with W = bus · q/steps"};
inline const Formula kNcclSwitchTreeTime{
    "nccl.nvls_tree.time", "t_nvls", "time in switches, by a tree between nodes",
    "L + S/W with W = bus · q/steps, the bus at most the network's"};
inline const Formula kNcclTime{"nccl.time", "t", "time of the collective by NCCL's tuning model",
                               "the algorithm and protocol with the smallest"};

// In the order NCCL's own table has.
struct NcclWay {
  std::string_view id, name;
};
inline constexpr NcclWay kNcclWays[] = {
    {"tree_ll", "tree LL"}, {"tree_ll128", "tree LL128"}, {"tree_simple", "tree Simple"},
    {"ring_ll", "ring LL"}, {"ring_ll128", "ring LL128"}, {"ring_simple", "ring Simple"},
    {"nvls", "NVLS"},       {"nvls_tree", "NVLSTree"}};

// Who takes part. W_nic: the network rate of one GPU's ports; not used in one node.
template <class R>
struct NcclGroup {
  Count<R> q, r, N;
  ByteRate<R> W_nic;
  bool crosses() const { return !(N <= 1); }
};

template <class R>
struct NcclCost {
  std::array<std::optional<Seconds<R>>, std::size(kNcclWays)> ways;
  std::size_t winner = 0;
  Seconds<R> time;
};

namespace detail {

enum class NcclProtocol { kLl, kLl128, kSimple };

template <class R>
const std::optional<Seconds<R>>& of(const NcclProtocols<R>& p, NcclProtocol protocol) {
  return protocol == NcclProtocol::kLl      ? p.ll
         : protocol == NcclProtocol::kLl128 ? p.ll128
                                            : p.simple;
}

// One pricing: everything the algorithms share.
template <class R>
class NcclPricing {
 public:
  NcclPricing(CollectiveOp op, Bytes<R> S, const NcclGroup<R>& group, const Nccl<R>& nccl,
              const NcclGeneration<R>& gen)
      : op_(op), S_(S), group_(group), nccl_(nccl), gen_(gen) {
    auto passes = op == CollectiveOp::kAllReduce ? Count<R>{2} : Count<R>{1};
    auto q = group.q;
    NAME(passes, q);
    passes_ = passes;
    steps_ = kNcclSteps(passes * (q - 1));
    auto n_ch = gen.channels;
    auto w_ch = gen.channel;
    NAME(n_ch, w_ch);
    if (!group.crosses()) {
      bus_ = kNcclBus(n_ch * w_ch);
      return;
    }
    auto r = group.r;
    auto W_nic = group.W_nic;
    auto share = nccl.network_share;
    NAME(r, W_nic, share);
    bus_ = kNcclBusNodes(min(n_ch * w_ch, r * W_nic * share));
  }

  Seconds<R> ring(NcclProtocol protocol) const {
    auto S = S_;
    auto L = ring_latency(protocol);
    auto q = group_.q;
    auto steps = steps_;
    auto B_ring = ring_bus(protocol);
    NAME(S, q, steps, B_ring);
    auto W = kNcclRingRate(B_ring * q / steps);
    return kNcclRingTime(L + S / W);
  }

  Seconds<R> tree(NcclProtocol protocol) const {
    auto S = S_;
    auto r = group_.r;
    auto N = group_.N;
    auto base = *of(nccl_.base.tree, protocol);
    auto h_node = *of(nccl_.node.tree, protocol);
    auto h_net = hop(nccl_.network.tree, protocol);
    NAME(S, r, N, base, h_node, h_net);
    auto L = kNcclTreeLatency(base + 2 * ((r - 1) * h_node + log2(N) * h_net));
    auto B_proto = tree_bus(protocol);
    auto reached = correction(protocol);
    NAME(reached, B_proto);
    auto W = kNcclTreeRate(B_proto / 2 * reached);
    return kNcclTreeTime(L + S / W);
  }

  Seconds<R> in_switch() const {
    auto S = S_;
    auto L = *nccl_.node.nvls.simple;
    auto q = group_.q;
    auto steps = steps_;
    auto B_nvls = switch_bus(q);
    NAME(S, L, q, steps);
    return kNcclSwitchTime(L + S / (B_nvls * q / steps));
  }

  Seconds<R> in_switches() const {
    auto S = S_;
    auto h_node = *nccl_.node.nvls_tree.simple;
    auto h_net = hop(nccl_.network.nvls_tree, NcclProtocol::kSimple);
    auto N = group_.N;
    auto q = group_.q;
    auto steps = steps_;
    auto B_nvls = switch_bus(group_.r);
    auto B = bus_;
    NAME(S, h_node, h_net, N, q, steps);
    return kNcclSwitchTreeTime(h_node + 2 * log2(N) * h_net + S / (min(B_nvls, B) * q / steps));
  }

  bool has_switch(Count<R> ranks) const {
    return gen_.switch_share && gen_.wire && op_ == CollectiveOp::kAllReduce && speed(ranks);
  }

 private:
  // A hop between nodes; none in one node.
  Seconds<R> hop(const NcclProtocols<R>& p, NcclProtocol protocol) const {
    if (!group_.crosses()) return {};
    auto h = *of(p, protocol);
    auto a_nic = nccl_.nic;
    NAME(h, a_nic);
    return protocol == NcclProtocol::kSimple ? kNcclHopSimple(h + 2 * a_nic) : kNcclHop(h + a_nic);
  }

  Seconds<R> ring_latency(NcclProtocol protocol) const {
    auto steps = steps_;
    auto N = group_.N;
    auto passes = passes_;
    NAME(N);
    auto X = kNcclCrossing(passes * (N - 1));
    auto base = *of(nccl_.base.ring, protocol);
    auto h_node = *of(nccl_.node.ring, protocol);
    auto h_net = hop(nccl_.network.ring, protocol);
    NAME(base, h_node, h_net);
    auto L = kNcclRingLatency(base + (steps - X) * h_node + X * h_net);
    const bool chunked = group_.crosses() && protocol == NcclProtocol::kSimple &&
                         op_ == CollectiveOp::kAllReduce && S_ / (gen_.channels * group_.q) >= 64_B;
    if (!chunked) return L;
    auto longer = nccl_.chunked;
    NAME(longer);
    return kNcclRingLatencyChunked(longer * L);
  }

  ByteRate<R> ring_bus(NcclProtocol protocol) const {
    auto B = bus_;
    if (protocol == NcclProtocol::kSimple) return B;
    if (protocol == NcclProtocol::kLl) {
      auto W_LL = group_.crosses() ? nccl_.ll_limit_nodes : gen_.ll_limit;
      auto share = nccl_.ll_ring;
      NAME(W_LL, share);
      return kNcclRingLl(min(W_LL, share * B));
    }
    auto n_ch = gen_.channels;
    auto w_128 = gen_.ring_ll128;
    auto share = nccl_.ring_ll128_share;
    NAME(n_ch, w_128, share);
    return kNcclRingLl128(min(share * B, n_ch * w_128));
  }

  ByteRate<R> tree_bus(NcclProtocol protocol) const {
    auto B = bus_;
    auto n_ch = gen_.channels;
    auto w_tree = gen_.tree_simple;
    auto share = nccl_.tree_share;
    NAME(n_ch, w_tree, share);
    auto B_tree = kNcclTreeBus(min(share * B, n_ch * w_tree));
    if (protocol == NcclProtocol::kSimple) return B_tree;
    if (protocol == NcclProtocol::kLl) {
      auto W_LL = group_.crosses() ? nccl_.ll_limit_nodes : gen_.ll_limit;
      auto share_ll = nccl_.ll_tree;
      NAME(W_LL, share_ll);
      return kNcclTreeLl(min(share_ll * B_tree, W_LL));
    }
    auto w_128 = gen_.tree_ll128;
    auto share_128 = group_.crosses() ? nccl_.tree_ll128_share_nodes : nccl_.tree_ll128_share;
    NAME(w_128, share_128);
    return kNcclTreeLl128(min(share_128 * B_tree, n_ch * w_128));
  }

  // What a tree reaches at this size; all of it beyond the table.
  Ratio<R> correction(NcclProtocol protocol) const {
    const auto& table = protocol == NcclProtocol::kLl      ? nccl_.tree_ll
                        : protocol == NcclProtocol::kLl128 ? nccl_.tree_ll128
                                                           : nccl_.tree_simple;
    const int at = whole(floor(log2(max(S_ / 64_B, 1))));
    if (at < 0 || static_cast<std::size_t>(at) + 1 > table.size()) return Ratio<R>{1};
    return looked_up({"log2(bytes/64)", at}, table[static_cast<std::size_t>(at)]);
  }

  // The fastest channel of which one a rank fits the wire.
  const ByteRate<R>* speed(Count<R> ranks) const {
    for (const ByteRate<R>& w : gen_.switch_channels)
      if (ranks * w <= *gen_.wire) return &w;
    return nullptr;
  }

  ByteRate<R> switch_bus(Count<R> ranks) const {
    auto r = ranks;
    auto w = *speed(ranks);
    auto eff = *gen_.switch_share;
    NAME(r, w, eff);
    return kNcclSwitchBus(2 * r * w * eff * ((r - 1) / r));
  }

  CollectiveOp op_;
  Bytes<R> S_;
  const NcclGroup<R>& group_;
  const Nccl<R>& nccl_;
  const NcclGeneration<R>& gen_;
  Count<R> passes_, steps_;
  ByteRate<R> bus_;
};

}  // namespace detail

// Of an all-reduce, all-gather or reduce-scatter over q ≥ 2 ranks.
template <class R>
NcclCost<R> nccl_cost(CollectiveOp op, Bytes<R> S, const NcclGroup<R>& group, const Nccl<R>& nccl,
                      const NcclGeneration<R>& generation) {
  using P = detail::NcclProtocol;
  const detail::NcclPricing<R> pricing(op, S, group, nccl, generation);
  NcclCost<R> x;
  const bool whole_array = op == CollectiveOp::kAllReduce;
  const P protocols[] = {P::kLl, P::kLl128, P::kSimple};
  for (std::size_t i = 0; i < 3; ++i) {
    if (whole_array) x.ways[i] = pricing.tree(protocols[i]);
    x.ways[3 + i] = pricing.ring(protocols[i]);
  }
  if (!group.crosses() && pricing.has_switch(group.q)) x.ways[6] = pricing.in_switch();
  if (group.crosses() && !(group.r <= 1) && pricing.has_switch(group.r))
    x.ways[7] = pricing.in_switches();
  Smallest<kSecond, R> fastest;
  std::vector<std::size_t> offered;
  for (std::size_t i = 0; i < x.ways.size(); ++i) {
    if (!x.ways[i]) continue;
    fastest.offer(kNcclWays[i].name, *x.ways[i]);
    offered.push_back(i);
  }
  x.winner = offered[fastest.winner()];
  x.time = kNcclTime(fastest.best());
  return x;
}

}  // namespace reckon
