// Predicted against measured, kernel by kernel: what `reckon validate kernels|collectives` does.
//
//   ValidateReport r = validate_kernels(work, {.collectives = false, .leave_out = LeaveOut::kShape}, diagnostics);
//   r.families[0].model.mean           // of all matrix products, beside .flat and .peak
//   r.missed()                         // budgets of measurements/budgets.yaml that do not hold
//
// Without leaving anything out, predictions are those of the constants that ship (hardware/kernels): of the points
// they were fitted on, and apart from them of points that no fit has seen (`held_out`, and those of libraries without
// constants of their own). Leaving out refits each set without one shape, m, size, length or group at a time; leaving
// out a chip predicts it with constants fitted on the others. Two baselines stand beside: one flat efficiency for
// everything, and the peak.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/calibrate.hpp"

namespace reckon {

struct ValidateRequest {
  bool collectives = false;
  LeaveOut leave_out = LeaveOut::kNothing;
  CurveForm form = CurveForm::kRamp;
  bool form_stated = false;  // else a budget's own form
  std::string source;        // a pattern with *: only sets whose source, library or chip it matches
};

struct ValidateRow {
  std::string shape;
  double measured = 0, predicted = 0, flat = 0, peak = 0;  // seconds
  Span span;
};

// Points of one kernel, library and chip.
struct ValidateSet {
  std::string name, family, chip, library, kernel, source, constants;  // whose constants
  bool seen = true;  // by the fit of the constants
  std::vector<ValidateRow> rows;
  ErrorSummary model, flat, peak;
};

// All sets of one kind, seen and unseen apart.
struct ValidateFamily {
  std::string name;
  bool seen = true;
  std::size_t sets = 0;
  ErrorSummary model, flat, peak;
};

struct BudgetLine {
  std::string name;  // "gemm, leaving out a shape"
  double limit = 0;  // of the mean |error|
  ErrorSummary errors;
  std::string source;
  Span span;
  bool holds() const { return errors.rows > 0 && errors.mean <= limit; }
};

struct ValidateReport {
  ValidateRequest request;
  std::vector<ValidateSet> sets;
  std::vector<ValidateFamily> families;
  std::vector<BudgetLine> budgets;
  std::vector<std::string> not_predicted;  // "memory-read, gpu-benches, h200-sxm: … (1 point)"
  std::size_t missed() const;
};

ValidateReport validate_kernels(Workspace& work, const ValidateRequest& request,
                                Diagnostics& diagnostics);

}  // namespace reckon
