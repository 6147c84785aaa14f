// What a run takes when machines fail: checkpoints, lost work, restarts, and the share that trains.
//
//   Goodput<R> g = goodput({G, M_gpu, Saving<R>{stall, t_write}, restart, evaluation});
//   g.share, g.interval                     // 93 %, every 28 min
//
// After each interval t of training the step waits δ for a checkpoint. A failure of any of the G GPUs,
// every M = M_gpu/G on average, loses half of what was done since the last checkpoint, and takes a
// restart. To the first order in failures, elapsed time T' of a training time T obeys
//
//   T' = T·(1 + δ/t) + T'/M·((t + δ)/2 + t_write' + t_restart)
//
// with t_write' the time until a checkpoint written beside training counts. The best interval is
// √(2·δ·M). Good while t + δ is well below M. Without a failure rate nothing fails, and only what is
// stated of checkpoints and evaluation is subtracted. Source: Young 1974; Daly 2006.
#pragma once

#include <optional>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

inline const Formula kCheckpointBytes{"run.checkpoint.bytes", "S_ckpt",
                                      "bytes of a checkpoint, whole model",
                                      "weights, master copy and optimizer states, once each"};
inline const Formula kCheckpointWrite{"run.checkpoint.write", "t_write",
                                      "writing a checkpoint to storage", "bytes / bandwidth"};
inline const Formula kCheckpointStall{"run.checkpoint.stall", "δ",
                                      "what training waits for a checkpoint",
                                      "written before training goes on"};
inline const Formula kCheckpointCopy{"run.checkpoint.copy", "δ",
                                     "what training waits for a checkpoint",
                                     "a GPU's states over its host link"};
inline const Formula kClusterMtbf{"run.mtbf", "M", "mean time between failures of the cluster",
                                  "of one GPU / GPUs"};
inline const Formula kBestInterval{"run.checkpoint.best_interval", "t_best",
                                   "training time between checkpoints that wastes least",
                                   "√(2·δ·M), Young 1974, Daly 2006"};
inline const Formula kInterval{"run.checkpoint.interval", "t_int",
                               "training time between checkpoints", "the best one"};
inline const Formula kIntervalAsync{"run.checkpoint.interval_async", "t_int",
                                    "training time between checkpoints written beside it",
                                    "the best one, or as long as writing takes"};
inline const Formula kLostBeforeWritten{"run.lost_before_written", "t_lost",
                                        "work lost at a failure, on average",
                                        "half an interval, and what was not written yet"};
inline const Formula kCheckpointShare{"run.checkpoint.share", "x_ckpt",
                                      "share of the time that waits for checkpoints",
                                      "δ for every interval trained", Hint::kFraction};
inline const Formula kLostPerFailure{"run.lost_per_failure", "t_lost",
                                     "work lost at a failure, on average", "half an interval"};
inline const Formula kFailureShare{
    "run.failure_share", "x_fail", "share of the time lost at failures",
    "(lost work + restart) / time between failures", Hint::kFraction};
inline const Formula kGoodput{"run.goodput", "goodput", "share of the elapsed time that trains",
                              "Young 1974, Daly 2006, to the first order", Hint::kFraction};
inline const Formula kElapsed{"run.elapsed_days", "T_elapsed", "length of the run with failures",
                              "length / goodput", Hint::kDays};
inline const Formula kElapsedGpuTime{"run.elapsed_gpu_hours", "T_gpu'",
                                     "GPU-hours of the run with failures", "GPUs · elapsed time",
                                     Hint::kGpuHours};
inline const Formula kElapsedCost{"run.elapsed_cost", "cost'", "cost of the run with failures",
                                  "GPU-hours · price"};
inline const Formula kFailures{"run.failures", "n_fail", "failures of the run, on average",
                               "elapsed time / time between failures", Hint::kRatio};
inline const Formula kLostWork{"run.lost_work", "T_lost", "training done twice",
                               "failures · work lost at one", Hint::kDays};

// A checkpoint: what training waits, how long writing takes, how often; async: written beside training.
template <class R>
struct Saving {
  Seconds<R> stall, write;
  std::optional<Seconds<R>> interval;
  bool async = false;
};

// Without a failure rate a checkpoint's interval is stated; with one there are checkpoints.
template <class R>
struct GoodputInputs {
  Count<R> gpus;
  std::optional<Seconds<R>> mtbf_per_gpu;
  std::optional<Saving<R>> saving;
  Seconds<R> restart{};
  Ratio<R> evaluation{};
};

// share: absent where failures come faster than work gets done.
template <class R>
struct Goodput {
  std::optional<Seconds<R>> mtbf, best_interval, interval, lost_per_failure;
  Ratio<R> checkpoint_share{}, failure_share{};
  std::optional<Ratio<R>> share;
};

// The interval that wastes least. Written beside training, a checkpoint must be done before the next
// one begins.
template <class R>
Seconds<R> best_interval(const Saving<R>& s, Seconds<R> mtbf) {
  auto stall = s.stall;
  auto M = mtbf;
  NAME(stall, M);
  return kBestInterval(sqrt(2 * stall * M));
}
template <class R>
Seconds<R> used_interval(const Saving<R>& s, Seconds<R> best) {
  auto t_best = best;
  auto t_write = s.write;
  NAME(t_best, t_write);
  return s.async ? kIntervalAsync(max(t_best, t_write)) : kInterval(t_best);
}

template <class R>
void add_saving(const Saving<R>& s, Goodput<R>& g) {
  if (g.mtbf) g.best_interval = best_interval(s, *g.mtbf);
  g.interval = s.interval ? *s.interval : used_interval(s, *g.best_interval);
  auto t = *g.interval;
  auto stall = s.stall;
  NAME(t, stall);
  g.checkpoint_share = kCheckpointShare(stall / (t + stall));
  if (!g.mtbf) return;
  auto since = (t + stall) / 2;
  NAME(since);
  g.lost_per_failure = s.async ? kLostBeforeWritten(since + s.write) : kLostPerFailure(since);
}

template <class R>
Goodput<R> goodput(const GoodputInputs<R>& x) {
  Goodput<R> g;
  if (x.mtbf_per_gpu) g.mtbf = kClusterMtbf(*x.mtbf_per_gpu / x.gpus);
  if (x.saving) add_saving(*x.saving, g);
  if (g.lost_per_failure) {
    auto t_lost = *g.lost_per_failure;
    auto M = *g.mtbf;
    NAME(t_lost, M);
    g.failure_share = kFailureShare((t_lost + x.restart) / M);
  }
  auto x_ckpt = g.checkpoint_share;
  auto x_fail = g.failure_share;
  NAME(x_ckpt, x_fail);
  if (x_fail < 1) g.share = kGoodput((1 - x_ckpt) * (1 - x_fail) * (1 - x.evaluation));
  return g;
}

}  // namespace reckon
