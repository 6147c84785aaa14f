#include "reckon/engine/calibrate_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../four_digits.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/units/format.hpp"
#include "stack_fit.hpp"

namespace reckon {
namespace {

// Runs of the stack, from plans/measured or a file of one's own. A stack that no run names, but that is the usual one
// of chips, is of all software on them: it is fitted on all their runs.
std::vector<MeasuredRun> runs_of(Workspace& work, const std::string& stack, const std::string& rows,
                                 RunsCalibration& out, Diagnostics& d) {
  const std::size_t before = d.error_count();
  const bool own = are_own_rows(rows, d);
  if (d.error_count() > before) return {};
  if (own) out.measured = rows;
  const auto of_stack = [&](const std::string& instead) {
    auto runs =
        own ? measured_runs_of(work, rows, d, instead) : measured_runs(work, rows, d, instead);
    out.apart.clear();
    std::erase_if(runs, [&](const MeasuredRun& r) {
      const bool other = !r.plan.stack || r.plan.stack->id != stack;
      if (other && own)
        out.apart.push_back(r.plan.stack
                                ? fmt::format("{}: its stack is '{}'", r.name, r.plan.stack->id)
                                : fmt::format("{}: it has no stack", r.name));
      return other;
    });
    return runs;
  };
  auto runs = of_stack("");
  return runs.empty() && !d.has_errors() ? of_stack("default") : runs;
}

// Of the stack's own runs those that nothing can be fitted on, and why.
void say_unfit(const std::vector<MeasuredRun>& runs, const std::vector<FitRow>& chosen,
               RunsCalibration& out) {
  for (const MeasuredRun& r : runs) {
    const bool fit = std::any_of(chosen.begin(), chosen.end(),
                                 [&r](const FitRow& row) { return row.run == &r; });
    if (fit || out.measured.empty()) continue;
    out.apart.push_back(fmt::format("{}: {}", r.name,
                                    !r.facts.fit ? "it says fit: no"
                                    : !r.time()  ? "no time was measured"
                                                 : "neither tier A nor core"));
  }
}

// What should make one look again at a file of one's own: times that no constants explain.
void warn_of(const std::vector<FitRow>& rows, const RunsCalibration& c, Diagnostics& d) {
  constexpr double kFactor = 2;
  for (const FitRow& r : rows) {
    const double fitted = seconds_with(*r.run, c.constants);
    if (std::abs(std::log(fitted / r.seconds)) <= std::log(kFactor)) continue;
    d.warning(r.run->span, fmt::format("{}: measured {} a step, and the constants that fit best "
                                       "make it {}",
                                       r.run->name, format_quantity(r.seconds, kSecond),
                                       format_quantity(fitted, kSecond)))
        .help("no constants within their bounds explain it: is that the time, and that the plan?");
  }
  std::vector<std::string> bound;
  for (const FittedStackConstant& k : c.constants)  // one that is usually 0 is not pushed there
    if (k.at_bound && std::abs(k.value - k.usual) > 1e-3 * std::abs(k.usual))
      bound.push_back(k.field);
  if (!bound.empty())
    d.warning(rows.front().run->span,
              fmt::format("{} of {} constants are pushed to their bounds: {}", bound.size(),
                          c.constants.size(), join(bound, ", ")))
        .help("a stack with such constants is of these runs alone: check them before it is used");
}

ErrorSummary errors_left_out(const FitPlan& how, const Stack<double>& usual,
                             const std::vector<FitRow>& rows,
                             const std::vector<std::string>& keys) {
  std::vector<double> errors;
  for (const std::string& key : std::set<std::string>(keys.begin(), keys.end())) {
    std::vector<FitRow> kept;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (keys[i] != key) kept.push_back(rows[i]);
    const auto constants = fit_stack(how, usual, kept).constants;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (keys[i] == key)
        errors.push_back(std::log(seconds_with(*rows[i].run, constants) / rows[i].seconds));
  }
  return summarize_log_errors(errors);
}

void leave_groups_out(const FitPlan& how, const Stack<double>& usual,
                      const std::vector<FitRow>& rows, RunsCalibration& out) {
  std::vector<std::string> files, models;
  for (const FitRow& r : rows) {
    files.push_back(r.run->file);
    models.push_back(model_key(*r.run));
  }
  const auto several = [](const std::vector<std::string>& keys) {
    return std::set<std::string>(keys.begin(), keys.end()).size() > 1;
  };
  if (!several(files) && !several(models)) return;
  out.left_what = several(files) ? "source" : "model";
  out.left_out = errors_left_out(how, usual, rows, several(files) ? files : models);
}

std::string shown(const ErrorSummary& e) {
  return fmt::format("{:.1f} % mean, {:.1f} % median error", 100 * e.mean, 100 * e.median);
}

// Its errors; of how many runs stands beside, in `rows`, and before them where the core ones are few.
std::string fitted_line(const RunsCalibration& c) {
  const std::size_t n = c.telling();
  const bool few = static_cast<double>(n) < kEnoughRuns;
  std::string out = few ? fmt::format("starting values, {} {}run{}, ", n,
                                      c.measured.empty() ? "core " : "", n == 1 ? "" : "s")
                        : "";
  out += few && c.rows == 1 ? fmt::format("{:.1f} % error", 100 * c.in_sample.mean)
                            : shown(c.in_sample);
  if (few && c.left_what.empty()) out += ", in-sample";
  if (!c.left_what.empty())
    out += fmt::format("; leaving out a {} {}", c.left_what, shown(c.left_out));
  return out;
}

}  // namespace

namespace {

// Least and most of the runs, of each figure that says how far the constants were tried.
std::vector<FittedRange> ranges_of(const std::vector<FitRow>& rows) {
  std::vector<FittedRange> out{{"gpus"}, {"tokens"}, {"sequence"}, {"hidden"}};
  const auto widen = [](FittedRange& r, double x) {
    r.least = std::min(r.least, x);
    r.most = std::max(r.most, x);
  };
  for (const FitRow& row : rows) {
    const TrainingPlan<double>& plan = row.run->plan;
    const Layout<double> x = lay_out(plan);
    widen(out[0], x.G.raw);
    widen(out[1], x.T.raw);
    if (plan.batch.sequence) widen(out[2], plan.batch.sequence->raw);
    if (plan.model.hidden) widen(out[3], plan.model.hidden->raw);
  }
  return out;
}

}  // namespace

RunsCalibration calibrate_runs(Workspace& work, const std::string& stack, const std::string& rows,
                               Diagnostics& d) {
  RunsCalibration out;
  out.stack = stack;
  const auto how = stack_constants(work, d);
  if (!how) return out;
  const auto usual = usual_stack(work, stack, {}, d);
  if (!usual) return out;
  const std::size_t before = d.error_count();
  const std::vector<MeasuredRun> runs = runs_of(work, stack, rows, out, d);
  if (d.error_count() > before) return out;
  std::vector<const MeasuredRun*> all;
  for (const MeasuredRun& r : runs) all.push_back(&r);
  const std::vector<FitRow> chosen = fit_rows(*how, all);
  say_unfit(runs, chosen, out);
  if (chosen.empty()) {
    d.error({}, fmt::format("calibrate runs: no measured run of stack '{}'{}{}", stack,
                            rows.empty() ? "" : fmt::format(" in {}", rows),
                            out.apart.empty() ? "" : " (" + join(out.apart, "; ") + ")"))
        .help("`reckon validate runs --format csv` lists the rows and their stacks");
    return out;
  }
  StackFit fit = fit_stack(*how, *usual, chosen);
  std::vector<double> errors;
  for (const FitRow& r : chosen) {
    errors.push_back(std::log(seconds_with(*r.run, {}) / r.seconds));
    out.core += r.run->facts.core ? 1 : 0;
  }
  for (FittedStackConstant& c : fit.constants)
    c.value = c.hint == Hint::kCount ? std::round(c.value) : four_digits(c.value);
  out.constants = std::move(fit.constants);
  out.idle = std::move(fit.idle);
  out.rows = chosen.size();
  out.ranges = ranges_of(chosen);
  out.before = summarize_log_errors(errors);
  out.in_sample = fit.in_sample;
  leave_groups_out(*how, *usual, chosen, out);
  if (!out.measured.empty()) warn_of(chosen, out, d);
  return out;
}

namespace {

// Where the constants of a file are from: the runs of one's own, and for what those don't tell the stack as it was.
std::string source_of(const RunsCalibration& c, const doc::Value& tree) {
  std::string out =
      fmt::format("fit on {} run{} of {}", c.rows, c.rows == 1 ? "" : "s", c.measured);
  std::vector<std::string> kept;
  for (const std::string& field : c.idle)
    if (tree.at(field)) kept.push_back(field);
  if (kept.empty()) return out;
  const doc::Value* was = tree.find("source");
  return out + fmt::format("; as in {}, since those runs don't tell: {}{}", c.stack,
                           join(kept, ", "), was ? fmt::format(" ({})", was->text) : "");
}

}  // namespace

std::string stack_text(Workspace& work, const RunsCalibration& c, Diagnostics& d,
                       const std::string& name) {
  const auto file = work.find(Shelf::kStacks, c.stack);
  doc::Value tree = work.read_data(file, {}, d);
  if (d.has_errors()) return "";
  doc::expand_dotted_keys(tree, d);
  const auto said = [](std::string text) {
    doc::Value v = doc::scalar(std::move(text));
    v.quoted = v.text.find_first_of(":,#") != std::string::npos;
    return v;
  };
  if (!name.empty()) doc::set(tree, "name", said(name));
  if (!c.measured.empty()) doc::set(tree, "source", said(source_of(c, tree)));
  doc::set(tree, "rows", doc::scalar(fmt::format("{}", c.rows)));
  doc::set(tree, "fitted", said(fitted_line(c)));
  for (const FittedRange& r : c.ranges) {
    if (r.least > r.most) continue;
    doc::Value both = doc::sequence({});
    for (const double x : {r.least, r.most})
      both.items.push_back(doc::scalar(write_quantity(x, kOne, Hint::kCount)));
    doc::set_path(tree, fmt::format("range.{}", r.of), std::move(both), d);
  }
  for (const FittedStackConstant& k : c.constants)
    doc::set_path(tree, k.field, doc::scalar(write_quantity(k.value, k.dim, k.hint)), d);
  return doc::write_yaml(tree);
}

}  // namespace reckon
