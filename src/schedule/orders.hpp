// The schedules, one a file: what rank `rank` runs, in order.
#pragma once

#include "reckon/schedule/order.hpp"

namespace reckon::schedule {

using Ops = std::vector<Op>;

inline Op forward(int chunk, int micro_batch) {
  return {Pass::kForward, static_cast<std::uint16_t>(chunk), 0, micro_batch, 0};
}
inline Op backward(int chunk, int micro_batch) {
  return {Pass::kBackward, static_cast<std::uint16_t>(chunk), 0, micro_batch, 0};
}
inline Op weight(int chunk, int micro_batch) {
  return {Pass::kWeight, static_cast<std::uint16_t>(chunk), 0, micro_batch, 0};
}
inline Op backward_both(int chunk, int micro_batch) {
  return {Pass::kBackwardBoth, static_cast<std::uint16_t>(chunk), 0, micro_batch, 0};
}
inline Op pair(int chunk, int micro_batch, int backward_chunk, int backward_micro_batch) {
  return {Pass::kPair, static_cast<std::uint16_t>(chunk),
          static_cast<std::uint16_t>(backward_chunk), micro_batch, backward_micro_batch};
}

Ops gpipe(const PipelineLayout& x);
Ops one_f_one_b(const PipelineLayout& x, int rank);
Ops interleaved(const PipelineLayout& x, int rank);
Ops breadth_first(const PipelineLayout& x);
Ops zero_bubble_h(const PipelineLayout& x, int ahead, int behind);
Ops zero_bubble_v(const PipelineLayout& x, int rank);
// DualPipe's rank, or DualPipeV's: `rank` of the `half` ranks of a fold, `n` micro-batches of each
// of the two ways; `near` is the chunk that the rank begins with, `far` the other one.
Ops dual_pipe(int half, int rank, int n, int near, int far);

}  // namespace reckon::schedule
