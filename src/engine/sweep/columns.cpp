// Which metrics a table over several plans shows.
#include <fmt/format.h>

#include <algorithm>

#include "reckon/engine/metric_named.hpp"
#include "reckon/engine/sweep.hpp"

namespace reckon {
namespace {

using Many = std::vector<const std::vector<Metric>*>;

constexpr std::size_t kMostColumns = 7;

Metric head(const Metric& m) {
  Metric out;
  out.id = m.id;
  out.title = m.title;
  out.dim = m.dim;
  out.hint = m.hint;
  return out;
}

// The first point that has it, with a value if any has one.
const Metric* found(const Many& points, std::string_view id) {
  const Metric* any = nullptr;
  for (const auto* metrics : points) {
    const Metric* m = find_metric(*metrics, id);
    if (m && m->has_value()) return m;
    if (!any) any = m;
  }
  return any;
}

std::vector<Metric> asked_for(const std::vector<std::string>& ids, const Many& points,
                              Diagnostics& diagnostics) {
  std::vector<Metric> out;
  for (const std::string& id : ids) {
    if (const Metric* m = found(points, id)) {
      out.push_back(head(*m));
    } else if (!points.empty()) {
      metric_named(*points.front(), id, {}, diagnostics, "--metric: ");
    }
  }
  return out;
}

// Numbers that are not the same at all points.
std::vector<Metric> that_differ(const Many& points) {
  std::vector<Metric> out;
  for (const Metric& m : *points.front()) {
    const bool differs = std::any_of(points.begin(), points.end(), [&](const auto* other) {
      const Metric* x = find_metric(*other, m.id);
      return x && x->has_value() && (x->value != m.value || x->text != m.text);
    });
    if (differs && out.size() < kMostColumns) out.push_back(head(m));
  }
  return out;
}

}  // namespace

std::vector<Metric> table_columns(const PlanKind& kind, const std::vector<std::string>& asked,
                                  const Many& points, Diagnostics& diagnostics) {
  if (!asked.empty()) return asked_for(asked, points, diagnostics);
  std::vector<Metric> out;
  for (const std::string_view id : kind.columns()) {
    const Metric* m = found(points, id);
    if (m && m->has_value()) out.push_back(head(*m));
  }
  if (out.empty() && !points.empty()) out = that_differ(points);
  return out;
}

std::vector<Metric> cells_of(const std::vector<Metric>& metrics,
                             const std::vector<Metric>& columns) {
  std::vector<Metric> out;
  for (const Metric& c : columns) {
    const Metric* m = find_metric(metrics, c.id);
    out.push_back(m ? *m : c);
    if (!m) out.back().reason = "this plan has no such metric";
  }
  return out;
}

}  // namespace reckon
