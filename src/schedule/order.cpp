#include "reckon/schedule/order.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "orders.hpp"

namespace reckon::schedule {
namespace {

Ops ops_of(const PipelineLayout& x, int rank) {
  const int p = x.ranks, half = p / 2;
  switch (x.kind) {
    case ScheduleKind::kGpipe:
      return gpipe(x);
    case ScheduleKind::k1f1b:
      return one_f_one_b(x, rank);
    case ScheduleKind::kInterleaved:
      return interleaved(x, rank);
    case ScheduleKind::kBreadthFirst:
      return breadth_first(x);
    case ScheduleKind::kZbH1:
      return zero_bubble_h(x, p - rank, rank);
    case ScheduleKind::kZbH2:
      return zero_bubble_h(x, 2 * (p - rank) - 1, 2 * rank);
    case ScheduleKind::kZbV:
      return zero_bubble_v(x, rank);
    case ScheduleKind::kDualPipe:
      return rank < half ? dual_pipe(half, rank, x.micro_batches / 2, 0, 1)
                         : dual_pipe(half, p - 1 - rank, x.micro_batches / 2, 1, 0);
    case ScheduleKind::kDualPipeV:
      return dual_pipe(p, rank, x.micro_batches, 0, 1);
  }
  return {};
}

}  // namespace

int least_micro_batches(ScheduleKind kind, int ranks) { return pairs_passes(kind) ? 2 * ranks : 1; }

LayoutFault fault_of(const PipelineLayout& x) {
  if (takes_chunks(x.kind) ? x.chunks < 2 : x.chunks != fixed_chunks(x.kind))
    return LayoutFault::kChunks;
  if (x.kind == ScheduleKind::kDualPipe && x.ranks % 2 != 0) return LayoutFault::kOddRanks;
  if (x.micro_batches < least_micro_batches(x.kind, x.ranks)) return LayoutFault::kFewMicroBatches;
  if (x.kind == ScheduleKind::kDualPipe && x.micro_batches % 2 != 0)
    return LayoutFault::kOddMicroBatches;
  if (x.kind == ScheduleKind::kInterleaved && x.micro_batches % x.ranks != 0)
    return LayoutFault::kNotWholeRounds;
  return LayoutFault::kNone;
}

Order order_of(const PipelineLayout& x) {
  if (fault_of(x) != LayoutFault::kNone)
    throw std::logic_error("a pipeline schedule was asked for that can't be laid out");
  Order out;
  out.reserve(static_cast<std::size_t>(x.ranks));
  for (int rank = 0; rank < x.ranks; ++rank) out.push_back(ops_of(x, rank));
  return out;
}

int InFlight::total() const { return std::accumulate(pieces.begin(), pieces.end(), 0); }

std::vector<InFlight> in_flight(const PipelineLayout& x, const Order& order) {
  std::vector<InFlight> out;
  for (const Ops& ops : order) {
    InFlight now{std::vector<int>(static_cast<std::size_t>(x.held()), 0)}, most = now;
    const auto begin = [&](int chunk) {
      ++now.pieces[static_cast<std::size_t>(chunk)];
      if (now.total() > most.total()) most = now;
    };
    const auto end = [&](int chunk) { --now.pieces[static_cast<std::size_t>(chunk)]; };
    for (const Op& op : ops) {
      if (op.pass == Pass::kForward || op.pass == Pass::kPair) begin(op.chunk);
      if (op.pass == Pass::kPair) end(op.backward_chunk);
      if (op.pass == Pass::kBackwardBoth || op.pass == Pass::kWeight) end(op.chunk);
    }
    out.push_back(std::move(most));
  }
  return out;
}

}  // namespace reckon::schedule
