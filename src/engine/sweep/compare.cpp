#include "reckon/engine/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "reckon/engine/sweep.hpp"
#include "reckon/units/formula/recording.hpp"

namespace reckon {
namespace {

using Parts = std::vector<std::pair<std::string, double>>;

std::string text_of(const Label& label) {
  return label.index < 0 ? std::string(label.text) : fmt::format("{} {}", label.text, label.index);
}

// The parts of a sum, first to last.
void add_parts(const Tape& tape, std::int32_t sum, Parts& out) {
  const Tape::Node& n = tape.node(sum);
  if (n.b >= 0) add_parts(tape, n.a, out);
  const std::int32_t part = n.b >= 0 ? n.b : n.a;
  for (std::int32_t i = part; i >= 0; i = tape.node(i).op == Op::kAlias ? tape.node(i).a : -1) {
    const Tape::Name* name = tape.name_of(i);
    if (!name || name->part.text.empty()) continue;
    out.emplace_back(text_of(name->part), tape.node(i).value);
    return;
  }
}

double value_in(const Parts& parts, const std::string& label) {
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == label; });
  return at == parts.end() ? 0 : at->second;
}

// Cases of one file by their names, files by theirs as far as that tells them apart.
std::vector<std::string> names_of(const PlansCompared& plans) {
  const bool one_file = std::all_of(plans.begin(), plans.end(),
                                    [&](const Loaded* p) { return p->file == plans[0]->file; });
  std::vector<std::string> out;
  for (const Loaded* p : plans) {
    std::string name = one_file ? "" : std::filesystem::path(p->file).stem().string();
    if (!p->case_name.empty()) name += (name.empty() ? "" : ", ") + p->case_name;
    out.push_back(name.empty() ? "the plan" : name);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::count(out.begin(), out.end(), out[i]) == 1) continue;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = fmt::format("{}: {}", k + 1, plans[k]->file);
    break;
  }
  return out;
}

std::vector<ComparedMetric> side_by_side(const std::vector<std::vector<Metric>>& all,
                                         const std::vector<Metric>& columns) {
  std::vector<ComparedMetric> out;
  for (const Metric& c : columns) out.push_back({c, {}});
  for (const auto& metrics : all) {
    const std::vector<Metric> cells = cells_of(metrics, columns);
    for (std::size_t i = 0; i < cells.size(); ++i) out[i].cells.push_back(cells[i]);
  }
  return out;
}

// Every shown metric that is a sum in both and differs.
void explain_all(const PlansCompared& plans, Comparison& out) {
  const Recorded first(*plans.front());
  for (std::size_t k = 1; k < plans.size(); ++k) {
    const Recorded other(*plans[k]);
    for (const ComparedMetric& m : out.metrics) {
      ExplainedDifference e = explain_difference(first, other, m.head.id);
      e.plan = k;
      if (!e.parts.empty()) out.explained.push_back(std::move(e));
    }
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> parts_of(const Recorded& plan,
                                                     std::string_view metric) {
  Parts out;
  const Metric* m = plan.find(metric);
  if (!m || m->node < 0) return out;
  std::int32_t at = unaliased(plan.tape(), m->node);
  // The heaviest of several stages is a choice among sums.
  while (plan.tape().node(at).op == Op::kLargest || plan.tape().node(at).op == Op::kSmallest)
    at = unaliased(plan.tape(), plan.tape().winner(plan.tape().node(at)));
  if (plan.tape().node(at).op == Op::kPart) add_parts(plan.tape(), at, out);
  return out;
}

ExplainedDifference explain_difference(const Recorded& first, const Recorded& other,
                                       std::string_view metric) {
  ExplainedDifference out;
  const Metric *a = first.find(metric), *b = other.find(metric);
  if (!a || !b || !a->has_value() || !b->has_value() || a->value == b->value) return out;
  out.first = *a;
  out.other = *b;
  const Parts before = parts_of(first, metric), after = parts_of(other, metric);
  std::vector<std::string> labels;
  for (const Parts* parts : {&before, &after}) {
    for (const auto& [label, value] : *parts)
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  for (const std::string& label : labels) {
    const PartDifference d{label, value_in(before, label), value_in(after, label)};
    if (d.difference() != 0) out.parts.push_back(d);
  }
  std::stable_sort(out.parts.begin(), out.parts.end(), [](const auto& x, const auto& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  return out;
}

Comparison compare(Workspace& work, const PlansCompared& plans, std::string_view kind,
                   const std::vector<std::string>& metrics, Diagnostics& diagnostics) {
  Comparison out;
  std::vector<std::vector<Metric>> all;
  std::vector<const std::vector<Metric>*> seen;
  std::vector<const doc::Value*> trees;
  for (const Loaded* plan : plans) {
    all.push_back(plan->metrics(work));
    trees.push_back(&plan->resolved);
  }
  out.names = names_of(plans);
  for (const auto& m : all) seen.push_back(&m);
  const std::size_t before = diagnostics.error_count();
  out.metrics = side_by_side(all, table_columns(*plan_kind(kind), metrics, seen, diagnostics));
  if (diagnostics.error_count() > before) return out;
  out.inputs = differences(trees);
  explain_all(plans, out);
  return out;
}

}  // namespace reckon
