// Time of a collective over q ranks, r of them in one node, on a buffer of S bytes (the whole
// array), by the tier that the stack names:
//
//   calibrated   inside a node the chip's measured curve, at most at as many ranks as were measured;
//                across nodes ring or tree, whichever is faster: a group with r ranks a node uses
//                r ports
//   nccl         NCCL's own tuning model: the fastest of its algorithms and protocols
//   line_rate    bytes over the link, with the waiting and efficiencies of `assume`
//
// Source: NCCL 2.30 src/graph/tuning.cc (hops); curves: hardware/kernels.
#pragma once

#include "reckon/cost/communication.hpp"
#include "reckon/cost/kernels/nccl.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/cost/operators/gemm.hpp"

namespace reckon {

inline const Formula kPortAbove{"operator.network.above_tier", "W_nic",
                                "network line rate of one GPU above a tier",
                                "of its port, what the uplinks leave"};
inline const Formula kCurveTime{"operator.collective.in_node", "t_coll",
                                "collective inside one node", "measured curve"};
inline const Formula kOtherLink{"operator.collective.other_link", "B",
                                "rate of a curve on this chip's links",
                                "measured on another chip, times the links' ratio"};
inline const Formula kNodeRingTime{"operator.collective.ring", "t_ring", "ring across nodes",
                                   "NCCL src/graph/tuning.cc, Simple"};
inline const Formula kNodeTreeTime{"operator.collective.tree", "t_tree",
                                   "double binary tree across nodes",
                                   "NCCL src/graph/tuning.cc, Simple"};
inline const Formula kAcrossNodes{"operator.collective.across_nodes", "t_coll",
                                  "collective across nodes", "the faster algorithm"};

// The stack's curve of an operation; legality has checked that there is one.
template <class R>
const CollectiveCurve<R>& curve_of(CollectiveOp op, const Stack<R>& stack) {
  for (const CollectiveCurve<R>& c : stack.collectives.curves)
    if (c.op == op) return c;
  return stack.collectives.curves.front();
}

// Its constants at q ranks, or at the most that were measured.
template <class R>
CurveConstants<R> curve_at(CollectiveOp op, Count<R> q, const OperatorMachine<R>& m) {
  const CollectiveCurve<R>& c = curve_of(op, m.stack);
  auto q_curve = c.ranks.empty() ? q : min(q, c.ranks.back());
  CurveConstants<R> at = curve_constants(q_curve, c);
  if (const auto& e_link = m.stack.network.links) at.rate = kOtherLink(at.rate * *e_link);
  return at;
}

// What a rank moves inside a node: a full node's curve, or the link where collectives are NCCL's own.
template <class R>
ByteRate<R> link_rate(CollectiveOp op, const OperatorMachine<R>& m) {
  return m.stack.tier == CollectiveModel::kCalibrated ? curve_at(op, m.N_node, m).rate : m.W_link;
}

// One message to a neighbour, at line rate.
template <class R>
Seconds<R> line_hop(Bytes<R> bytes, const Group<R>& group, const OperatorMachine<R>& m) {
  const bool crosses = group.crosses();
  auto W_hop = neighbour_rate(crosses, links_of(group, m.links));
  auto a_hop = crosses ? m.assume.latency.network_hop : m.assume.latency.node_hop;
  NAME(bytes, W_hop, a_hop);
  return kHop(m.assume.latency.base + a_hop + bytes / W_hop);
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
Seconds<R> calibrated_time(CollectiveOp op, Bytes<R> S, const Group<R>& group,
                           const OperatorMachine<R>& m) {
  auto q = group.q;
  auto r = group.r;
  NAME(S, q, r);
  auto f = wire_factor(op, q);
  const CurveConstants<R> at = curve_at(op, q, m);
  if (q <= r) return kCurveTime(curve_seconds(S, f, at));
  const bool both = op == CollectiveOp::kAllReduce;  // reduces and gathers
  auto passes = both ? Count<R>{2} : Count<R>{1};
  auto N = ceil(q / r);
  auto wire = f * S;
  auto W_x = min(at.rate, r * port_rate(group, m) * m.stack.network.efficiency);
  NAME(passes, N, wire, W_x);
  const Crossing<R> x{q, r, N, wire, W_x};
  Smallest<kSecond, R> algorithm;
  algorithm.offer("ring", ring_time(x, passes, m.stack.network));
  if (both) algorithm.offer("tree", tree_time(x, m.stack.network));
  return kAcrossNodes(algorithm.best());
}

template <class R>
Seconds<R> tier_time(CollectiveOp op, Bytes<R> S, const Group<R>& group,
                     const OperatorMachine<R>& m) {
  switch (m.stack.tier) {
    case CollectiveModel::kLineRate: {
      auto passes = op == CollectiveOp::kAllReduce ? Count<R>{2} : Count<R>{1};
      return collective(passes, S, group, m.links, m.assume).time;
    }
    case CollectiveModel::kNccl: {
      auto N = ceil(group.q / group.r);
      return nccl_cost<R>(op, S, {group.q, group.r, N, port_rate(group, m)}, *m.stack.nccl,
                          *m.generation)
          .time;
    }
    case CollectiveModel::kCalibrated:
      break;
  }
  return calibrated_time(op, S, group, m);
}

template <class R>
Seconds<R> collective_time(CollectiveOp op, Bytes<R> S, const Group<R>& group,
                           const OperatorMachine<R>& m) {
  if (group.q <= 1) return {};
  if (const Seconds<R>* before = m.known.find(op, S, group)) return *before;
  auto time = tier_time(op, S, group, m);
  m.known.keep(op, S, group, time);
  return time;
}

}  // namespace reckon
