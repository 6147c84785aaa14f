#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "parts.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

constexpr std::size_t kMostTenths = 16;
constexpr long kMostTries = 4096;

// The metric with one field changed; nothing where that is no plan, or the kind of plan doesn't say.
std::optional<double> with(const Loaded& plan, const std::string& path, const std::string& value,
                           std::string_view metric) {
  Judged changed;
  Diagnostics d;
  if (!plan.at({{path, doc::scalar(value)}}, changed, d) || d.has_errors()) return {};
  const Metric* m = find_metric(changed.metrics, metric);
  if (!m || !m->has_value() || !std::isfinite(m->value)) return {};
  return m->value;
}

// A field that a planner turns: of mesh, batch, schedule or sharding, a number of nodes, of layers; not the dimensions
// of a model or the constants of hardware.
bool is_turned(std::string_view path) {
  if (path.starts_with("model.layers.")) return path.ends_with(".count");
  for (const char* given :
       {"model.", "stack.", "optimizer.", "law.", "batch_law.", "precision.", "cluster.node."})
    if (path.starts_with(given)) return false;
  return true;
}

// The nearest legal value on one side.
std::optional<WholeWorth::Next> neighbour(const Loaded& plan, const std::string& path, double now,
                                          int direction, std::string_view metric) {
  const long tries = std::min(kMostTries, std::max(64L, std::lround(now)));
  for (long i = 1; i <= tries; ++i) {
    const double x = now + static_cast<double>(direction) * static_cast<double>(i);
    if (x < 0) break;
    const std::string text = fmt::format("{:.0f}", x);
    if (const auto value = with(plan, path, text, metric)) return WholeWorth::Next{text, *value};
  }
  return {};
}

// Of a length in tokens: half and twice, since 4,097 is nobody's next step from 4,096.
std::optional<WholeWorth::Next> length_beside(const Loaded& plan, const std::string& path,
                                              double now, bool up, std::string_view metric) {
  const std::string text = fmt::format("{:.0f}", up ? 2 * now : std::floor(now / 2));
  if (text == "0") return {};
  if (const auto value = with(plan, path, text, metric)) return WholeWorth::Next{text, *value};
  return {};
}

// Whether the kind of plan can be evaluated with a field changed at all.
bool can_change(const Loaded& plan) {
  Judged unused;
  Diagnostics d;
  return plan.at({}, unused, d);
}

// Trees of laws with constants that carry intervals.
void find_ranges(const doc::Value& v, const std::string& path,
                 std::vector<std::pair<std::string, const doc::Value*>>& out) {
  if (!v.is_mapping()) return;
  const doc::Value* intervals = v.find("intervals");
  if (intervals && intervals->is_sequence()) out.emplace_back(path, &v);
  for (const doc::Entry& e : v.entries)
    find_ranges(e.value, path.empty() ? e.key : path + "." + e.key, out);
}

double number_of(const doc::Value* v) {
  if (v && v->is_mapping()) v = v->find("value");
  if (!v || !v->is_scalar()) return std::nan("");
  const auto parsed = parse_quantity(v->text, kOne, Hint::kRatio);
  const double* x = std::get_if<double>(&parsed);
  return x ? *x : std::nan("");
}

}  // namespace

void add_tenths(const Loaded& plan, const Metric& metric, Sensitivity& out) {
  for (std::size_t i = 0; i < out.inputs.size() && i < kMostTenths; ++i) {
    InputWorth& w = out.inputs[i];
    const auto more = with(plan, w.path, write_quantity(1.1 * w.value, w.dim, w.hint), metric.id);
    if (more && metric.value != 0) w.tenth = *more / metric.value - 1;
  }
}

void add_whole(const Loaded& plan, const Recorded& recorded, const Metric& metric,
               Sensitivity& out) {
  if (!can_change(plan)) return;
  std::set<std::string> seen;
  for (std::int32_t i = 0; i < recorded.tape().size(); ++i) {
    const Tape::Node& n = recorded.tape().node(i);
    const Tape::Name* name = recorded.tape().name_of(i);
    if (n.op != Op::kInput || !name || name->path.empty()) continue;
    if (name->hint != Hint::kCount && name->hint != Hint::kLength) continue;
    const std::string path(name->path);
    if (!is_turned(path) || !seen.insert(path).second) continue;
    WholeWorth w{path, fmt::format("{:.0f}", n.value), {}, {}};
    const bool length = name->hint == Hint::kLength;
    w.down = length ? length_beside(plan, path, n.value, false, metric.id)
                    : neighbour(plan, path, n.value, -1, metric.id);
    w.up = length ? length_beside(plan, path, n.value, true, metric.id)
                  : neighbour(plan, path, n.value, +1, metric.id);
    const auto moves = [&](const auto& next) { return next && next->metric != metric.value; };
    if (moves(w.down) || moves(w.up)) out.whole.push_back(std::move(w));
  }
}

void add_ranges(const Loaded& plan, const Metric& metric, Sensitivity& out) {
  std::vector<std::pair<std::string, const doc::Value*>> laws;
  find_ranges(plan.resolved, "", laws);
  for (const auto& [path, law] : laws) {
    for (const doc::Value& interval : law->find("intervals")->items) {
      const doc::Value* of = interval.find("of");
      if (!of || !of->is_scalar()) continue;
      for (const doc::Entry& part : law->entries) {  // the terms that have a constant of this name
        const doc::Value* constant = part.value.is_mapping() ? part.value.find(of->text) : nullptr;
        if (!constant) continue;
        RangeWorth r{path + "." + part.key + "." + of->text,
                     number_of(constant),
                     number_of(interval.find("low")),
                     number_of(interval.find("high")),
                     0,
                     0};
        const auto low = with(plan, r.path, fmt::format("{}", r.low), metric.id);
        const auto high = with(plan, r.path, fmt::format("{}", r.high), metric.id);
        if (!low || !high || (*low == metric.value && *high == metric.value)) continue;
        r.at_low = *low;
        r.at_high = *high;
        out.ranges.push_back(std::move(r));
      }
    }
  }
}

}  // namespace reckon
