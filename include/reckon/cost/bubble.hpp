// The bubble of a schedule from the times of its passes: the published formula where it holds, else
// the schedule played out.
//
//   StagePasses<kSecond, R> t{F, B, W};            // of a micro-batch on a whole stage
//   bubble({kind, p, v, n}, t)                     // what a stage waits in a step
//
// F is the forward pass, B the gradient of the inputs, W that of the weights, B' = B + W. A played
// time comes back as a sum over the passes on the path that decides it, so that it can be explained
// and differentiated as a formula can.
//
//   1F1B, GPipe      (p − 1)(F + B'); interleaved a v-th of it
//   ZB-H1            (p − 1)(F + B − W), from p micro-batches on, W ≤ B
//   ZB-H2            (p − 1)(F + B − 2W), from 2p − 1 micro-batches on; none where W is longer
//   DualPipe         (p/2 − 1)(FB + B' − 3W) for F = B ≥ W and FB ≥ B'; FB: a forward and a backward
//                    pass run as one. On the stages in the middle, which wait longest if FB < F + B'
//   breadth-first, ZB-V, DualPipeV   played out
//
// Tests hold each formula to the played schedule (tests/cost/bubble_test.cpp).
#pragma once

#include <vector>

#include "reckon/cost/schedule.hpp"
#include "reckon/schedule/plays.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

inline const Formula kBubbleSlots{"pipeline.bubble_slots", "T_bubble", "what a stage waits",
                                  "p − 1 slots to fill and drain, Narayanan 2021"};
inline const Formula kBubbleZbH1{"pipeline.bubble_zb_h1", "T_bubble", "what a stage waits, ZB-H1",
                                 "(p − 1)(F + B − W) for W ≤ B, Qi 2024 section 2"};
inline const Formula kBubbleZbH2{"pipeline.bubble_zb_h2", "T_bubble",
                                 "what a stage waits within its own step, ZB-H2",
                                 "(p − 1)(F + B − 2W), Qi 2024 section 2"};
inline const Formula kBubbleDualPipe{"pipeline.bubble_dualpipe", "T_bubble",
                                     "what the stages in the middle wait, DualPipe",
                                     "(p/2 − 1)(FB + B' − 3W), DeepSeek-V3 report, table 2"};
inline const Formula kPlayedTime{"pipeline.played", "T_pipe", "schedule played out",
                                 "passes on the path that decides it"};
inline const Formula kPlayedBubble{"pipeline.bubble_played", "T_bubble",
                                   "what a stage waits, mean over the stages",
                                   "played out, less the work"};
inline const Formula kBubbleShareTimes{"pipeline.bubble_share_times", "share",
                                       "bubble as a share of elapsed time",
                                       "bubble / (work + bubble)", Hint::kFraction};
inline const Formula kBubbleOverheadTimes{"pipeline.bubble_overhead_times", "overhead",
                                          "bubble over ideal time", "bubble / work",
                                          Hint::kFraction};

// Of one micro-batch, on a stage or on a piece of the model. FB: run as one, if not one after the
// other.
template <Dim D, class R>
struct StagePasses {
  Quantity<D, R> F{}, B{}, W{};
};

template <class R>
schedule::PipelineLayout layout_of(const PipelineShape<R>& x) {
  return {x.kind, whole(x.p), whole(x.v), whole(x.n)};
}

// How transfers and pairs run, and whether ranks wait for each other at the end of a step.
template <Dim D, class R>
struct PlayedWith {
  Quantity<D, R> send{};
  bool blocking = false;
  Ratio<R> pair{1};        // time of a joined pair over that of both apart
  bool staggered = false;  // the longest rank's own step, not from the first to the last of all
};

namespace detail {

template <Dim D, class R>
void add_passes(const schedule::PathCounts::OfPiece& n, const StagePasses<D, R>& t, Ratio<R> pair,
                Sum<D, R>& out) {
  const auto times = [&](Label label, int count, const auto& x) {
    if (count != 0) out.add(label, structural<R>("passes", count) * x);
  };
  times("forward", n.forward, t.F);
  times("backward", n.backward, t.B);
  times("weights", n.weight, t.W);
  times("forward, joined", n.paired_forward, pair * t.F);
  times("backward, joined", n.paired_backward, pair * (t.B + t.W));
}

inline schedule::PathCounts::OfPiece all_pieces(const schedule::PathCounts& counts) {
  schedule::PathCounts::OfPiece all;
  for (const auto& n : counts.piece) {
    all.forward += n.forward;
    all.backward += n.backward;
    all.weight += n.weight;
    all.paired_forward += n.paired_forward;
    all.paired_backward += n.paired_backward;
  }
  return all;
}

}  // namespace detail

