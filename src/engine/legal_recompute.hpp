// Whether recomputed modules exist in a model and do not lie within each other; whether what a plan puts into the
// host's memory can be priced there.
#pragma once

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

// `modules` under "recompute_modules", `policy` under "recompute".
void check_modules(const Model<double>& model, Recompute policy,
                   const std::vector<RecomputeModule>& modules, const Places& places,
                   Diagnostics& out);

void check_offload(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out);

}  // namespace reckon
