#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reckon/base/text.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kernel_model.hpp"
#include "reckon/spec/budgets.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "serving_rows.hpp"

namespace reckon {
namespace {

using RowGroup = std::vector<ServedRow*>;

double log_error(const ServedRow& r, const ServingPlan<double>& plan) {
  const double predicted = served_figure(plan, r.row.metric);
  return predicted > 0 ? std::log(predicted / r.row.measured) : 5;
}

// Constants of one engine that some of its rows depend on.
std::vector<FittedConstant<double>> constants_of(const RowGroup& rows) {
  std::vector<FittedConstant<double>> out;
  for (const FittedConstant<double>& c : rows.front()->plan.engine.fitted)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const ServedRow* r) { return bears_on(r->plan, c); }))
      out.push_back(c);
  return out;
}

double stated(const RowGroup& rows, const FittedConstant<double>& c) {
  for (const ServedRow* r : rows)
    if (bears_on(r->plan, c)) return constant_of(r->plan, c);
  return 0;
}

ServingPlan<double> with(const ServingPlan<double>& plan,
                         const std::vector<FittedConstant<double>>& constants,
                         const std::vector<double>& values) {
  ServingPlan<double> out = plan;
  for (std::size_t i = 0; i < constants.size(); ++i) set_constant(out, constants[i], values[i]);
  return out;
}

FitOutcome fit(const RowGroup& rows, const std::vector<FittedConstant<double>>& constants) {
  std::vector<FitParameter> parameters;
  std::vector<double> start;
  for (const FittedConstant<double>& c : constants) {
    const double low = c.least.raw, high = c.most.raw;
    parameters.push_back({c.path, low, high, low > 0});
    start.push_back(std::clamp(stated(rows, c), low, high));
  }
  std::vector<ServingPlan<double>> plans;
  for (const ServedRow* r : rows) plans.push_back(r->plan);
  return fit_robustly(parameters, {start}, [&](const std::vector<double>& values) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < constants.size(); ++k)
        set_constant(plans[i], constants[k], values[k]);
      errors.push_back(log_error(*rows[i], plans[i]));
    }
    return errors;
  });
}

const std::string& key_of(const ServedRow& r, LeaveOut what) {
  return what == LeaveOut::kChip ? r.row.chip : r.row.model;
}

// Each row by constants fitted without its model or chip; rows whose engine has only one of them have none.
void leave_out(const RowGroup& rows, LeaveOut what) {
  RowGroup seen;
  for (ServedRow* r : rows)
    if (r->row.fitted) seen.push_back(r);
  std::set<std::string> keys;
  for (const ServedRow* r : seen) keys.insert(key_of(*r, what));
  for (ServedRow* r : rows) r->row.predicted = 0;
  if (keys.size() < 2) return;
  for (const std::string& key : keys) {
    RowGroup others;
    for (ServedRow* r : seen)
      if (key_of(*r, what) != key) others.push_back(r);
    const auto constants = constants_of(others);
    if (others.size() <= constants.size()) continue;
    const FitOutcome f = fit(others, constants);
    for (ServedRow* r : seen)
      if (key_of(*r, what) == key)
        r->row.predicted = served_figure(with(r->plan, constants, f.values), r->row.metric);
  }
}

void fit_all(const RowGroup& rows, ServingReport& report) {
  RowGroup seen;
  for (ServedRow* r : rows)
    if (r->row.fitted) seen.push_back(r);
  if (seen.empty()) return;
  const auto constants = constants_of(seen);
  if (constants.empty() || seen.size() <= constants.size()) return;
  const FitOutcome f = fit(seen, constants);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    std::string path = constants[i].path;
    if (!constants[i].chips.empty()) path += " on " + join(constants[i].chips, ", ");
    if (!constants[i].weights.empty()) path += " of " + constants[i].weights;
    report.constants.push_back({rows.front()->row.engine, path, stated(seen, constants[i]),
                                f.values[i], f.low[i], f.high[i], f.at_bound[i]});
  }
}

