// A loaded training plan -> its result.
#pragma once

#include "reckon/cost/training.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

// Metrics, assumptions, what is not modelled, fixes if it does not fit. The plan must be legal.
Result evaluate(Workspace& work, const LoadedTraining& loaded);

// Keys of assume: that bear on a training plan.
const std::vector<std::string_view>& training_assumptions();
std::vector<std::string_view> training_assumptions(const TrainingPlan<double>& plan);

// The metrics alone, in the order of the report.
std::vector<Metric> metrics_of(const TrainingPlan<double>& plan);

}  // namespace reckon
