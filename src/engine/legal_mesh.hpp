// Whether a plan's mesh can be laid over its cluster: order of the axes, tiers, torus, sharing of
// states, ways of context parallelism.
#pragma once

#include "places.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

// `divided`: the degrees multiply to the cluster.
void check_mesh(const TrainingPlan<double>& plan, bool divided, const Places& places,
                Diagnostics& out);

}  // namespace reckon
