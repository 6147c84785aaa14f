// The answer to a collective: every algorithm's steps, bytes and time, and the one that is chosen.
//
//   CollectiveAnswer<double> a = answer(question);
//   a.time, a.bytes, a.factor; a.ways[kRing]->time
//
// An algorithm that can't run here is absent, with the reason; times are absent without `bytes`.
#pragma once

#include <array>

#include "reckon/cost/algorithms.hpp"
#include "reckon/cost/kernels/nccl.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/spec/questions/collective.hpp"

namespace reckon {

inline const Formula kTrafficFactor{"factor", "factor", "bytes a rank sends, over the array",
                                    "passes · (q − 1)/q: Thakur 2005", Hint::kRatio};
inline const Formula kChosenTime{"time", "t", "time of the collective", "the fastest that can run"};
inline const Formula kOnlyTime{"time.only", "t", "time of the collective",
                               "the one algorithm that can run, or that was named"};
inline const Formula kChosenBytes{"bytes", "bytes", "bytes each rank sends",
                                  "of the chosen algorithm"};
inline const Formula kWireBytes{"bytes.on_wire", "bytes", "bytes each rank sends",
                                "factor · array, whatever the library does"};
inline const Formula kHalves{"halves.time", "t_halves",
                             "a reduce-scatter, then an all-gather, by ring",
                             "the two halves of an all-reduce"};
inline const Formula kAlgorithmRate{"bandwidth.algorithm", "W_alg", "array over time",
                                    "what nccl-tests prints as algbw"};
inline const Formula kBusRate{"bandwidth.bus", "W_bus", "bytes a rank sends over time",
                              "factor · array / time: nccl-tests busbw"};

inline constexpr Algorithm kWays[] = {
    Algorithm::kRing,         Algorithm::kTree,    Algorithm::kHalvingDoubling,
    Algorithm::kHierarchical, Algorithm::kAllPeer, Algorithm::kInSwitch};

// What an operation can't be run by, and why; nullptr where it can.
struct WayFacts {
  CollectiveOp op;
  int q, r, nodes;
  bool in_switch;
  bool torus = false;  // all ranks lie on one
};
const char* no_way(Algorithm algorithm, const WayFacts& facts);

template <class R>
struct CollectiveAnswer {
  Count<R> q;
  Group<R> group;
  Count<R> nodes;
  Ratio<R> factor;
  std::array<std::optional<Way<R>>, std::size(kWays)> ways;
  std::array<const char*, std::size(kWays)> why_not{};
  std::optional<std::size_t> chosen;  // index into kWays
  std::optional<Bytes<R>> bytes;
  std::optional<Seconds<R>> time, halves;
  std::optional<ByteRate<R>> algorithm_rate, bus_rate;
  std::optional<CurveCost<R>> curve;  // model: calibrated
  std::optional<NcclCost<R>> nccl;    // model: nccl

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
CollectiveAnswer<R> answer(const CollectiveQuestion<R>& question);

namespace detail {

struct WayNames {
  MetricInfo time, bytes, steps;
};
inline const WayNames kWayNames[] = {
#define RECKON_WAY(id, what)                                                   \
  {                                                                            \
    {id ".time", what ": time"}, {id ".bytes", what ": bytes a rank sends"}, { \
      id ".steps", what ": steps", Hint::kCount                                \
    }                                                                          \
  }
    RECKON_WAY("ring", "ring"),
    RECKON_WAY("tree", "tree"),
    RECKON_WAY("halving_doubling", "halving-doubling"),
    RECKON_WAY("hierarchical", "node, then network"),
    RECKON_WAY("all_peer", "all peers at once"),
    RECKON_WAY("in_switch", "in the switch"),
#undef RECKON_WAY
};

inline const WayNames kNcclNames[] = {
#define RECKON_NCCL(id, what)                                 \
  {                                                           \
    {"nccl." id ".time", what ": time"}, {"", ""}, { "", "" } \
  }
    RECKON_NCCL("tree_ll", "tree, LL"),
    RECKON_NCCL("tree_ll128", "tree, LL128"),
    RECKON_NCCL("tree_simple", "tree, Simple"),
    RECKON_NCCL("ring_ll", "ring, LL"),
    RECKON_NCCL("ring_ll128", "ring, LL128"),
    RECKON_NCCL("ring_simple", "ring, Simple"),
    RECKON_NCCL("nvls", "in the switch (NVLS)"),
    RECKON_NCCL("nvls_tree", "in switches, a tree of nodes (NVLSTree)"),
#undef RECKON_NCCL
};

template <class R, class V>
void nccl_metrics(const NcclCost<R>& cost, V& v) {
  v(MetricInfo{"nccl.choice", "what NCCL would choose"}, kNcclWays[cost.winner].name);
  for (std::size_t i = 0; i < cost.ways.size(); ++i)
    v(kNcclNames[i].time, cost.ways[i], "it can't run here");
}

inline constexpr const char* kNoBytes = "the question states no size: bytes: 14 GB";

}  // namespace detail

template <class R>
template <class V>
void CollectiveAnswer<R>::metrics(V&& v) const {
  using detail::kNoBytes;
  v(kRanks, q);
  v(kTrafficFactor, factor);
  v(kChosenBytes, bytes, kNoBytes);
  v(kChosenTime, time, kNoBytes);
  if (chosen) v(MetricInfo{"algorithm", "algorithm"}, std::string_view(name_of(kWays[*chosen])));
  v(kAlgorithmRate, algorithm_rate, kNoBytes);
  v(kBusRate, bus_rate, kNoBytes);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto part = [this, i](auto member) {
      using T = std::decay_t<decltype((*ways[i]).*member)>;
      return ways[i] ? std::optional<T>((*ways[i]).*member) : std::nullopt;
    };
    const char* why = why_not[i] ? why_not[i] : kNoBytes;
    v(detail::kWayNames[i].time, part(&Way<R>::time), why);
    v(detail::kWayNames[i].bytes, part(&Way<R>::bytes), why);
    v(detail::kWayNames[i].steps, part(&Way<R>::steps), why);
  }
  if (halves) v(kHalves, *halves);
  if (curve) {
    v(kCurveWait, curve->wait);
    v(kCurveRate, curve->rate);
    v(kCurveHalf, curve->half);
  }
  if (nccl) detail::nccl_metrics(*nccl, v);
}

}  // namespace reckon
