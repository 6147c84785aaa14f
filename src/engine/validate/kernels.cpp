#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "budgets.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/validate_kernels.hpp"

namespace reckon {
namespace {

using Points = std::vector<const MeasuredPoint*>;

// What a set is counted under.
std::string family_of(const MeasuredSet& set) {
  if (is_collective(set.kernel)) {
    if (set.library.starts_with("NCCL")) return "NCCL";
    return "custom " + std::string(name_of(set.kernel));
  }
  if (set.library.starts_with("FlashAttention")) return "FlashAttention";
  if (set.kernel == MeasuredKernel::kGemm && set.library.starts_with("DeepGEMM"))
    return "gemm, DeepGEMM";
  return std::string(name_of(set.kernel));
}

bool chosen(const MeasuredSet& set, const std::string& pattern) {
  if (pattern.empty()) return true;
  const auto matches = [&pattern](const std::string& text) {
    return matches_pattern(text, pattern) || text.find(pattern) != std::string::npos;
  };
  return matches(set.source) || matches(set.library) || matches(set.chip);
}

// A set, its model, and the constants that ship for its chip.
struct Case {
  const MeasuredSet* set;
  KernelModel model;
  Points points;
  std::optional<Constants> shipped;
  std::string whose;
  bool seen;
};

class Validation {
 public:
  Validation(Workspace& work, const ValidateRequest& request, Diagnostics& diagnostics)
      : work_(work), request_(request), diagnostics_(diagnostics) {}

  bool collect(const std::vector<MeasuredSet>& sets, ValidateReport& report);
  void run(ValidateReport& report) const;

 private:
  const Kernels<double>* kernels_of(const std::string& chip);
  bool add(const MeasuredSet& set, const Kernels<double>& generic, ValidateReport& report);
  std::vector<double> predictions(const Case& c) const;
  std::vector<double> of_other_chips(const Case& c) const;
  void add_set(const Case& c, ValidateReport& report) const;

