#include "budgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"

namespace reckon {
namespace {

std::vector<const JudgedRow*> rows_of(const RunBudget<double>& b, const RunsReport& report) {
  const std::string metric =
      b.metric.empty() && b.of == BudgetOf::kMemory ? "memory.total" : b.metric;
  std::vector<const JudgedRow*> out;
  for (const JudgedRow& r : report.rows) {
    if (!belongs(r, b.rows) || (!b.file.empty() && !matches_pattern(r.file, b.file))) continue;
    if (!metric.empty() && r.metric != metric) continue;
    if (b.of == BudgetOf::kMemory && !r.facts.unexplained.empty()) continue;
    out.push_back(&r);
  }
  return out;
}

std::string title_of(const RunBudget<double>& b) {
  std::string out(name_of(b.of));
  if (b.rows != RowSet::kAll || b.file.empty()) out += fmt::format(", {} rows", name_of(b.rows));
  if (!b.file.empty()) out += ", " + b.file;
  if (!b.metric.empty()) out += ", " + b.metric;
  if (b.leave_out != LeftOut::kNothing)
    out += fmt::format(", each without its {}", name_of(b.leave_out));
  if (b.stack == "default") out += ", by the usual stack";
  if (!b.stack.empty() && b.stack != "default") out += ", by " + b.stack;
  return out;
}

std::size_t wrong_verdicts(const RunsReport& report, const std::string& file, bool ran) {
  return static_cast<std::size_t>(
      std::count_if(report.verdicts.begin(), report.verdicts.end(), [&](const FitVerdict& v) {
        return v.ran == ran && !v.right() && (file.empty() || matches_pattern(v.file, file));
      }));
}

void judge(const RunBudget<double>& b, Span span, RunsReport& report) {
  const auto rows = rows_of(b, report);
  const RunGroup g = group_of("", rows);
  const auto add = [&](const char* figure, double value, const auto& limit, bool at_least = false,
                       bool count = false) {
    if (!limit) return;
    report.budgets.push_back({title_of(b), figure, value, limit->raw, at_least, count,
                              count || !rows.empty(), count ? Hint::kCount : Hint::kFraction,
                              b.source, span});
    if (at_least) report.budgets.back().hint = Hint::kRatio;
  };
  add("mean", g.model.mean, b.mean);
  add("median", g.model.median, b.median);
  add("p90", g.model.p90, b.p90);
  add("largest", g.largest, b.largest);
  const auto over = [](double theirs, double ours) { return ours > 0 ? theirs / ours : HUGE_VAL; };
  add("constant over ours, mean", over(g.constant.mean, g.model.mean), b.constant_mean, true);
  add("constant over ours, median", over(g.constant.median, g.model.median), b.constant_median,
      true);
  const auto wrong = [&](bool ran) {
    return static_cast<double>(wrong_verdicts(report, b.file, ran));
  };
  add("ran, said not to fit", wrong(true), b.refused, false, true);
  add("out of memory, said to fit", wrong(false), b.accepted, false, true);
}

}  // namespace

std::optional<LoadedBudgets> run_budgets(Workspace& work, Diagnostics& d) {
  std::error_code error;
  for (const auto& root : work.roots()) {
    const auto path = root / "plans/measured/budgets.yaml";
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const std::size_t before = d.error_count();
    doc::Value tree = work.read_data(path, {}, d);
    doc::take(tree, "kind");
    doc::expand_dotted_keys(tree, d);
    RunBudgets<double> file;
    Origins origins;
    bind(tree, file, {d, origins});
    if (d.error_count() > before) return {};
    LoadedBudgets out;
    const doc::Value baseline = resolve_assume(work, file.baseline, d);
    bind(baseline, out.textbook, {d, origins, "baseline"});
    if (d.error_count() > before) return {};
    for (const doc::Value& item : tree.find("budgets")->items) out.spans.push_back(item.span);
    out.budgets = std::move(file.budgets);
    out.of_runs = measured_folder(work) == path.parent_path();
    return out;
  }
  return {};
}

// A budget of all rows says nothing of some: of those that --source selects, one of a file is judged if it selects the
// whole of it.
static bool is_of(const RunBudget<double>& b, const RunsRequest& request) {
  if (b.of != request.of || b.stack != request.stack || b.leave_out != request.left_out())
    return false;
  return request.source.empty() ||
         (!b.file.empty() &&
          (matches_pattern(b.file, request.source) || b.file.find(request.source) != b.file.npos));
}

void judge_budgets(const LoadedBudgets& budgets, RunsReport& report) {
  for (std::size_t i = 0; i < budgets.budgets.size(); ++i)
    if (is_of(budgets.budgets[i], report.request))
      judge(budgets.budgets[i], budgets.spans[i], report);
}

}  // namespace reckon
