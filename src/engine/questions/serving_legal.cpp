// Rules of a serving plan: faults point at what was said and name values that work.
#include <fmt/format.h>

#include <algorithm>

#include "../legal_classes.hpp"
#include "reckon/units/format.hpp"
#include "serving.hpp"
#include "serving_say.hpp"
#include "traffic_legal.hpp"

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
  // A simulation plays no request that is longer: on average they must be shorter.
  const double longest = q.traffic.longest                          ? plain(*q.traffic.longest)
                         : q.simulation.simulate && q.model.context ? plain(*q.model.context)
                                                                    : 0;
  if (longest > 0 && all > longest)
    asked
        .fault("prompt", fmt::format("prompt and answer take {} tokens, and {} {}", tokens(all),
                                     q.traffic.longest ? "the longest is"
                                                       : "the simulation plays none beyond the "
                                                         "model's context of",
                                     tokens(longest)))
        .help(q.traffic.longest ? "shorten them, or state a larger longest"
                                : "shorten them, or longest: for a model that was extended");
  else
    check_context_length(q.model, all, "prompt and answer take", "prompt", asked);
  if (value_of(q.workload.hit.raw) >= 1)
    asked.fault("hit", "hit: a prompt whose every token is cached computes nothing")
        .help("at least one token is computed: state less than 100 %");
}

bool any_moe(const Model<double>& m) {
  return std::any_of(m.layers.begin(), m.layers.end(),
                     [](const LayerGroup<double>& g) { return g.mlp.kind == MlpKind::kMoe; });
}

// Context ranks share a prompt; a decode step has one token a sequence to share.
void check_context(const Plan& q, const ServingMesh<double>& mesh, const std::string& at,
                   const Asked& asked) {
  if (count(mesh.context) <= 1) return;
  if (at.empty())
    asked
        .fault("context",
               "context: ranks share the tokens of a prompt, and a decode step has one a "
               "sequence")
        .help("in a pool of its own: prefill: {context: 2}");
  for (const LayerGroup<double>& g : q.model.layers)
    if (recurrent(g.mixer.kind)) {
      asked.fault(at + "context", "context: recurrent layers carry a state from token to token")
          .help("leave it out");
      return;
    }
}

// Workers that are stated lie in the cluster, and requests arrive at a rate.
void check_pools(const Plan& q, const Asked& asked) {
  const auto gpus = [](const ServingMesh<double>& m) {
    return count(m.tensor) * count(m.data) * count(m.pipeline) * count(m.context);
  };
  if (q.workload.concurrency && !q.simulation.simulate)
    asked
        .fault("concurrency",
               "concurrency: users who wait for their answers before pools wait for both in a "
               "circle, which has no closed form")
        .help(
            "--simulate plays them out (in a file simulate: yes); or state a rate, or leave "
            "prefill "
            "out");
  else if (q.workload.concurrency && !(q.prefill->workers && q.prefill->decode_workers))
    asked
        .fault("concurrency",
               "concurrency: how many workers the pools have follows from a rate "
               "alone")
        .help("prefill: {workers: 1, decode_workers: 2}");
  if (!q.prefill->workers || !q.prefill->decode_workers || q.prefill->cluster) return;
  const long all = count(q.cluster->nodes) * count(q.cluster->node.gpus);
  const long need = count(*q.prefill->workers) * gpus(q.prefill->mesh) +
                    count(*q.prefill->decode_workers) * gpus(q.mesh);
  if (need > all)
    asked
        .fault(
            "prefill.workers",
            fmt::format("workers: {} prefill and {} decode workers take {} GPUs, and the "
                        "cluster has {}",
                        count(*q.prefill->workers), count(*q.prefill->decode_workers), need, all))
        .help("state a larger cluster, or fewer workers");
}

