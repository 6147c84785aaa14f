// kind: goodput. How often to save a run that fails, and what share of its time trains?
//
//   kind: goodput
//   gpus: 16384
//   mtbf_per_gpu: 50000 h
//   checkpoint: 5.67 TB           # with write_bandwidth; or stall: 30 s
//   write_bandwidth: 200 GB/s
//   restart: 10 min
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"

namespace reckon {

template <class R>
struct GoodputQuestion {
  std::string name, comment;
  std::optional<Count<R>> gpus;
  std::optional<Seconds<R>> mtbf_per_gpu, mtbf, stall, interval, length;
  std::optional<Bytes<R>> checkpoint;
  std::optional<ByteRate<R>> write_bandwidth;
  bool async = false;
  Seconds<R> restart{};
  Ratio<R> evaluation{};
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("gpus", "G", "GPUs of the run").degree(), s.gpus...);
    v(Field("mtbf_per_gpu", "M_gpu", "mean time between failures of one GPU and what belongs to it")
          .limit(Limit::kPositive),
      s.mtbf_per_gpu...);
    v(Field("mtbf", "M", "in place of that: of the whole cluster").limit(Limit::kPositive),
      s.mtbf...);
    v(Field("checkpoint", "S_ckpt", "bytes that are saved").limit(Limit::kPositive),
      s.checkpoint...);
    v(Field("write_bandwidth", "W_ckpt", "of the storage, all GPUs together")
          .limit(Limit::kPositive),
      s.write_bandwidth...);
    v(Field("stall", "t_stall", "that training waits for a checkpoint; if not stated, the writing")
          .limit(Limit::kPositive),
      s.stall...);
    v(Field("async", "", "written beside training, which waits for the stall alone"), s.async...);
    v(Field("interval", "t_int", "training time between two; the best one if not stated")
          .limit(Limit::kPositive),
      s.interval...);
    v(Field("restart", "t_restart", "from a failure until training goes on"), s.restart...);
    v(Field("evaluation", "x_eval", "share of the elapsed time that evaluation takes").share(),
      s.evaluation...);
    v(Field("length", "T_run", "of the run if nothing failed")
          .hint(Hint::kDays)
          .limit(Limit::kPositive),
      s.length...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
