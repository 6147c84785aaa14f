#include "not_modelled.hpp"

#include <algorithm>

#include "reckon/cost/parameters.hpp"

namespace reckon {

namespace {

// What comes between the steps, as far as the plan doesn't state it.
std::string left_of_run(const Run<double>& run) {
  std::string out = "data loading";
  if (!run.checkpoint) out += ", checkpoints";
  if (!(value_of(run.evaluation.raw) > 0)) out += ", evaluation";
  if (!run.mtbf_per_gpu) out += ", failures and restarts (the days are ideal)";
  return out;
}

}  // namespace

std::vector<std::string> not_modelled(const TrainingPlan<double>& plan) {
  const auto value = [](const auto& x) { return value_of(x.raw); };
  std::vector<std::string> out{left_of_run(plan.run)};
  if (!plan.stack)
    out.emplace_back("operators one by one: compute time is FLOPs over an assumed MFU");
  if (plan.offload == Offload::kOptimizer)
    out.emplace_back("the host's arithmetic in the offloaded update");
  if (plan.recompute != Recompute::kNone && !plan.batch.sequence)
    out.emplace_back("attention that is recomputed: the batch states no sequence length");
  if (value(plan.mesh.expert) > 1) out.emplace_back("uneven routing between experts");
  const bool split_experts =
      value(plan.mesh.tensor) > 1 && !plan.mesh.expert_tensor &&
      std::any_of(plan.model.layers.begin(), plan.model.layers.end(),
                  [](const LayerGroup<double>& g) { return g.mlp.kind == MlpKind::kMoe; });
  if (split_experts)
    out.emplace_back("experts kept whole under tensor parallelism (they are split)");
  if (plan.mesh.sequence)
    out.emplace_back(plan.stack ? "bytes of gathering sequence-parallel inputs again, for weight "
                                  "gradients, in comm.tensor (its time is in the step)"
                                : "gathering sequence-parallel inputs again for weight gradients");
  if (plan.model.tied && value(plan.mesh.pipeline) > 1)
    out.emplace_back("the gradient of a tied table between first and last stage");
  if (placement_of(plan.schedule.kind) == Placement::kTwoWay)
    out.emplace_back("summing the gradients of the two copies of a stage (DualPipe)");
  if (staggers_steps(plan.schedule.kind))
    out.emplace_back(
        "waiting for each other at the optimizer step: a stage goes on when it is done, "
        "as published (ZB-H2, ZB-V)");
  if (value(plan.cluster.nodes) > 1)
    out.emplace_back(
        plan.cluster.tiers.empty()
            ? "contention in the network above the nodes"
            : "contention above the nodes beyond what the tiers' oversubscription says");
  const auto indexed = [](const LayerGroup<double>& g) { return g.mixer.index_heads.has_value(); };
  if (std::any_of(plan.model.layers.begin(), plan.model.layers.end(), indexed))
    out.emplace_back("activations of the sparse attention's indexer");
  const bool selective =
      std::any_of(plan.model.layers.begin(), plan.model.layers.end(),
                  [](const LayerGroup<double>& g) { return g.mixer.kind == MixerKind::kMamba1; });
  if (selective && value(plan.mesh.tensor) > 1)
    out.emplace_back(
        plan.stack ? "bytes of the small all-reduce inside a mamba1 layer in comm.tensor (its "
                     "time is in the step)"
                   : "the small all-reduce inside a mamba1 layer on tensor ranks");
  if (any_recurrent(plan.model) && !plan.stack)
    out.emplace_back("what chunked kernels of recurrent mixers execute beyond one pass");
  if (plan.model.mtp) out.emplace_back("modules that predict further tokens");
  if (plan.model.vision) out.emplace_back("the vision tower");
  if (plan.trainable.adapters) out.emplace_back("activations that frozen layers need not keep");
  if (value(plan.sharding.zero) < 3 && !plan.sharding.bucket)
    out.emplace_back("gradient buckets (DDP, ZeRO-1, ZeRO-2)");
  return out;
}

}  // namespace reckon
