#include "reckon/engine/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assumed.hpp"
#include "collect.hpp"
#include "fixes.hpp"
#include "memory_curve.hpp"
#include "mesh_words.hpp"
#include "not_modelled.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/recompute_by_module.hpp"
#include "reckon/cost/schedule_by_stage.hpp"
#include "reckon/doc/set_member.hpp"
#include "reckon/engine/accuracy.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/format.hpp"
#include "stack_lines.hpp"

namespace reckon {
namespace {

long whole_number(const Count<double>& x) { return static_cast<long>(value_of(x.raw)); }

std::string cluster_line(const TrainingPlan<double>& plan, const std::string& chip_changed) {
  const Cluster<double>& c = plan.cluster;
  const long nodes = whole_number(c.nodes), per_node = whole_number(c.node.gpus);
  const std::string chip = c.node.chip.name.empty() ? c.node.chip.id : c.node.chip.name;
  return fmt::format("{} × {}{} ({} node{} of {})", nodes * per_node, chip, chip_changed, nodes,
                     nodes == 1 ? "" : "s", per_node);
}

// " (interleaved, 4 chunks)"; nothing of 1F1B.
std::string schedule_words(const Schedule<double>& x) {
  if (x.kind == ScheduleKind::k1f1b) return "";
  if (!takes_chunks(x.kind)) return fmt::format(" ({})", title_of(x.kind));
  return fmt::format(" ({}, {} chunks)", title_of(x.kind), whole_number(x.chunks));
}

std::string split_line(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e) {
  const Mesh<double>& m = plan.mesh;
  std::string s = fmt::format("data {}", whole_number(e.layout.D));
  const auto add = [&s](const char* name, const Count<double>& degree) {
    if (whole_number(degree) > 1) s += fmt::format(" · {} {}", name, whole_number(degree));
  };
  add("tensor", m.tensor);
  if (m.sequence) s += " + sequence";
  add("context", m.context);
  add("pipeline", m.pipeline);
  if (whole_number(m.pipeline) > 1) s += schedule_words(plan.schedule);
  add("expert", m.expert);
  const long z = whole_number(plan.sharding.zero);
  s += z == 0 ? ", DDP" : z == 3 ? ", ZeRO-3 (FSDP)" : fmt::format(", ZeRO-{}", z);
  if (plan.sharding.within == Within::kNode) s += " within the node (HSDP)";
  return s;
}

std::string batch_line(const TrainingEstimate<double>& e) {
  return fmt::format("{} a step, {} micro-batch{} of {} per rank",
                     format_quantity(value_of(e.layout.tokens.raw), kOne, Hint::kTokens),
                     whole_number(e.layout.n), whole_number(e.layout.n) == 1 ? "" : "es",
                     format_quantity(value_of(e.layout.T.raw), kOne, Hint::kTokens));
}

// A plan may start from a named thing and change fields of it: then the name alone says too much.
// What a data file changes of its own base is part of the name.
bool in_data_file(const Span& span) {
  return span && std::any_of(std::begin(kShelves), std::end(kShelves), [&](Shelf s) {
           return span.file->name.starts_with(std::string(shelf_info(s).folder) + "/");
         });
}
bool any_replaced(const doc::Value& v) {
  if (v.replaced && !in_data_file(v.span)) return true;
  for (const doc::Entry& e : v.entries) {
    if (e.key != "name" && e.key != "source" && any_replaced(e.value)) return true;
  }
  return std::any_of(v.items.begin(), v.items.end(), any_replaced);
}
std::string changed(const doc::Value& resolved, const char* path) {
  const doc::Value* at = resolved.at(path);
  if (!at) return "";
  for (const doc::Entry& e : at->entries) {
    if (any_replaced(e.value)) return " (changed)";
  }
  return "";
}

std::string modules_line(const std::vector<RecomputeModule>& modules) {
  std::vector<std::string> words;
  for (const RecomputeModule m : modules) words.emplace_back(name_of(m));
  return join(words, ", ");
}

std::string offload_line(const TrainingPlan<double>& plan) {
  std::vector<std::string> words;
  if (plan.offload != Offload::kNone) words.emplace_back("optimizer");
  if (plan.offloaded.gradients) words.emplace_back("gradients");
  if (plan.offloaded.weights) words.emplace_back("weights");
  if (const double share = value_of(plan.offloaded.activations.raw); share > 0)
    words.push_back(share < 1 ? fmt::format("{:.3g} % of activations", 100 * share)
                              : "activations");
  return words.empty() ? "" : fmt::format(", {} offloaded", join(words, ", "));
}

void headline(const doc::Value& resolved, const TrainingPlan<double>& plan,
              const TrainingEstimate<double>& e, const StackClaim& claim, Result& r) {
  const auto add = [&r](const char* key, std::string value) {
    r.headline.emplace_back(key, std::move(value));
  };
  const std::string model = plan.model.name.empty() ? plan.model.id : plan.model.name;
  add("model", fmt::format("{}{}{}{}", model, model.empty() ? "" : changed(resolved, "model"),
                           model.empty() ? "" : ", ",
                           format_quantity(value_of(e.parameters.total.raw), kOne, Hint::kParams)));
  add("cluster", cluster_line(plan, changed(resolved, "cluster.node.chip")));
  add("split", split_line(plan, e));
  add("batch", batch_line(e));
  std::string training =
      fmt::format("{}{}, {}{}", plan.precision.id, changed(resolved, "precision"),
                  plan.optimizer.id.empty() ? "an optimizer written out" : plan.optimizer.id,
                  changed(resolved, "optimizer"));
  if (plan.recompute == Recompute::kModules)
    training += fmt::format(", recompute of {}", modules_line(plan.recompute_modules));
  else if (plan.recompute != Recompute::kNone)
    training += fmt::format(", {} recompute", name_of(plan.recompute));
  training += offload_line(plan);
  if (plan.trainable.adapters)
    training += fmt::format(", adapters of rank {}", whole_number(plan.trainable.adapters->rank));
  add("training", training);
  if (!plan.stack) return;
  add("stack", stack_line(*plan.stack, claim));
  add("hidden", hidden_line(plan));
}

}  // namespace

// The kernels of a stack leave no room for assumed efficiencies.
static const std::vector<std::string_view>& stack_assumptions() {
  static const std::vector<std::string_view> keys{
      "preset",      "flops",           "ring_factor",     "dispatch",
      "activations", "attention",       "swiglu",          "gqa",
      "rope",        "fused_norm",      "dropout",         "logits",
      "loss_chunks", "expert_capacity", "capacity",        "softmax_statistics",
      "reserve.*",   "live_layers",     "gathered_layers", "power",
      "pue"};
  return keys;
}

std::vector<std::string_view> training_assumptions(const TrainingPlan<double>& plan) {
  auto keys = plan.stack ? stack_assumptions() : training_assumptions();
  if (plan.recompute == Recompute::kOperators) keys.emplace_back("operators.*");
  if (copies_to_host(plan)) keys.emplace_back("overlap.host");
  if (plan.stack && offloads(plan)) keys.emplace_back("efficiency.host");
  if (plan.stack && plan.stack->tier == CollectiveModel::kLineRate)
    keys.insert(keys.end(), {"efficiency.*", "latency.*", "ring_across"});
  return keys;
}

const std::vector<std::string_view>& training_assumptions() {
  static const std::vector<std::string_view> keys{"preset",
                                                  "train.*",
                                                  "flops",
                                                  "overlap.data",
                                                  "overlap.tensor",
                                                  "overlap.context",
                                                  "overlap.expert",
                                                  "overlap.pipeline",
                                                  "efficiency.*",
                                                  "latency.*",
                                                  "ring_factor",
                                                  "ring_across",
                                                  "dispatch",
                                                  "stages",
                                                  "recompute",
                                                  "activations",
                                                  "attention",
                                                  "swiglu",
                                                  "gqa",
                                                  "rope",
                                                  "fused_norm",
                                                  "softmax_statistics",
                                                  "dropout",
                                                  "logits",
                                                  "loss_chunks",
                                                  "expert_capacity",
                                                  "gathered_layers",
                                                  "live_layers",
                                                  "capacity",
                                                  "reserve.*",
                                                  "power",
                                                  "pue"};
  return keys;
}

// Of the estimate, of each stage's memory, and in words what is sent.
template <class R>
static void collect(const TrainingPlan<R>& plan, const TrainingEstimate<R>& e,
                    const MemoryByStage<R>& stages, std::vector<Metric>& out) {
  e.metrics(Collect(out));
  stages.metrics(Collect(out));
  recompute_by_module(plan, e).metrics(Collect(out));
  schedule_by_stage(plan, e).metrics(Collect(out));
}

std::vector<Metric> metrics_of(const TrainingPlan<double>& plan) {
  std::vector<Metric> out;
  collect(plan, estimate(plan), memory_by_stage(plan), out);
  return out;
}

// With what is said in words, as a result has them.
static void collect_with_words(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
                               const MemoryByStage<double>& stages, std::vector<Metric>& out) {
  collect(plan, e, stages, out);
  add_communication_words(plan, e.communication, out);
}

static std::vector<Metric> said_metrics_of(const TrainingPlan<double>& plan) {
  std::vector<Metric> out;
  collect_with_words(plan, estimate(plan), memory_by_stage(plan), out);
  return out;
}

// Why no measured run vouches for the stack's constants.
static Unproved unproved_by(const StackClaim& claim) {
  Unproved out;
  if (!claim.altered.empty())
    out.time =
        fmt::format("nothing was measured with the stack's {}", altered_words(claim.altered));
  else if (!claim.own.empty())
    out.time = fmt::format("the stack is {}'s own: none of the runs that ship was priced by it",
                           claim.own);
  if (!claim.memory.empty())
    out.memory =
        fmt::format("nothing was measured with the stack's {}", altered_words(claim.memory));
  return out;
}

// Axes worth a picture: several, or one that something lies above.
static std::vector<MeshRow> shown_mesh(const TrainingPlan<double>& plan, const Layout<double>& x) {
  std::vector<MeshRow> rows = mesh_rows(plan, x);
  const bool beyond = !plan.cluster.tiers.empty() || !plan.cluster.node.torus.empty();
  return rows.size() > 1 || (beyond && !rows.empty()) ? rows : std::vector<MeshRow>{};
}

// What is easily taken for a mistake.
static std::vector<std::string> memory_notes(const TrainingPlan<double>& plan,
                                             const TrainingEstimate<double>& e) {
  std::vector<std::string> out;
  if (!(plan.sharding.zero < 3) && !(e.memory.buffers <= Bytes<double>{})) {
    TrainingPlan<double> other = plan;
    other.sharding.zero = Count<double>{2};
    const Stages<double> stages(other.model, cut_of(other));
    const LayerParts<double> layers = layer_parts(other, e.layout);
    const auto two = heaviest_stage(MemoryInputs<double>{other, e.layout, stages, layers}).total;
    if (two < e.memory.total)
      out.push_back(fmt::format(
          "ZeRO-2 would hold {}: gathered weights and whole gradients ({}) weigh more than what "
          "sharding the weights saves.",
          format_quantity(value_of(two.raw), kByte, Hint::kNone),
          format_quantity(value_of(e.memory.buffers.raw), kByte, Hint::kNone)));
  }
  return out;
}

Result evaluate(Workspace& work, const LoadedTraining& loaded) {
  const TrainingPlan<double>& plan = loaded.plan;
  const TrainingEstimate<double> e = estimate(plan);
  Result r;
  r.name = plan.name;
  r.file = loaded.file;
  r.case_name = loaded.case_name;
  r.kind = "training";
  r.warnings = loaded.warnings;
  const StackClaim claim = plan.stack ? stack_claim(work, loaded) : StackClaim{};
  headline(loaded.resolved, plan, e, claim, r);
  const MemoryByStage<double> stages = memory_by_stage(plan);
  collect_with_words(plan, e, stages, r.metrics);
  r.mesh = shown_mesh(plan, e.layout);
  r.curves = memory_curves(plan, e, stages);
  r.memory_notes = memory_notes(plan, e);
  for (const Metric& m : r.metrics) {
    if (m.id.starts_with("mfu.") && m.has_value() && m.value > 1)
      r.warnings.push_back(fmt::format("{} is {}: no machine does that; state a lower train.mfu",
                                       m.id, format_quantity(m.value, m.dim, m.hint)));
  }
  if (const auto& f = e.run.failing;
      f && f->saving && f->saving->async && *f->goodput.interval < f->saving->write)
    r.warnings.push_back(
        fmt::format("a checkpoint takes {} to write, longer than the interval between two",
                    format_quantity(value_of(f->saving->write.raw), kSecond, Hint::kNone)));
  if (plan.stack) stack_warnings(plan, e, claim, r.warnings);
  list_assumptions(loaded, plan.assume, training_assumptions(plan), r.assumptions);
  list_limits(loaded, plan.memory, r.assumptions);
  r.not_modelled = not_modelled(plan);
  r.accuracy = accuracy_of(work, plan, e.step.has_value(), unproved_by(claim));
  if (!changed(loaded.resolved, "cluster.node.chip").empty())
    for (Accuracy& a : r.accuracy)
      if (a.rows > 0) a.text += "; the chip is changed, theirs was not";
  const std::string outside = outside_words(plan, e.layout);
  for (Accuracy& a : r.accuracy)
    if (a.metric == "step.time" && a.rows > 0 && !outside.empty())
      a.text += "; this plan is outside of what they cover: " + outside;
  if (!fits(e.verdict)) r.say_no(No::kMemory);
  if (e.verdict == Verdict::kMayNotFit)
    r.warnings.push_back(fmt::format(
        "memory is over the capacity by less than such totals are wrong by (memory.error, "
        "{}): it may fit after all, and a plan that is to run has more room",
        format_quantity(value_of(plan.memory.error.raw), kOne, Hint::kFraction)));
  if (!fits(e.verdict) || e.verdict == Verdict::kTight) r.fixes = fixes(work, loaded);
  return r;
}

Result LoadedTraining::result(Workspace& work) const { return evaluate(work, *this); }

std::vector<Metric> LoadedTraining::metrics(Workspace&) const { return said_metrics_of(plan); }

static Judged judged_of(const TrainingPlan<double>& plan) {
  Judged out{said_metrics_of(plan), {}};
  const Metric* fits = find_metric(out.metrics, "fits");
  if (fits && fits->has_value() && fits->value == 0) out.no.push_back(No::kMemory);
  return out;
}

Judged LoadedTraining::judged(Workspace&) const { return judged_of(plan); }

bool LoadedTraining::at(const Changes& changes, Judged& out, Diagnostics& diagnostics) const {
  const std::size_t before = diagnostics.error_count();
  TrainingPlan<double> changed = plan;
  Origins unused;
  for (const auto& [path, value] : changes) {
    if (!set_member(changed, path, value, {diagnostics, unused})) return false;
  }
  if (diagnostics.error_count() == before) check_legal(changed, origins, resolved, diagnostics);
  if (diagnostics.error_count() == before) out = judged_of(changed);
  return true;
}

std::shared_ptr<const void> LoadedTraining::record(const Recording& run,
                                                   std::vector<Metric>& metrics) const {
  auto traced = std::make_shared<TrainingPlan<Traced>>(lift(plan, run));
  collect(*traced, estimate(*traced), memory_by_stage(*traced), metrics);
  return traced;
}

}  // namespace reckon
