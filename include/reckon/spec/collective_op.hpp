// The collective operations there are, and where their time comes from.
#pragma once

#include <array>

namespace reckon {

enum class CollectiveOp {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSend
};
constexpr auto names(CollectiveOp) {
  return std::array{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce",
                    "all-to-all", "send"};
}

// Where the time of a collective comes from: bytes over the link, NCCL's own tuning model, or a curve
// fitted to measured times.
enum class CollectiveModel { kLineRate, kNccl, kCalibrated };
constexpr auto names(CollectiveModel) { return std::array{"line_rate", "nccl", "calibrated"}; }

}  // namespace reckon
