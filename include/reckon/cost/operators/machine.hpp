// The chip of a plan under its stack.
#pragma once

#include <algorithm>
#include <string>

#include "reckon/cost/layout.hpp"
#include "reckon/cost/operators/collective.hpp"
#include "reckon/cost/operators/gemm.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

inline const Formula kLinePerGpu{"operator.network.per_gpu", "W_nic",
                                 "network line rate of one GPU", "ports · rate / GPUs"};

inline const Formula kStageHop{"operator.p2p.one", "t_hop", "one activation to the next stage",
                               "latency + bytes over the link"};

inline const Formula kStageHopNear{"operator.p2p.in_node", "t_hop",
                                   "one activation to the next stage, in the node",
                                   "latency + bytes over the link"};

// 16-bit GEMMs of a run in any format: attention, head and what fp8 leaves alone.
template <class R>
Compute wide_format(const TrainingPlan<R>& plan) {
  return plan.precision.compute == Compute::kFp16 || plan.precision.compute == Compute::kFp32 ||
                 plan.precision.compute == Compute::kTf32
             ? plan.precision.compute
             : Compute::kBf16;
}

template <class R>
GemmRates<R> gemm_rates(const TrainingPlan<R>& plan, Compute format) {
  const GemmStack<R>& k = plan.stack->gemm;
  const FlopRate<R> P = *plan.cluster.node.chip.peak.of(format);
  if (format == Compute::kFp8) {
    auto gm8 = *k.ceiling_fp8;
    if (plan.stack->rowwise) gm8 = gm8 * k.rowwise;
    if (plan.stack->blockwise) gm8 = gm8 * k.blockwise;
    return {P, gm8, k.depth * k.depth_fp8, k.width_fp8, 1_B};
  }
  if (format == Compute::kFp4)
    return {P, *k.ceiling_fp4, k.depth * k.depth_fp8, k.width_fp8, 0.5_B};
  return {P,
          k.ceiling,
          k.depth,
          {},
          format == Compute::kFp32 || format == Compute::kTf32 ? Bytes<R>(4_B) : Bytes<R>(2_B)};
}

// NCCL's figures of a chip's generation; null where it has none.
template <class R>
const NcclGeneration<R>* generation_of(const std::string& chip, const Nccl<R>& nccl) {
  for (const NcclGeneration<R>& g : nccl.generations)
    if (std::find(g.chips.begin(), g.chips.end(), chip) != g.chips.end()) return &g;
  return nullptr;
}

template <class R>
OperatorMachine<R> operator_machine(const TrainingPlan<R>& plan) {
  const Node<R>& node = plan.cluster.node;
  OperatorMachine<R> m{
      .chip = node.chip, .stack = *plan.stack, .assume = plan.assume, .gemm = {}, .gemm16 = {}};
  if (node.fabric && node.nics) m.W_nic = kLinePerGpu(*node.nics * node.fabric->rate / node.gpus);
  if (node.chip.link) m.W_link = node.chip.link->one_way;
  m.N_node = node.gpus;
  m.gemm = gemm_rates(plan, plan.precision.compute);
  m.gemm16 = gemm_rates(plan, wide_format(plan));
  if (plan.stack->tier == CollectiveModel::kLineRate) m.links = links(plan);
  if (plan.stack->tier == CollectiveModel::kNccl)
    m.generation = generation_of(node.chip.id, *plan.stack->nccl);
  return m;
}

// Bytes to the next stage: over the network where the stages do not all lie in one node.
template <class R>
Seconds<R> stage_hop(const Layout<R>& x, Bytes<R> bytes, const OperatorMachine<R>& m) {
  const auto& k = m.stack.network;
  NAME(bytes);
  if (m.stack.tier == CollectiveModel::kLineRate) return line_hop(bytes, x.pipeline, m);
  if (!x.pipeline.crosses()) return kStageHopNear(bytes / (k.peer * m.W_link) + k.base);
  return kStageHop(bytes / (port_rate(x.pipeline, m) * k.efficiency) + k.base + k.network_hop);
}

}  // namespace reckon
