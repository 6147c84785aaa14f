// Whether what a plan says of its run goes together: failures, checkpoints, restarts.
#pragma once

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

void check_run(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out);

}  // namespace reckon