ErrorSummary summary(const std::vector<ServingRow>& rows, const std::string& family,
                     double ServingRow::*predicted) {
  std::vector<double> errors;
  for (const ServingRow& r : rows)
    if (r.family == family && r.*predicted > 0)
      errors.push_back(std::log(r.*predicted / r.measured));
  return summarize_log_errors(errors);
}

void add_families(ServingReport& report) {
  for (const ServingRow& r : report.rows) {
    const auto same = [&r](const ServingFamily& f) { return f.name == r.family; };
    if (std::any_of(report.families.begin(), report.families.end(), same)) continue;
    report.families.push_back({r.family, summary(report.rows, r.family, &ServingRow::predicted),
                               summary(report.rows, r.family, &ServingRow::flat),
                               summary(report.rows, r.family, &ServingRow::peak)});
  }
}

// measurements/budgets.yaml
void add_budgets(Workspace& work, ServingReport& report, Diagnostics& d) {
  std::error_code error;
  for (const auto& root : work.roots()) {
    const auto path = root / "measurements/budgets.yaml";
    if (!std::filesystem::is_regular_file(path, error)) continue;
    doc::Value tree = work.read_data(path, {}, d);
    doc::take(tree, "kind");
    Budgets<double> file;
    Origins origins;
    const std::size_t before = d.error_count();
    bind(tree, file, {d, origins});
    if (d.error_count() > before) return;
    for (std::size_t i = 0; i < file.budgets.size(); ++i) {
      const ErrorBudget<double>& b = file.budgets[i];
      if (b.of != "serving" || b.leave_out != name_of(report.request.leave_out)) continue;
      std::string name = b.family;
      if (report.request.leave_out != LeaveOut::kNothing) name += ", leaving out a " + b.leave_out;
      ServingBudget line{
          std::move(name), b.source, b.error.raw, {}, tree.find("budgets")->items[i].span};
      for (const ServingFamily& f : report.families)
        if (f.name == b.family) line.errors = f.model;
      report.budgets.push_back(std::move(line));
    }
    return;
  }
}

bool matches(const ServedRow& r, const std::string& pattern) {
  if (pattern.empty()) return true;
  for (const std::string* text : {&r.row.engine, &r.row.file, &r.row.source, &r.row.family})
    if (matches_pattern(*text, pattern) || text->find(pattern) != std::string::npos) return true;
  return false;
}

}  // namespace

std::size_t ServingReport::missed() const {
  return static_cast<std::size_t>(std::count_if(budgets.begin(), budgets.end(),
                                                [](const ServingBudget& b) { return !b.holds(); }));
}

ServingReport validate_serving(Workspace& work, const ServingRequest& request,
                               Diagnostics& diagnostics) {
  ServingReport report;
  report.request = request;
  std::vector<ServedRow> rows = served_rows(work, diagnostics);
  const auto generic = load_kernels(work, "generic", {}, diagnostics);
  if (diagnostics.has_errors() || !generic || generic->gemm.empty()) return report;
  std::erase_if(rows, [&](const ServedRow& r) { return !matches(r, request.source); });
  std::map<std::string, RowGroup> engines;
  for (ServedRow& r : rows) engines[r.row.engine].push_back(&r);
  for (ServedRow& r : rows) {
    r.row.predicted = served_figure(r.plan, r.row.metric);
    r.row.flat = served_figure(at_flat(r.plan, generic->gemm.front()), r.row.metric);
    r.row.peak = served_figure(at_peak(r.plan), r.row.metric);
  }
  for (auto& [engine, group] : engines) {
    if (request.leave_out != LeaveOut::kNothing) leave_out(group, request.leave_out);
    if (request.fit) fit_all(group, report);
  }
  for (ServedRow& r : rows)
    if (r.row.predicted > 0) report.rows.push_back(std::move(r.row));
  add_families(report);
  if (request.source.empty()) add_budgets(work, report, diagnostics);  // budgets are of all rows
  return report;
}

}  // namespace reckon
