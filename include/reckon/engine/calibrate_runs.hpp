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

// A stack fitted on fewer runs holds starting values: nothing is known of its error.
inline constexpr double kEnoughRuns = 6;

struct FittedStackConstant {
  std::string field;
  Dim dim;
  Hint hint = Hint::kNone;
  double usual = 0, value = 0, low = 0,
         high = 0;  // NaN: the rows are too few to say how sure it is
  bool at_bound = false;
};

// How far the constants were tried: of all rows, the least and the most.
struct FittedRange {
  std::string of;  // "gpus"
  double least = std::numeric_limits<double>::infinity(), most = 0;
};

struct RunsCalibration {
  std::string stack;
  std::vector<FittedStackConstant> constants;
  std::vector<FittedRange> ranges;
  std::vector<std::string> idle;  // on which no row's time depends
  std::size_t rows = 0, core = 0;
  // What «starting values» go by: core rows of those that ship, all rows of a file of one's own.
  std::size_t telling() const { return measured.empty() ? core : rows; }
  std::string measured;                      // the file of one's own that the runs stand in
  std::vector<std::string> apart;            // of that file: "a100: its stack is 'generic-a100'"
  ErrorSummary before, in_sample, left_out;  // before: by the file as it is
  std::string left_what;
};

// `rows`: a pattern of files in plans/measured, or a file of one's own; all if empty. Warnings, for a file of one's
// own: a run that the fitted constants miss by a factor of two, constants that its runs push to their bounds.
RunsCalibration calibrate_runs(Workspace& work, const std::string& stack, const std::string& rows,
                               Diagnostics& diagnostics);

// The stack's file as it lies, with the constants and a line of what they were fitted on. A `name` stands in for the
// file's own.
std::string stack_text(Workspace& work, const RunsCalibration& calibration,
                       Diagnostics& diagnostics, const std::string& name = {});

}  // namespace reckon
