// Ways to run one collective, under alpha–beta: a step waits a, a byte takes 1/W.
//
//   all-reduce of S over q ranks, one node        steps          bytes a rank sends
//     ring              2·(q − 1)      2·S·(q − 1)/q
//     tree              2·⌈log2 q⌉     2·S·⌈log2 q⌉ on the longest path
//     halving-doubling  2·log2 q       2·S·(q − 1)/q             q a power of two
//     all-peer          2              2·S·(q − 1)/q             a link to all peers at once
//     in-switch         2              S                         the switch reduces and multicasts
//     hierarchical      reduce-scatter in the node, all-reduce of a shard between nodes, all-gather in the node
//
// The halves (all-gather, reduce-scatter) take half of all that; broadcast and reduce are each other's
// mirror image. `passes`: 2 for an all-reduce, 1 for a half. Message-level play of all of them in tests
// (messages.hpp) agrees with the closed forms.
// Source: Thakur, Rabenseifner, Gropp 2005; in-switch: NVIDIA NCCL (NVLS).
#pragma once

#include "reckon/cost/collectives.hpp"

namespace reckon {

inline const Formula kRingTime{"ring.time", "t_ring", "time by ring",
                               "passes · (q − 1) steps of S/q: Thakur 2005, section 4"};
inline const Formula kTreeTime{"tree.time", "t_tree", "time by binomial tree",
                               "⌈log2⌉ steps of the whole array: Thakur 2005, section 3"};
inline const Formula kTreeTimeNodes{"tree.time_nodes", "t_tree", "time by binomial tree over nodes",
                                    "a tree of nodes, a tree in each"};
inline const Formula kHalvingTime{"halving_doubling.time", "t_hd", "time by halving and doubling",
                                  "log2 q steps, halves of the array: Thakur 2005, section 4"};
inline const Formula kHalvingTimeNodes{"halving_doubling.time_nodes", "t_hd",
                                       "time by halving and doubling over nodes",
                                       "near partners first, with the larger halves"};
inline const Formula kHierarchicalTime{"hierarchical.time", "t_hier",
                                       "time by node, then between nodes",
                                       "ring in the node on S, ring between nodes on a shard"};
inline const Formula kAllPeerTime{"all_peer.time", "t_peer",
                                  "time by direct exchange with all peers",
                                  "one step a pass, every peer at once"};
inline const Formula kInSwitchTime{"in_switch.time", "t_nvls", "time with reduction in the switch",
                                   "the array crosses the link once each way"};
inline const Formula kTreeBytes{"tree.bytes", "bytes_tree", "bytes on the longest path of the tree",
                                "a whole array a step"};
inline const Formula kInSwitchBytes{"in_switch.bytes", "bytes_nvls",
                                    "bytes a rank sends to the switch", "the whole array once"};
inline const Formula kRingSteps{"ring.steps", "n_ring", "steps of a ring", "passes · (q − 1)",
                                Hint::kCount};
inline const Formula kTreeSteps{"tree.steps", "n_tree", "steps of a binomial tree",
                                "passes · ⌈log2⌉ of nodes and of a node's ranks", Hint::kCount};
inline const Formula kHalvingSteps{"halving_doubling.steps", "n_hd",
                                   "steps of halving and doubling", "passes · log2 q",
                                   Hint::kCount};
inline const Formula kHierarchicalSteps{"hierarchical.steps", "n_hier",
                                        "steps by node, then between", "passes · (r − 1 + N − 1)",
                                        Hint::kCount};
inline const Formula kRootedTime{"ring.rooted_time", "t_ring",
                                 "time by scatter, then a ring (or the other way round)",
                                 "⌈log2 q⌉ + q − 1 steps: van de Geijn, in Thakur 2005"};
inline const Formula kRootedBytes{"ring.rooted_bytes", "bytes_ring", "bytes the root sends",
                                  "scattering the array, then gathering it around the ring"};
inline const Formula kRootedSteps{"ring.rooted_steps", "n_ring", "steps of scatter and ring",
                                  "⌈log2 q⌉ + q − 1", Hint::kCount};
inline const Formula kPairwiseTime{"pairwise.time", "t_pair", "time with one peer after the other",
                                   "a step a peer: those in the node, those beyond it"};
inline const Formula kBruckTime{"bruck.time", "t_bruck", "time of an all-to-all in log2 q steps",
                                "half the array a step: Bruck 1997"};
inline const Formula kBruckBytes{"bruck.bytes", "bytes_bruck", "bytes of Bruck's all-to-all",
                                 "half the array a step: Bruck 1997"};
inline const Formula kExchangeTime{"exchange.time", "t_peer",
                                   "time of an all-to-all, all peers at once",
                                   "the slower of link and network"};
inline const Formula kMessageTime{"message.time", "t_send", "time of one message",
                                  "latency + bytes over the link"};

// One way to run a collective.
template <class R>
struct Way {
  Count<R> steps;
  Bytes<R> bytes;  // sent by one rank; by the busiest where they differ
  Seconds<R> time;
};

// What every way is worked out from. `assume` carries the latencies in force.
template <class R>
struct CollectiveShape {
  Count<R> passes;
  Bytes<R> S;
  Group<R> group;
  Count<R> nodes;
  Links<R> links;
  const Assume<R>& assume;
};

// Of n equal pieces, those that go elsewhere; `ring_factor: drop` counts them all.
template <class R>
Ratio<R> moved(Count<R> n, const Assume<R>& assume) {
  return assume.ring_factor == RingFactor::kKeep ? (n - 1) / n : Ratio<R>{1};
}

template <class R>
Way<R> by_ring(const CollectiveShape<R>& x) {
  const auto one = collective(x.passes, x.S, x.group, x.links, x.assume);
  auto q = x.group.q;
  auto passes = x.passes;
  NAME(q, passes);
  return {kRingSteps(passes * (q - 1)), one.bytes, kRingTime(one.time)};
}

// Broadcast by scatter and all-gather; reduce by reduce-scatter and gather.
template <class R>
Way<R> by_rooted_ring(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto S = x.S;
  NAME(q, S);
  auto n = kRootedSteps(ceil(log2(q)) + q - 1);
  auto bytes = kRootedBytes(2 * moved(q, x.assume) * S);
  auto a = x.group.crosses() ? x.assume.latency.network_hop : x.assume.latency.node_hop;
  auto W = group_rate(x.group, x.links, x.assume.ring_across);
  const auto& a_0 = x.assume.latency.base;
  NAME(a, W);
  return {n, bytes, kRootedTime(a_0 + n * a + bytes / W)};
}

template <class R>
Way<R> by_tree(const CollectiveShape<R>& x) {
  auto r = x.group.r;
  auto N = x.nodes;
  auto S = x.S;
  auto passes = x.passes;
  NAME(r, N, S, passes);
  auto n_node = ceil(log2(r));
  auto n_net = ceil(log2(N));
  NAME(n_node, n_net);
  auto bytes = kTreeBytes(passes * (n_node + n_net) * S);
  auto steps = kTreeSteps(passes * (n_node + n_net));
  auto W_peer = x.links.peer;
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  NAME(W_peer);
  if (!x.group.crosses())
    return {steps, bytes, kTreeTime(a_0 + passes * n_node * (a_node + S / W_peer))};
  auto W_x = x.links.nic;
  NAME(W_x);
  Sum<kSecond, R> t;
  t.add("base", a_0);
  if (!(r <= 1)) t.add("in a node", passes * n_node * (a_node + S / W_peer));
  t.add("between nodes", passes * n_net * (a_net + S / W_x));
  return {steps, bytes, kTreeTimeNodes(t.total())};
}

template <class R>
Way<R> by_halving(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto r = x.group.r;
  auto N = x.nodes;
  auto S = x.S;
  auto passes = x.passes;
  NAME(q, r, N, S, passes);
  auto steps = kHalvingSteps(passes * log2(q));
  auto share = moved(q, x.assume);
  NAME(share);
  auto bytes = kSentBytes(passes * share * S);
  auto W_peer = x.links.peer;
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  NAME(W_peer);
  if (!x.group.crosses())
    return {steps, bytes, kHalvingTime(a_0 + passes * log2(q) * a_node + bytes / W_peer)};
  auto W_x = x.links.nic;
  NAME(W_x);
  Sum<kSecond, R> t;
  t.add("base", a_0);
  if (!(r <= 1)) t.add("in a node", passes * (log2(r) * a_node + moved(r, x.assume) * S / W_peer));
  t.add("between nodes", passes * (log2(N) * a_net + moved(N, x.assume) * (S / r) / W_x));
  return {steps, bytes, kHalvingTimeNodes(t.total())};
}

// A shard goes between nodes, each rank over its own port. An all-to-all's network half moves the
// whole array: what came together in the node on its way to another.
template <class R>
Way<R> by_hierarchy(const CollectiveShape<R>& x, bool to_all) {
  auto r = x.group.r;
  auto N = x.nodes;
  auto S = x.S;
  auto passes = x.passes;
  NAME(r, N, S, passes);
  auto S_net = to_all ? S : S / r;
  NAME(S_net);
  const auto inside = collective(passes, S, Group<R>{r, r}, x.links, x.assume);
  const auto between = collective(passes, S_net, Group<R>{N, Count<R>{1}}, x.links, x.assume);
  Sum<kSecond, R> t;
  t.add("in the node", inside.time).add("between nodes", between.time);
  return {kHierarchicalSteps(passes * (r - 1 + N - 1)), inside.bytes + between.bytes,
          kHierarchicalTime(t.total())};
}

template <class R>
Way<R> by_all_peers(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto S = x.S;
  auto passes = x.passes;
  NAME(q, S, passes);
  auto share = moved(q, x.assume);
  NAME(share);
  auto bytes = kSentBytes(passes * share * S);
  auto W = group_rate(x.group, x.links, RingAcross::kOneNic);
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  NAME(W);
  return {passes, bytes, kAllPeerTime(a_0 + passes * a_node + bytes / W)};
}

template <class R>
Way<R> by_switch(const CollectiveShape<R>& x) {
  auto S = x.S;
  auto passes = x.passes;
  NAME(S, passes);
  auto bytes = kInSwitchBytes(S);
  auto W_link = x.links.node;
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  NAME(W_link);
  return {passes, bytes, kInSwitchTime(a_0 + passes * a_node + bytes / W_link)};
}

// All-to-all with one peer after the other.
template <class R>
Way<R> by_pairs(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto r = x.group.r;
  auto S = x.S;
  NAME(q, r, S);
  auto passes = x.passes;
  auto share = (q - 1) / q;  // no ring: nothing to drop
  NAME(passes, share);
  auto bytes = kSentBytes(passes * share * S);
  auto W_peer = x.links.peer;
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  NAME(W_peer);
  Sum<kSecond, R> t;
  t.add("base", a_0);
  if (!(r <= 1)) t.add("peers in the node", (r - 1) * (a_node + S / q / W_peer));
  if (x.group.crosses()) {
    auto W_x = x.links.nic;
    NAME(W_x);
    t.add("peers beyond it", (q - r) * (a_net + S / q / W_x));
  }
  return {kRingSteps(x.passes * (q - 1)), bytes, kPairwiseTime(t.total())};
}

template <class R>
Way<R> by_bruck(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto S = x.S;
  NAME(q, S);
  auto bytes = kBruckBytes(log2(q) * S / 2);
  const bool far = x.group.crosses();
  auto a = far ? x.assume.latency.network_hop : x.assume.latency.node_hop;
  auto W = far ? x.links.nic : x.links.peer;
  const auto& a_0 = x.assume.latency.base;
  NAME(a, W);
  return {kHalvingSteps(x.passes * log2(q)), bytes, kBruckTime(a_0 + log2(q) * a + bytes / W)};
}

// All-to-all with all peers at once: link and network work side by side.
template <class R>
Way<R> by_exchange(const CollectiveShape<R>& x) {
  auto q = x.group.q;
  auto r = x.group.r;
  auto S = x.S;
  NAME(q, r, S);
  auto passes = x.passes;
  auto share = (q - 1) / q;  // no ring: nothing to drop
  NAME(passes, share);
  auto bytes = kSentBytes(passes * share * S);
  const auto& [a_0, a_node, a_net] = x.assume.latency;
  Largest<kSecond, R> slower;
  if (!(r <= 1)) {
    auto W = group_rate(Group<R>{r, r}, x.links, RingAcross::kOneNic);
    NAME(W);
    slower.offer("link", a_0 + a_node + (r - 1) / q * S / W);
  }
  if (x.group.crosses()) {
    auto W_x = x.links.nic;
    NAME(W_x);
    slower.offer("network", a_0 + a_net + (q - r) / q * S / W_x);
  }
  if (const auto t_cut = cut_time(S, x.group, x.links))
    slower.offer("cut of the torus", a_0 + a_node + *t_cut);
  return {x.passes, bytes, kExchangeTime(slower.best())};
}

// From one rank to another: the farthest pair of the group.
template <class R>
Way<R> by_message(const CollectiveShape<R>& x) {
  auto S = x.S;
  const bool far = x.group.crosses();
  auto a = far ? x.assume.latency.network_hop : x.assume.latency.node_hop;
  auto W = far ? x.links.nic : x.links.peer;
  const auto& a_0 = x.assume.latency.base;
  NAME(S, a, W);
  return {Count<R>{1}, S, kMessageTime(a_0 + a + S / W)};
}

}  // namespace reckon
