// What a flag stated and no figure of the answer depends on: `--link` where the times are NCCL's own.
//
//   warn_of_idle_flags(loaded, diagnostics);          // warning: link: nothing here depends on it
//
// Found on a recording, so it holds for every kind of plan: a number that was stated by a flag, was bound, and
// is read by no formula of any metric. Numbers alone: words decide the shape of the answer.
#pragma once

#include "reckon/base/diagnostic.hpp"
#include "reckon/engine/loaded.hpp"

namespace reckon {

void warn_of_idle_flags(const Loaded& loaded, Diagnostics& diagnostics,
                        const std::vector<std::string>& steers = {});

}  // namespace reckon
