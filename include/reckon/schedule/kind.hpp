// The pipeline schedules that are known, and where each puts the model's pieces.
//
//   ScheduleKind::kZbV          placement_of(k) is kV, fixed_chunks(k) is 2, splits_backward(k)
//
// Sources: GPipe Huang 2019; 1F1B and interleaved Narayanan 2021; breadth-first Lamy-Poirier 2023;
// ZB-H1, ZB-H2, ZB-V Qi 2024 (arXiv 2401.10241, 2405.15362); DualPipe DeepSeek-V3 report and the
// authors' repository; DualPipeV the same, folded.
#pragma once

#include <array>

namespace reckon {

enum class ScheduleKind {
  k1f1b,
  kGpipe,
  kInterleaved,
  kBreadthFirst,
  kZbH1,
  kZbH2,
  kZbV,
  kDualPipe,
  kDualPipeV
};
constexpr auto names(ScheduleKind) {
  return std::array{"1f1b",  "gpipe", "interleaved", "breadth-first", "zb-h1",
                    "zb-h2", "zb-v",  "dualpipe",    "dualpipe-v"};
}
constexpr auto all_schedules() {
  using enum ScheduleKind;
  return std::array{k1f1b, kGpipe, kInterleaved, kBreadthFirst, kZbH1,
                    kZbH2, kZbV,   kDualPipe,    kDualPipeV};
}

// For people.
constexpr const char* title_of(ScheduleKind k) {
  constexpr std::array titles{"1F1B",  "GPipe", "interleaved", "breadth-first", "ZB-H1",
                              "ZB-H2", "ZB-V",  "DualPipe",    "DualPipeV"};
  return titles[static_cast<std::size_t>(k)];
}

// Which of the model's pieces a rank holds. In a loop, chunk c of rank r of p is piece c·p + r. In a
// V, rank r holds pieces r and 2p − 1 − r. Two ways: two copies of the model, one laid over the
// ranks forwards and one backwards, each fed half of the micro-batches.
enum class Placement { kLoop, kV, kTwoWay };
constexpr Placement placement_of(ScheduleKind k) {
  if (k == ScheduleKind::kDualPipe) return Placement::kTwoWay;
  return k == ScheduleKind::kZbV || k == ScheduleKind::kDualPipeV ? Placement::kV
                                                                  : Placement::kLoop;
}

// Takes as many chunks of a rank as are asked for; the others have a number of their own.
constexpr bool takes_chunks(ScheduleKind k) {
  return k == ScheduleKind::kInterleaved || k == ScheduleKind::kBreadthFirst;
}
// Chunks that a stage's layers are cut into where the schedule itself decides: 2 in a V, else 1.
constexpr int fixed_chunks(ScheduleKind k) { return placement_of(k) == Placement::kV ? 2 : 1; }

// Runs the gradient of the weights apart from that of the inputs.
constexpr bool splits_backward(ScheduleKind k) {
  using enum ScheduleKind;
  return k == kZbH1 || k == kZbH2 || k == kZbV || k == kDualPipe || k == kDualPipeV;
}

// Runs a forward and a backward pass of different micro-batches as one.
constexpr bool pairs_passes(ScheduleKind k) {
  return k == ScheduleKind::kDualPipe || k == ScheduleKind::kDualPipeV;
}

// Its bubble is published for ranks that start the next step as soon as they have done their own
// passes, without waiting for the others (Qi 2024, section 4: the optimizer step is checked after).
constexpr bool staggers_steps(ScheduleKind k) {
  return k == ScheduleKind::kZbH2 || k == ScheduleKind::kZbV;
}

}  // namespace reckon
