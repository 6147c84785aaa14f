// The collective operations there are.
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

}  // namespace reckon
