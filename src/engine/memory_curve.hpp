// Memory of each pipeline stage over a step: the plan's schedule played out, what is alive at a time.
#pragma once

#include "reckon/cost/memory_by_stage.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

// Empty without a pipeline, without the model's dimensions, and where playing it out takes too long.
std::vector<MemoryCurve> memory_curves(const TrainingPlan<double>& plan,
                                       const TrainingEstimate<double>& e,
                                       const MemoryByStage<double>& stages);

}  // namespace reckon
