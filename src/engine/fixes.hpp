// Changes of one field that make a plan fit: next ZeRO stage, recompute, smaller micro-batch, tensor parallelism
// within the node, more nodes, offload, another optimizer.
#pragma once

#include "reckon/engine/load.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

// Those that are legal and fit, least change in step time first, each with its new headroom and step time.
std::vector<Fix> fixes(Workspace& work, const LoadedTraining& loaded);

}  // namespace reckon
