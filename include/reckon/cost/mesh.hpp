// Where the axes of a mesh lie: how far apart their ranks are, how many of a group share a node, and
// what a group finds above the nodes.
//
//   order [tensor, context, data, pipeline], TP 8, D 128:   tensor ranks are 1 apart, data ranks 8
//   ranks in a node of N GPUs       r = min(q, N / stride)
//   a group that straddles nodes    as many as its smallest part (TP 8 in nodes of 12: 4 and 4)
//   an oversubscribed tier          a ring of N_g nodes in a pod leaves it once, so N_g rings' worth
//                                   of ports share what the uplinks carry: min(1, N_g / x) of a port
//   a torus                         an axis that is covered whole is a ring of two links a chip, in
//                                   part a line of one; an all-to-all is bound by the cut through its
//                                   longest side: of a ring of L chips L/8 of what a chip sends per link
//
// Several axes may make up one group (context and data ranks share gradients): `AxisSpan` is one axis of
// it. Source: rank order of Megatron-LM; uplinks and tori by counting what crosses a cut.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "reckon/spec/training.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kUplink{"network.uplink", "x_up", "share of a port that is left above a tier",
                             "nodes of the ring below it over the oversubscription, at most 1",
                             Hint::kFraction};
inline const Formula kUplinkAll{"network.uplink_all_to_all", "x_up",
                                "share of a port that is left above a tier, for an all-to-all",
                                "what leaves the node over what leaves the tier, oversubscribed",
                                Hint::kFraction};
inline const Formula kTorusWays{"link.torus_ways", "n_ways",
                                "links of a torus that a group's ring uses",
                                "two along an axis covered whole, one along a part", Hint::kRatio};

inline const Formula kTorusCut{
    "link.torus_cut", "x_cut",
    "of what a chip sends in an all-to-all, what one link of a cut carries",
    "halves of a side's chips send each other all they have: the longest side", Hint::kRatio};

// q ranks that talk, r of them in one node; and where it isn't all a port's rate that they get.
template <class R>
struct Group {
  Count<R> q, r;
  std::optional<Ratio<R>> uplink{}, uplink_all{};  // of an oversubscribed tier that it crosses
  std::optional<Ratio<R>> ways{}, cut{};  // links of a torus; what an all-to-all puts on one
  int tier = -1;                          // the highest tier that it crosses
  bool straddles = false;                 // some of the groups lie across a node's edge

  bool crosses() const { return static_cast<bool>(r < q); }
};

// One axis, or a part of one, that a group runs along.
template <class R>
struct AxisSpan {
  Count<R> degree, stride;
};

inline std::vector<MeshAxis> usual_order() {
  using enum MeshAxis;
  return {kTensor, kContext, kData, kPipeline};
}

// The axes of a plan, each with its stride, from neighbouring ranks outwards.
template <class R>
struct PlacedAxis {
  MeshAxis axis;
  AxisSpan<R> span;
};

template <class R>
std::vector<PlacedAxis<R>> placed_axes(const Mesh<R>& mesh, Count<R> D) {
  std::vector<PlacedAxis<R>> out;
  Count<R> stride{1};
  for (const MeshAxis axis : mesh.order.empty() ? usual_order() : mesh.order) {
    const Count<R> degree = axis == MeshAxis::kTensor    ? mesh.tensor
                            : axis == MeshAxis::kContext ? mesh.context
                            : axis == MeshAxis::kData    ? D
                                                         : mesh.pipeline;
    out.push_back({axis, {degree, stride}});
    stride = stride * degree;
  }
  return out;
}

// Of `spans`, innermost first, the part of `e` ranks; what is left of them goes to `rest`.
template <class R>
std::vector<AxisSpan<R>> take_ranks(std::vector<AxisSpan<R>> spans, Count<R> e,
                                    std::vector<AxisSpan<R>>& rest) {
  std::sort(spans.begin(), spans.end(), [](const AxisSpan<R>& a, const AxisSpan<R>& b) {
    return static_cast<bool>(a.stride < b.stride);
  });
  std::vector<AxisSpan<R>> taken;
  for (const AxisSpan<R>& s : spans) {
    const Count<R> part = min(e, s.degree);
    taken.push_back({part, s.stride});
    rest.push_back({s.degree / part, s.stride * part});
    e = e / part;
  }
  return taken;
}

// Members of a group among M neighbouring GPUs.
template <class R>
Count<R> members_within(std::span<const AxisSpan<R>> spans, Count<R> M) {
  std::optional<Count<R>> r;
  for (const AxisSpan<R>& s : spans) {
    const Count<R> of_axis = max(1, min(s.degree, floor(M / s.stride)));
    r = r ? *r * of_axis : of_axis;
  }
  return r ? *r : Count<R>{1};
}

// The smallest part of a group that doesn't begin at a node's edge: 0 where none does.
inline int smallest_part(int q, int stride, int N) {
  const long span = static_cast<long>(q) * stride;
  if (span <= 1 || N <= stride || N % span == 0) return 0;
  if (span > N) return 0;  // crosses anyway; a ring between nodes runs at the larger parts' pace
  int smallest = q;
  bool cut = false;
  for (long start = 0; start < std::lcm<long>(span, N); start += span) {
    const int room = static_cast<int>((N - start % N + stride - 1) / stride);
    if (room >= q) continue;
    cut = true;
    smallest = std::min({smallest, room, q - room});
  }
  return cut ? smallest : 0;
}

