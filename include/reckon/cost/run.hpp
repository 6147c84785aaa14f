// The whole run: steps, days, GPU-hours, energy, dollars.
#pragma once

#include "reckon/cost/goodput.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/step.hpp"

namespace reckon {

inline const Formula kSteps{"run.steps", "n_step", "optimizer steps of the run",
                            "tokens over tokens of a step, rounded up", Hint::kCount};
inline const Formula kRunTime{"run.days", "T_run_time", "length of the run", "steps · step time",
                              Hint::kDays};
inline const Formula kGpuTime{"run.gpu_hours", "T_gpu", "GPU-hours of the run", "GPUs · length",
                              Hint::kGpuHours};
inline const Formula kEnergy{"run.energy", "E", "energy of the run",
                             "GPU-hours · board power · mean draw · PUE"};
inline const Formula kCost{"run.cost", "cost", "cost of the run", "GPU-hours · price"};
inline const Formula kTokensPerSecond{"throughput.tokens_per_second", "tok/s",
                                      "tokens per second, all GPUs", "tokens of a step / step time",
                                      Hint::kTokenRate};
inline const Formula kTokensPerSecondGpu{"throughput.per_gpu", "tok/s/GPU",
                                         "tokens per second and GPU", "over all GPUs",
                                         Hint::kTokenRate};
inline const Formula kMfu{"mfu.share", "MFU", "share of the peak over the whole step",
                          "FLOPs of a step / (GPUs · peak · step time)", Hint::kFraction};
inline const MetricInfo kMfu6n{"mfu.6n", "MFU counting 6N", Hint::kFraction},
    kMfuFull{"mfu.full", "MFU counting full attention", Hint::kFraction},
    kMfuCausal{"mfu.causal", "MFU counting causal attention", Hint::kFraction},
    kMfuHfu{"mfu.hfu", "HFU: recomputed work counted too", Hint::kFraction};

// The run as failures leave it.
template <class R>
struct FailingRun {
  std::optional<Bytes<R>> checkpoint;
  std::optional<Saving<R>> saving;
  Goodput<R> goodput;
  std::optional<Seconds<R>> elapsed, gpu_time, lost_work;
  std::optional<Count<R>> failures;
  std::optional<Dollars<R>> cost;
};

template <class R>
struct RunEstimate {
  std::optional<Count<R>> steps;
  std::optional<Seconds<R>> length, gpu_time;
  std::optional<Joules<R>> energy;
  std::optional<Dollars<R>> cost;
  std::optional<FailingRun<R>> failing;
};

template <class R>
std::optional<Count<R>> run_steps(const TrainingPlan<R>& plan, const Layout<R>& x) {
  if (!plan.run.tokens) return {};
  auto T_step = x.tokens;
  NAME(T_step);
  return kSteps(ceil(*plan.run.tokens / T_step));
}

// Fills in what follows from the step time. Needs `steps`.
template <class R>
void estimate_run(const TrainingPlan<R>& plan, const Layout<R>& x, Seconds<R> step,
                  RunEstimate<R>& r) {
  if (!r.steps) return;
  auto T = step;
  NAME(T);
  auto length = kRunTime(*r.steps * T);
  auto gpu_time = kGpuTime(x.G * length);
  r.length = length;
  r.gpu_time = gpu_time;
  const auto& board = plan.cluster.node.chip.power;
  if (plan.run.power || board) {
    auto P_w = plan.run.power ? *plan.run.power : *board;
    NAME(P_w);
    r.energy = kEnergy(gpu_time * P_w * plan.assume.power * plan.assume.pue);
  }
  if (plan.run.price) r.cost = kCost(gpu_time * *plan.run.price);
}

// What a checkpoint holds: the weights that train, their master copy and optimizer states.
template <class R>
Bytes<R> checkpoint_bytes(const TrainingPlan<R>& plan, const std::vector<LayerShard<R>>& whole) {
  TrainingPlan<R> one = plan;
  one.mesh = {};
  const StageShard<R> all = stage_shard(one, whole, Stages<R>(one.model, 1), 0);
  const bool adapters = plan.trainable.adapters.has_value();
  const StateBytes<R> states =
      adapters ? adapter_optimizer_bytes(plan, all) : optimizer_bytes(plan, all);
  auto P = adapters ? all.adapters : all.dense + all.experts.full;
  auto w = plan.precision.weights.size;
  auto M_o = states.dense + states.experts;
  NAME(P, w, M_o);
  return kCheckpointBytes(w * P + M_o);
}

// A layer of each group on one rank that holds all of it.
template <class R>
std::vector<LayerShard<R>> whole_layers(const TrainingPlan<R>& plan) {
  std::vector<LayerShard<R>> out;
  if (plan.model.abstract()) return out;
  for (const LayerGroup<R>& g : plan.model.layers)
    out.push_back(layer_shard(plan.model, plan.trainable.adapters, g,
                              Degrees<R>{Count<R>{1}, Count<R>{1}, {}}));
  return out;
}

// What training waits: all of the writing, or each GPU's copy of its own states to the host. States
// that are offloaded are there already.
template <class R>
Seconds<R> checkpoint_stall(const TrainingPlan<R>& plan, const States<R>& held,
                            Seconds<R> t_write) {
  const Checkpoint<R>& c = *plan.run.checkpoint;
  if (c.stall) return *c.stall;
  if (!c.async) return kCheckpointStall(t_write);
  auto M_w = held.weights;
  auto M_o = held.optimizer;
  NAME(M_w, M_o);
  return kCheckpointCopy((M_w + M_o) /
                         (plan.cluster.node.chip.host->one_way * plan.assume.efficiency.host));
}

template <class R>
void add_checkpoint(const TrainingPlan<R>& plan, const States<R>& held, FailingRun<R>& f) {
  const Checkpoint<R>& c = *plan.run.checkpoint;
  f.checkpoint = checkpoint_bytes(plan, whole_layers(plan));
  auto S = *f.checkpoint;
  NAME(S);
  auto write = kCheckpointWrite(S / *c.write_bandwidth);
  f.saving = Saving<R>{checkpoint_stall(plan, held, write), write, c.interval, c.async};
}

// Whether the plan says anything of what comes between the steps.
template <class R>
bool states_failures(const Run<R>& run) {
  return run.mtbf_per_gpu || run.checkpoint || !(run.evaluation <= 0);
}

// The run as the plan says it fails, saves and evaluates; the length where the plan has one.
template <class R>
FailingRun<R> failing_run(const TrainingPlan<R>& plan, const Layout<R>& x, const States<R>& held,
                          const RunEstimate<R>& ideal) {
  FailingRun<R> f;
  if (plan.run.checkpoint) add_checkpoint(plan, held, f);
  f.goodput = goodput(GoodputInputs<R>{x.G, plan.run.mtbf_per_gpu, f.saving, plan.run.restart,
                                       plan.run.evaluation});
  if (!f.goodput.share || !ideal.length) return f;
  auto T_run = *ideal.length;
  auto share = *f.goodput.share;
  NAME(T_run, share);
  auto elapsed = kElapsed(T_run / share);
  f.elapsed = elapsed;
  f.gpu_time = kElapsedGpuTime(x.G * elapsed);
  if (f.goodput.mtbf) {
    auto failures = kFailures(elapsed / *f.goodput.mtbf);
    f.failures = failures;
    f.lost_work = kLostWork(failures * *f.goodput.lost_per_failure);
  }
  if (plan.run.price) f.cost = kElapsedCost(*f.gpu_time * *plan.run.price);
  return f;
}

template <class R>
std::optional<Ratio<R>> mfu(const TrainingPlan<R>& plan, const Layout<R>& x,
                            const std::optional<Flops<R>>& per_token, Seconds<R> step) {
  if (!per_token) return {};
  auto F = *per_token;
  auto T_step = x.tokens;
  auto P = peak(plan);
  auto G = x.G;
  auto T = step;
  NAME(F, T_step, P, G, T);
  return kMfu(F * T_step / (G * P * T));
}

}  // namespace reckon