// Tensor ranks share heads; beyond a node they fill whole ones.
void check_ranks(const Plan& q, const ServingMesh<double>& mesh, const Cluster<double>& cluster,
                 const std::string& at, const Asked& asked) {
  const long t = count(mesh.tensor), node = count(cluster.node.gpus);
  const long g = t * count(mesh.data) * count(mesh.pipeline) * count(mesh.context);
  const long all = count(cluster.nodes) * node;
  if (t > node && t % node != 0)
    asked
        .fault(at + "tensor",
               fmt::format("tensor: {} ranks do not fill whole nodes of {} GPUs", t, node))
        .help(t / node * node + node > all
                  ? fmt::format("tensor: {}", t / node * node)
                  : fmt::format("tensor: {} or {}", t / node * node, (t / node + 1) * node));
  if (t > node && !(cluster.node.fabric && cluster.node.nics))
    asked
        .fault(
            at + "tensor",
            fmt::format("tensor: {} ranks reach beyond a node of {} GPUs, and its network is not "
                        "stated",
                        t, node))
        .help("a node with nics and a fabric, or pipeline across nodes");
  if (t > node)
    asked.diagnostics.warning(
        asked.places.of(at + "tensor"),
        fmt::format("tensor: {} ranks reach beyond a node of {} GPUs, where no all-reduce of an "
                    "engine was measured: the port's own rate is taken",
                    t, node));
  check_context(q, mesh, at, asked);
  const long stages = count(mesh.pipeline), others = g / stages;
  long layers = 0;
  for (const LayerGroup<double>& l : q.model.layers) layers += count(l.count);
  if (stages > layers)
    asked.fault(at + "pipeline", fmt::format("pipeline: {} stages for {} layers", stages, layers))
        .help(fmt::format("pipeline: {}", std::clamp(all / others, 1L, layers)));
  else if (g > all)
    asked
        .fault(at + (stages > 1 ? "pipeline" : "tensor"),
               fmt::format("a {} takes {} GPUs, and the cluster has {}",
                           at.empty() ? "replica" : "prefill worker", g, all))
        .help(stages > 1 && others <= all
                  ? fmt::format("a larger cluster, or pipeline: {}", all / others)
              : at.empty() ? std::string("state a larger cluster, or fewer ranks")
                           : std::string("a larger cluster, or fewer ranks of its own: prefill: "
                                         "{tensor: 1}"));
  if (mesh.replicas && count(*mesh.replicas) * g > all)
    asked
        .fault(at + "replicas",
               fmt::format("{} replicas of {} GPUs take more than the cluster's {}",
                           count(*mesh.replicas), g, all))
        .help(fmt::format("replicas: {}", std::max(all / std::max(g, 1L), 1L)));
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
    if (at.empty() && q.settings.imbalance)
      asked
          .fault("settings.imbalance",
                 fmt::format("imbalance: {} has no experts", model_name(q.model)))
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
        .fault(at + "expert", fmt::format("expert: {} does not divide the GPUs of a stage, {} "
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
  if (!q.speculative) return;
  if (q.speculative->accepted && q.speculative->acceptance) {
    asked
        .fault("speculative.acceptance",
               "acceptance and accepted: each says how many drafted tokens a step keeps")
        .note(asked.places.of("speculative.accepted"), "what a step yields is stated here")
        .help("leave one of them out");
    return;
  }
  if (q.speculative->accepted) {
    const double most = value_of(q.speculative->tokens.raw) + 1;
    if (value_of(q.speculative->accepted->raw) > most)
      asked
          .fault("speculative.accepted",
                 fmt::format("accepted: a step that verifies {} drafted tokens yields {} at most, "
                             "those and one of its own",
                             most - 1, most))
          .note(asked.places.of("speculative.tokens"), "so many are drafted")
          .help(fmt::format("accepted: between 1 and {}", most));
    return;
  }
  if (!q.speculative->acceptance) {
    asked.fault("speculative", "speculative: how many drafted tokens are accepted is not stated")
        .help("accepted: 2.8 tokens a step, measured; or acceptance: 80 % a token");
    return;
  }
  if (value_of(q.speculative->acceptance->raw) >= 1)
    asked
        .fault("speculative.acceptance",
               "acceptance: at 100 % no draft is ever refused, and what a step yields is stated")
        .help(fmt::format("accepted: {}, or an acceptance below 100 %",
                          value_of(q.speculative->tokens.raw) + 1));
}

// A load that can be put on the plan, and played out.
void check_load(const Plan& q, const Asked& asked) {
  const Workload<double>& w = q.workload;
  if (w.rate && w.concurrency)
    asked.fault("concurrency", "a rate and users who wait for their answers are two loads")
        .note(asked.places.of("rate"), "the rate is stated here")
        .help("leave one of them out");
  check_traffic(q.traffic, "concurrency", w.concurrency.has_value(), asked);
  if (q.settings.swap && q.settings.preempted != Preempted::kSwap)
    asked.fault("settings.swap", "a time to move caches out, and caches that are computed again")
        .help("settings: {preempted: swap, swap: 2 us}");
  if (!q.settings.swap && q.settings.preempted == Preempted::kSwap)
    asked.fault("settings.preempted", "how long it takes to move a cached token out is not stated")
        .help("settings: {preempted: swap, swap: 2 us}");
  if (!q.simulation.simulate) return;
  check_simulation(q.simulation, asked);
  if (!w.rate && !w.concurrency)
    asked.fault("simulate", "simulate: how many requests come is not stated")
        .help("rate: 8 requests/s, or concurrency: 64, or trace: requests.csv");
  if (q.stated)
    asked.fault("simulate", "simulate: stated times hold for one batch, not for every step")
        .note(asked.places.of("stated"), "the times are stated here")
        .help("leave one of them out, or state them of any step: kind: load");
}

}  // namespace

void check_serving(const Plan& q, const Asked& asked) {
  if (q.budget && !q.price)
    asked.fault("budget", "budget: what a GPU costs is not stated").help("price: 2.50 USD/h");
  need_cache(q.model, "serving", asked);
  check_lengths(q, asked);
  check_classes(q.model, q.served.classes, "classes", asked.places, asked.diagnostics);
  if (q.model.abstract() || !q.model.hidden) {
    asked.fault("model", "model: serving is priced layer by layer, and this one states none")
        .help("name a model, such as generic-70b (`reckon list models`), or write its layers out");
    return;
  }
  if (asked.failed()) return;
  check_ranks(q, q.mesh, *q.cluster, "", asked);
  check_experts(q, q.mesh, "", asked);
  if (q.prefill) {
    check_ranks(q, q.prefill->mesh, q.prefill->cluster ? *q.prefill->cluster : *q.cluster,
                "prefill.", asked);
    check_experts(q, q.prefill->mesh, "prefill.", asked);
    check_pools(q, asked);
    if (q.prefill->cluster && q.prefill->kernels)
      check_chips(q, q.prefill->cluster->node.chip, *q.prefill->kernels, asked);
  }
  check_chips(q, q.cluster->node.chip, q.kernels, asked);
  check_speculation(q, asked);
  check_load(q, asked);
}

}  // namespace reckon
