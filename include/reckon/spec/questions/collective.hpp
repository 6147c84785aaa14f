// kind: collective. How long does one collective take, and what does each rank send?
//
//   kind: collective
//   op: all-reduce
//   bytes: 14 GB            # of the whole array; what each rank ends up with, or starts from
//   ranks: 8
//   link: 450 GB/s
//   # model: calibrated    # by a measured curve; with cluster: 8xh100-sxm
#pragma once

#include <array>
#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/collective_op.hpp"
#include "reckon/spec/kernels.hpp"
#include "reckon/spec/nccl.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

enum class Algorithm {
  kFastest,
  kRing,
  kTree,
  kHalvingDoubling,
  kHierarchical,
  kAllPeer,
  kInSwitch
};
constexpr auto names(Algorithm) {
  return std::array{"fastest",      "ring",     "tree",     "halving-doubling",
                    "hierarchical", "all-peer", "in-switch"};
}

template <class R>
struct CollectiveQuestion {
  std::string name, comment, library, kernels;
  CollectiveModel model = CollectiveModel::kLineRate;
  std::optional<CollectiveCurve<R>> curve;
  std::optional<Bytes<R>> anchor_bytes;
  std::optional<Seconds<R>> anchor_time;
  std::optional<Nccl<R>> nccl;
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::optional<Bytes<R>> bytes;
  std::optional<Count<R>> ranks;
  std::optional<Cluster<R>> cluster;
  OnLinks<R> on;
  Algorithm algorithm = Algorithm::kFastest;
  bool in_switch = false;
  std::string array;
  bool trace = false;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("op", "",
            "all-reduce | all-gather | reduce-scatter | broadcast | reduce | all-to-all | send")
          .required(),
      s.op...);
    v(Field("bytes", "S", "the whole array: every rank's own, reduced, gathered or sent")
          .limit(Limit::kPositive),
      s.bytes...);
    v(Field("ranks", "q", "GPUs that take part; the cluster's if not stated").degree(), s.ranks...);
    v(Field("cluster", "", "64xh100-sxm, or a file in hardware/clusters: its links").by_name(),
      s.cluster...);
    OnLinks<R>::fields(v, s.on...);
    v(Field("algorithm", "",
            "fastest | ring | tree | halving-doubling | hierarchical | all-peer | in-switch"),
      s.algorithm...);
    v(Field("in_switch", "", "the node's switch reduces and multicasts (NVLink SHARP)"),
      s.in_switch...);
    v(Field("model", "",
            "line_rate: bytes over the link; nccl: its tuning model; calibrated: a fitted curve"),
      s.model...);
    v(Field("library", "", "calibrated: whose, NCCL or a custom kernel; the first if not stated"),
      s.library...);
    v(Field("kernels", "", "calibrated: a file in hardware/kernels; the chip's if not stated"),
      s.kernels...);
    v(Field("curve", "", "calibrated: its constants, filled in from that file"), s.curve...);
    v(Field("anchor_bytes", "S_row", "calibrated: a size measured on the machine itself")
          .limit(Limit::kPositive),
      s.anchor_bytes...);
    v(Field("anchor_time", "t_row", "calibrated: its time; the curve is moved through that row")
          .limit(Limit::kPositive),
      s.anchor_time...);
    v(Field("nccl", "", "nccl: a file in hardware/nccl; nccl-2.30 if not stated").by_name(),
      s.nccl...);
    v(Field("array", "", "a small array a rank, to be played: \"1 2 3 4; 5 6 7 8\""), s.array...);
    v(Field("trace", "", "draw every step of playing `array`"), s.trace...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
