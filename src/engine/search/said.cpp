#include "said.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assemble.hpp"
#include "choices.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/field_at.hpp"

namespace reckon::searching {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string value_of_field(const Fields& fields, const std::string& path) {
  for (const auto& [name, value] : fields)
    if (name == path) return value;
  return "";
}

// As a plan says it in a word.
std::string sharding_word(const Fields& given) {
  const std::string zero = value_of_field(given, "sharding.zero");
  const bool node = value_of_field(given, "sharding.within") == "node";
  if (zero == "0") return "ddp";
  if (zero == "3") return node ? "hsdp" : "fsdp";
  return "zero-" + zero + (node ? " in the node" : "");
}

std::string mesh_words(const Fields& given) {
  std::vector<std::string> out;
  for (const char* axis : {"tensor", "context", "pipeline", "expert"})
    out.push_back(fmt::format("{} {}", axis, value_of_field(given, fmt::format("mesh.{}", axis))));
  return join(out, ", ");
}

// The values that a group of fields has in the plan.
std::string held_value(Opened group, const Fields& given, const doc::Value& resolved) {
  switch (group) {
    case Opened::kParallel:
      return mesh_words(given);
    case Opened::kBatch: {
      const std::string micro = value_of_field(given, "batch.micro");
      return micro.empty() ? "" : "micro-batch " + micro;
    }
    case Opened::kSchedule: {
      const doc::Value* kind = resolved.at("schedule.kind");
      return kind ? "schedule " + kind->text : "";
    }
    case Opened::kSharding:
      return "sharding " + sharding_word(given);
    case Opened::kRecompute:
      return "recompute " + value_of_field(given, "recompute");
    case Opened::kOffload:
      return "offload " + value_of_field(given, "offload");
    case Opened::kPrecision: {
      const doc::Value* id = resolved.at("precision.id");
      return id ? "precision " + id->text : "";
    }
    case Opened::kAll:
      return "";
  }
  return "";
}

// Whether the space or an axis lets a field of the group be chosen.
bool is_open(Opened group, const Space<double>& space, const std::vector<Axis>& axes) {
  Space<double> alone;
  alone.search = {group};
  for (const ChosenField& f : chosen_fields(alone)) {
    for (const ChosenField& open : chosen_fields(space))
      if (open.path == f.path) return true;
    for (const Axis& a : axes)
      if (is_within(a.path, f.path) || is_within(f.path, a.path)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> held_words(const Space<double>& space, const std::vector<Axis>& axes,
                                    const Fields& given, const doc::Value& resolved) {
  if (chosen_fields(space).empty()) return {};
  std::vector<std::string> values, words;
  for (const Opened group :
       {Opened::kParallel, Opened::kSharding, Opened::kSchedule, Opened::kBatch, Opened::kRecompute,
        Opened::kOffload, Opened::kPrecision}) {
    if (is_open(group, space, axes)) continue;
    const std::string value = held_value(group, given, resolved);
    if (value.empty()) continue;
    values.push_back(value);
    words.emplace_back(name_of(group));
  }
  if (values.empty()) return {};
  return {fmt::format("Held as the plan has it: {} (opened by the word{} {} under search).",
                      join(values, ", "), words.size() == 1 ? "" : "s", listed(words))};
}

void say_precision(Found& found) {
  if (found.best.empty()) return;
  const std::string given = value_of_field(found.given.fields, "precision");
  std::vector<std::string> others;
  for (const FoundPlan& p : found.best) {
    const std::string its = value_of_field(p.fields, "precision");
    if (!its.empty() && its != given &&
        std::find(others.begin(), others.end(), its) == others.end())
      others.push_back(its);
  }
  if (given.empty() || others.empty()) return;
  found.said.push_back(
      fmt::format("Precision was chosen too: {}, where the plan has {}; what that does to the loss "
                  "is not priced.",
                  listed(others, "and"), given));
}

void add_accuracy(Workspace& work, Found& found) {
  if (found.best.empty()) return;
  found.accuracy = found.best.front().plan->result(work).accuracy;
  const double best = metric_of(found.best.front(), found.objective);
  for (const Accuracy& a : found.accuracy) {
    if (a.rows == 0 ||
        a.metric != (found.objective == "memory.total" ? "memory.total" : "step.time"))
      continue;
    const bool follows = found.objective == a.metric || found.objective.starts_with("run.") ||
                         found.objective.starts_with("throughput.") ||
                         found.objective.starts_with("mfu.");
    if (!follows || !(best != 0)) return;
    const auto nearer = [&](const FoundPlan& p) {
      return std::abs(metric_of(p, found.objective) / best - 1) <= a.median;
    };
    found.ties = static_cast<std::size_t>(
        std::find_if_not(found.best.begin(), found.best.end(), nearer) - found.best.begin());
    return;
  }
}

}  // namespace reckon::searching
