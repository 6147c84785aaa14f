// Predicted against measured, run by run: what `reckon validate runs|memory` does.
//
//   RunsReport r = validate_runs(work, {.of = BudgetOf::kRuns}, diagnostics);
//   r.sets[0].model.mean               // of the core rows, beside .constant and .textbook
//   r.missed()                         // budgets of plans/measured/budgets.yaml that do not hold
//   validate_runs(work, {.stack = "default", .rows = "mine.yaml"}, diagnostics)     // runs of one's own
//
// Errors are predicted/measured - 1 of the step time (a throughput's inverse), or of memory. Two baselines stand beside
// times: one constant efficiency per stack and precision, fitted on these very rows, on the FLOPs that the hardware
// does; and the textbook preset at the MFU that budgets.yaml states. Without leaving anything out predictions are those
// of the stacks that ship, most of which were fitted on these rows. Leaving out a file refits the row's stack on the
// other files' rows, or where there are none takes what the stack starts from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/engine/measured_runs.hpp"
#include "reckon/numerics/robust_fit.hpp"
#include "reckon/spec/run_budgets.hpp"

namespace reckon {

struct RunsRequest {
  BudgetOf of = BudgetOf::kRuns;
  bool leave_out_file = false;
  bool leave_out_model =
      false;           // rows of one model under one stack together, whichever file they stand in
  std::string source;  // a pattern with *: only rows whose file, stack or chip it matches
  std::string stack;   // in place of those that the runs state: "default" is the chip's own
  std::string rows =
      {};  // a file of one's own runs in place of plans/measured; no budget is of them

  LeftOut left_out() const {
    return leave_out_model  ? LeftOut::kModel
           : leave_out_file ? LeftOut::kSource
                            : LeftOut::kNothing;
  }
};

struct JudgedRow {
  std::string file, name, stack, chip, kind, metric;
  MeasuredFacts facts;
  Dim dim;
  Hint hint = Hint::kNone;
  double measured = 0, predicted = 0;        // of the metric, SI
  double error = 0;                          // of the time, or the memory
  std::optional<double> constant, textbook;  // the baselines' errors
  Span span;
};

// Whether a plan that ran, or ran out of memory, is said to fit; `close`: over the capacity by less than totals are
// wrong by, so that neither is a contradiction.
struct FitVerdict {
  std::string file, name;
  bool ran = true, fits = true;
  double total = 0, capacity = 0;  // bytes
  bool close = false;
  bool right() const { return close || ran == fits; }
};

// Rows summed up: a set, a file, a stack.
struct RunGroup {
  std::string name, note;
  ErrorSummary model, constant, textbook;
  double largest = 0;
};

struct RunBudgetLine {
  std::string name, figure;  // "core rows, mean"
  double value = 0, limit = 0;
  bool at_least = false, count = false, measured = true;
  Hint hint = Hint::kFraction;
  std::string source;
  Span span;
  bool holds() const { return measured && (at_least ? value >= limit : value <= limit); }
};

struct RunsReport {
  RunsRequest request;
  std::vector<JudgedRow> rows;
  std::vector<FitVerdict> verdicts;
  std::vector<RunGroup> sets, files, stacks;
  std::vector<RunBudgetLine> budgets;
  std::vector<std::string> not_predicted;
  std::size_t missed() const;
};

RunsReport validate_runs(Workspace& work, const RunsRequest& request, Diagnostics& diagnostics);

// Predictions alone, of runs that have been read.
void predict_rows(const std::vector<MeasuredRun>& runs, BudgetOf of, RunsReport& report);

bool belongs(const JudgedRow& row, RowSet rows);
RunGroup group_of(std::string name, const std::vector<const JudgedRow*>& rows);

}  // namespace reckon
