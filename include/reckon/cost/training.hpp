// The estimate of a training plan: memory, step time, throughput, run.
//
//   TrainingEstimate<double> e = estimate(plan);            // fast
//   e.memory.total, e.step->time                            // or by id, all of them:
//   e.metrics([](const MetricInfo& m, auto value) { … });
//
// Compiled for double, Dual and Traced in training.cpp. The plan must be legal (engine/legal.hpp):
// degrees divide, the chip has the peak. Times are absent if the plan states no efficiency,
// activations if the model has no dimensions.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/offload.hpp"
#include "reckon/cost/operators/parts.hpp"
#include "reckon/cost/run.hpp"
#include "reckon/cost/run_batch.hpp"

namespace reckon {

// Over the capacity by less than such totals are wrong by, a plan may not fit; by more it does not.
enum class Verdict { kFits, kTight, kMayNotFit, kDoesNotFit, kHostDoesNotFit, kUnknown };
constexpr auto names(Verdict) {
  return std::array{"fits",   "tight", "may not fit", "does not fit", "does not fit the host",
                    "unknown"};
}

constexpr bool fits(Verdict v) {
  return v != Verdict::kMayNotFit && v != Verdict::kDoesNotFit && v != Verdict::kHostDoesNotFit;
}

inline const MetricInfo kVerdict{"memory.verdict", "verdict"},
    kBound{"step.bound", "what the step spends most time on"},
    kFits{"fits", "whether the plan fits", Hint::kYesNo};
inline const MetricInfo kInFlightMetric{"pipeline.in_flight", "micro-batches in flight",
                                        Hint::kRatio};

template <class R>
struct TrainingEstimate {
  Parameters<R> parameters;
  Layout<R> layout;
  TokenFlops<R> flops;
  StageMemory<R> memory;
  Bytes<R> capacity, headroom, shortfall, after_states;
  std::optional<Bytes<R>> host_capacity;  // of one GPU
  std::optional<HostCopies<R>> host;  // beside the optimizer's, where something else is offloaded
  Bytes<R> host_node{};
  Count<R> gpu_parameters;
  Bytes<R> per_param, per_param_gpu, optimizer_per_param;  // bytes of one parameter
  Ratio<R> optimizer_over_weights;
  Communication<R> communication;
  Count<R> data_count;
  Bytes<R> comm_bytes;
  Seconds<R> data_time, comm_time;
  BubbleRatios<R> bubble;
  std::optional<Flops<R>> step_flops;
  std::optional<StepTime<R>> step;
  std::optional<OperatorStep<R>> operators;  // where a software stack gives the time
  std::optional<Ratio<R>> over_compute;
  std::optional<Frequency<R>> tokens_per_second, tokens_per_second_gpu;
  std::optional<Ratio<R>> mfu_6n, mfu_full, mfu_causal, mfu_hfu;
  RunEstimate<R> run;
  RunBatch<R> batch;
  Count<R> nodes;
  Verdict verdict = Verdict::kUnknown;
  std::string_view bound;

