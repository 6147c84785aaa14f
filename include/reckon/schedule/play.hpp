// A pipeline schedule played out: when each pass runs, who waits, and what decides the time.
//
//   const PipelineLayout x{ScheduleKind::k1f1b, 4, 1, 8};
//   const Played step = play(x, order_of(x), even_times(x, {1, 1, 1}));
//   step.time                    // 33: eight micro-batches of 3, and three more to fill and drain
//   step.waits[0]                // what rank 0 waits
//
// A rank runs its passes in the order it was given, each as soon as what it needs is there. A forward
// pass needs the piece before, a backward pass the one after and its own forward pass, a weight pass
// its own backward pass. A transfer takes `send`; it runs beside the passes, or (blocking) holds up the
// rank that sends. Times are in any one unit; the memory of a piece in any other.
//
// Recomputed work is part of the backward pass: it is repeated once the gradient is there.
#pragma once

#include <functional>
#include <vector>

#include "reckon/schedule/order.hpp"

namespace reckon::schedule {

struct PassTimes {
  double forward = 0, backward = 0, weight = 0;
  double both() const { return backward + weight; }
};

struct PipelineTimes {
  std::vector<PassTimes> piece;  // one a piece of the model, in the model's order
  double send = 0;
  bool blocking = false;
  // Time of a forward and a backward pass run as one, as a share of one after the other: from 1/2
  // where the shorter hides wholly behind an equal one, to 1 where nothing does.
  double pair = 1;
};

// `stage`: passes of a rank's whole share of the model, divided among its pieces.
PipelineTimes even_times(const PipelineLayout& x, const PassTimes& stage);

// How often each pass of a piece lies on the path that decides the time, and how many transfers do:
// the time is the sum of them. Of pairs, both halves are counted as `paired`.
struct PathCounts {
  struct OfPiece {
    int forward = 0, backward = 0, weight = 0;
    int paired_forward = 0, paired_backward = 0;
  };
  std::vector<OfPiece> piece;
  int sends = 0;
};

struct Slot {
  double start = 0, end = 0;
};

struct Played {
  double time = 0;   // from the first pass of any rank to the last one
  double cycle = 0;  // the longest that a rank takes from its first pass to its last one
  std::vector<double> first, last, busy;  // of each rank
  std::vector<std::vector<Slot>> slots;   // beside the order's passes
  PathCounts time_path, cycle_path;
  bool stuck = false;  // ranks wait for each other: no order of ours does

  double period(bool staggered) const { return staggered ? cycle : time; }
  double work() const;  // of all ranks
};

Played play(const PipelineLayout& x, const Order& order, const PipelineTimes& times);

// The sum that the counts stand for: equals the time they were taken from but for rounding.
double sum_of(const PathCounts& counts, const PipelineTimes& times);

// Never less than this: the rank with the most work, and one micro-batch's way through all pieces.
double least_time(const PipelineLayout& x, const Order& order, const PipelineTimes& times);

// Largest memory that each rank holds at once, and when, with what a micro-batch leaves on a piece.
struct PeakMemory {
  double bytes = 0, at = 0;
};
std::vector<PeakMemory> peak_memory(const PipelineLayout& x, const Order& order,
                                    const Played& played, const std::vector<double>& kept);

}  // namespace reckon::schedule
