#include "fixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "reckon/cost/training.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

using Plan = TrainingPlan<double>;

long number(const Count<double>& x) { return static_cast<long>(value_of(x.raw)); }
Count<double> count(long x) { return Count<double>(static_cast<double>(x)); }

struct Candidate {
  std::string title, change;
  std::function<void(Plan&)> apply;
};

// The whole field where its other key is at its default: a plan that says `sharding: ddp` takes no sharding.zero. It
// takes buckets out, which ZeRO does not have.
std::string named(long z) { return fmt::format("zero-{}", z); }

void sharding_candidates(const Plan& plan, std::vector<Candidate>& out) {
  for (long z = number(plan.sharding.zero) + 1; z <= 3; ++z)
    out.push_back({z == 3 ? "ZeRO-3 (FSDP)" : fmt::format("ZeRO-{}", z),
                   plan.sharding.within == Within::kAll ? fmt::format("sharding={}", named(z))
                                                        : fmt::format("sharding.zero={}", z),
                   [z](Plan& p) {
                     p.sharding.zero = count(z);
                     if (p.sharding.within == Within::kAll) p.sharding.bucket.reset();
                   }});
  if (plan.sharding.within == Within::kNode)
    out.push_back({"shard over all data ranks",
                   fmt::format("sharding={}", named(number(plan.sharding.zero))),
                   [](Plan& p) { p.sharding.within = Within::kAll; }});
}

void memory_candidates(const Plan& plan, std::vector<Candidate>& out) {
  if (plan.recompute == Recompute::kNone)
    out.push_back({"recompute the attention core", "recompute=selective",
                   [](Plan& p) { p.recompute = Recompute::kSelective; }});
  if (plan.recompute != Recompute::kFull)
    out.push_back({"recompute whole layers", "recompute=full",
                   [](Plan& p) { p.recompute = Recompute::kFull; }});
  if (plan.batch.micro) {
    for (long b = number(*plan.batch.micro) / 2; b >= 1; b /= 2)
      out.push_back({fmt::format("micro-batch {}", b), fmt::format("batch.micro={}", b),
                     [b](Plan& p) { p.batch.micro = count(b); }});
  } else {
    const long n = plan.batch.micro_batches ? number(*plan.batch.micro_batches) : 1;
    for (const long k : {2 * n, 4 * n, 8 * n})
      out.push_back({fmt::format("{} micro-batches", k), fmt::format("batch.micro_batches={}", k),
                     [k](Plan& p) { p.batch.micro_batches = count(k); }});
  }
  if (plan.mesh.tensor.raw > 1 && !plan.mesh.sequence)
    out.push_back(
        {"sequence parallelism", "mesh.sequence=yes", [](Plan& p) { p.mesh.sequence = true; }});
  // Said anew, `offload` would take back what else lies on the host.
  if (plan.offload == Offload::kNone && !(value_of(plan.offloaded.activations.raw) > 0))
    out.push_back({"optimizer in host memory (its arithmetic is not counted)", "offload=optimizer",
                   [](Plan& p) { p.offload = Offload::kOptimizer; }});
  if (plan.offload == Offload::kNone && !(value_of(plan.offloaded.activations.raw) > 0))
    out.push_back({"activations in host memory", "offload=activations",
                   [](Plan& p) { p.offloaded.activations = Ratio<double>(1.0); }});
}

// A plan may use a part of a node; the node's file says how many GPUs it has.
long gpus_of_full_node(Workspace& work, const Plan& plan) {
  Diagnostics scratch;
  const doc::Value* node = work.load(Shelf::kNodes, plan.cluster.node.id, {}, scratch);
  const doc::Value* gpus = node ? node->find("gpus") : nullptr;
  const auto parsed = gpus && gpus->is_scalar() ? parse_quantity(gpus->text, kOne, Hint::kRatio)
                                                : std::variant<double, ParseError>(ParseError{});
  const double* n = std::get_if<double>(&parsed);
  return n ? static_cast<long>(*n) : number(plan.cluster.node.gpus);
}

void size_candidates(Workspace& work, const Plan& plan, std::vector<Candidate>& out) {
  for (long t = 2 * number(plan.mesh.tensor); t <= number(plan.cluster.node.gpus); t *= 2)
    out.push_back({fmt::format("tensor parallel {} within the node", t),
                   fmt::format("mesh.tensor={}", t), [t](Plan& p) { p.mesh.tensor = count(t); }});
  const long gpus = number(plan.cluster.node.gpus), full = gpus_of_full_node(work, plan);
  for (long g = 2 * gpus; g <= full; g *= 2)
    out.push_back({fmt::format("{} GPUs of the node", g), fmt::format("cluster.node.gpus={}", g),
                   [g](Plan& p) { p.cluster.node.gpus = count(g); }});
  if (gpus < full) return;  // nodes are filled before there are more of them
  for (const long factor : {2, 4, 8}) {
    const long nodes = factor * number(plan.cluster.nodes);
    out.push_back({fmt::format("{} nodes", nodes), fmt::format("cluster.nodes={}", nodes),
                   [nodes](Plan& p) { p.cluster.nodes = count(nodes); }});
  }
}

void optimizer_candidates(Workspace& work, const Plan& plan, std::vector<Candidate>& out) {
  for (const std::string& id : work.ids(Shelf::kOptimizers)) {
    if (id == plan.optimizer.id || plan.trainable.adapters) continue;
    Diagnostics scratch;
    Origins unused;
    Optimizer<double> other;
    bind(resolve_optimizer(work, doc::scalar(id), scratch), other, {scratch, unused, "optimizer"});
    if (scratch.has_errors()) continue;
    out.push_back({fmt::format("optimizer {}", other.name), fmt::format("optimizer={}", id),
                   [other](Plan& p) { p.optimizer = other; }});
  }
}

}  // namespace

std::vector<Fix> fixes(Workspace& work, const LoadedTraining& loaded) {
  std::vector<Candidate> candidates;
  sharding_candidates(loaded.plan, candidates);
  memory_candidates(loaded.plan, candidates);
  size_candidates(work, loaded.plan, candidates);
  optimizer_candidates(work, loaded.plan, candidates);
  const double now = value_of(estimate(loaded.plan).headroom.raw);
  std::vector<Fix> out;
  for (const Candidate& c : candidates) {
    Plan plan = loaded.plan;
    c.apply(plan);
    Diagnostics scratch;
    check_legal(plan, loaded.origins, loaded.resolved, scratch);
    if (scratch.has_errors()) continue;
    const TrainingEstimate<double> e = estimate(plan);
    const double headroom = value_of(e.headroom.raw);
    if (!fits(e.verdict) || e.verdict == Verdict::kTight || headroom <= now) continue;
    out.push_back({c.change, c.title, headroom, e.step ? value_of(e.step->time.raw) : 0});
  }
  // Without a step time, by the room they give.
  std::stable_sort(out.begin(), out.end(), [](const Fix& a, const Fix& b) {
    return std::pair(a.step_time, -a.headroom) < std::pair(b.step_time, -b.headroom);
  });
  return out;
}

}  // namespace reckon
