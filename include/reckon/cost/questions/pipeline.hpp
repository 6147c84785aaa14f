// The answer to a pipeline: bubble, slots, micro-batches in flight, activations of each stage.
//
//   PipelineAnswer<double> a = answer(question);
//   a.bubble.share; a.stages[0].in_flight
//
// A slot is one micro-batch's forward and backward pass on one stage. Where neither passes' times nor
// anything else sets stages or passes apart, a pass is the unit: forward, input and weight gradient
// take one each.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/bubble.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/layers.hpp"
#include "reckon/cost/schedule.hpp"
#include "reckon/cost/stage_activations.hpp"
#include "reckon/spec/questions/pipeline.hpp"

namespace reckon {

inline const Formula kSlots{"pipeline.slots", "slots", "slots of a step",
                            "one a micro-batch, and p − 1 to fill and drain", Hint::kCount};
inline const Formula kSlotsLost{"pipeline.slots_lost", "lost", "slots of it that are bubble",
                                "a stage waits for those before it, and for those after",
                                Hint::kCount};
inline const Formula kNeededForShare{"pipeline.needed_for_share", "n_need",
                                     "micro-batches that keep the bubble's share",
                                     "(p − 1)/(n + p − 1) ≤ x, solved for n", Hint::kCount};
inline const Formula kNeededForOverhead{"pipeline.needed_for_overhead", "n_need",
                                        "micro-batches that keep the bubble's overhead",
                                        "(p − 1)/n ≤ y, solved for n", Hint::kCount};
inline const Formula kStageKeeps{"pipeline.stage_activations", "M_i", "activations of a stage",
                                 "micro-batches in flight · what the stage keeps for one"};
inline const Formula kFullestStage{"pipeline.activations", "M_a",
                                   "activations of the stage that keeps most",
                                   "largest of the stages"};

inline const Formula kWorkPlayed{"pipeline.work", "T_work", "work of a stage, mean over the stages",
                                 "its passes of all micro-batches"};
inline const Formula kWorkJoined{"pipeline.work_joined", "T_work",
                                 "work of a stage, mean over the stages",
                                 "its passes, less what joining saves"};
inline const Formula kStepPlayed{"pipeline.time", "T", "time of a step's passes", "work + bubble"};

// More passes than this are not played out: closed forms only.
inline constexpr double kMostPlayed = 1e6;
// And where a closed form gives the time, more than this are not drawn.
inline constexpr double kMostDrawn = 1e4;

// Above so many stages only the first and last are listed.
inline constexpr int kListedStages = 64;

template <class R>
struct PipelineStage {
  int i;
  Count<R> in_flight;
  std::optional<Bytes<R>> activations;
  std::optional<Ratio<R>> waits;  // share of the elapsed time
};

// The schedule as it was played, for pictures.
struct PlayedPipeline {
  schedule::PipelineLayout layout;
  schedule::Order order;
  schedule::Played run;
  bool staggered = false;
};

template <class R>
struct PipelineAnswer {
  PipelineShape<R> shape;
  BubbleRatios<R> bubble;
  std::optional<Count<R>> slots, lost;
  std::optional<Seconds<R>> time, bubble_time;
  std::optional<PlayedPipeline> played;
  bool published = false;  // the bubble is a formula's, which playing it out agrees with
  std::optional<Count<R>> needed;
  std::vector<PipelineStage<R>> stages;
  std::optional<Bytes<R>> activations;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
PipelineAnswer<R> answer(const PipelineQuestion<R>& question);

template <class R>
template <class V>
void PipelineAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoActivations =
      "the question states no activations: activations: 2 GB (of one micro-batch), or model and "
      "sequence";
  v(kBubbleShare, bubble.share);
  v(kBubbleOverhead, bubble.overhead);
  constexpr const char* kNoSlots =
      "slots are of equal stages under 1f1b, gpipe and interleaved, without transfers";
  constexpr const char* kNoTimes = "the question states no times: forward: 10 ms, backward: 20 ms";
  v(kSlots, slots, kNoSlots);
  v(kSlotsLost, lost, kNoSlots);
  v(kStepPlayed, time, kNoTimes);
  v(MetricInfo{"pipeline.bubble_time", "what a stage waits in a step"}, bubble_time, kNoTimes);
  v(MetricInfo{"pipeline.micro_batches", "micro-batches of a step", Hint::kCount}, shape.n);
  v(MetricInfo{"pipeline.micro_batches_needed", "micro-batches for the target", Hint::kCount},
    needed, "the question states no target: target_share: 10%");
  v(MetricInfo{"memory.activations", "activations of the stage that keeps most"}, activations,
    kNoActivations);
  for (const PipelineStage<R>& s : stages) {
    const std::string id = "stage." + std::to_string(s.i), name = "stage " + std::to_string(s.i);
    v(MetricInfo{id + ".in_flight", name + ": micro-batches in flight", Hint::kCount}, s.in_flight);
    v(MetricInfo{id + ".activations", name + ": activations"}, s.activations, kNoActivations);
    if (s.waits)
      v(MetricInfo{id + ".waits", name + ": share of the time that it waits", Hint::kFraction},
        *s.waits);
  }
}

}  // namespace reckon
