// A plan to start from: model and GPUs given, everything else chosen in plain sight.
//
//   Proposal p = propose_training(work, "llama-3-8b", "64xh100-sxm", diagnostics);
//   p.text                        // the plan as YAML, every default visible, each key explained
//   p.notes                       // which choices were made and why
//
// The sharding is the smallest that fits (DDP, ZeRO-1, 2, 3, then recompute); the global batch is GPUs · micro times
// the power of two that comes nearest to presets/starting-point.yaml's step_tokens. What `sets` (--set path=value, laid
// over the text afterwards) says of the plan holds while the rest is chosen; a fault in one of them is left to that.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/plan_file.hpp"

namespace reckon {

struct Proposal {
  std::string text;  // empty after a fault
  std::vector<std::string> notes;
};

Proposal propose_training(Workspace& work, const std::string& model, const std::string& gpus,
                          Diagnostics& diagnostics, const Sets& sets = {});

}  // namespace reckon
