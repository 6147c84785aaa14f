// Plans of each kind a report must show, evaluated with the data of this tree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/engine/result.hpp"

namespace plans {

// The result of a plan's text, in a file called plan.yaml. Places in the data are relative to the tree.
reckon::Result evaluated(const std::string& yaml);

struct Sample {
  std::string name;
  reckon::Result result;
};

// A dense plan that fits, one that doesn't, experts, a pipeline, one GPU that offloads, no MFU, a model without
// layers, a tight fit, adapters, context parallelism with replicas.
const std::vector<Sample>& samples();
const reckon::Result& sample(const std::string& name);

}  // namespace plans