// The schedule played out over pieces of the model, in the model's order; one for all if they are
// equal. `played` keeps what else was found.
template <Dim D, class R>
Quantity<D, R> played_time(const schedule::PipelineLayout& x,
                           const std::vector<StagePasses<D, R>>& piece,
                           const PlayedWith<D, R>& with, schedule::Played* played = nullptr) {
  schedule::PipelineTimes times;
  for (int i = 0; i < x.pieces(); ++i) {
    const auto& t = piece[piece.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    times.piece.push_back({plain(t.F), plain(t.B), plain(t.W)});
  }
  times.send = plain(with.send);
  times.blocking = with.blocking;
  times.pair = plain(with.pair);
  schedule::Played run = schedule::played_once(x, times, with.staggered);
  const schedule::PathCounts& path = with.staggered ? run.cycle_path : run.time_path;
  auto pair = with.pair;
  NAME(pair);
  Sum<D, R> out;
  if (piece.size() == 1) {
    detail::add_passes(detail::all_pieces(path), piece[0], pair, out);
  } else {
    for (std::size_t i = 0; i < piece.size(); ++i)
      detail::add_passes(path.piece[i], piece[i], pair, out);
  }
  if (path.sends > 0) out.add("transfers", structural<R>("transfers", path.sends) * with.send);
  if (played) *played = std::move(run);
  return kPlayedTime(out.total());
}

// Whether a published formula says the bubble of these passes, run one after the other.
template <Dim D, class R>
bool has_closed_form(const PipelineShape<R>& x, const StagePasses<D, R>& t) {
  switch (x.kind) {
    case ScheduleKind::k1f1b:
    case ScheduleKind::kGpipe:
    case ScheduleKind::kInterleaved:
      return true;
    case ScheduleKind::kZbH1:
      return !(x.n < x.p);
    case ScheduleKind::kZbH2:
      return !(x.n < 2 * x.p - 1);
    case ScheduleKind::kDualPipe:
      return !(t.F < t.B) && !(t.B < t.F) && !(t.B < t.W);
    case ScheduleKind::kBreadthFirst:
    case ScheduleKind::kZbV:
    case ScheduleKind::kDualPipeV:
      break;
  }
  return false;
}

// FB: a forward and a backward pass run as one.
template <Dim D, class R>
Quantity<D, R> dualpipe_bubble(Count<R> p, const StagePasses<D, R>& t, Quantity<D, R> FB) {
  auto B = t.B;
  auto W = t.W;
  NAME(p, FB, B, W);
  return kBubbleDualPipe((p / 2 - 1) * (FB + (B + W) - 3 * W));
}

// The published formula; it must hold.
template <Dim D, class R>
Quantity<D, R> closed_bubble(const PipelineShape<R>& x, const StagePasses<D, R>& t) {
  auto p = x.p;
  auto v = x.v;
  auto F = t.F;
  auto B = t.B;
  auto W = t.W;
  NAME(p, v, F, B, W);
  switch (x.kind) {
    case ScheduleKind::kZbH1:
      return kBubbleZbH1((p - 1) * (F + B - min(B, W)));
    case ScheduleKind::kZbH2:
      return kBubbleZbH2((p - 1) * max(Quantity<D, R>{}, F + B - 2 * W));
    case ScheduleKind::kDualPipe:
      return dualpipe_bubble(p, t, F + B + W);
    default:
      return kBubbleSlots((p - 1) * (F + B + W) / v);
  }
}

// What a stage waits in a step of equal stages.
template <Dim D, class R>
Quantity<D, R> bubble(const PipelineShape<R>& x, const StagePasses<D, R>& t) {
  if (x.p <= 1) return {};
  if (has_closed_form(x, t)) return closed_bubble(x, t);
  auto v = x.v;
  auto n = x.n;
  NAME(v, n);
  auto T_pipe = played_time<D, R>(layout_of(x), {{t.F / v, t.B / v, t.W / v}},
                                  {.staggered = staggers_steps(x.kind)});
  NAME(T_pipe);
  auto T_slot = t.F + t.B + t.W;
  NAME(T_slot);
  return kPlayedBubble(max(Quantity<D, R>{}, T_pipe - n * T_slot));
}

// Both definitions, of a bubble beside `work`.
template <Dim D, class R>
BubbleRatios<R> ratios_of(Quantity<D, R> bubble, Quantity<D, R> work) {
  auto T_bubble = bubble;
  auto T_work = work;
  NAME(T_bubble, T_work);
  return {kBubbleShareTimes(T_bubble / (T_work + T_bubble)),
          kBubbleOverheadTimes(T_bubble / T_work)};
}

}  // namespace reckon
