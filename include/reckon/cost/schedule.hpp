// A pipeline's schedule: its bubble, and how many micro-batches a stage holds at once.
//
//   PipelineShape<R> x{ScheduleKind::k1f1b, p, v, n};
//   bubble_ratios(x).share            // (p − 1)/(v·n + p − 1) of the elapsed time
//   in_flight(x, 0)                   // first stage of 1F1B: min(n, p)
//
// Stages take equal time. Both schedules have the same bubble: GPipe runs all forward passes, then
// all backward ones; 1F1B starts a backward pass as soon as it can, and so keeps less.
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

// Stages, chunks of a stage, micro-batches.
template <class R>
struct PipelineShape {
  ScheduleKind kind;
  Count<R> p, v, n;
};

// Both definitions of the bubble; 0 without a pipeline.
template <class R>
struct BubbleRatios {
  Ratio<R> share{}, overhead{};
};

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
  if (x.kind == ScheduleKind::kGpipe) return kInFlightGpipe(n);
  auto stage = structural<R>("i", i);
  auto v = x.v;
  NAME(v);
  if (x.kind == ScheduleKind::kInterleaved)
    return kInFlightInterleaved(min(n, ((v - 1) * p + 2 * (p - stage - 1) + 1) / v));
  return kInFlight(min(n, p - stage));
}

}  // namespace reckon
