// The rates a question works with: stated outright, or those of its cluster, times the share reached.
#pragma once

#include "reckon/cost/collectives.hpp"
#include "reckon/cost/mesh.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

inline const Formula kRanks{"ranks", "q", "ranks that take part", "the cluster's GPUs",
                            Hint::kCount};
inline const Formula kReachedPeak{"peak.reached", "P_eff", "FLOP/s that a GPU reaches",
                                  "peak · MFU"};

// How many take part: as stated, else all GPUs of the cluster.
template <class R>
Count<R> ranks_of(const std::optional<Cluster<R>>& cluster, const std::optional<Count<R>>& stated) {
  return stated ? *stated : kRanks(cluster->nodes * cluster->node.gpus);
}

// A figure that a question states stands before its cluster's.
template <class R>
Links<R> links_of(const std::optional<Cluster<R>>& cluster, const OnLinks<R>& on,
                  const Assume<R>& assume) {
  Links<R> l;
  if (cluster) l = links(cluster->node, assume.efficiency);
  if (on.link) l.node = l.peer = kStatedLinkRate(*on.link * assume.efficiency.link);
  if (on.network) l.nic = kStatedNetworkRate(*on.network * assume.efficiency.network);
  return l;
}

// GPUs of a node: stated, the cluster's, or all that take part.
template <class R>
Count<R> node_size(const std::optional<Cluster<R>>& cluster, const OnLinks<R>& on, Count<R> q) {
  if (on.node_gpus) return *on.node_gpus;
  return cluster ? cluster->node.gpus : q;
}

// q GPUs beside each other, in as few nodes as hold them; on a torus, where no link is stated, along its sides.
template <class R>
Group<R> beside(const std::optional<Cluster<R>>& cluster, const OnLinks<R>& on, Count<R> q) {
  Group<R> g{q, max(1, min(q, node_size(cluster, on, q)))};
  if (!cluster || on.link || cluster->node.torus.empty() || g.crosses()) return g;
  const Group<R> along = group_along(q, Count<R>{1}, *cluster);
  g.ways = along.ways;
  g.cut = along.cut;
  return g;
}

template <class R>
Latency<R> latency_of(const OnLinks<R>& on, const Assume<R>& assume) {
  Latency<R> a = assume.latency;
  if (on.latency) a.node_hop = *on.latency;
  if (on.network_latency) a.network_hop = *on.network_latency;
  return a;
}

template <class R>
FlopRate<R> peak_of(const std::optional<Cluster<R>>& cluster, const OnPeak<R>& on) {
  return on.peak ? *on.peak : *cluster->node.chip.peak.of(on.compute);
}

// The peak times an MFU where one is stated, else the peak itself.
template <class R>
FlopRate<R> reached_peak(const std::optional<Cluster<R>>& cluster, const OnPeak<R>& on,
                         const std::optional<Ratio<R>>& mfu) {
  auto P_chip = peak_of(cluster, on);
  if (!mfu) return P_chip;
  auto MFU = *mfu;
  NAME(P_chip, MFU);
  return kReachedPeak(P_chip * MFU);
}

template <class R>
ByteRate<R> bandwidth_of(const std::optional<Cluster<R>>& cluster, const OnChip<R>& on) {
  return on.bandwidth ? *on.bandwidth : cluster->node.chip.memory.bandwidth;
}

// As the vendor prints it, or as `assume.capacity` has it.
template <class R>
std::optional<Bytes<R>> capacity_of(const std::optional<Cluster<R>>& cluster, const OnChip<R>& on,
                                    CapacityCount count) {
  if (on.capacity) return on.capacity;
  if (!cluster) return {};
  const ChipMemory<R>& m = cluster->node.chip.memory;
  return count == CapacityCount::kUsable && m.usable ? *m.usable : m.capacity;
}

}  // namespace reckon
