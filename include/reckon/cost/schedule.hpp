// A pipeline's schedule: how many micro-batches a stage holds at once, and the bubble where it is the
// same whatever the passes take.
//
//   PipelineShape<R> x{ScheduleKind::k1f1b, p, v, n};
//   bubble_ratios(x).share            // (p − 1)/(v·n + p − 1) of the elapsed time
//   in_flight(x, 0)                   // first stage of 1F1B: min(n, p)
//
// GPipe and 1F1B have the same bubble: GPipe runs all forward passes, then all backward ones; 1F1B
// starts a backward pass as soon as it can, and so keeps less. What the other schedules' bubbles are
// depends on the passes' times: bubble.hpp.
// Source: Narayanan 2021, section 2.2.
#pragma once

#include "reckon/spec/training.hpp"
#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kBubbleShare{"pipeline.bubble_share", "share",
                                  "bubble as a share of elapsed time", "(p − 1) / (v·n + p − 1)",
                                  Hint::kFraction};
inline const Formula kBubbleOverhead{"pipeline.bubble_overhead", "overhead",
                                     "bubble over ideal time", "(p − 1) / (v·n), Narayanan 2021",
                                     Hint::kFraction};
inline const Formula kInFlight{"pipeline.in_flight", "m_i", "micro-batches in flight on a stage",
                               "1F1B: Narayanan 2021, section 2.2", Hint::kRatio};
inline const Formula kInFlightGpipe{"pipeline.in_flight_gpipe", "m_i",
                                    "micro-batches in flight on a stage", "GPipe: all of them",
                                    Hint::kRatio};
inline const Formula kInFlightInterleaved{
    "pipeline.in_flight_interleaved", "m_i", "micro-batches in flight on a stage",
    "chunks of the warm-up, Megatron-LM schedules.py", Hint::kRatio};
inline const Formula kInFlightZbH1{
    "pipeline.in_flight_zb_h1", "m_i", "micro-batches in flight on a stage",
    "ZB-H1, ZB-V: p − i ahead and i weight passes behind, Qi 2024", Hint::kRatio};
inline const Formula kInFlightZbH2{
    "pipeline.in_flight_zb_h2", "m_i", "micro-batches in flight on a stage",
    "ZB-H2: 2(p − i) − 1 ahead and 2i weight passes behind, Qi 2024", Hint::kRatio};
inline const Formula kInFlightDualPipe{"pipeline.in_flight_dualpipe", "m_i",
                                       "micro-batches in flight on a stage, both ways",
                                       "DeepSeek-V3 report, table 2", Hint::kRatio};
inline const Formula kInFlightDualPipeV{
    "pipeline.in_flight_dualpipe_v", "m_i", "micro-batches in flight on a stage",
    "2p + 1 pieces of two a stage, DualPipe's repository", Hint::kRatio};

// Stages, chunks of a stage, micro-batches.
template <class R>
struct PipelineShape {
  ScheduleKind kind;
  Count<R> p, v, n;
};

// Chunks of a stage: those of the plan, or the schedule's own.
template <class R>
Count<R> chunks_of(const Schedule<R>& s) {
  return fixed_chunks(s.kind) == 2 ? Count<R>{2} : s.chunks;
}

// Both definitions of the bubble; 0 without a pipeline.
template <class R>
struct BubbleRatios {
  Ratio<R> share{}, overhead{};
};

// Whether the bubble is so many slots whatever the passes take.
constexpr bool counts_slots(ScheduleKind k) {
  return k == ScheduleKind::k1f1b || k == ScheduleKind::kGpipe || k == ScheduleKind::kInterleaved;
}

// Of a schedule that counts slots.
template <class R>
BubbleRatios<R> bubble_ratios(const PipelineShape<R>& x) {
  auto p = x.p;
  if (p <= 1) return {};
  auto v = x.v;
  auto n = x.n;
  NAME(p, v, n);
  return {kBubbleShare((p - 1) / (v * n + p - 1)), kBubbleOverhead((p - 1) / (v * n))};
}

// Micro-batches whose activations stage i holds at once.
template <class R>
Count<R> in_flight(const PipelineShape<R>& x, int i) {
  auto n = x.n;
  auto p = x.p;
  NAME(n, p);
  if (whole(p) == 1) return Count<R>{1};  // gradients are accumulated, activations are not
  switch (x.kind) {
    case ScheduleKind::kGpipe:
    case ScheduleKind::kBreadthFirst:
      return kInFlightGpipe(n);
    case ScheduleKind::kZbH1:
    case ScheduleKind::kZbV:
      return kInFlightZbH1(min(n, p));
    case ScheduleKind::kZbH2:
      return kInFlightZbH2(min(n, 2 * p - 1));
    case ScheduleKind::kDualPipe:
      return kInFlightDualPipe(p + 1);
    case ScheduleKind::kDualPipeV:
      return kInFlightDualPipeV((2 * p + 1) / 2);
    case ScheduleKind::k1f1b:
    case ScheduleKind::kInterleaved:
      break;
  }
  auto stage = structural<R>("i", i);
  auto v = x.v;
  NAME(v);
  if (x.kind == ScheduleKind::kInterleaved)
    return kInFlightInterleaved(min(n, ((v - 1) * p + 2 * (p - stage - 1) + 1) / v));
  return kInFlight(min(n, p - stage));
}

}  // namespace reckon
