// A model on the GPUs of one replica under an engine: the constants every operator of a step asks for.
//
//   const ServingMachine<double> s = serving_machine(plan);
//   s.mlp.kernel.compute               // share of the peak: the kernel's, times the engine's factors
//
// With data > 1 attention is data-parallel: its weights are whole on each data rank's tensor group, and the experts lie
// on all GPUs of the replica's stage.
#pragma once

#include "reckon/cost/collectives.hpp"
#include "reckon/cost/kernels/collective_curve.hpp"
#include "reckon/cost/kernels/gemm.hpp"
#include "reckon/cost/kv.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/spec/serving.hpp"

namespace reckon {

inline const Formula kEngineCeiling{"serving.gemm.ceiling", "c",
                                    "share of the peak that an engine's products reach",
                                    "the kernel's · the engine's factors", Hint::kFraction};
inline const Formula kEngineReads{"serving.gemm.memory", "e",
                                  "share of the bandwidth that an engine's products reach",
                                  "the kernel's · the engine's factors", Hint::kFraction};
inline const Formula kPortRate{"serving.port", "W_port", "network rate of one GPU, one way",
                               "ports · rate / GPUs of a node"};
inline const Formula kReplicaGpus{"serving.replica_gpus", "g", "GPUs of a replica",
                                  "tensor · data · pipeline", Hint::kCount};
inline const Formula kReplicaGpusContext{"serving.replica_gpus_context", "g",
                                         "GPUs of a prefill worker",
                                         "tensor · data · pipeline · context", Hint::kCount};
inline const Formula kReplicas{"serving.replicas", "R", "replicas on the cluster",
                               "GPUs over those of a replica, whole", Hint::kCount};

// The constants of a GemmKernel, without its names and record.
template <class R>
struct ServedKernel {
  Compute peak = Compute::kBf16;
  Bytes<R> weight{}, activation{}, output{};
  bool quantizes = false;
  Seconds<R> fixed{};
  Ratio<R> compute{}, memory{};
};

// Products of one class of tensors.
template <class R>
struct ServedProduct {
  ServedKernel<R> kernel;
  FlopRate<R> P{};      // the chip's peak for it
  Ratio<R> experts{1};  // factor on the ceiling where experts are grouped
};

template <class R>
struct ServingMachine {
  const Model<R>& model;
  const ServingEngine<R>& engine;
  const Chip<R>& chip;
  const Served<R>& served;
  ServingMesh<R> mesh;
  CachedWindows windows;
  Bytes<R> b_state;
  SharedHeads shared_heads;
  ServedProduct<R> attention, mlp, experts, head;
  Count<R> ep{1}, gpus{1}, node_gpus{1}, layers{0};
  ByteRate<R> W_link{}, W_port{};
  FlopRate<R> P_16{};
  std::optional<CurveAt<R>> small{}, large{};  // all-reduces of tensor ranks, in a node
  Ratio<R> imbalance{1};
  bool eager = false;
};

// Where a plan, or its prefill pool, runs.
template <class R>
struct MachineParts {
  const Cluster<R>& cluster;
  const ServingEngine<R>& engine;
  const ServingKernels<R>& kernels;
  const ServingMesh<R>& mesh;
};

// What a plan states, or the engine's own.
template <class T>
T stated_or(const std::optional<T>& stated, const T& usual) {
  return stated ? *stated : usual;
}
template <class T>
std::optional<T> stated_or(const std::optional<T>& stated, const std::optional<T>& usual) {
  return stated ? stated : usual;
}

namespace detail {

template <class R>
Bytes<R> size_of_class(const Served<R>& served, const std::optional<Stored<R>>& own) {
  return own ? own->size : served.weights.size;
}

template <class R>
ServedProduct<R> product(const MachineParts<R>& on, const std::optional<GemmKernel<R>>& kernel,
                         const OperandRule<R>& rule, Bytes<R> weight) {
  const ServingEngine<R>& engine = on.engine;
  ServedProduct<R> out;
  if (!kernel) return out;
  if (const auto peak = on.cluster.node.chip.peak.of(kernel->peak)) out.P = *peak;
  auto c_k = kernel->compute;
  auto e_k = kernel->memory;
  auto g = engine.gemm.ceiling;
  auto e = engine.gemm.memory;
  auto g_op = rule.ceiling;
  auto e_op = rule.memory;
  NAME(c_k, e_k, g, e, g_op, e_op);
  out.kernel = {kernel->peak,
                weight,
                kernel->activation,
                kernel->output,
                kernel->quantizes && engine.gemm.quantizes,
                kernel->fixed,
                kEngineCeiling(c_k * g * g_op),
                kEngineReads(e_k * e * e_op)};
  out.experts = rule.experts;
  return out;
}

template <class R>
Compute wide_peak(const Chip<R>& chip) {
  return chip.peak.bf16 ? Compute::kBf16 : chip.peak.fp16 ? Compute::kFp16 : Compute::kFp32;
}

}  // namespace detail

template <class R>
Count<R> replica_gpus(const ServingMesh<R>& mesh) {
  auto t = mesh.tensor;
  auto d = mesh.data;
  auto p = mesh.pipeline;
  NAME(t, d, p);
  if (mesh.context <= 1) return kReplicaGpus(t * d * p);
  auto c = mesh.context;
  NAME(c);
  return kReplicaGpusContext(t * d * p * c);
}

// The curves of all-reduces between `mesh.tensor` ranks: again after a change of those.
template <class R>
void set_reduce_curves(ServingMachine<R>& s, const ServingKernels<R>& kernels) {
  s.small.reset();
  s.large.reset();
  if (s.mesh.tensor <= 1) return;
  auto q = s.mesh.tensor <= s.node_gpus ? s.mesh.tensor : s.node_gpus;
  if (kernels.small) s.small = curve_at(q, *kernels.small);
  if (kernels.large) s.large = curve_at(q, *kernels.large);
}

template <class R>
ServingMachine<R> serving_machine(const ServingPlan<R>& plan, const MachineParts<R>& on) {
  const Node<R>& node = on.cluster.node;
  ServingMachine<R> s{plan.model,
                      on.engine,
                      node.chip,
                      plan.served,
                      on.mesh,
                      plan.assume.windows,
                      plan.assume.state,
                      plan.assume.decode.shared_heads,
                      {},
                      {},
                      {},
                      {}};
  const auto& k = on.kernels;
  const auto own = [&plan](auto member) -> std::optional<Stored<R>> {
    return plan.served.classes ? (*plan.served.classes).*member : std::optional<Stored<R>>{};
  };
  using F = TensorFormats<R>;
  const auto size = [&](auto member) { return detail::size_of_class(plan.served, own(member)); };
  s.attention = detail::product(on, k.attention, k.attention_rule, size(&F::attention));
  s.mlp = detail::product(on, k.mlp, k.mlp_rule, size(&F::mlp));
  s.experts = detail::product(on, k.experts, k.experts_rule, size(&F::experts));
  s.head = detail::product(on, k.head, k.head_rule,
                           plan.model.tied ? size(&F::embedding) : size(&F::head));
  s.gpus = replica_gpus(on.mesh);
  s.node_gpus = node.gpus;
  if (on.mesh.expert)
    s.ep = *on.mesh.expert;
  else if (!(on.mesh.data <= 1))
    s.ep = on.mesh.tensor * on.mesh.data;
  if (node.chip.link) s.W_link = node.chip.link->one_way;
  if (node.fabric && node.nics) s.W_port = kPortRate(*node.nics * node.fabric->rate / node.gpus);
  s.P_16 = *node.chip.peak.of(detail::wide_peak(node.chip));
  s.imbalance = stated_or(plan.settings.imbalance, on.engine.memory.imbalance);
  s.eager =
      plan.settings.launch ? *plan.settings.launch == LaunchWord::kEager : on.engine.limits.eager;
  for (const LayerGroup<R>& g : plan.model.layers) s.layers = s.layers + g.count;
  set_reduce_curves(s, on.kernels);
  return s;
}

// Where the plan's replicas run.
template <class R>
ServingMachine<R> serving_machine(const ServingPlan<R>& plan) {
  return serving_machine<R>(plan, {*plan.cluster, plan.engine, plan.kernels, plan.mesh});
}

}  // namespace reckon
