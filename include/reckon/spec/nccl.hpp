// kind: nccl. NCCL's own tuning model: what it believes of each algorithm and protocol when it chooses between them.
//
//   hardware/nccl/nccl-2.30.yaml
//
// Latencies by algorithm and protocol, of a call (base) and of a hop inside a node and between nodes; bandwidth from
// the channels of a GPU generation. Equations: cost/kernels/nccl.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// LL and LL128 send flags with the data, Simple whole chunks.
template <class R>
struct NcclProtocols {
  std::optional<Seconds<R>> ll, ll128, simple;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ll", "", "low latency, 8 bytes"), s.ll...);
    v(Field("ll128", "", "low latency, 128 bytes"), s.ll128...);
    v(Field("simple", "", "whole chunks"), s.simple...);
  }
};

template <class R>
struct NcclLatencies {
  NcclProtocols<R> ring, tree, nvls, nvls_tree;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ring", "", "").required(), s.ring...);
    v(Field("tree", "", "").required(), s.tree...);
    v(Field("nvls", "", "reduction in the switch"), s.nvls...);
    v(Field("nvls_tree", "", "reduction in the switch, a tree between nodes"), s.nvls_tree...);
  }
};

template <class R>
struct NcclGeneration {
  std::string name;
  std::vector<std::string> chips;
  Count<R> channels;
  ByteRate<R> channel, ll_limit, ring_ll128, tree_ll128, tree_simple;
  std::vector<ByteRate<R>> switch_channels;
  std::optional<ByteRate<R>> wire;
  std::optional<Ratio<R>> switch_share;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as people call it").required(), s.name...);
    v(Field("chips", "", "files in hardware/chips").required(), s.chips...);
    v(Field("channels", "n_ch", "channels of a ring in a node").required().degree(), s.channels...);
    v(Field("channel", "w_ch", "of one channel in a node").required().limit(Limit::kPositive),
      s.channel...);
    v(Field("ll_limit", "W_LL", "the most that LL reaches in a node")
          .required()
          .limit(Limit::kPositive),
      s.ll_limit...);
    v(Field("ring_ll128", "w_128", "of a channel, ring by LL128")
          .required()
          .limit(Limit::kPositive),
      s.ring_ll128...);
    v(Field("tree_ll128", "w_128", "of a channel, tree by LL128")
          .required()
          .limit(Limit::kPositive),
      s.tree_ll128...);
    v(Field("tree_simple", "w_tree", "of a channel, tree by Simple")
          .required()
          .limit(Limit::kPositive),
      s.tree_simple...);
    v(Field("wire", "W_wire", "all links of a GPU, as NCCL counts them").limit(Limit::kPositive),
      s.wire...);
    v(Field("switch_channels", "", "speeds a channel through the switch may have, largest first"),
      s.switch_channels...);
    v(Field("switch_share", "eff", "share of its speed that such a channel reaches").efficiency(),
      s.switch_share...);
  }
};

template <class R>
struct Nccl {
  std::string id, name, comment, source;
  NcclLatencies<R> base, node, network;
  Seconds<R> nic;
  Ratio<R> network_share{1}, ring_ll128_share{1}, tree_share{1}, tree_ll128_share{1},
      tree_ll128_share_nodes{1}, ll_ring{1}, ll_tree{1}, chunked{1};
  ByteRate<R> ll_limit_nodes;
  std::vector<Ratio<R>> tree_ll, tree_ll128, tree_simple;
  std::vector<NcclGeneration<R>> generations;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("base", "", "of a call").required(), s.base...);
    v(Field("node", "", "of a hop over NVLink").required(), s.node...);
    v(Field("network", "", "of a hop between nodes").required(), s.network...);
    v(Field("nic", "a_nic", "of the network port itself, added to a hop; twice by Simple"),
      s.nic...);
    v(Field("network_share", "", "share of a port's rate that is counted on").efficiency(),
      s.network_share...);
    v(Field("ring_ll128_share", "", "share of the channels that LL128 leaves a ring").efficiency(),
      s.ring_ll128_share...);
    v(Field("tree_share", "", "share of the channels that a tree reaches").efficiency(),
      s.tree_share...);
    v(Field("tree_ll128_share", "", "share of a tree's that LL128 leaves in a node").efficiency(),
      s.tree_ll128_share...);
    v(Field("tree_ll128_share_nodes", "", "share of a tree's that LL128 leaves between nodes")
          .efficiency(),
      s.tree_ll128_share_nodes...);
    v(Field("ll_ring", "", "share of the channels that LL leaves a ring").efficiency(),
      s.ll_ring...);
    v(Field("ll_tree", "", "share of a tree's that LL leaves").efficiency(), s.ll_tree...);
    v(Field("chunked", "", "a ring by Simple between nodes: its latency, once chunks are large")
          .hint(Hint::kRatio),
      s.chunked...);
    v(Field("ll_limit_nodes", "W_LL", "the most that LL reaches between nodes")
          .required()
          .limit(Limit::kPositive),
      s.ll_limit_nodes...);
    v(Field("tree_ll", "", "share that a tree by LL reaches at 64 B, 128 B, …").efficiency(),
      s.tree_ll...);
    v(Field("tree_ll128", "", "the same by LL128").efficiency(), s.tree_ll128...);
    v(Field("tree_simple", "", "the same by Simple").efficiency(), s.tree_simple...);
    v(Field("generations", "", "of GPUs").required(), s.generations...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