  Workspace& work_;
  const ValidateRequest& request_;
  Diagnostics& diagnostics_;
  std::vector<Case> cases_;
  std::map<std::string, std::optional<Chip<double>>> chips_;
  std::map<std::string, std::optional<Kernels<double>>> kernels_;
};

// The file of a chip's kernels; null if there is none.
const Kernels<double>* Validation::kernels_of(const std::string& chip) {
  const auto [at, fresh] = kernels_.try_emplace(chip);
  if (fresh && !work_.find(Shelf::kKernels, chip).empty())
    at->second = load_kernels(work_, chip, {}, diagnostics_);
  return at->second ? &*at->second : nullptr;
}

bool Validation::add(const MeasuredSet& set, const Kernels<double>& generic,
                     ValidateReport& report) {
  const auto leave = [&](const std::string& why) {
    report.not_predicted.push_back(fmt::format("{}: {} ({} point{})", name_of(set), why,
                                               set.points.size(),
                                               set.points.size() == 1 ? "" : "s"));
    return true;
  };
  if (set.chip.empty()) return leave("no file in hardware/chips");
  auto [chip, fresh] = chips_.try_emplace(set.chip);
  if (fresh) chip->second = load_chip(work_, set.chip, set.span, diagnostics_);
  if (!chip->second) return false;
  std::string why;
  auto model = model_of(set, *chip->second, generic, request_.form, why);
  if (!model) return leave(why);
  Case c{&set, std::move(*model), timed_points(set), {}, "", false};
  const Kernels<double>* kernels = kernels_of(set.chip);
  if (kernels) c.shipped = c.model.constants(*kernels, c.whose);
  c.seen = c.shipped && c.whose == set.library && !set.held_out &&
           c.points.size() > c.model.parameters.size();
  if (request_.leave_out == LeaveOut::kNothing && !c.shipped)
    return leave(kernels ? fmt::format("hardware/kernels/{}.yaml has no such constants", set.chip)
                         : fmt::format("no hardware/kernels/{}.yaml", set.chip));
  if (c.shipped && c.whose == set.library && !set.held_out &&
      c.points.size() == c.model.parameters.size())
    return leave("as many constants as points");
  cases_.push_back(std::move(c));
  return true;
}

bool Validation::collect(const std::vector<MeasuredSet>& sets, ValidateReport& report) {
  const auto generic = load_kernels(work_, "generic", {}, diagnostics_);
  if (!generic) return false;
  for (const MeasuredSet& s : sets) {
    if (is_collective(s.kernel) != request_.collectives || !chosen(s, request_.source)) continue;
    if (!add(s, *generic, report)) return false;
  }
  return true;
}

// Its constants from the sets of the same kernel and format on other chips, all together.
std::vector<double> Validation::of_other_chips(const Case& c) const {
  std::vector<std::pair<const KernelModel*, const MeasuredPoint*>> others;
  for (const Case& o : cases_) {
    const MeasuredSet &a = *o.set, &b = *c.set;
    const bool same = o.seen && a.kernel == b.kernel && a.format == b.format &&
                      a.kv_format == b.kv_format && a.causal == b.causal &&
                      family_of(a) == family_of(b) && a.chip != b.chip;
    if (!same) continue;
    for (const MeasuredPoint* p : o.points) others.emplace_back(&o.model, p);
  }
  if (others.size() <= c.model.parameters.size()) return {};
  const FitOutcome fit = fit_robustly(c.model.parameters, c.model.starts, [&](const Constants& v) {
    std::vector<double> errors;
    for (const auto& [model, p] : others)
      errors.push_back(std::log(model->seconds(v, *p) / p->seconds));
    return errors;
  });
  std::vector<double> out;
  for (const MeasuredPoint* p : c.points) out.push_back(c.model.seconds(fit.values, *p));
  return out;
}

// Seconds for each point; empty if nothing can be left out here.
std::vector<double> Validation::predictions(const Case& c) const {
  std::vector<double> out;
  if (request_.leave_out == LeaveOut::kNothing) {
    for (const MeasuredPoint* p : c.points) out.push_back(c.model.seconds(*c.shipped, *p));
    return out;
  }
  if (!c.seen) return {};  // no constants were fitted on it
  if (request_.leave_out == LeaveOut::kChip) return of_other_chips(c);
  const std::vector<double> keys = keys_of(*c.set, c.points, request_.leave_out);
  if (std::set<double>(keys.begin(), keys.end()).size() < 2) return {};
  const FittedSet all = fit_points(c.model, c.points);
  const auto errors = left_out_errors(c.model, c.points, keys, all.outcome.values);
  for (std::size_t i = 0; i < c.points.size(); ++i)
    out.push_back(std::exp(errors[i]) * c.points[i]->seconds);
  return out;
}

ErrorSummary summary_of(const std::vector<ValidateRow>& rows, double ValidateRow::*predicted) {
  std::vector<double> errors;
  for (const ValidateRow& r : rows) errors.push_back(std::log(r.*predicted / r.measured));
  return summarize_log_errors(errors);
}

void Validation::add_set(const Case& c, ValidateReport& report) const {
  const std::vector<double> predicted = predictions(c);
  if (predicted.empty()) return;
  ValidateSet& s = report.sets.emplace_back();
  s.name = name_of(*c.set);
  s.family = family_of(*c.set);
  s.chip = c.set->chip;
  s.library = c.set->library;
  s.kernel = std::string(name_of(c.set->kernel));
  s.source = c.set->source;
  s.constants = request_.leave_out == LeaveOut::kNothing ? c.whose : "refitted";
  s.seen = c.seen;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const MeasuredPoint& p = *c.points[i];
    s.rows.push_back(
        {shape_of(*c.set, p), p.seconds, predicted[i], c.model.flat(p), c.model.peak(p), p.span});
  }
  s.model = summary_of(s.rows, &ValidateRow::predicted);
  s.flat = summary_of(s.rows, &ValidateRow::flat);
  s.peak = summary_of(s.rows, &ValidateRow::peak);
}

void Validation::run(ValidateReport& report) const {
  for (const Case& c : cases_) add_set(c, report);
}

// Sets under one name, in order of first appearance; seen before unseen.
void add_families(ValidateReport& report) {
  for (const bool seen : {true, false}) {
    std::vector<std::string> names;
    for (const ValidateSet& s : report.sets)
      if (s.seen == seen && std::find(names.begin(), names.end(), s.family) == names.end())
        names.push_back(s.family);
    for (const std::string& name : names) {
      ValidateFamily f{name, seen, 0, {}, {}, {}};
      std::vector<ValidateRow> rows;
      for (const ValidateSet& s : report.sets) {
        if (s.seen != seen || s.family != name) continue;
        ++f.sets;
        rows.insert(rows.end(), s.rows.begin(), s.rows.end());
      }
      f.model = summary_of(rows, &ValidateRow::predicted);
      f.flat = summary_of(rows, &ValidateRow::flat);
      f.peak = summary_of(rows, &ValidateRow::peak);
      report.families.push_back(std::move(f));
    }
  }
}

// One kind of leaving out, with one form of curve.
ValidateReport one_run(Workspace& work, const std::vector<MeasuredSet>& sets,
                       const ValidateRequest& request, Diagnostics& diagnostics) {
  ValidateReport report;
  report.request = request;
  Validation v(work, request, diagnostics);
  if (!v.collect(sets, report)) return report;
  v.run(report);
  add_families(report);
  return report;
}

}  // namespace

std::size_t ValidateReport::missed() const {
  return static_cast<std::size_t>(std::count_if(budgets.begin(), budgets.end(),
                                                [](const BudgetLine& b) { return !b.holds(); }));
}

ValidateReport validate_kernels(Workspace& work, const ValidateRequest& request,
                                Diagnostics& diagnostics) {
  const std::vector<MeasuredSet> sets = bundled_measurements(work, diagnostics);
  const auto budgets = budgets_for(work, request, diagnostics);
  if (diagnostics.has_errors()) return {};
  ValidateRequest asked = request;
  if (request.leave_out == LeaveOut::kNothing && request.form_stated) {
    diagnostics.error({}, "--form says how a curve is fitted anew, and nothing is left out")
        .help("--leave-out size");
    return {};
  }
  if (!request.form_stated && request.leave_out == LeaveOut::kGroup) asked.form = CurveForm::kRoot;
  ValidateReport report = one_run(work, sets, asked, diagnostics);
  if (!request.source.empty()) return report;  // budgets are of all rows
  for (const StatedBudget& b : budgets) {
    if (b.form != asked.form && request.collectives) continue;
    BudgetLine line{b.name, b.limit, {}, b.source, b.span};
    for (const ValidateFamily& f : report.families)
      if (f.name == b.family && f.seen) line.errors = f.model;
    report.budgets.push_back(std::move(line));
  }
  return report;
}

}  // namespace reckon
