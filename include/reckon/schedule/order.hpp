// What each rank of a pipeline runs, in order.
//
//   const Order order = order_of({ScheduleKind::kZbH1, 4, 1, 8});    // 4 ranks, 1 chunk, 8 micro-batches
//   order[0][0]                                                      // rank 0 begins with a forward pass
//
// An order says nothing of times: play.hpp finds those. Micro-batches and chunks count from 0. Under a
// two-way placement chunk 0 is the model's copy that runs from rank 0 down, chunk 1 the one that runs
// up, and each numbers its half of the micro-batches from 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reckon/schedule/kind.hpp"

namespace reckon::schedule {

// kBackward is the gradient of the inputs alone, kBackwardBoth of inputs and weights. kPair runs a
// forward pass and a kBackwardBoth of another chunk or micro-batch together.
enum class Pass : std::uint8_t { kForward, kBackward, kWeight, kBackwardBoth, kPair };

struct Op {
  Pass pass = Pass::kForward;
  std::uint16_t chunk = 0;
  std::uint16_t backward_chunk = 0;  // of a pair
  std::int32_t micro_batch = 0;
  std::int32_t backward_micro_batch = 0;  // of a pair
};

using Order = std::vector<std::vector<Op>>;

struct PipelineLayout {
  ScheduleKind kind = ScheduleKind::k1f1b;
  int ranks = 1, chunks = 1, micro_batches = 1;

  // Pieces that a rank holds: chunks, or a stage of each copy.
  int held() const { return placement_of(kind) == Placement::kTwoWay ? 2 : chunks; }
  // Pieces of one copy of the model.
  int pieces() const { return ranks * chunks; }
  int copies() const { return placement_of(kind) == Placement::kTwoWay ? 2 : 1; }
  int micro_batches_of_copy() const { return micro_batches / copies(); }
  // Where in the model a rank's chunk lies.
  constexpr int piece(int rank, int chunk) const {
    switch (placement_of(kind)) {
      case Placement::kLoop:
        return chunk * ranks + rank;
      case Placement::kV:
        return chunk == 0 ? rank : 2 * ranks - 1 - rank;
      case Placement::kTwoWay:
        return chunk == 0 ? rank : ranks - 1 - rank;
    }
    return 0;
  }
};

// Why a schedule can't be laid out so: empty if it can. engine turns it into a fault.
enum class LayoutFault {
  kNone,
  kOddRanks,         // DualPipe folds its ranks in two
  kOddMicroBatches,  // and its micro-batches
  kFewMicroBatches,  // fewer than least_micro_batches()
  kNotWholeRounds,   // interleaved: micro-batches come in rounds of as many as ranks
  kChunks            // fewer than two, or another number than the schedule has
};
LayoutFault fault_of(const PipelineLayout& x);
// That the schedule needs at least; fewer break its order rather than slow it.
int least_micro_batches(ScheduleKind kind, int ranks);

// The layout must have no fault.
Order order_of(const PipelineLayout& x);

// Micro-batches in flight: from the start of the forward pass until the weights' gradient is done.
// A rank's largest number of pieces alive, and how many there are of each of its chunks then.
struct InFlight {
  std::vector<int> pieces;
  int total() const;
};
std::vector<InFlight> in_flight(const PipelineLayout& x, const Order& order);

}  // namespace reckon::schedule
