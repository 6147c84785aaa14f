#include "assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reckon/base/text.hpp"
#include "reckon/engine/field_at.hpp"
#include "reckon/units/format.hpp"

namespace reckon::searching {
namespace {

using SetList = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kMemoryReasons[] = {"the states alone exceed the memory",
                                          "states and activations exceed the memory",
                                          "offloaded states exceed the host's memory"};

std::string nearest_text(const TrainingPlan<double>& base, SetList sets, const Counts::Nearest& n,
                         Dim dim, Hint hint) {
  if (!std::isfinite(n.missed)) return "no value";
  for (auto& s : sets_of(base, n.candidate)) sets.push_back(std::move(s));
  const std::string fields = in_words(sets);
  return fmt::format("the nearest misses {}{}: {}", n.at_least ? "at least " : "",
                     format_quantity(n.missed, dim, hint),
                     fields.empty() ? "the plan as it stands" : fields);
}

// Counts of several bases under one reason add up; the first base's nearest plan stays.
void add_reason(Tally& tally, const std::string& why, std::uint64_t plans,
                const std::string& nearest) {
  if (plans == 0) return;
  for (Tally::Reason& r : tally.reasons) {
    if (r.why != why) continue;
    r.plans += plans;
    return;
  }
  tally.reasons.push_back({why, plans, nearest});
}

std::string condition_text(const Goal& g) {
  return fmt::format("not {} {} {}", g.metric, sign_of(g.compare), g.text);
}

std::string slower_by(std::size_t part) {
  return fmt::format("slower, its largest loss: {}", kLossParts[part]);
}

}  // namespace

std::string in_words(const std::vector<std::pair<std::string, std::string>>& sets) {
  std::vector<std::string> words;
  for (const auto& [path, value] : sets) words.push_back(path + "=" + value);
  return join(words, " ");
}

FoundPlan load_found(Workspace& work, const SearchRequest& request,
                     std::vector<std::pair<std::string, std::string>> sets) {
  PlanFile file = request.file;
  for (const auto& [path, value] : sets) file.sets.emplace_back(path, doc::scalar(value));
  Diagnostics d;
  FoundPlan out{sets, std::move(sets), {}, nullptr, {}};
  out.plan = load_plan(work, file, request.which, d);
  if (!out.plan)
    throw std::logic_error("a search found a plan that can't be loaded: " + in_words(out.sets) +
                           "\n" + d.render());
  out.metrics = out.plan->metrics(work);
  for (const Diagnostic& x : d.all())
    if (x.severity == Severity::kWarning) out.warnings.push_back(x.message);
  return out;
}

void add_once(FoundPlan plan, std::vector<FoundPlan>& listed) {
  const bool known = std::any_of(listed.begin(), listed.end(), [&plan](const FoundPlan& other) {
    return doc::same(other.plan->resolved, plan.plan->resolved);
  });
  if (!known) listed.push_back(std::move(plan));
}

double metric_of(const FoundPlan& plan, std::string_view id) {
  const Metric* m = find_metric(plan.metrics, id);
  return m && m->has_value() && !m->is_text() ? m->value : std::numeric_limits<double>::quiet_NaN();
}

void add_tally(const TrainingPlan<double>& base, const SetList& sets, const SearchRequest& request,
               const std::vector<Metric>& units, const Layouts& found, Tally& tally) {
  const Counts& c = found.counts;
  tally.plans += found.plans;
  tally.shapes += found.shapes;
  tally.rejected += c.rejected;
  tally.evaluated += c.evaluated;
  tally.bounded += c.bounded + c.unplayed;
  for (std::size_t i = 0; i < c.memory.size(); ++i)
    add_reason(tally, kMemoryReasons[i], c.memory[i],
               nearest_text(base, sets, c.nearest_memory[i], kByte, Hint::kNone));
  for (std::size_t i = 0; i < c.conditions.size(); ++i) {
    const Metric* m = find_metric(units, request.where[i].metric);
    add_reason(tally, condition_text(request.where[i]), c.conditions[i],
               nearest_text(base, sets, c.nearest_condition[i], m ? m->dim : kOne,
                            m ? m->hint : Hint::kRatio));
  }
  add_reason(tally, "can't be among the best: its layers alone take longer", c.bounded, "");
  add_reason(tally,
             "can't be among the best: its passes alone take longer, before it is played out",
             c.unplayed, "");
  for (std::size_t i = 0; i < c.slower.size(); ++i)
    add_reason(tally, slower_by(i), c.slower[i], "");
}

bool has_field(const SetList& fields, const std::string& path) {
  return std::any_of(fields.begin(), fields.end(),
                     [&path](const auto& f) { return f.first == path; });
}

void add_given_fields(const std::vector<Axis>& axes, const doc::Value& resolved, SetList& fields) {
  for (const Axis& a : axes) {
    if (has_field(fields, a.path)) continue;
    const doc::Value* v = resolved.at(bound_path(a.path));
    for (const char* inside : {"value", "base", "id", "name"})
      if (v && v->is_mapping()) {
        if (const doc::Value* x = v->find(inside)) v = x;
      }
    if (v && v->is_scalar() && !v->text.empty()) fields.emplace_back(a.path, v->text);
  }
}

void note_warnings(Found& found) {
  for (const FoundPlan& p : found.best)
    for (const std::string& w : p.warnings) {
      const bool known = std::any_of(found.notes.begin(), found.notes.end(),
                                     [&w](const std::string& n) { return n.ends_with(w); });
      if (!known) found.notes.push_back(fmt::format("Of {}: {}", in_words(p.sets), w));
    }
}

void add_ranked(Found& found) {
  if (found.best.empty()) return;
  std::vector<std::string> ids{found.objective};
  ids.insert(ids.end(), found.pareto.begin(), found.pareto.end());
  for (const std::string& id : ids) {
    const bool shown = std::any_of(found.columns.begin(), found.columns.end(),
                                   [&id](const Metric& c) { return c.id == id; });
    const Metric* m = find_metric(found.best.front().metrics, id);
    if (!shown && m) found.columns.push_back(*m);
  }
}

void without_best(std::size_t part, Tally& tally) {
  const std::string why = slower_by(part);
  for (Tally::Reason& r : tally.reasons)
    if (r.why == why && r.plans > 0) --r.plans;
  std::erase_if(tally.reasons, [](const Tally::Reason& r) { return r.plans == 0; });
}

void empty_space(const TrainingPlan<double>& base, const Choices& choices, const Layouts& found,
                 Span at, Diagnostics& diagnostics) {
  std::uint64_t all = 0;
  Rule most = Rule::kMesh;
  for (const auto& [rule, n] : found.refusals) {
    all += n;
    if (n > found.refusals.at(found.refusals.contains(most) ? most : rule) ||
        !found.refusals.contains(most))
      most = rule;
  }
  auto& f = diagnostics.error(at, "the space holds no legal plan");
  if (choices.tensor.empty() || choices.context.empty() || choices.expert.empty()) {
    const char* which = choices.tensor.empty()    ? "tensor"
                        : choices.context.empty() ? "context"
                                                  : "expert";
    f.help(fmt::format(
        "no listed degree of {} divides the model: leave mesh.{} out to search those that do",
        which, which));
    return;
  }
  const long G = gpus_of(base);
  switch (most) {
    case Rule::kMesh:
      f.help(fmt::format("none of {} meshes divides the {} GPUs: list degrees that do", all, G));
      return;
    case Rule::kLayers:
      f.help("every mesh has more stages than the model has layers: list fewer stages");
      return;
    case Rule::kBatch: {
      // The fewest sequences that some mesh can share out.
      long least = std::numeric_limits<long>::max();
      for (const int t : choices.tensor)
        for (const int c : choices.context)
          for (const int p : choices.pipeline)
            if (const long g = static_cast<long>(t) * c * p; G % g == 0)
              least = std::min(
                  least, G / g * *std::min_element(choices.micro.begin(), choices.micro.end()));
      const long B = base.batch.global ? std::lround(base.batch.global->raw) : 0;
      f.help(
          fmt::format("a global batch of {} is shared out evenly by none of them; the fewest that "
                      "one can share "
                      "out are {}, and multiples of that: batch.global={}",
                      B, least, (B / least + 1) * least));
      return;
    }
    case Rule::kExperts:
    case Rule::kSchedule:
    case Rule::kSharding:
    case Rule::kSequence:
      f.help(
          "meshes and batch go together, the listed schedules, shardings or degrees of expert "
          "parallelism don't: "
          "list more of them, or leave them out to search all");
      return;
  }
}

}  // namespace reckon::searching
