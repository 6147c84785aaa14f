// The estimate of a training plan, composed: memory, communication, step, run.
#include "reckon/cost/training.hpp"

#include "reckon/cost/operators/retime.hpp"
#include "reckon/cost/operators/step.hpp"

namespace reckon {
namespace {

template <class R>
void judge_memory(const TrainingPlan<R>& plan, TrainingEstimate<R>& e) {
  e.capacity = capacity(plan);
  auto M = e.memory.total;
  auto C = e.capacity;
  auto M_states = e.memory.state_total;
  NAME(M, C, M_states);
  e.headroom = kHeadroom(C - M);
  e.shortfall = kShortfall(max(Bytes<R>{}, M - C));
  e.after_states = kAfterStates(C - M_states);
  if (!(Bytes<R>{} <= e.headroom)) {  // NaN does not fit either
    e.verdict = Verdict::kDoesNotFit;
    if (M - C <= plan.memory.error * C) e.verdict = Verdict::kMayNotFit;
  } else if (!e.memory.activations) {
    e.verdict = Verdict::kUnknown;
  } else {
    e.verdict = e.headroom < plan.memory.tight * C ? Verdict::kTight : Verdict::kFits;
  }
}

// Offloaded states need room in the node's memory.
template <class R>
void judge_host(const TrainingPlan<R>& plan, TrainingEstimate<R>& e) {
  const auto& node = plan.cluster.node;
  if (!offloads(plan)) return;
  auto M_host = e.memory.host;
  auto N_node = node.gpus;
  NAME(M_host, N_node);
  e.host_node = kHostNode(N_node * M_host);
  if (!node.host_memory) return;
  e.host_capacity = kHostCapacity(*node.host_memory / node.gpus);
  if (fits(e.verdict) && *e.host_capacity < e.memory.host) e.verdict = Verdict::kHostDoesNotFit;
}

template <class R>
void per_parameter(TrainingEstimate<R>& e) {
  const States<R>& s = e.memory.states;
  auto P_gpu = e.gpu_parameters;
  auto M_0 = s.whole;
  auto M_o = s.whole_optimizer;
  auto M_w = s.whole_weights;
  auto M_states = e.memory.state_total;
  NAME(P_gpu, M_0, M_o, M_w, M_states);
  e.per_param = kBytesPerParameter(M_0 / P_gpu);
  e.per_param_gpu = kBytesPerParameterGpu(M_states / P_gpu);
  e.optimizer_per_param = kOptimizerPerParameter(M_o / P_gpu);
  e.optimizer_over_weights = kOptimizerOverWeights(M_o / M_w);
}

template <class R>
void add_up(TrainingEstimate<R>& e) {
  const Communication<R>& c = e.communication;
  Sum<kOne, R> count;
  Sum<kSecond, R> data, all;
  Sum<kByte, R> bytes;
  const auto add = [&](const char* name, const Operation<R>& op, bool data_parallel) {
    if (data_parallel) {
      count.add(name, op.count);
      data.add(name, op.time);
    } else {
      all.add(name, op.time);
    }
    bytes.add(name, op.bytes);
  };
  add("all-gather", c.all_gather, true);
  add("reduce-scatter", c.reduce_scatter, true);
  add("all-reduce", c.all_reduce, true);
  add("replicas", c.replicas, true);
  e.data_count = kDataCount(count.total());
  e.data_time = kDataTime(data.total());
  all.add("data", e.data_time);
  add("tensor", c.tensor, false);
  add("context", c.context, false);
  add("expert", c.expert, false);
  add("pipeline", c.pipeline, false);
  e.comm_time = kCommunicationTotal(all.total());
  e.comm_bytes = kCommunicationBytes(bytes.total());
}

template <class R>
std::string_view longest_part(const TrainingEstimate<R>& e) {
  const StepTime<R>& s = *e.step;
  const Communication<R>& c = e.communication;
  const std::pair<std::string_view, Seconds<R>> parts[] = {
      {"compute", s.compute.total()},
      {"pipeline bubble", s.pipeline.bubble + s.pipeline.imbalance},
      {"data-parallel communication", s.data_exposed},
      {"tensor-parallel communication", c.tensor.exposed},
      {"context-parallel communication", c.context.exposed},
      {"expert-parallel communication", c.expert.exposed},
      {"pipeline transfers", c.pipeline.exposed},
      {"copies to the host", s.host},
      {"optimizer", s.optimizer}};
  const auto* longest = &parts[0];
  for (const auto& part : parts) {
    if (longest->second < part.second) longest = &part;
  }
  return longest->first;
}

// The kernels of a software stack in place of an assumed MFU.
template <class R>
StepTime<R> stack_step(const OperatorStep<R>& o) {
  StepTime<R> s;
  s.compute = o.compute;
  s.pipeline = o.pipeline;
  s.optimizer = o.optimizer;
  s.data_exposed = o.data;
  Sum<kSecond, R> exposed;
  exposed.add("tensor", o.tensor).add("context", o.context).add("expert", o.expert);
  exposed.add("pipeline", o.p2p).add("data", o.data);
  s.exposed = kExposedTotal(exposed.total());
  s.time = o.time;
  return s;
}

// With a stack no time of the step follows from the list of communication: it is there to be read.
template <class R>
void list_communication(const TrainingPlan<R>& plan, const SharedParts<R>& parts,
                        TrainingEstimate<R>& e) {
  const CommunicationInputs<R> sent{plan, e.layout, e.memory.shard, links(plan)};
  e.communication = communication(sent);
  if (!plan.stack) return;
  Communication<R>& c = e.communication;
  retime(sent, c, parts.operators->known);
  if (!e.operators) return;
  c.tensor.exposed = e.operators->tensor;
  c.context.exposed = e.operators->context;
  c.expert.exposed = e.operators->expert;
  c.pipeline.exposed = e.operators->p2p;
}

// What the layers' own communication leaves exposed: the pipeline waits for it.
template <class R>
Seconds<R> layer_exposed(const Communication<R>& c) {
  return c.tensor.exposed + c.context.exposed + c.expert.exposed;
}

// The bubble without an efficiency: passes as long as their FLOPs.
template <class R>
BubbleRatios<R> bubble_without_times(const TrainingPlan<R>& plan, const TrainingEstimate<R>& e) {
  const PipelineShape<R> shape = pipeline_shape(plan, e.layout);
  if (shape.p <= 1) return {};
  const Ratio<R> one{1}, none{};  // frozen weights have no gradient
  const StagePasses<kOne, R> passes{one, one, plan.trainable.adapters ? none : one};
  return ratios_of(bubble(shape, passes), shape.n * (passes.F + passes.B + passes.W));
}

// What follows from the step's time.
template <class R>
void rates(const TrainingPlan<R>& plan, TrainingEstimate<R>& e) {
  if (!e.step) return;
  e.bound = longest_part(e);
  if ((!counts_slots(plan.schedule.kind) || plan.schedule.played) && !(plan.mesh.pipeline <= 1))
    e.bubble = ratios_of(e.step->pipeline.bubble,
                         e.step->compute.total() + layer_exposed(e.communication));
  auto T = e.step->time;
  auto T_compute = e.step->compute.useful;
  auto T_comm = e.comm_time;
  auto T_step = e.layout.tokens;
  NAME(T, T_compute, T_comm, T_step);
  e.over_compute = kOverCompute(T_comm / T_compute);
  auto rate = kTokensPerSecond(T_step / T);
  e.tokens_per_second = rate;
  e.tokens_per_second_gpu = kTokensPerSecondGpu(rate / e.layout.G);
  e.mfu_6n = mfu(plan, e.layout, std::optional(e.flops.six_n), T);
  e.mfu_full = mfu(plan, e.layout, e.flops.full, T);
  e.mfu_causal = mfu(plan, e.layout, e.flops.causal, T);
  e.mfu_hfu = mfu(plan, e.layout, e.flops.hfu, T);
  estimate_run(plan, e.layout, T, e.run);
}

// Copies to the host that no compute hides come on top of either model's step.
template <class R>
void add_host(const TrainingPlan<R>& plan, TrainingEstimate<R>& e) {
  if (!e.step || !copies_to_host(plan)) return;
  StepTime<R>& s = *e.step;
  e.host = host_copies(plan, e.layout, e.memory, s.compute);
  s.host = e.host->exposed;
  auto T_else = s.time;
  auto T_host_exp = s.host;
  NAME(T_else, T_host_exp);
  s.time = kStepTimeHost(T_else + T_host_exp);
}

template <class R>
bool has_times(const TrainingPlan<R>& plan, const TrainingEstimate<R>& e) {
  return (plan.assume.train.mfu || plan.stack) && e.step_flops;
}

}  // namespace

// Adapter parameters of the whole model (the FLOPs convention counts them; a GPU's share is in its
// shard).
template <class R>
Count<R> adapter_parameters(const TrainingPlan<R>& plan) {
  Count<R> n{0};
  if (!plan.trainable.adapters || plan.model.abstract()) return n;
  const Degrees<R> whole_model{Count<R>{1}, Count<R>{1}, {}};
  for (const LayerGroup<R>& g : plan.model.layers)
    n += g.count * layer_shard(plan.model, plan.trainable.adapters, g, whole_model).adapters;
  return n;
}

template <class R>
void estimate_memory(const TrainingPlan<R>& plan, const SharedParts<R>& parts,
                     TrainingEstimate<R>& e) {
  e.memory = heaviest_stage(MemoryInputs<R>{plan, e.layout, parts.stages, parts.layers});
  Sum<kOne, R> held;
  held.add("dense", e.memory.shard.dense).add("routed experts", e.memory.shard.experts.full);
  e.gpu_parameters = kRankTotal(held.total());
  judge_memory(plan, e);
  judge_host(plan, e);
}

template <class R>
void estimate_step(const TrainingPlan<R>& plan, const SharedParts<R>& parts,
                   TrainingEstimate<R>& e) {
  if (counts_slots(plan.schedule.kind)) e.bubble = bubble_ratios(pipeline_shape(plan, e.layout));
  e.step_flops = step_flops(plan, e.layout, parts.flops);
  if (plan.stack && has_times(plan, e)) {
    e.operators =
        operator_step(plan, e.layout, parts.stages, e.memory, parts.layers, *parts.operators);
    e.step = stack_step(*e.operators);
    add_host(plan, e);
    return;
  }
  list_communication(plan, parts, e);
  if (has_times(plan, e))
    e.step = step_time(plan, e.layout, parts.stages, e.memory, parts.flops, *e.step_flops,
                       e.bubble.overhead, e.communication);
  add_host(plan, e);
}

template <class R>
void estimate_rest(const TrainingPlan<R>& plan, const SharedParts<R>& parts,
                   TrainingEstimate<R>& e) {
  e.parameters = parts.parameters;
  e.flops = parts.flops;
  e.nodes = plan.cluster.nodes;
  per_parameter(e);
  if (e.operators) list_communication(plan, parts, e);
  add_up(e);
  e.run.steps = run_steps(plan, e.layout);
  e.batch = run_batch(plan, e.layout, e.parameters.total);
  rates(plan, e);
  if (states_failures(plan.run))
    e.run.failing = failing_run(plan, e.layout, e.memory.states, e.run);
  if (!counts_slots(plan.schedule.kind) && !e.step) e.bubble = bubble_without_times(plan, e);
}

template <class R>
TrainingEstimate<R> estimate(const TrainingPlan<R>& plan) {
  TrainingEstimate<R> e;
  const Parameters<R> all = parameters(plan.model);
  e.layout = lay_out(plan);
  const TokenFlops<R> flops = token_flops(plan, all, adapter_parameters(plan));
  const Stages<R> stages(plan.model, cut_of(plan));
  const LayerParts<R> layers = layer_parts(plan, e.layout);
  std::optional<OperatorLayers<R>> operators;
  if (plan.stack) operators = operator_layers(plan, e.layout);
  const SharedParts<R> parts{all, flops, stages, layers, operators ? &*operators : nullptr};
  estimate_memory(plan, parts, e);
  estimate_step(plan, parts, e);
  estimate_rest(plan, parts, e);
  return e;
}

#define RECKON_ESTIMATE(R)                                                     \
  template TrainingEstimate<R> estimate(const TrainingPlan<R>&);               \
  template Count<R> adapter_parameters(const TrainingPlan<R>&);                \
  template void estimate_memory(const TrainingPlan<R>&, const SharedParts<R>&, \
                                TrainingEstimate<R>&);                         \
  template void estimate_step(const TrainingPlan<R>&, const SharedParts<R>&,   \
                              TrainingEstimate<R>&);                           \
  template void estimate_rest(const TrainingPlan<R>&, const SharedParts<R>&, TrainingEstimate<R>&);
RECKON_ESTIMATE(double)
RECKON_ESTIMATE(Dual)
RECKON_ESTIMATE(Traced)
#undef RECKON_ESTIMATE

}  // namespace reckon
