// Expert parallelism: dispatch and combine as all-to-alls.
//
//   per_expert  a token is sent once for each of its k experts
//   per_gpu     once to each node that holds any of them (at most the router's node limit), and
//               there once to each such GPU
//
// What leaves the node goes through the GPU's own port, the rest over the link, both at once.
// Expected copies count top-k drawn without replacement: G·(1 − C(E − E/G, k)/C(E, k)) of G groups.
// Source: DeepSeek-V3 section 3.2.2.
#pragma once

#include "reckon/cost/collectives.hpp"

namespace reckon {

inline const Formula kNetworkBytes{"all_to_all.network_bytes", "bytes_x",
                                   "bytes of an all-to-all that leave the node",
                                   "copies to other nodes"};
inline const Formula kNodeBytes{"all_to_all.node_bytes", "bytes_n",
                                "bytes of an all-to-all that stay in the node",
                                "copies to other GPUs of the node"};
inline const Formula kAllToAll{"all_to_all.time", "t_a2a", "time of one all-to-all",
                               "the slower of link and network"};
inline const Formula kAllToAllNodeTorus{"experts.all_to_all_torus", "t_a2a",
                                        "all-to-all on a torus",
                                        "latency + the slower of the chips' links and the cut"};
inline const Formula kAllToAllNode{"all_to_all.node_time", "t_a2a",
                                   "time of one all-to-all inside a node", "bytes over the link"};
inline const Formula kDistinctGroups{"experts.distinct_groups", "copies",
                                     "GPUs or nodes a token's experts lie on, expected",
                                     "top-k drawn without replacement", Hint::kRatio};
inline const Formula kLimitedNodes{
    "experts.limited_nodes", "copies_node", "nodes a token is sent to, expected",
    "at most the router's limit: DeepSeek-V3 section 2.1.2", Hint::kRatio};
inline const Formula kLimitedExperts{"experts.limited_experts", "E",
                                     "experts on the nodes that a token may be sent to",
                                     "of all, the share of the router's nodes", Hint::kRatio};
inline const Formula kDispatchBytes{"experts.dispatch_bytes", "S_disp",
                                    "bytes of one rank's tokens in dispatch",
                                    "copies · tokens · hidden"};

inline const Formula kNodeDispatchBytes{"experts.node_dispatch_bytes", "S_node",
                                        "bytes of one rank's tokens, a copy per node",
                                        "nodes · tokens · hidden"};

// Of G groups that share the experts evenly, those that hold any of a token's k.
template <class R>
Count<R> distinct_groups(const Mlp<R>& m, Count<R> G) {
  Count<R> missed{1};  // C(E − E/G, k) / C(E, k): no expert of a group among k drawn
  auto E = *m.experts;
  NAME(E, G);
  auto E_group = E / G;
  NAME(E_group);
  const int k = whole(*m.top_k);
  for (int j = 0; j < k; ++j) {
    auto drawn = structural<R>("drawn", j);
    missed = missed * max(0, E - E_group - drawn) / (E - drawn);
  }
  NAME(missed);
  return kDistinctGroups(G * (1 - missed));
}

// Copies of a token: over the network (to nodes) and inside a node (to GPUs).
template <class R>
struct Copies {
  Count<R> to_nodes, to_gpus;
};

// Whether a router's limit says anything of a group: it has more nodes, and so many hold a token's experts.
template <class R>
bool limits_nodes(const Mlp<R>& m, const Group<R>& g) {
  if (m.node_limit <= 0) return false;
  const auto nodes = g.q / g.r;
  return m.node_limit < nodes && *m.top_k * nodes <= *m.experts * m.node_limit;
}

// A router with a limit draws a token's experts from those of so many nodes.
template <class R>
Count<R> limited_gpus(const Mlp<R>& m, const Group<R>& g) {
  auto E_all = *m.experts;
  auto limit = m.node_limit;
  auto N_nodes = g.q / g.r;
  NAME(E_all, limit, N_nodes);
  Mlp<R> near = m;
  near.experts = kLimitedExperts(E_all * limit / N_nodes);
  return distinct_groups(near, limit * g.r);
}

template <class R>
Copies<R> dispatch_copies(const Mlp<R>& m, const Group<R>& g, Dispatch convention) {
  if (convention == Dispatch::kPerExpert) return {*m.top_k, *m.top_k};
  Copies<R> c;
  c.to_gpus = distinct_groups(m, g.q);
  if (!g.crosses()) return c;
  if (limits_nodes(m, g)) c.to_gpus = limited_gpus(m, g);
  c.to_nodes = distinct_groups(m, g.q / g.r);
  if (m.node_limit <= 0) return c;
  auto limit = m.node_limit;
  NAME(limit);
  c.to_nodes = kLimitedNodes(min(c.to_nodes, limit));
  return c;
}

// All copies of a rank's tokens, those that stay where they are too. x: one copy of each.
template <class R>
Bytes<R> dispatch_bytes(Bytes<R> x, const Copies<R>& copies) {
  auto copies_gpu = copies.to_gpus;
  NAME(x, copies_gpu);
  return kDispatchBytes(copies_gpu * x);
}

// x: bytes of a rank's tokens, one copy each.
template <class R>
Transfer<R> all_to_all(Bytes<R> x, const Copies<R>& copies, const Group<R>& g,
                       const Links<R>& of_node, const Assume<R>& assume) {
  const Links<R> l = links_of(g, of_node, true);
  auto q = g.q;
  auto r = g.r;
  const auto& e = assume.efficiency.all_to_all;
  const auto& a = assume.latency;
  NAME(x);
  auto S_gpu = dispatch_bytes(x, copies);
  NAME(S_gpu, q, r);
  if (!g.crosses()) {
    auto to_link = Count<R>{1};
    NAME(to_link);
    auto near = kNodeBytes(S_gpu * to_link * (r - 1) / r);
    auto W = group_rate(g, l, RingAcross::kOneNic);
    NAME(W);
    if (const auto t_cut = cut_time(S_gpu, g, of_node))
      return {near, kAllToAllNodeTorus(a.base + max(near / W, 1 * *t_cut) / e)};
    return {near, kAllToAllNode(a.base + near / (W * e))};
  }
  auto copies_node = copies.to_nodes;
  NAME(copies_node);
  const bool copy_each = assume.dispatch == Dispatch::kPerExpert;
  auto S_node = copy_each ? S_gpu : kNodeDispatchBytes(copies_node * x);
  auto to_link = copy_each ? r / q : Count<R>{1};  // of copies per expert, those that stay
  NAME(S_node, to_link);
  auto far = kNetworkBytes(S_node * (q - r) / q);
  auto near = kNodeBytes(S_gpu * to_link * (r - 1) / r);
  auto W_link = l.node;
  auto W_x = l.nic;
  NAME(W_link, W_x);
  Largest<kSecond, R> slower;
  slower.offer("network", a.base + a.network_hop + far / (W_x * e));
  if (!(r <= 1)) slower.offer("link", a.base + near / (W_link * e));
  return {far + near, kAllToAll(slower.best())};
}

}  // namespace reckon
