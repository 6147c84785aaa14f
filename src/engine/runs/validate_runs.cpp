#include "reckon/engine/validate_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "budgets.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/evaluate.hpp"
#include "stack_fit.hpp"

namespace reckon {
namespace {

std::string stack_of(const MeasuredRun& run) { return run.plan.stack ? run.plan.stack->id : ""; }

// Predicted over measured - 1; of a rate, the error of the time behind it.
double error_of(const MeasuredFigure& f, double predicted) {
  return f.as == MeasuredAs::kRate ? f.value / predicted - 1 : predicted / f.value - 1;
}

JudgedRow row_of(const MeasuredRun& run, const MeasuredFigure& f, const Metric& m) {
  JudgedRow row;
  row.file = run.file;
  row.name = run.name;
  row.stack = stack_of(run);
  row.chip = run.plan.cluster.node.chip.id;
  row.kind = kind_of_run(run.plan);
  row.metric = f.metric;
  row.facts = run.facts;
  row.dim = m.dim;
  row.hint = m.hint;
  row.measured = f.value;
  row.predicted = m.value;
  row.error = error_of(f, m.value);
  row.span = f.span;
  return row;
}

void add_verdict(const MeasuredRun& run, const std::vector<Metric>& metrics, RunsReport& report) {
  const Metric *fits = find_metric(metrics, "fits"), *total = find_metric(metrics, "memory.total"),
               *capacity = find_metric(metrics, "memory.capacity"),
               *verdict = find_metric(metrics, "memory.verdict");
  const bool only_drawn = !run.time() && !run.ran_out_of_memory();  // a figure, no run
  if (!fits || !fits->has_value() || only_drawn) return;
  report.verdicts.push_back({run.file, run.name, !run.ran_out_of_memory(), fits->value > 0.5,
                             total ? total->value : 0, capacity ? capacity->value : 0,
                             verdict && verdict->text == name_of(Verdict::kMayNotFit)});
}

void predict_run(const MeasuredRun& run, BudgetOf of, RunsReport& report) {
  const std::vector<Metric> metrics = metrics_of(run.plan);
  if (of == BudgetOf::kMemory) add_verdict(run, metrics, report);
  for (const MeasuredFigure& f : run.figures) {
    const bool timed = f.as == MeasuredAs::kTime || f.as == MeasuredAs::kRate;
    if (f.as == MeasuredAs::kFits || timed != (of == BudgetOf::kRuns)) continue;
    const Metric* m = find_metric(metrics, f.metric);
    if (!m || !m->has_value() || !(m->value > 0)) {
      report.not_predicted.push_back(
          fmt::format("{} {}: {}", run.file, run.name, m ? m->reason : "no " + f.metric));
      continue;
    }
    report.rows.push_back(row_of(run, f, *m));
  }
}

// FLOPs that the hardware does, over what it took: a constant times this is the simplest prediction.
double seconds_per_efficiency(const TrainingPlan<double>& plan) {
  const TrainingEstimate<double> e = estimate(plan);
  if (!e.flops.hfu) return 0;
  return (*e.flops.hfu * e.layout.tokens / e.layout.G).raw;
}

double median_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

// By file and case, the error of one constant for each stack and precision.
using ByRun = std::map<std::pair<std::string, std::string>, double>;

ByRun errors_of_constants(const std::vector<MeasuredRun>& runs) {
  struct Timed {
    const MeasuredRun* run;
    double ratio;  // measured over FLOPs
  };
  std::map<std::pair<std::string, Compute>, std::vector<Timed>> groups;
  for (const MeasuredRun& r : runs) {
    const double x = seconds_per_efficiency(r.plan);
    if (const auto t = measured_step(r); t && x > 0)
      groups[{stack_of(r), r.plan.precision.compute}].push_back({&r, std::log(*t / x)});
  }
  ByRun out;
  for (const auto& [key, rows] : groups) {
    std::vector<double> all;
    for (const Timed& t : rows) all.push_back(t.ratio);
    const double constant = median_of(all);
    for (const Timed& t : rows) out[{t.run->file, t.run->name}] = std::expm1(constant - t.ratio);
  }
  return out;
}

ByRun errors_of_textbook(const std::vector<MeasuredRun>& runs, const Assume<double>& textbook) {
  ByRun out;
  for (const MeasuredRun& r : runs) {
    const auto measured = measured_step(r);
    if (!measured) continue;
    TrainingPlan<double> plan = r.plan;
    plan.stack.reset();
    plan.assume = textbook;
    if (const auto e = estimate(plan); e.step)
      out[{r.file, r.name}] = e.step->time.raw / *measured - 1;
  }
  return out;
}

void add_baselines(const std::vector<MeasuredRun>& runs, const Assume<double>& textbook,
                   RunsReport& report) {
  const ByRun constant = errors_of_constants(runs), book = errors_of_textbook(runs, textbook);
  for (JudgedRow& row : report.rows) {
    const std::pair key(row.file, row.name);
    if (const auto at = constant.find(key); at != constant.end()) row.constant = at->second;
    if (const auto at = book.find(key); at != book.end()) row.textbook = at->second;
  }
}

std::vector<const JudgedRow*> rows_where(const RunsReport& report, auto holds) {
  std::vector<const JudgedRow*> out;
  for (const JudgedRow& r : report.rows)
    if (holds(r)) out.push_back(&r);
  return out;
}

// What memory is judged by in total: one figure a run, and only where its cause is known.
bool counts(const JudgedRow& r, BudgetOf of) {
  return of == BudgetOf::kRuns || (r.metric == "memory.total" && r.facts.unexplained.empty());
}

void add_sets(RunsReport& report) {
  const BudgetOf of = report.request.of;
  const auto add = [&](const char* name, auto holds) {
    const auto rows = rows_where(report, holds);
    if (!rows.empty()) report.sets.push_back(group_of(name, rows));
  };
  if (!report.request.rows.empty())
    add("all of them", [of](const JudgedRow& r) { return counts(r, of); });
  if (of == BudgetOf::kMemory) {
    add("memory of a GPU", [](const JudgedRow& r) { return counts(r, BudgetOf::kMemory); });
    add("memory of activations",
        [](const JudgedRow& r) { return r.metric == "memory.activations"; });
    add("cause not known", [](const JudgedRow& r) { return !r.facts.unexplained.empty(); });
    return;
  }
  add("core", [](const JudgedRow& r) { return belongs(r, RowSet::kCore); });
  add("core, plan stated", [](const JudgedRow& r) { return belongs(r, RowSet::kStated); });
  add("core, plan completed",
      [](const JudgedRow& r) { return r.facts.core && !belongs(r, RowSet::kStated); });
  add("other tier A, plan stated", [](const JudgedRow& r) { return belongs(r, RowSet::kOther); });
  add("other tier A, plan completed", [](const JudgedRow& r) {
    return r.facts.tier == RowTier::kA && !r.facts.core && !r.facts.assumed.empty();
  });
  add("tier B", [](const JudgedRow& r) { return belongs(r, RowSet::kB); });
  add("tier C", [](const JudgedRow& r) { return r.facts.tier == RowTier::kC && !r.facts.core; });
}

// Rows by one of their names, in its order; `core` alone where the group has any.
void add_groups(const RunsReport& report, std::string JudgedRow::*key, std::vector<RunGroup>& out) {
  std::map<std::string, std::vector<const JudgedRow*>> groups;
  for (const JudgedRow& r : report.rows)
    if (counts(r, report.request.of)) groups[r.*key].push_back(&r);
  for (const auto& [name, rows] : groups) out.push_back(group_of(name, rows));
}

bool chosen(const MeasuredRun& run, const std::string& pattern) {
  if (pattern.empty()) return true;
  for (const std::string& text : {run.file, stack_of(run), run.plan.cluster.node.chip.id})
    if (matches_pattern(text, pattern) || text.find(pattern) != text.npos) return true;
  return false;
}

}  // namespace

bool belongs(const JudgedRow& row, RowSet rows) {
  const MeasuredFacts& f = row.facts;
  switch (rows) {
    case RowSet::kAll:
      return true;
    case RowSet::kCore:
      return f.core;
    case RowSet::kStated:
      return f.core && f.assumed.empty();
    case RowSet::kOther:
      return f.tier == RowTier::kA && !f.core && f.assumed.empty();
    case RowSet::kB:
      return f.tier == RowTier::kB && !f.core;
  }
  return false;
}

RunGroup group_of(std::string name, const std::vector<const JudgedRow*>& rows) {
  RunGroup g;
  g.name = std::move(name);
  std::vector<double> model, constant, textbook;
  for (const JudgedRow* r : rows) {
    model.push_back(std::log1p(r->error));
    if (r->constant) constant.push_back(std::log1p(*r->constant));
    if (r->textbook) textbook.push_back(std::log1p(*r->textbook));
    g.largest = std::max(g.largest, std::abs(r->error));
  }
  g.model = summarize_log_errors(model);
  g.constant = summarize_log_errors(constant);
  g.textbook = summarize_log_errors(textbook);
  return g;
}

std::size_t RunsReport::missed() const {
  return static_cast<std::size_t>(std::count_if(budgets.begin(), budgets.end(),
                                                [](const RunBudgetLine& b) { return !b.holds(); }));
}

void predict_rows(const std::vector<MeasuredRun>& runs, BudgetOf of, RunsReport& report) {
  for (const MeasuredRun& r : runs) predict_run(r, of, report);
}

RunsReport validate_runs(Workspace& work, const RunsRequest& request, Diagnostics& d) {
  RunsReport report;
  report.request = request;
  const std::size_t before = d.error_count();
  const bool named = !request.stack.empty() && request.stack != "default";
  if (named && work.find(Shelf::kStacks, request.stack).empty()) {
    d.error({}, fmt::format("--stack: no software stack called '{}'", request.stack))
        .help("`reckon list stacks` prints those there are");
    return report;
  }
  const bool own = are_own_rows(request.rows, d);
  if (d.error_count() > before) return report;
  std::vector<MeasuredRun> runs = own ? measured_runs_of(work, request.rows, d, request.stack)
                                      : measured_runs(work, request.rows, d, request.stack);
  const auto budgets = run_budgets(work, d);
  if (d.error_count() > before || runs.empty()) return report;
  const bool anew = request.leave_out_file || request.leave_out_model;
  if (anew && !leave_rows_out(work, runs, request.leave_out_model ? model_key : file_key, d))
    return report;
  std::erase_if(runs, [&](const MeasuredRun& r) { return !chosen(r, request.source); });
  // Where the stack is not of a run's chip another stands in: no error of the one that was asked for.
  if (named)
    std::erase_if(runs, [&](const MeasuredRun& r) {
      return stack_of(r) != std::filesystem::path(request.stack).stem();
    });
  predict_rows(runs, request.of, report);
  if (request.of == BudgetOf::kRuns && budgets) add_baselines(runs, budgets->textbook, report);
  add_sets(report);
  add_groups(report, &JudgedRow::file, report.files);
  if (request.of == BudgetOf::kRuns) add_groups(report, &JudgedRow::stack, report.stacks);
  for (RunGroup& g : report.stacks)
    for (const MeasuredRun& r : runs)
      if (stack_of(r) == g.name) g.note = r.plan.stack->fitted;
  if (budgets && budgets->of_runs && request.rows.empty()) judge_budgets(*budgets, report);
  return report;
}

}  // namespace reckon