  // v(info, quantity), v(info, optional quantity, why it is absent), v(info, text): in order of the
  // report.
  template <class V>
  void metrics(V&& v) const;
};

// Defined in training.cpp for double, Dual and Traced.
template <class R>
TrainingEstimate<R> estimate(const TrainingPlan<R>& plan);

template <class R>
struct OperatorLayers;  // operators/step.hpp

// What estimates of plans of one model have in common. A search computes each once for all plans that agree in what it
// follows from, and gets the same bits, since these are the estimate's own parts.
template <class R>
struct SharedParts {
  const Parameters<R>& parameters;          // model
  const TokenFlops<R>& flops;               // model, sequence, recompute
  const Stages<R>& stages;                  // model, pipeline, schedule
  const LayerParts<R>& layers;              // what LayerParts says
  const OperatorLayers<R>* operators = {};  // the same, with a software stack
};
template <class R>
Count<R> adapter_parameters(const TrainingPlan<R>& plan);  // of the whole model

// An estimate in three steps, so that a plan that doesn't fit costs no more than finding that out; each needs the one
// before: layout, memory and verdict; the time of a step; all else.
template <class R>
void estimate_memory(const TrainingPlan<R>&, const SharedParts<R>&, TrainingEstimate<R>&);
template <class R>
void estimate_step(const TrainingPlan<R>&, const SharedParts<R>&, TrainingEstimate<R>&);
template <class R>
void estimate_rest(const TrainingPlan<R>&, const SharedParts<R>&, TrainingEstimate<R>&);

namespace detail {

inline constexpr const char* kNoMfu =
    "the plan states no efficiency: assume: {train.mfu: 40%}, or stack: NAME";
inline constexpr const char* kNoTokens = "the plan states no length: run: {tokens: 1.4T}";
inline constexpr const char* kNoShape =
    "needs the model's layers and hidden width and batch.sequence";
inline constexpr const char* kNoLayers = "needs the model's layers and hidden width";
inline constexpr const char* kNoHostMemory =
    "the node states no host memory: node: {host_memory: 2 TB}";
inline constexpr const char* kNoProgress =
    "failures come faster than an interval and a restart take: no work gets done";
inline constexpr const char* kNoFailures =
    "the plan states no failure rate: run: {mtbf_per_gpu: 50000 h}";
inline constexpr const char* kNoCheckpoint =
    "the plan states no checkpoints: run: {checkpoint: {write_bandwidth: 100 GB/s}}";
inline constexpr const char* kNoPrice = "add price: to get dollars";
inline constexpr const char* kNoPower = "the chip states no power: run: {power: 700 W}";

struct OperationNames {
  MetricInfo ranks, in_node, bytes, time, count, step_bytes, step_time, exposed, exposed_share;
};
inline const OperationNames kOperationNames[] = {
#define RECKON_OPERATION(id, what)                                                          \
  {                                                                                         \
    {"comm." id ".ranks", what ": ranks of a group", Hint::kCount},                         \
        {"comm." id ".in_node", what ": ranks of a group in a node", Hint::kCount},         \
        {"comm." id ".bytes", what ": bytes a GPU sends in one"},                           \
        {"comm." id ".time", what ": time of one"},                                         \
        {"comm." id ".count", what ": number in a step", Hint::kCount},                     \
        {"comm." id ".step_bytes", what ": bytes a GPU sends in a step"},                   \
        {"comm." id ".step_time", what ": time in a step"},                                 \
        {"comm." id ".exposed", what ": left exposed in a step"}, {                         \
      "comm." id ".exposed_share", what ": share of its time left exposed", Hint::kFraction \
    }                                                                                       \
  }
    RECKON_OPERATION("all_gather", "all-gather of weights"),
    RECKON_OPERATION("reduce_scatter", "reduce-scatter of gradients"),
    RECKON_OPERATION("all_reduce", "all-reduce of gradients"),
    RECKON_OPERATION("replicas", "all-reduce between replicas"),
    RECKON_OPERATION("tensor", "tensor parallel all-reduce"),
    RECKON_OPERATION("context", "context parallel hop"),
    RECKON_OPERATION("expert", "expert all-to-all"),
    RECKON_OPERATION("pipeline", "pipeline transfer"),
#undef RECKON_OPERATION
};

template <class R, class V>
void operation_metrics(const OperationNames& n, const Operation<R>& op, bool has_exposed, V&& v) {
  if (!op.any()) return;
  v(n.ranks, op.group.q);
  v(n.in_node, op.group.r);
  v(n.bytes, op.one.bytes);
  v(n.time, op.one.time);
  v(n.count, op.count);
  v(n.step_bytes, op.bytes);
  v(n.step_time, op.time);
  if (!has_exposed) return;
  v(n.exposed, op.exposed);
  if (!(op.time <= Seconds<R>{})) v(n.exposed_share, op.exposed / op.time);
}

template <class R, class V>
void failing_metrics(const FailingRun<R>& f, const char* no_run, V&& v) {
  const Goodput<R>& g = f.goodput;
  const auto of_saving = [&f](auto part) {
    using T = decltype(part(*f.saving));
    return f.saving ? std::optional<T>(part(*f.saving)) : std::nullopt;
  };
  v(kCheckpointBytes, f.checkpoint, kNoCheckpoint);
  v(kCheckpointWrite, of_saving([](const Saving<R>& s) { return s.write; }), kNoCheckpoint);
  v(kCheckpointStall, of_saving([](const Saving<R>& s) { return s.stall; }), kNoCheckpoint);
  v(kInterval, g.interval, kNoCheckpoint);
  v(kCheckpointShare, g.checkpoint_share);
  v(kClusterMtbf, g.mtbf, kNoFailures);
  v(kBestInterval, g.best_interval, kNoFailures);
  v(kLostPerFailure, g.lost_per_failure, kNoFailures);
  v(kFailureShare, g.failure_share);
  v(kGoodput, g.share, kNoProgress);
  const char* none = g.share ? no_run : kNoProgress;
  const char* never = g.mtbf ? none : kNoFailures;
  v(kFailures, f.failures, never);
  v(kLostWork, f.lost_work, never);
  v(kElapsed, f.elapsed, none);
  v(kElapsedGpuTime, f.gpu_time, none);
  v(kElapsedCost, f.cost, f.elapsed ? kNoPrice : none);
}

template <class R, class V>
void host_metrics(const TrainingEstimate<R>& e, V&& v) {
  const StatesOnHost<R>& s = e.memory.states.host;
  v(MetricInfo{"memory.host.optimizer", "optimizer states in the host's memory"}, s.optimizer);
  v(MetricInfo{"memory.host.weights", "weights in the host's memory"}, s.weights);
  v(MetricInfo{"memory.host.gradients", "gradients in the host's memory"}, s.gradients);
  v(kHostActivations, e.memory.host_activations);
  v(kHostCapacity, e.host_capacity, kNoHostMemory);
  v(kHostNode, e.host_node);
  if (!e.host) return;
  v(MetricInfo{"host.step_down", "bytes that a GPU sends to the host in a step"}, e.host->down);
  v(MetricInfo{"host.step_up", "bytes that a GPU fetches from the host in a step"}, e.host->up);
  v(kHostTime, e.host->time);
}

template <class R, class V>
void batch_metrics(const RunBatch<R>& b, V&& v) {
  const auto part = [&b](auto member) {
    return b.cost ? std::optional<Ratio<R>>((*b.cost).*member) : std::nullopt;
  };
  using C = BatchCost<R>;
  v(MetricInfo{"batch.target_loss", "loss that the run is to reach", Hint::kRatio}, b.loss,
    b.reason);
  v(MetricInfo{"batch.critical", "critical batch, in tokens", Hint::kTokens}, b.critical, b.reason);
  v(MetricInfo{"batch.over_critical", "tokens of a step over the critical batch", Hint::kRatio},
    part(&C::over), b.reason);
  v(MetricInfo{"batch.steps", "steps over the fewest possible", Hint::kRatio}, part(&C::steps),
    b.reason);
  v(MetricInfo{"batch.compute", "compute over the least possible", Hint::kRatio}, part(&C::compute),
    b.reason);
  v(MetricInfo{"batch.doubled.steps", "steps of twice the batch over steps of this one",
               Hint::kRatio},
    part(&C::doubled_steps), b.reason);
  v(MetricInfo{"batch.doubled.compute", "compute of twice the batch over that of this one",
               Hint::kRatio},
    part(&C::doubled_compute), b.reason);
  v(MetricInfo{"batch.largest_data", "most data ranks that stay below the critical batch",
               Hint::kCount},
    b.largest_data, b.reason);
  if (!b.critical) return;
  v(MetricInfo{"batch.confidence", "how sure the critical batch is"}, b.confidence);
  v(MetricInfo{"batch.law", "the law of the critical batch"}, b.law);
  v(MetricInfo{"batch.loss_law", "the law of the loss that the run is to reach"}, b.loss_law);
}

}  // namespace detail

template <class R>
template <class V>
void TrainingEstimate<R>::metrics(V&& v) const {
  using namespace detail;
  v(kTotalParameters, parameters.total);
  v(kActiveParameters, parameters.active);
  v(kMatmulParameters, parameters.matmul);
  v(kRankTotal, gpu_parameters);
  v(kGpus, layout.G);
  v(MetricInfo{"cluster.nodes", "nodes of the plan", Hint::kCount}, nodes);
  v(kDataDegree, layout.D);
  v(kMicroBatches, layout.n);
  v(kTokensPerStep, layout.tokens);
  v(kMicroTokens, layout.T);

  v(kWeights, memory.states.weights);
  for (const ClassWeights<R>& c : memory.states.classes) v(kClassWeights[c.at], c.bytes);
  v(kGradients, memory.states.gradients);
  v(kOptimizer, memory.states.optimizer);
  v(kStates, memory.state_total);
  v(kActivations, memory.activations, kNoLayers);
  v(kLogits, memory.logits);
  v(kBuffers, memory.buffers);
  v(kReserve, memory.reserve);
  v(kMemoryTotal, memory.total);
  v(kCapacity, capacity);
  v(kHeadroom, headroom);
  v(kShortfall, shortfall);
  v(kVerdict, std::string_view(name_of(verdict)));
  v(kFits, fits(verdict), verdict == Verdict::kUnknown ? kNoLayers : nullptr);
  v(kAfterStates, after_states);
  v(kStatesWhole, memory.states.whole);
  v(kWeightsWhole, memory.states.whole_weights);
  v(kBytesPerParameter, per_param);
  v(kBytesPerParameterGpu, per_param_gpu);
  v(kOptimizerPerParameter, optimizer_per_param);
  v(kOptimizerOverWeights, optimizer_over_weights);
  v(kHostMemory, memory.host);
  if (!(memory.host <= Bytes<R>{})) host_metrics(*this, v);

  v(MetricInfo{"flops.per_token.6n", "FLOPs of a token, 6N", Hint::kPerToken}, flops.six_n);
  v(kFlopsFull, flops.full, kNoShape);
  v(kFlopsCausal, flops.causal, kNoShape);
  v(kFlopsHfu, flops.hfu, kNoShape);

  v(kInFlightMetric, memory.in_flight);
  const Communication<R>& c = communication;
  const Operation<R>* operations[] = {&c.all_gather, &c.reduce_scatter, &c.all_reduce, &c.replicas,
                                      &c.tensor,     &c.context,        &c.expert,     &c.pipeline};
  for (std::size_t i = 0; i < 8; ++i)
    operation_metrics(kOperationNames[i], *operations[i], i >= 4 && step.has_value(), v);
  v(kDataCount, data_count);
  v(kDataTime, data_time);
  v(kCommunicationBytes, comm_bytes);
  v(kCommunicationTotal, comm_time);
  const auto of_step = [this](auto part) {
    using T = decltype(part(*step));
    return step ? std::optional<T>(part(*step)) : std::nullopt;
  };
  using Step = const StepTime<R>&;
  v(kOverCompute, over_compute, kNoMfu);
  v(kDataExposed, of_step([](Step s) { return s.data_exposed; }), kNoMfu);
  v(kFlopsPerStep, step_flops, kNoShape);
  v(kCompute, of_step([](Step s) { return s.compute.useful; }), kNoMfu);
  v(kRecomputeTime, of_step([](Step s) { return s.compute.recompute; }), kNoMfu);
  v(kBubbleShare, bubble.share);
  v(kBubbleOverhead, bubble.overhead);
  v(kImbalance, of_step([](Step s) { return s.pipeline.imbalance; }), kNoMfu);
  v(kBubble, of_step([](Step s) { return s.pipeline.bubble; }), kNoMfu);
  v(kExposedTotal, of_step([](Step s) { return s.exposed; }), kNoMfu);
  v(kOptimizerTime, of_step([](Step s) { return s.optimizer; }), kNoMfu);
  if (host) v(kHostStep, host->exposed);
  if (operators) operator_metrics(*operators, v);
  v(kStepTime, of_step([](Step s) { return s.time; }), kNoMfu);
  if (step) v(kBound, bound);
  v(kTokensPerSecond, tokens_per_second, kNoMfu);
  v(kTokensPerSecondGpu, tokens_per_second_gpu, kNoMfu);
  v(kMfu6n, mfu_6n, kNoMfu);
  v(kMfuFull, mfu_full, step ? kNoShape : kNoMfu);
  v(kMfuCausal, mfu_causal, step ? kNoShape : kNoMfu);
  v(kMfuHfu, mfu_hfu, step ? kNoShape : kNoMfu);

  const char* no_run = step ? kNoTokens : kNoMfu;
  v(kSteps, run.steps, kNoTokens);
  v(kRunTime, run.length, no_run);
  v(kGpuTime, run.gpu_time, no_run);
  v(kEnergy, run.energy, run.length ? kNoPower : no_run);
  v(kCost, run.cost, run.length ? kNoPrice : no_run);
  if (run.failing) failing_metrics(*run.failing, run.length ? nullptr : no_run, v);
  batch_metrics(batch, v);
}

}  // namespace reckon
