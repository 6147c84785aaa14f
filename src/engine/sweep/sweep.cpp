#include "reckon/engine/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reckon {
namespace {

std::vector<std::string> paths_of(const std::vector<Axis>& axes) {
  std::vector<std::string> out;
  for (const Axis& a : axes) out.push_back(a.path);
  return out;
}

// Where no point is legal, the first one is loaded again for its located faults: an unknown field is one everywhere.
void no_point(PlanPoints& points, const SweepRequest& request, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  points.load(point(request.axes, 0), diagnostics);
  if (diagnostics.error_count() == before) return;
  if (points_of(request.axes) > 1)
    diagnostics.error(
        request.axes.front().span,
        fmt::format("none of the {} points is a legal plan; the fault of the first is shown",
                    points_of(request.axes)));
}

}  // namespace

PlanTable sweep(Workspace& work, const SweepRequest& request, Diagnostics& diagnostics) {
  PlanTable out;
  const std::size_t before = diagnostics.error_count();
  check_axes(request.axes, request.file, diagnostics);
  if (diagnostics.error_count() > before) return out;
  PlanPoints points(work, request.file, request.which, paths_of(request.axes),
                    request.axes.front().span);
  const std::size_t n = points_of(request.axes);
  out.axes = request.axes;
  // Columns are known after the first legal points; later ones keep only those.
  std::vector<std::vector<Metric>> first;
  bool legal = false;
  constexpr std::size_t kLook = 64;
  const auto choose = [&] {
    std::vector<const std::vector<Metric>*> seen;
    for (const auto& m : first)
      if (!m.empty()) seen.push_back(&m);
    legal = !seen.empty();
    if (!legal) return;
    out.columns = table_columns(*plan_kind(request.file.kind), request.metrics, seen, diagnostics);
    for (std::size_t i = 0; i < first.size(); ++i)
      if (out.rows[i].fault.empty()) out.rows[i].cells = cells_of(first[i], out.columns);
    first.clear();
  };
  for (std::size_t i = 0; i < n; ++i) {
    PlanTable::Row& row = out.rows.emplace_back();
    row.values = point(request.axes, i);
    PlanPoint p = points.at(row.values);
    row.fault = p.fault;
    row.no = p.no;
    if (legal) {
      if (p.legal()) row.cells = cells_of(p.metrics, out.columns);
      continue;
    }
    first.push_back(p.legal() ? std::move(p.metrics) : std::vector<Metric>{});
    if (i + 1 == n || (first.size() >= kLook && !first.back().empty())) choose();
    if (diagnostics.error_count() > before) return out;
  }
  if (!legal) no_point(points, request, diagnostics);
  for (const auto& [message, where] : points.warnings())
    diagnostics.warning(request.axes.front().span, fmt::format("at {}: {}", where, message));
  return out;
}

}  // namespace reckon
