#include "reckon/engine/defend.hpp"

#include <fmt/format.h>

#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/units/parse.hpp"
#include "steps.hpp"

namespace reckon {
namespace {

using namespace defence;

// presets/starting-point.yaml: the rule of thumb for a run's length, and when the network counts as the limit.
struct Rules {
  double tokens_per_parameter = 0, much_exposed = 0;
  std::string words;
};

double number_at(const doc::Value& tree, const char* path) {
  const doc::Value* v = tree.at(path);
  const auto parsed = v && v->is_scalar() ? parse_quantity(v->text, kOne, Hint::kRatio)
                                          : std::variant<double, ParseError>(ParseError{});
  const double* x = std::get_if<double>(&parsed);
  return x ? *x : 0;
}

Rules rules(Workspace& work) {
  Diagnostics unused;
  const auto file = work.find(Shelf::kPresets, "starting-point");
  if (file.empty()) return {};
  const doc::Value tree = work.read_data(file, {}, unused);
  const double tokens = number_at(tree, "tokens_per_parameter.value");
  const doc::Value* source = tree.at("tokens_per_parameter.source");
  return {tokens, number_at(tree, "network_limit.value"),
          fmt::format("{} a parameter ({})", tokens, source ? source->text : "a rule")};
}

// What may be chosen, since nobody stated it.
struct Free {
  bool sharding = false, mesh = false, recompute = false;
};

constexpr std::string_view kDefaults = "presets/defaults.yaml";

// Who stated a field, or one of a group's, other than the defaults and the file called `but_for`; nullptr if nobody.
const Span* stated(const LoadedTraining& plan, const std::string& key, std::string_view but_for) {
  for (const auto& [path, by] : plan.origins)
    if (is_within(path, key) && by.span && by.span.file->name != kDefaults &&
        by.span.file->name != but_for)
      return &by.span;
  return nullptr;
}

Free free_of(const LoadedTraining& plan, bool proposed) {
  if (!proposed) return {};
  const auto nobody = [&](const char* key) { return !stated(plan, key, plan.file); };
  return {nobody("sharding"), nobody("mesh"), nobody("recompute")};
}

std::string recompute_words(Recompute policy) {
  return policy == Recompute::kNone        ? "no recompute"
         : policy == Recompute::kSelective ? "the attention recomputed"
         : policy == Recompute::kFull      ? "layers recomputed"
                                           : fmt::format("recompute {}", name_of(policy));
}

bool same_mesh(const Plan& a, const Plan& b) {
  return whole_of(a.mesh.tensor) == whole_of(b.mesh.tensor) &&
         whole_of(a.mesh.pipeline) == whole_of(b.mesh.pipeline) &&
         whole_of(a.mesh.expert) == whole_of(b.mesh.expert);
}

// The best of the ways to share state and to recompute that are free to choose, mildest first.
std::optional<Variant> chosen_plan(const LoadedTraining& base, const Free& free) {
  std::vector<Recompute> policies{base.plan.recompute};
  if (free.recompute) policies = {Recompute::kNone, Recompute::kSelective, Recompute::kFull};
  std::optional<Variant> out;
  for (const Recompute policy : policies) {
    LoadedTraining with = base;
    with.plan.recompute = policy;
    Shardings all = shardings(with);
    if (!free.sharding) all.all = {varied(with, all.all[all.own].title, [](Plan&) {})};
    if (!free.mesh)
      std::erase_if(all.all, [&](const Variant& v) { return !same_mesh(v.plan(), base.plan); });
    const auto i = best(all);
    if (i && (!out || better(all.all[*i], *out))) out = all.all[*i];
  }
  return out;
}

// What was chosen, and what was not since it was stated.
std::string choice_words(const Variant& chosen, const Free& free) {
  const std::string recompute = recompute_words(chosen.plan().recompute);
  const char* rule = "the shortest step that fits with room to spare";
  if (!free.sharding)
    return fmt::format("no recompute is stated: {}, was chosen: {}", recompute, rule);
  if (!free.recompute)
    return fmt::format("no sharding is stated: {} was chosen: of the shardings of step 2, {}",
                       chosen.title, rule);
  return fmt::format(
      "no sharding is stated: {}, {}, was chosen: of the shardings of step 2, with and without "
      "recompute, {}",
      chosen.title, recompute, rule);
}

}  // namespace

Defence defend(Workspace& work, const LoadedTraining& original, bool proposed) {
  Defence out;
  LoadedTraining plan = original;
  const Free free = free_of(original, proposed);
  if (free.sharding || free.recompute) {
    const std::optional<Variant> chosen = chosen_plan(plan, free);
    if (chosen) plan.plan = chosen->plan();
    out.chosen.push_back(chosen ? choice_words(*chosen, free)
                                : "no sharding is stated, and none that was tried fits");
  } else if (!proposed && !stated(original, "sharding", "")) {
    out.chosen.push_back(
        fmt::format("the plan states no sharding: DDP, as `eval` takes it ({})", kDefaults));
  }
  const Result r = evaluate(work, plan);
  const std::string model = plan.plan.model.name.empty() ? "the model" : plan.plan.model.name;
  const Variant own = varied(plan, "this plan", [](Plan&) {});
  out.title = fmt::format("The case for {} on {} GPUs", r.name.empty() ? model : r.name,
                          own.text("cluster.gpus"));
  out.headline = r.headline;
  out.not_modelled = r.not_modelled;
  out.steps.push_back(memory_step(own));
  out.steps.push_back(sharding_step(shardings(plan)));
  out.steps.push_back(activations_step(own));
  out.steps.push_back(communication_step(own));
  const Rules rule = rules(work);
  out.steps.push_back(cost_step(own, rule.tokens_per_parameter, rule.words));
  const Growth growth = growth_step(own, rule.much_exposed);
  out.steps.push_back(growth.step);
  out.binds = what_binds(own, growth);
  return out;
}

}  // namespace reckon
