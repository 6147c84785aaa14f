// Whether training of layers that keep a state (mamba1, mamba2, delta_net, lightning) can be priced.
#pragma once

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

// Nothing to say about a plan whose layers all attend.
void check_recurrent(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out);

// The time of their passes alone, whatever accounting of activations stands beside it.
void check_scans(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out);

// The same of a model alone: what its kernels take at a time must be stated.
void check_chunks(const Model<double>& model, const Places& places, Diagnostics& out);

}  // namespace reckon
