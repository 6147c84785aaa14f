// The constants of a software stack from measured runs: what `reckon calibrate runs STACK` does.
//
//   RunsCalibration c = calibrate_runs(work, "nemo-2024-h100", "", diagnostics);
//   c.fit.constants[0].value, c.left_out.mean, c.left_what    // "source", or "model" where there is one source
//   stack_text(work, c, diagnostics)                          // the stack's file with those constants
//
// Which constants, their bounds and priors: plans/measured/constants.yaml; the prior is the stack that this one starts
// from (`base:`). Rounded to four digits.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "reckon/engine/measured_runs.hpp"
#include "reckon/numerics/robust_fit.hpp"

namespace reckon {

struct FittedConstant {
  std::string field;
  Dim dim;
  Hint hint = Hint::kNone;
  double usual = 0, value = 0, low = 0, high = 0;
  bool at_bound = false;
};

// How far the constants were tried: of all rows, the least and the most.
struct FittedRange {
  std::string of;  // "gpus"
  double least = std::numeric_limits<double>::infinity(), most = 0;
};

struct RunsCalibration {
  std::string stack;
  std::vector<FittedConstant> constants;
  std::vector<FittedRange> ranges;
  std::vector<std::string> idle;  // on which no row's time depends
  std::size_t rows = 0, core = 0;
  ErrorSummary before, in_sample, left_out;  // before: by the file as it is
  std::string left_what;
};

// `rows`: a pattern of files in plans/measured, or a file of one's own; all if empty.
RunsCalibration calibrate_runs(Workspace& work, const std::string& stack, const std::string& rows,
                               Diagnostics& diagnostics);

// The stack's file as it lies, with the constants and a line of what they were fitted on.
std::string stack_text(Workspace& work, const RunsCalibration& calibration,
                       Diagnostics& diagnostics);

}  // namespace reckon
