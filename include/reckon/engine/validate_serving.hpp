// Predicted against measured serving rows: what `reckon validate serving` does.
//
//   ServingReport r = validate_serving(work, {.leave_out = LeaveOut::kModel}, diagnostics);
//   r.families[0].model.mean           // of one engine and one figure, beside .flat and .peak
//
// Rows are cases of plans of kind serving that carry `measured:` (plans/measured/serving). Leaving out a model or chip
// fits the constants that the engine's file lists under `fitted:` anew without it. Baselines: kernels at one flat
// efficiency (hardware/kernels/generic.yaml), and every constant at the peak.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/calibrate.hpp"

namespace reckon {

struct ServingRequest {
  LeaveOut leave_out = LeaveOut::kNothing;  // or a model, or a chip
  std::string source;  // a pattern with *: engines, files or sources that match
  bool fit = false;    // also fit each engine's constants on all its rows
};

struct ServingRow {
  std::string name, file, family, figure, metric, engine, model, chip, source;
  double measured = 0, predicted = 0, flat = 0, peak = 0;  // SI units
  Dim dim = {};
  Hint hint = Hint::kNone;
  bool fitted = true;  // the constants were fitted on it
  Span span;
};

struct ServingFamily {
  std::string name;
  ErrorSummary model, flat, peak;
};

// A constant as its engine's file states it, and as the rows have it.
struct EngineConstant {
  std::string engine, path;
  double stated = 0, fitted = 0, low = 0, high = 0;
  bool at_bound = false;
};

struct ServingBudget {
  std::string name, source;
  double limit = 0;
  ErrorSummary errors;
  Span span;
  bool holds() const { return errors.rows > 0 && errors.mean <= limit; }
};

struct ServingReport {
  ServingRequest request;
  std::vector<ServingRow> rows;
  std::vector<ServingFamily> families;
  std::vector<EngineConstant> constants;
  std::vector<ServingBudget> budgets;
  std::size_t missed() const;
};

ServingReport validate_serving(Workspace& work, const ServingRequest& request,
                               Diagnostics& diagnostics);

}  // namespace reckon
