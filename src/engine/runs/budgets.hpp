// The budgets of plans/measured/budgets.yaml, and what they say of a report.
#pragma once

#include <optional>
#include <vector>

#include "reckon/engine/validate_runs.hpp"

namespace reckon {

struct LoadedBudgets {
  Assume<double> textbook;  // the baseline, looked up
  std::vector<RunBudget<double>> budgets;
  std::vector<Span> spans;  // of each
  bool of_runs =
      true;  // they lie beside the runs: those of another data folder are held to its own alone
};

// None where no root has the file, or after a fault.
std::optional<LoadedBudgets> run_budgets(Workspace& work, Diagnostics& diagnostics);

void judge_budgets(const LoadedBudgets& budgets, RunsReport& report);

}  // namespace reckon
