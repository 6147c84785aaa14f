// The error budgets of measurements/budgets.yaml that a run of `validate` is held to.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/validate_kernels.hpp"

namespace reckon {

struct StatedBudget {
  std::string name, family, source;
  CurveForm form = CurveForm::kRamp;
  double limit = 0;
  Span span;
};

// Those of what is left out; none after a fault, or where no root has the file.
std::vector<StatedBudget> budgets_for(Workspace& work, const ValidateRequest& request,
                                      Diagnostics& diagnostics);

}  // namespace reckon
