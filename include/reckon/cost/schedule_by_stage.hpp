// The pipeline of a plan stage by stage: how long its passes take, how much of the step it waits, and which passes and
// transfers decide the step.
//
//   ScheduleByStage<double> s = schedule_by_stage(plan, estimate(plan));
//   s.stages[3].passes.F, s.stages[3].waits, s.path.sends
//
// Apart from the estimate, like memory by stage: whatever gives the step its bubble, this plays the schedule out.
// With a software stack the passes are those of the operators. Transfers are played where the step's were.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/memory_by_stage.hpp"
#include "reckon/cost/operators/step.hpp"
#include "reckon/cost/training.hpp"

namespace reckon {

// More passes than this are not played for a list.
inline constexpr double kMostListedPlay = 5e4;

template <class R>
struct StageSchedule {
  StagePasses<kSecond, R> passes;  // of a micro-batch, all pieces of the stage
  Ratio<R> waits;                  // share of the step's passes that it does nothing
};

template <class R>
struct ScheduleByStage {
  std::vector<StageSchedule<R>> stages;
  schedule::PathCounts path;
  std::optional<Seconds<R>> time;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ScheduleByStage<R> schedule_by_stage(const TrainingPlan<R>& plan, const TrainingEstimate<R>& e) {
  ScheduleByStage<R> out;
  const int p = whole(plan.mesh.pipeline);
  if (p <= 1 || p > kListedMemoryStages || !e.step || plan.model.abstract()) return out;
  const Stages<R> stages(plan.model, cut_of(plan));
  schedule::PipelineLayout layout = stages.cut().layout();
  layout.micro_batches = whole(e.layout.n);
  if (3.0 * layout.ranks * layout.held() * layout.micro_batches_of_copy() > kMostListedPlay)
    return out;
  const Seconds<R> exposed = e.communication.tensor.exposed + e.communication.context.exposed +
                             e.communication.expert.exposed;
  // As the step was priced: equal stages, or stages as they are.
  std::vector<StagePasses<kSecond, R>> pieces;
  const Operation<R>& hop = e.communication.pipeline;
  Seconds<R> send =
      hop.any() ? exposed_hop(hop.one.time, plan.assume.overlap.pipeline) : Seconds<R>{};
  if (plan.stack) {
    PlayedOperators<R> of = played_operators(plan, e.layout, stages);
    pieces = std::move(of.pieces);
    send = of.send;
  } else if (uneven_stages(plan)) {
    pieces = piece_passes(plan, e.layout, stages, e.step->compute, exposed);
  } else {
    const auto mean = mean_passes(plan, e.layout, e.step->compute, exposed);
    auto v = chunks_of(plan.schedule);
    NAME(v);
    pieces.push_back({mean.F / v, mean.B / v, mean.W / v});
  }
  const bool staggered = staggers_steps(layout.kind);
  if (!plays_out(plan)) send = Seconds<R>{};
  schedule::Played run;
  out.time = played_time<kSecond, R>(
      layout, pieces, {.send = send, .blocking = true, .staggered = staggered}, &run);
  out.path = staggered ? run.cycle_path : run.time_path;
  for (int i = 0; i < p; ++i) {
    Sum<kSecond, R> F, B, W;
    for (int c = 0; c < layout.held(); ++c) {
      const auto& t = pieces[pieces.size() == 1 ? 0 : static_cast<std::size_t>(layout.piece(i, c))];
      F.add({"piece", c}, t.F);
      B.add({"piece", c}, t.B);
      W.add({"piece", c}, t.W);
    }
    const auto rank = static_cast<std::size_t>(i);
    const double waits = 1 - run.busy[rank] / run.period(staggered);
    out.stages.push_back({{F.total(), B.total(), W.total()}, Ratio<R>(R(waits))});
  }
  return out;
}

template <class R>
template <class V>
void ScheduleByStage<R>::metrics(V&& v) const {
  if (!time) return;
  const auto all = detail::all_pieces(path);
  const auto count = [&](const char* id, const char* title, int n) {
    v(MetricInfo{std::string("pipeline.path.") + id, title, Hint::kCount}, structural<R>(id, n));
  };
  v(MetricInfo{"pipeline.path.time", "passes and transfers on the path that decides the step"},
    *time);
  count("forward", "forward passes on the path that decides the step",
        all.forward + all.paired_forward);
  count("backward", "backward passes on it", all.backward + all.paired_backward);
  count("weights", "weight passes on it", all.weight);
  count("transfers", "transfers on it", path.sends);
  int i = 0;
  for (const StageSchedule<R>& s : stages) {
    const std::string id = "pipeline.stage." + std::to_string(i) + ".",
                      name = "stage " + std::to_string(i++) + ": ";
    v(MetricInfo{id + "forward", name + "forward pass of a micro-batch"}, s.passes.F);
    v(MetricInfo{id + "backward", name + "gradient of the inputs"}, s.passes.B);
    v(MetricInfo{id + "weights", name + "gradient of the weights"}, s.passes.W);
    v(MetricInfo{id + "waits", name + "share of the passes' time that it waits", Hint::kFraction},
      s.waits);
  }
}

}  // namespace reckon
