// What a flag stated and no figure of the answer depends on: `--link` where the times are NCCL's own.
//
//   for (const std::string& path : idle_inputs(loaded)) …          // "link"
//
// Found on a recording, so it holds for every kind of plan: a number that was stated by a flag, was bound, and
// is read by no formula of any metric. Numbers alone: words decide the shape of the answer.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/loaded.hpp"

namespace reckon {

std::vector<std::string> idle_inputs(const Loaded& loaded);

}  // namespace reckon
