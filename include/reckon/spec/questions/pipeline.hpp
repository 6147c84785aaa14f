// kind: pipeline. How much of a step is bubble, and what does each stage hold?
//
//   kind: pipeline
//   stages: 4
//   micro_batches: 8          # or target_share: 10 %, for as many as it takes
//   model: llama-3-8b         # with a sequence: activations of each stage
//   sequence: 8192
#pragma once

#include <optional>
#include <string>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/questions/layers.hpp"

namespace reckon {

template <class R>
struct PipelineQuestion {
  std::string name, comment;
  std::optional<Count<R>> stages, micro_batches;
  ScheduleKind schedule = ScheduleKind::k1f1b;
  std::optional<Ratio<R>> target_share, target_overhead;
  std::optional<Bytes<R>> activations;
  std::optional<Model<R>> model;
  Count<R> micro{1};
  OnLayers<R> on;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("stages", "p", "pipeline stages").required().degree(), s.stages...);
    v(Field("micro_batches", "n", "of a step; as many as a target needs if not stated").degree(),
      s.micro_batches...);
    v(Field("schedule", "", "1f1b | gpipe"), s.schedule...);
    v(Field("target_share", "x", "most bubble as a share of elapsed time")
          .hint(Hint::kFraction)
          .limit(Limit::kEfficiency),
      s.target_share...);
    v(Field("target_overhead", "y", "most bubble over the ideal time")
          .hint(Hint::kFraction)
          .limit(Limit::kPositive),
      s.target_overhead...);
    v(Field("activations", "M_mb", "what a stage keeps for one micro-batch")
          .limit(Limit::kPositive),
      s.activations...);
    v(Field("model", "", "in place of that: its layers, spread over the stages").by_name(),
      s.model...);
    v(Field("micro", "b", "sequences of one micro-batch").degree(), s.micro...);
    OnLayers<R>::fields(v, s.on...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
