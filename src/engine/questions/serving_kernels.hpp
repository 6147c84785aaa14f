// The kernels a serving plan runs: by its engine's rules, from hardware/kernels, written into the plan's tree.
#pragma once

#include "reckon/engine/workspace.hpp"

namespace reckon {

// Lays the engine's constants of the cluster's chip over its usual ones, and fills in `kernels`; the same for a pool of
// prompts on chips of its own (`prefill.cluster`).
void fill_serving(Workspace& work, doc::Value& tree, Diagnostics& diagnostics);

}  // namespace reckon
