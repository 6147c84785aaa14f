// Measured serving rows, each a plan ready to price, and the constants of their engines that a fit may move.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/serving/answer.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/validate_serving.hpp"

namespace reckon {

struct ServedRow {
  ServingPlan<double> plan;
  ServingRow row;
};

// All of plans/measured/serving; none after a fault.
std::vector<ServedRow> served_rows(Workspace& work, Diagnostics& diagnostics);

// The metric of a plan's answer; 0 where it has none.
double served_figure(const ServingPlan<double>& plan, const std::string& metric);

// Sets a constant by its path: of the engine (gemm.ceiling), or of its rules for weights (rule.experts). False where
// there is none, or it does not bear on this plan.
bool set_constant(ServingPlan<double>& plan, const FittedConstant<double>& c, double value);
double constant_of(const ServingPlan<double>& plan, const FittedConstant<double>& c);
bool bears_on(const ServingPlan<double>& plan, const FittedConstant<double>& c);

// The plan with every kernel at one flat efficiency, or all constants at the peak.
ServingPlan<double> at_flat(const ServingPlan<double>& plan, const GemmKernel<double>& flat);
ServingPlan<double> at_peak(const ServingPlan<double>& plan);

}  // namespace reckon
