// Rules of a serving plan: faults point at what was said and name values that work.
#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"
#include "serving_say.hpp"

namespace reckon {
namespace {

using Plan = ServingPlan<double>;

long count(const Count<double>& n) { return static_cast<long>(value_of(n.raw)); }

void check_lengths(const Plan& q, const Asked& asked) {
  if (!q.workload.prompt)
    asked.fault("prompt", "serving: how long the prompts are is not stated")
        .help("prompt: 2048, output: 512");
  if (!q.workload.output)
    asked.fault("output", "serving: how long the answers are is not stated")
        .help("prompt: 2048, output: 512");
  if (!q.workload.prompt || !q.workload.output) return;
  const double all = value_of(q.workload.prompt->raw) + value_of(q.workload.output->raw);
  const auto tokens = [](double n) { return format_quantity(n, kOne, Hint::kCount); };
  const double rows = value_of(q.model.positions.raw);
  if (rows > 0 && all > rows)
    asked
        .fault("prompt",
               fmt::format("prompt and answer take {} tokens, and {} has positions for {}",
                           tokens(all), model_name(q.model), tokens(rows)))
        .help("shorten them");
  else if (q.model.context && all > value_of(q.model.context->raw))
    asked.diagnostics.warning(
        asked.places.of("prompt"),
        fmt::format("prompt and answer take {} tokens, and {} is published for {}", tokens(all),
                    model_name(q.model), tokens(value_of(q.model.context->raw))));
  if (value_of(q.workload.hit.raw) >= 1)
    asked.fault("hit", "hit: a prompt whose every token is cached computes nothing")
        .help("at least one token is computed: state less than 100 %");
}

bool any_moe(const Model<double>& m) {
  return std::any_of(m.layers.begin(), m.layers.end(),
                     [](const LayerGroup<double>& g) { return g.mlp.kind == MlpKind::kMoe; });
}

// Tensor ranks share heads and lie in one node: no curve of a collective reaches beyond it.
void check_ranks(const Plan& q, const ServingMesh<double>& mesh, const Cluster<double>& cluster,
                 const std::string& at, const Asked& asked) {
  const long t = count(mesh.tensor), node = count(cluster.node.gpus);
  const long g = t * count(mesh.data) * count(mesh.pipeline);
  const long all = count(cluster.nodes) * node;
  if (t > node)
    asked
        .fault(at + "tensor",
               fmt::format("tensor: {} ranks reach beyond a node of {} GPUs, where no all-reduce "
                           "of an engine was measured",
                           t, node))
        .help(
            fmt::format("tensor: {}, and pipeline: {} across nodes", node, (t + node - 1) / node));
  if (g > all)
    asked
        .fault(at + "tensor",
               fmt::format("a replica takes {} GPUs, and the cluster has {}", g, all))
        .help("state a larger cluster, or fewer ranks");
  if (mesh.replicas && count(*mesh.replicas) * g > all)
    asked
        .fault(at + "replicas",
               fmt::format("{} replicas of {} GPUs take more than the cluster's {}",
                           count(*mesh.replicas), g, all))
        .help(fmt::format("replicas: {}", std::max(all / std::max(g, 1L), 1L)));
  if (count(mesh.pipeline) > 1) {
    long layers = 0;
    for (const LayerGroup<double>& l : q.model.layers) layers += count(l.count);
    if (count(mesh.pipeline) > layers)
      asked
          .fault(at + "pipeline",
                 fmt::format("pipeline: {} stages for {} layers", count(mesh.pipeline), layers))
          .help(fmt::format("pipeline: {}", layers));
  }
  need_tensor({q.model, cluster, {}, q.assume, mesh.tensor, at + "tensor"}, asked);
}

void check_experts(const Plan& q, const ServingMesh<double>& mesh, const std::string& at,
                   const Asked& asked) {
  const bool moe = any_moe(q.model);
  const long ranks = count(mesh.tensor) * count(mesh.data);
  if (!moe) {
    if (mesh.expert && count(*mesh.expert) > 1)
      asked.fault(at + "expert", fmt::format("expert: {} has no experts", model_name(q.model)))
          .help("leave it out");
    if (count(mesh.data) > 1)
      asked
          .fault(at + "data",
                 fmt::format("data: {} has no experts, so data-parallel ranks are replicas",
                             model_name(q.model)))
          .help(fmt::format("replicas: {}", count(mesh.data)));
    return;
  }
  const long ep = mesh.expert ? count(*mesh.expert) : count(mesh.data) > 1 ? ranks : 1;
  if (ranks % ep != 0)
    asked
        .fault(at + "expert", fmt::format("expert: {} does not divide the {} GPUs of a stage "
                                          "(tensor · data)",
                                          ep, ranks))
        .help(fmt::format("expert: {}", ranks));
}

void check_chips(const Plan& q, const Chip<double>& chip, const ServingKernels<double>& k,
                 const Asked& asked) {
  const auto has = [&](const std::optional<GemmKernel<double>>& kernel, const char* of) {
    if (!kernel || chip.peak.of(kernel->peak)) return;
    asked
        .fault("weights",
               fmt::format("{}: {} computes no {}", of, chip.name, name_of(kernel->peak)))
        .help(fmt::format("`reckon show {}` prints the peaks it has", chip.id));
  };
  has(k.mlp, "MLPs");
  if (asked.failed()) return;
  has(k.attention, "attention");
  has(k.experts, "experts");
  has(k.head, "head");
  if (q.settings.launch && *q.settings.launch == LaunchWord::kEager &&
      !q.engine.overhead.host_decode)
    asked
        .fault("settings.launch",
               fmt::format("launch: engine '{}' states no host time, so an eager "
                           "step can't be priced",
                           q.engine.id))
        .help("engine: {base: NAME, overhead: {host_prefill: 0.6 ms, host_decode: 0.4 ms}}");
}

void check_speculation(const Plan& q, const Asked& asked) {
  if (!q.speculative || q.speculative->accepted) return;
  if (!q.speculative->acceptance) {
    asked.fault("speculative", "speculative: how many drafted tokens are accepted is not stated")
        .help("accepted: 2.8 tokens a step, measured; or acceptance: 80 % a token");
    return;
  }
  if (value_of(q.speculative->acceptance->raw) >= 1)
    asked.fault("speculative.acceptance", "acceptance: every drafted token is accepted")
        .help("state accepted: the tokens a step yields");
}

}  // namespace

void check_serving(const Plan& q, const Asked& asked) {
  need_cache(q.model, "serving", asked);
  check_lengths(q, asked);
  check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
  if (q.model.abstract() || !q.model.hidden) {
    asked.fault("model", "model: serving is priced layer by layer, and this one states none")
        .help("name a model (`reckon list models`), or write its layers out");
    return;
  }
  if (asked.failed()) return;
  check_ranks(q, q.mesh, *q.cluster, "", asked);
  check_experts(q, q.mesh, "", asked);
  if (q.prefill) {
    check_ranks(q, q.prefill->mesh, q.prefill->cluster ? *q.prefill->cluster : *q.cluster,
                "prefill.", asked);
    check_experts(q, q.prefill->mesh, "prefill.", asked);
    if (q.prefill->cluster && q.prefill->kernels)
      check_chips(q, q.prefill->cluster->node.chip, *q.prefill->kernels, asked);
  }
  check_chips(q, q.cluster->node.chip, q.kernels, asked);
  check_speculation(q, asked);
}

}  // namespace reckon
