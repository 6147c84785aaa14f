#include "stack_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reckon/cost/training.hpp"
#include "reckon/engine/evaluate.hpp"

namespace reckon {
namespace {

using Values = std::vector<double>;

double step_seconds(const TrainingPlan<double>& plan) {
  const TrainingEstimate<double> e = estimate(plan);
  return e.step ? e.step->time.raw : std::nan("");
}

// Plans of the rows, with constants to be set in them.
class Rows {
 public:
  Rows(const std::vector<FitRow>& rows, std::vector<std::string> fields)
      : rows_(rows), fields_(std::move(fields)) {
    for (const FitRow& r : rows) plans_.push_back(r.run->plan);
  }

  Values errors(const Values& values) {
    Values out;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t k = 0; k < fields_.size(); ++k)
        if (const StackNumber n = stack_number(*plans_[i].stack, fields_[k]); n.value)
          *n.value = values[k];
      out.push_back(std::log(step_seconds(plans_[i]) / rows_[i].seconds));
    }
    return out;
  }

  // With the square root of its weight, so that its square has the weight.
  Values weighted(const Values& values) {
    Values out = errors(values);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= std::sqrt(rows_[i].weight);
    return out;
  }

 private:
  const std::vector<FitRow>& rows_;
  std::vector<std::string> fields_;
  std::vector<TrainingPlan<double>> plans_;
};

// Its value in the stack that is started from, kept inside the bounds.
double usual_of(const FitPlan::Constant& c, const Stack<double>& usual) {
  Stack<double> copy = usual;
  const StackNumber n = stack_number(copy, c.field);
  return n.value ? std::clamp(*n.value, c.low, c.high) : std::nan("");
}

bool any_differs(const Values& a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-9) return true;
  return false;
}

// Constants that some row's time depends on.
std::vector<FitPlan::Constant> telling(const FitPlan& how, const Stack<double>& usual,
                                       const std::vector<FitRow>& rows, StackFit& out) {
  std::vector<FitPlan::Constant> found;
  for (const FitPlan::Constant& c : how.constants) {
    const double x = usual_of(c, usual);
    if (std::isnan(x)) continue;  // the chip has no such format
    Rows with(rows, {c.field});
    const Values here = with.errors({x});  // a floor may tell only far from where it lies
    if (any_differs(here, with.errors({c.low})) || any_differs(here, with.errors({c.high})))
      found.push_back(c);
    else
      out.idle.push_back(c.field);
  }
  return found;
}

Values start_of(const std::vector<FitPlan::Constant>& constants, Stack<double> stack) {
  Values out;
  for (const FitPlan::Constant& c : constants)
    out.push_back(std::clamp(*stack_number(stack, c.field).value, c.low, c.high));
  return out;
}

void set_constants(const std::vector<FittedStackConstant>& constants, Stack<double>& stack) {
  for (const FittedStackConstant& c : constants)
    if (const StackNumber n = stack_number(stack, c.field); n.value) *n.value = c.value;
}

FittedStackConstant as_usual(const FitPlan::Constant& c, Stack<double> usual) {
  const StackNumber n = stack_number(usual, c.field);
  return {c.field, n.dim, n.hint, *n.value, *n.value, *n.value, *n.value, false};
}

// What is known of a stack without the rows of one key: fitted constants, and the usual ones where nothing tells.
std::vector<FittedStackConstant> without_rows(const FitPlan& how, const Stack<double>& usual,
                                              const std::vector<FitRow>& rows, RunKey key,
                                              const std::string& left) {
  std::vector<FitRow> kept;
  for (const FitRow& r : rows)
    if (key(*r.run) != left) kept.push_back(r);
  std::vector<FittedStackConstant> out;
  if (!kept.empty()) out = fit_stack(how, usual, kept).constants;
  for (const FitPlan::Constant& c : how.constants) {
    const bool fitted = std::any_of(
        out.begin(), out.end(), [&c](const FittedStackConstant& f) { return f.field == c.field; });
    if (!fitted && !std::isnan(usual_of(c, usual))) out.push_back(as_usual(c, usual));
  }
  return out;
}

}  // namespace

