// The answer to goodput: the best interval between checkpoints, what is lost, what share trains.
#pragma once

#include "reckon/cost/goodput.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/spec/questions/goodput.hpp"

namespace reckon {

template <class R>
struct GoodputAnswer {
  Saving<R> saving;
  Goodput<R> goodput;
  std::optional<Seconds<R>> elapsed, gpu_time, lost_work;
  std::optional<Count<R>> failures;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
GoodputAnswer<R> answer(const GoodputQuestion<R>& question);

template <class R>
template <class V>
void GoodputAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoRun = "the question states no length: length: 54 days";
  constexpr const char* kNoGpus = "the question states no GPUs: gpus: 16384";
  constexpr const char* kStandsStill =
      "failures come faster than an interval and a restart take: no work gets done";
  const char* none = goodput.share ? kNoRun : kStandsStill;
  v(kCheckpointWrite, saving.write);
  v(kCheckpointStall, saving.stall);
  v(kClusterMtbf, *goodput.mtbf);
  v(kBestInterval, *goodput.best_interval);
  v(kInterval, *goodput.interval);
  v(kCheckpointShare, goodput.checkpoint_share);
  v(kLostPerFailure, *goodput.lost_per_failure);
  v(kFailureShare, goodput.failure_share);
  v(kGoodput, goodput.share, kStandsStill);
  v(kFailures, failures, none);
  v(kLostWork, lost_work, none);
  v(kElapsed, elapsed, none);
  v(kElapsedGpuTime, gpu_time, elapsed ? kNoGpus : none);
}

}  // namespace reckon
