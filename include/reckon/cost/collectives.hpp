// Time of one collective: bytes each rank sends over the link they cross, plus the ring's waiting.
//
//   bytes  all-gather, reduce-scatter, all-to-all: S·(q − 1)/q     all-reduce: twice that
//   time   a_0 + passes·((q − N)·a_node + (N − 1)·a_net) + bytes / W
//
// S is the whole buffer. Inside a node W is the link's rate, or that of the links to the group's
// peers where each peer has its own (xGMI); between nodes it is one port's rate, or all ports of
// the ranks in a node (at most the link's rate), as `assume.ring_across` says. `assume.ring_factor:
// drop` takes (q − 1)/q for 1.           Source: Thakur 2005; NCCL 2.30 src/graph/tuning.cc.
#pragma once

#include "reckon/cost/layout.hpp"

namespace reckon {

inline const Formula kLinkRate{"link.rate", "W_link", "rate inside a node, to all peers",
                               "line rate · share reached"};
inline const Formula kStatedLinkRate{"link.stated", "W_link", "rate inside a node, as stated",
                                     "rate · share reached"};
inline const Formula kPeerRate{"link.peer_rate", "W_peer", "rate to one peer in a node",
                               "line rate · share reached"};
inline const Formula kGroupRate{"link.group_rate", "W", "rate of a group inside a node",
                                "links to its peers together, at most the whole link"};
inline const Formula kNicRate{"network.per_gpu", "W_x", "network rate of one GPU",
                              "ports · rate / GPUs · share reached"};
inline const Formula kStatedNetworkRate{
    "network.stated", "W_x", "network rate of one GPU, as stated", "rate · share reached"};
inline const Formula kNetworkRate{"network.rate", "W_x", "rate of a ring between nodes",
                                  "ports of the ranks in a node, at most the link"};
inline const Formula kSentBytes{"collective.bytes", "bytes", "bytes each rank sends",
                                "Thakur 2005: bandwidth-optimal algorithms"};
inline const Formula kCollectiveTime{"collective.time", "t_coll", "time of one collective",
                                     "latency + bytes over the link"};

template <class R>
struct Links {
  ByteRate<R> node, peer, nic;
};

// Rates of a node's links under the efficiencies. A plan inside one node needs no network.
template <class R>
Links<R> links(const Node<R>& node, const LinkEfficiency<R>& e) {
  Links<R> l;
  if (const auto& link = node.chip.link) {
    l.node = kLinkRate(link->one_way * e.link);
    l.peer = link->peer ? kPeerRate(*link->peer * e.link) : l.node;
  }
  if (node.fabric && node.nics)
    l.nic = kNicRate(*node.nics * node.fabric->rate / node.gpus * e.network);
  return l;
}
template <class R>
Links<R> links(const TrainingPlan<R>& plan) {
  return links(plan.cluster.node, plan.assume.efficiency);
}

inline const Formula kUplinkRate{"network.above_tier", "W_x",
                                 "network rate of one GPU above a tier",
                                 "of its port, what the uplinks leave"};
inline const Formula kTorusRate{"link.torus_rate", "W_link", "rate of a ring on a torus",
                                "links of the axes it runs along, at most all"};

// As a group finds them: above an oversubscribed tier, on a torus.
template <class R>
Links<R> links_of(const Group<R>& g, Links<R> l, bool all_to_all = false) {
  if (const auto& up = all_to_all ? g.uplink_all : g.uplink) {
    auto W_nic = l.nic;
    NAME(W_nic);
    l.nic = kUplinkRate(*up * W_nic);
  }
  if (!g.ways) return l;
  auto W_all = l.node;
  auto W_one = l.peer;
  NAME(W_all, W_one);
  l.node = kTorusRate(min(W_all, *g.ways * W_one));
  l.peer = l.node;
  return l;
}

inline const Formula kCutTime{"collective.torus_cut_time", "t_cut",
                              "an all-to-all across the cut of a torus",
                              "what one link of the cut carries, at its rate"};
inline const Formula kAllToAllTorus{"collective.all_to_all_torus", "t_coll",
                                    "time of an all-to-all on a torus",
                                    "latency + the slower of the chips' links and the cut"};

// No all-to-all is faster than what crosses the middle of its torus. S: what a rank has for all, itself too.
template <class R>
std::optional<Seconds<R>> cut_time(Bytes<R> S, const Group<R>& g, const Links<R>& of_node) {
  if (!g.cut) return {};
  auto x_cut = *g.cut;
  auto W_one = of_node.peer;
  NAME(S, x_cut, W_one);
  return kCutTime(x_cut * S / W_one);
}

// What one rank sends in one collective, and how long that takes.
template <class R>
struct Transfer {
  Bytes<R> bytes{};
  Seconds<R> time{};
};

template <class R>
ByteRate<R> group_rate(const Group<R>& g, const Links<R>& l, RingAcross ring) {
  auto W_link = l.node;
  auto W_peer = l.peer;
  auto q = g.q;
  NAME(W_link, W_peer, q);
  if (!g.crosses()) return kGroupRate(min(W_link, (q - 1) * W_peer));
  if (ring == RingAcross::kOneNic) return l.nic;
  auto r = g.r;
  auto W_nic = l.nic;
  NAME(r, W_nic);
  return kNetworkRate(min(W_link, r * W_nic));
}

template <class R>
Seconds<R> ring_latency(const Group<R>& g, Count<R> passes, const Latency<R>& a) {
  auto q = g.q;
  auto N = ceil(g.q / g.r);
  NAME(q, N);
  return a.base + passes * ((q - N) * a.node_hop + (N - 1) * a.network_hop);
}

// passes: 2 for an all-reduce, 1 for its halves and for an all-to-all. messages: the buffer is sent
// in so many collectives, each waiting for itself.
template <class R>
Transfer<R> collective(Count<R> passes, Bytes<R> S, const Group<R>& g, const Links<R>& l,
                       const Assume<R>& assume, Count<R> messages = Count<R>{1},
                       bool all_to_all = false) {
  if (g.q <= 1) return {};
  auto q = g.q;
  NAME(S, q, passes);
  auto share = assume.ring_factor == RingFactor::kKeep ? (q - 1) / q : Count<R>{1};
  NAME(share);
  auto bytes = kSentBytes(passes * share * S);
  auto W = group_rate(g, links_of(g, l), assume.ring_across);
  auto wait = messages * ring_latency(g, passes, assume.latency);
  NAME(W, wait);
  if (all_to_all) {
    if (const auto t_cut = cut_time(S, g, l))
      return {bytes, kAllToAllTorus(wait + max(bytes / W, 1 * *t_cut))};
  }
  return {bytes, kCollectiveTime(wait + bytes / W)};
}

}  // namespace reckon
