// The mesh in words: which axis lies where, what its ranks talk over; and the same for each collective.
#pragma once

#include "reckon/cost/training.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

std::vector<MeshRow> mesh_rows(const TrainingPlan<double>& plan, const Layout<double>& x);

// comm.*.operation, comm.*.link and comm.*.behind, before the figures of that operation.
void add_communication_words(const TrainingPlan<double>& plan, const Communication<double>& c,
                             std::vector<Metric>& metrics);

}  // namespace reckon
