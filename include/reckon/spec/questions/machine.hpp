// What a question runs on: a cluster by name, or the few figures that matter, stated outright.
//
//   cluster: 8xh100-sxm                         # its link, peak and memory
//   link: 450 GB/s                              # or this figure alone; it stands before the cluster's
//
// Parts of a question's description: `OnLinks<R>::fields(v, s.on...)` adds these keys to its own.
#pragma once

#include <optional>

#include "reckon/doc/field.hpp"
#include "reckon/spec/hardware.hpp"

namespace reckon {

// Rates are one way and per GPU. A step's latency is the preset's where the link is a named cluster's.
template <class R>
struct OnLinks {
  std::optional<ByteRate<R>> link, network;
  std::optional<Count<R>> node_gpus;
  std::optional<Seconds<R>> latency, network_latency;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("link", "W_link", "rate inside a node, one way, per GPU").limit(Limit::kPositive),
      s.link...);
    v(Field("network", "W_x", "rate between nodes, one way, per GPU").limit(Limit::kPositive),
      s.network...);
    v(Field("node_gpus", "N_node", "GPUs that share a node's link; all of them if not stated")
          .degree(),
      s.node_gpus...);
    v(Field("latency", "a_node", "of one step inside a node"), s.latency...);
    v(Field("network_latency", "a_net", "of one step between nodes"), s.network_latency...);
  }
};

// How fast a GPU computes.
template <class R>
struct OnPeak {
  std::optional<FlopRate<R>> peak;
  Compute compute = Compute::kBf16;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("peak", "P", "dense FLOP/s of one GPU").limit(Limit::kPositive), s.peak...);
    v(Field("compute", "", "number format of the operands: which peak of the cluster's chip"),
      s.compute...);
  }
};

// That, and its memory.
template <class R>
struct OnChip : OnPeak<R> {
  std::optional<ByteRate<R>> bandwidth;
  std::optional<Bytes<R>> capacity;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    OnPeak<R>::fields(v, s...);
    v(Field("bandwidth", "W_m", "of one GPU's memory").limit(Limit::kPositive), s.bandwidth...);
    v(Field("capacity", "C", "of one GPU's memory").limit(Limit::kPositive), s.capacity...);
  }
};

}  // namespace reckon
