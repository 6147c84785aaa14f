// Whether a plan's software stack can price it.
#pragma once

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

// Nothing to say about a plan without a stack.
void check_stack(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out);

}  // namespace reckon
