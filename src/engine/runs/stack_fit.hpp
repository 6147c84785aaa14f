// The constants of a software stack, fitted on measured runs.
//
//   const auto how = stack_constants(work, diagnostics);                 // plans/measured/constants.yaml
//   StackFit f = fit_stack(*how, usual, rows);                           // usual: the stack it starts from
//   f.constants[0].value                                                 // gemm.ceiling
//
// The sum over rows of a pseudo-Huber loss of ln(predicted/measured), with a prior that holds each constant near that
// of the stack it starts from. A constant that no row's time depends on is not fitted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/engine/measured_runs.hpp"
#include "reckon/numerics/robust_fit.hpp"
#include "reckon/spec/stack_constants.hpp"

namespace reckon {

// A number of a stack by its path; null if the stack has none of that name, or does not state it.
struct StackNumber {
  double* value = nullptr;
  Dim dim;
  Hint hint = Hint::kNone;
};
StackNumber stack_number(Stack<double>& stack, std::string_view path);

// A row to fit on: a legal plan with a stack, and its measured step time.
struct FitRow {
  const MeasuredRun* run = nullptr;
  double seconds = 0, weight = 1;
};

struct StackFit {
  std::vector<FittedStackConstant> constants;  // that rows depend on
  std::vector<std::string> idle;               // those they don't
  ErrorSummary in_sample;
};

// Which constants, bounds and priors; none after a fault.
struct FitPlan {
  double knee = 0, prior = 0, other_weight = 0;
  struct Constant {
    std::string field;
    double low, high, spread;
    bool is_size;
    Span span;
  };
  std::vector<Constant> constants;
  std::map<std::string, double> priors = {};  // of stacks with one of their own

  double prior_of(const std::string& stack) const {
    const auto at = priors.find(stack);
    return at == priors.end() ? prior : at->second;
  }
};
std::optional<FitPlan> stack_constants(Workspace& work, Diagnostics& diagnostics);

// A stack with all that lies under it; none after a fault.
std::optional<Stack<double>> whole_stack(Workspace& work, const std::string& id, Span said,
                                         Diagnostics& diagnostics);

// The stack that `id` starts from, or itself where it starts from none; none after a fault.
std::optional<Stack<double>> usual_stack(Workspace& work, const std::string& id, Span said,
                                         Diagnostics& diagnostics);

// Rows of a stack that may be fitted on: tier A or core, with a time, not kept from it.
std::vector<FitRow> fit_rows(const FitPlan& how, const std::vector<const MeasuredRun*>& runs);

StackFit fit_stack(const FitPlan& how, const Stack<double>& usual, const std::vector<FitRow>& rows);

// Predicted step time with these constants in place of the plan's own.
double seconds_with(const MeasuredRun& run, const std::vector<FittedStackConstant>& constants);

// What rows are left out together: those of a file, which is a source, or those of a model of one size.
using RunKey = std::string (*)(const MeasuredRun&);
std::string file_key(const MeasuredRun& run);
std::string model_key(const MeasuredRun& run);

// Puts constants fitted without the rows of its key into each run's stack; those of the usual stack where no other row
// is of it, and where no row tells. False after a fault.
bool leave_rows_out(Workspace& work, std::vector<MeasuredRun>& runs, RunKey key,
                    Diagnostics& diagnostics);

// What a run's step time was, whichever figure states it; none without one.
std::optional<double> measured_step(const MeasuredRun& run);

}  // namespace reckon