std::optional<double> measured_step(const MeasuredRun& run) {
  const MeasuredFigure* f = run.time();
  if (!f) return {};
  if (f->metric == "step.time") return f->value;
  const std::vector<Metric> metrics = metrics_of(run.plan);
  const Metric *time = find_metric(metrics, "step.time"), *rate = find_metric(metrics, f->metric);
  if (!time || !rate || !time->has_value() || !rate->has_value()) return {};
  return time->value * rate->value / f->value;
}

std::vector<FitRow> fit_rows(const FitPlan& how, const std::vector<const MeasuredRun*>& runs) {
  std::vector<FitRow> out;
  for (const MeasuredRun* r : runs) {
    const bool good = r->facts.fit && (r->facts.core || r->facts.tier == RowTier::kA);
    const auto seconds = measured_step(*r);
    if (good && seconds && r->plan.stack)
      out.push_back({r, *seconds, r->facts.core ? 1 : how.other_weight});
  }
  return out;
}

StackFit fit_stack(const FitPlan& how, const Stack<double>& usual,
                   const std::vector<FitRow>& rows) {
  StackFit out;
  if (rows.empty()) return out;
  const auto constants = telling(how, usual, rows, out);
  std::vector<FitParameter> parameters;
  std::vector<std::string> fields;
  for (const FitPlan::Constant& c : constants) {
    parameters.push_back({c.field, c.low, c.high, c.is_size, usual_of(c, usual), c.spread});
    fields.push_back(c.field);
  }
  Rows with(rows, fields);
  const FitOutcome fit = fit_robustly(
      parameters, {start_of(constants, usual), start_of(constants, *rows[0].run->plan.stack)},
      [&with](const Values& v) { return with.weighted(v); },
      {how.knee, true, how.prior_of(rows[0].run->plan.stack->id)});
  Stack<double> any = usual;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const StackNumber n = stack_number(any, constants[i].field);
    out.constants.push_back({constants[i].field, n.dim, n.hint, parameters[i].usual, fit.values[i],
                             fit.low[i], fit.high[i], fit.at_bound[i]});
  }
  out.in_sample = summarize_log_errors(with.errors(fit.values));
  return out;
}

double seconds_with(const MeasuredRun& run, const std::vector<FittedStackConstant>& constants) {
  TrainingPlan<double> plan = run.plan;
  set_constants(constants, *plan.stack);
  return step_seconds(plan);
}

std::string file_key(const MeasuredRun& r) { return r.file; }

std::string model_key(const MeasuredRun& r) {
  double layers = 0;
  for (const auto& g : r.plan.model.layers) layers += g.count.raw;
  return fmt::format("{} {} {}", r.plan.model.id, layers,
                     r.plan.model.hidden ? r.plan.model.hidden->raw : 0);
}

bool leave_rows_out(Workspace& work, std::vector<MeasuredRun>& runs, RunKey key, Diagnostics& d) {
  const auto how = stack_constants(work, d);
  if (!how) return false;
  std::map<std::string, std::vector<MeasuredRun*>> stacks;
  for (MeasuredRun& r : runs)
    if (r.plan.stack) stacks[r.plan.stack->id].push_back(&r);
  std::vector<std::pair<MeasuredRun*, std::vector<FittedStackConstant>>> changes;
  for (const auto& [id, of] : stacks) {
    const auto usual = usual_stack(work, id, of.front()->span, d);
    if (!usual) return false;
    const auto rows = fit_rows(*how, {of.begin(), of.end()});
    std::map<std::string, std::vector<FittedStackConstant>> by_key;
    for (MeasuredRun* r : of) {
      auto [at, fresh] = by_key.try_emplace(key(*r));
      if (fresh) at->second = without_rows(*how, *usual, rows, key, at->first);
      changes.emplace_back(r, at->second);
    }
  }
  for (const auto& [run, constants] : changes) set_constants(constants, *run->plan.stack);
  return true;
}

}  // namespace reckon
