// Time of a collective over q ranks, r of them in one node, on a buffer of S bytes (the whole
// array), as a library runs it.
//
// Inside a node: latency + root·√(S / 1 MB) + wire/rate, measured per operation and group size.
// Across nodes: ring or tree, whichever is faster; a group with r ranks a node uses r ports.
// Source: NCCL 2.30 src/graph/tuning.cc (hops); curves: hardware/collectives.
#pragma once

#include "reckon/cost/layout.hpp"
#include "reckon/cost/operators/gemm.hpp"

namespace reckon {

inline const Formula kPortAbove{"operator.network.above_tier", "W_nic",
                                "network line rate of one GPU above a tier",
                                "of its port, what the uplinks leave"};
inline const Formula kCurveTime{"operator.collective.in_node", "t_coll",
                                "collective inside one node", "measured curve"};
inline const Formula kNodeRingTime{"operator.collective.ring", "t_ring", "ring across nodes",
                                   "NCCL src/graph/tuning.cc, Simple"};
inline const Formula kNodeTreeTime{"operator.collective.tree", "t_tree",
                                   "double binary tree across nodes",
                                   "NCCL src/graph/tuning.cc, Simple"};
inline const Formula kAcrossNodes{"operator.collective.across_nodes", "t_coll",
                                  "collective across nodes", "the faster algorithm"};

// The curve of the smallest group that holds q ranks, or of the largest there is; null if the
// operation has none.
template <class R>
const NodeCurve<R>* curve_of(CurveOf op, Count<R> q, const Stack<R>& stack) {
  const NodeCurve<R>* found = nullptr;
  for (const NodeCurve<R>& c : stack.collectives.curves) {
    if (c.op != op) continue;
    found = &c;
    if (q <= c.ranks) break;
  }
  return found;
}

template <class R>
NodeCurve<R> curve(CurveOf op, Count<R> q, const OperatorMachine<R>& m) {
  const NodeCurve<R>* c = curve_of(op, q, m.stack);  // legality has checked that there is one
  const Label key(name_of(op), whole(c->ranks));
  return {op, c->ranks, looked_up(key, c->latency), looked_up(key, c->root),
          looked_up(key, c->rate)};
}

// What crosses nodes, whichever way it takes.
template <class R>
struct Crossing {
  Count<R> q, r, N;
  Bytes<R> wire;
  ByteRate<R> W_x;
};

template <class R>
Seconds<R> ring_time(const Crossing<R>& x, Count<R> passes, const NetworkStack<R>& k) {
  const auto& [q, r, N, wire, W_x] = x;
  auto hops = (q - N) * k.node_hop + (N - 1) * k.network_hop;
  return kNodeRingTime(k.base + passes * hops * k.hops + wire / W_x);
}

template <class R>
Seconds<R> tree_time(const Crossing<R>& x, const NetworkStack<R>& k) {
  const auto& [q, r, N, wire, W_x] = x;
  auto hops = (r - 1) * k.tree_hop + log2(N) * k.network_hop;
  return kNodeTreeTime(k.base + 2 * hops * k.hops + wire / (k.tree_rate * W_x));
}

// A port's line rate, as the group finds it above the nodes.
template <class R>
ByteRate<R> port_rate(const Group<R>& g, const OperatorMachine<R>& m, bool all_to_all = false) {
  const auto& up = all_to_all ? g.uplink_all : g.uplink;
  if (!up) return m.W_nic;
  auto W_nic = m.W_nic;
  NAME(W_nic);
  return kPortAbove(*up * W_nic);
}

template <class R>
Seconds<R> priced_collective(CurveOf op, Bytes<R> S, const Group<R>& group,
                             const OperatorMachine<R>& m) {
  auto q = group.q;
  auto r = group.r;
  NAME(S, q, r);
  const bool both = op == CurveOf::kAllReduce;  // reduces and gathers
  const NodeCurve<R> c = curve(op, q, m);
  auto passes = both ? Count<R>{2} : Count<R>{1};
  NAME(passes);
  auto wire = passes * ((q - 1) / q) * S;
  NAME(wire);
  if (q <= r) return kCurveTime(c.latency + c.root * sqrt(S / 1000000_B) + wire / c.rate);
  auto N = ceil(q / r);
  auto W_x = min(c.rate, r * port_rate(group, m) * m.stack.network.efficiency);
  NAME(N, W_x);
  const Crossing<R> x{q, r, N, wire, W_x};
  Smallest<kSecond, R> algorithm;
  algorithm.offer("ring", ring_time(x, passes, m.stack.network));
  if (both) algorithm.offer("tree", tree_time(x, m.stack.network));
  return kAcrossNodes(algorithm.best());
}

template <class R>
Seconds<R> collective_time(CurveOf op, Bytes<R> S, const Group<R>& group,
                           const OperatorMachine<R>& m) {
  if (group.q <= 1) return {};
  if (const Seconds<R>* before = m.known.find(op, S, group.q, group.r)) return *before;
  auto time = priced_collective(op, S, group, m);
  m.known.keep(op, S, group.q, group.r, time);
  return time;
}

// The whole all-to-all of an MoE layer's tokens. x: bytes of a rank's tokens, one copy each; what
// leaves the node goes once to each node that holds any of a token's experts, and there once to
// each such GPU; both links work at once.
inline const Formula kDispatchNear{"operator.dispatch.in_node", "t_a2a",
                                   "tokens to experts inside a node",
                                   "a copy for each GPU that holds any of a token's experts"};
inline const Formula kDispatchFar{"operator.dispatch.across", "t_a2a",
                                  "tokens to experts across nodes",
                                  "a copy for each node over the network, for each GPU over links"};

}  // namespace reckon
