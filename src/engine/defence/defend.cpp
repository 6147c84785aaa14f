#include "reckon/engine/defend.hpp"

#include <fmt/format.h>

#include "reckon/engine/evaluate.hpp"
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

const char* recompute_words(Recompute policy) {
  const char* words[] = {"no recompute", "the attention recomputed", "layers recomputed"};
  return words[static_cast<std::size_t>(policy)];
}

// The best sharding under each policy of recompute, and the best of those; mildest first.
std::optional<Variant> chosen_plan(const LoadedTraining& base) {
  std::optional<Variant> out;
  for (const Recompute policy : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    LoadedTraining with = base;
    with.plan.recompute = policy;
    const Shardings all = shardings(with);
    const auto i = best(all);
    if (i && (!out || better(all.all[*i], *out))) out = all.all[*i];
  }
  return out;
}

}  // namespace

Defence defend(Workspace& work, const LoadedTraining& original, bool choose) {
  Defence out;
  LoadedTraining plan = original;
  if (choose) {
    const std::optional<Variant> chosen = chosen_plan(plan);
    if (chosen) {
      plan.plan = chosen->plan();
      out.chosen.push_back(fmt::format(
          "the plan states no sharding: {}, {}, was chosen: of the shardings of step 2, "
          "with and without recompute, the shortest step that fits with room to spare",
          chosen->title, recompute_words(plan.plan.recompute)));
    } else {
      out.chosen.emplace_back("the plan states no sharding, and none that was tried fits");
    }
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