// What a group's span covers of one side of a torus: every `apart`th of its chips, `count` of them.
struct OnSide {
  int side, count, apart;  // side: its number
  bool round;              // covered whole, so that it closes into a ring
};

// Each span along each side that it runs over, neighbouring chips first; false if it runs over none.
template <class R, class Visit>
bool along_sides(std::span<const AxisSpan<R>> spans, const std::vector<Count<R>>& torus,
                 Visit visit) {
  bool any = false;
  int below = 1;  // chips of the sides before
  for (std::size_t d = 0; d < torus.size(); ++d) {
    const int side = whole(torus[d]);
    for (const AxisSpan<R>& s : spans) {
      const int from = std::max(whole(s.stride), below),
                to = std::min(whole(s.stride) * whole(s.degree), below * side);
      if (to <= from) continue;
      any = true;
      visit(OnSide{static_cast<int>(d), to / from, from / below, to / below == side});
    }
    below *= side;
  }
  return any;
}

template <class R>
std::optional<Ratio<R>> torus_ways(std::span<const AxisSpan<R>> spans,
                                   const std::vector<Count<R>>& torus) {
  Sum<kOne, R> ways;
  const bool any = along_sides<R>(spans, torus, [&ways](const OnSide& on) {
    const Count<R> links = structural<R>({"links along side", on.side}, on.round ? 2 : 1);
    ways.add({"side", on.side},
             on.apart == 1 ? links : links / structural<R>("rings on it", on.apart));
  });
  if (!any) return {};
  return kTorusWays(ways.total());
}

// An all-to-all's load on a link that crosses the cut through the middle of a side: of q chips, L along the side and
// lines = q/L beside each other, a·b/L² of what all send crosses each way (a + b = L), over lines · k links (k = 2 of
// a ring, 1 of a line). Strided groups share the side's links.
template <class R>
std::optional<Ratio<R>> torus_cut(std::span<const AxisSpan<R>> spans,
                                  const std::vector<Count<R>>& torus) {
  Largest<kOne, R> largest;
  const bool any = along_sides<R>(spans, torus, [&largest](const OnSide& on) {
    const int L = on.count, a = L / 2;
    auto crossing = structural<R>({"pairs across side", on.side}, a * (L - a) * on.apart);
    auto links = structural<R>({"chips · links along side", on.side}, L * (on.round ? 2 : 1));
    largest.offer({"side", on.side}, Ratio<R>(crossing / links));
  });
  if (!any) return {};
  return kTorusCut(largest.best());
}

// What each tier leaves of a port, the scarcest of those that the group crosses.
template <class R>
void add_uplinks(std::span<const AxisSpan<R>> spans, const Cluster<R>& cluster, Group<R>& g) {
  const auto& N_node = cluster.node.gpus;
  for (std::size_t i = 0; i < cluster.tiers.size(); ++i) {
    const Tier<R>& tier = cluster.tiers[i];
    const Count<R> members = members_within(spans, tier.nodes * N_node);
    if (!(members < g.q)) continue;
    g.tier = static_cast<int>(i);
    auto q = g.q;
    auto r = g.r;
    auto m = members;
    auto x_over = tier.oversubscription;
    NAME(q, r, m, x_over);
    if (x_over <= 1) continue;
    const auto ring = kUplink(min(1, m / r / x_over));
    const auto all = kUplinkAll(min(1, (q - r) / ((q - m) * x_over)));
    if (!g.uplink || ring < *g.uplink) g.uplink = ring;
    if (!g.uplink_all || all < *g.uplink_all) g.uplink_all = all;
  }
}

// A group along one axis or several, in any order.
template <class R>
Group<R> group_along(std::span<const AxisSpan<R>> spans, const Cluster<R>& cluster) {
  const auto& N_node = cluster.node.gpus;
  std::optional<Count<R>> q;
  for (const AxisSpan<R>& s : spans) q = q ? *q * s.degree : s.degree;
  Group<R> g{q ? *q : Count<R>{1}, members_within(spans, N_node)};
  if (spans.size() == 1 && !(cluster.nodes <= 1)) {
    const AxisSpan<R>& s = spans.front();
    if (const int part = smallest_part(whole(s.degree), whole(s.stride), whole(N_node)); part > 0) {
      g.r = structural<R>("ranks on one side of a node's edge", part);
      g.straddles = true;
    }
  }
  if (!cluster.node.torus.empty() && !g.crosses()) {
    g.ways = torus_ways(spans, cluster.node.torus);
    g.cut = torus_cut(spans, cluster.node.torus);
  }
  add_uplinks(spans, cluster, g);
  return g;
}

template <class R>
Group<R> group_along(Count<R> degree, Count<R> stride, const Cluster<R>& cluster) {
  const std::array<AxisSpan<R>, 1> one{{{degree, stride}}};
  return group_along<R>(std::span<const AxisSpan<R>>(one), cluster);
}

}  // namespace reckon
