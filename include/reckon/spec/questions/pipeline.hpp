// kind: pipeline. How much of a step is bubble, and what does each stage hold?
//
//   kind: pipeline
//   stages: 4
//   micro_batches: 8          # or target_share: 10 %, for as many as it takes
//   model: llama-3-8b         # with a sequence: activations of each stage
//   sequence: 8192
//
// Passes of unequal length, transfers, stages of unequal work:
//
//   schedule: zb-h1
//   forward: 10 ms            # of a micro-batch on a stage
//   backward: 11 ms           # the gradient of the inputs
//   weight_gradient: 9 ms
//   send: 200 us              # from stage to stage
//   load: [1, 1, 1, 1.2]      # each stage's work over that
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/assume.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/questions/layers.hpp"

namespace reckon {

template <class R>
struct PipelineQuestion {
  std::string name, comment;
  std::optional<Count<R>> stages, micro_batches;
  ScheduleKind schedule = ScheduleKind::k1f1b;
  std::optional<Count<R>> chunks;
  std::optional<Seconds<R>> forward, backward, weight_gradient, joined, send;
  bool blocking = false, synchronous = false;
  std::vector<Ratio<R>> load, repeated;
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
    v(Field("schedule", "",
            "1f1b | gpipe | interleaved | breadth-first | zb-h1 | zb-h2 | zb-v | dualpipe | "
            "dualpipe-v"),
      s.schedule...);
    v(Field("chunks", "v", "model chunks of a stage (interleaved, breadth-first)").degree(),
      s.chunks...);
    v(Field("forward", "F", "forward pass of a micro-batch on a stage").limit(Limit::kPositive),
      s.forward...);
    v(Field("backward", "B",
            "its backward pass; with weight_gradient, the gradient of the inputs alone")
          .limit(Limit::kPositive),
      s.backward...);
    v(Field("weight_gradient", "W", "the gradient of the weights").limit(Limit::kPositive),
      s.weight_gradient...);
    v(Field("joined", "FB", "a forward and a backward pass run as one (DualPipe)")
          .limit(Limit::kPositive),
      s.joined...);
    v(Field("send", "t_send", "a transfer from stage to stage").limit(Limit::kPositive), s.send...);
    v(Field("blocking", "", "a stage that sends does nothing else"), s.blocking...);
    v(Field("synchronous", "",
            "stages wait for each other at the end of a step, with zb-h2 and zb-v too"),
      s.synchronous...);
    v(Field("load", "l", "work of each stage over what is stated").limit(Limit::kPositive),
      s.load...);
    v(Field(
          "repeated", "r",
          "share of the forward pass that the backward pass repeats: of each stage, or one of all")
          .share(),
      s.repeated...);
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
