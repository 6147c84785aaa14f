// A plan to start from: model and GPUs given, everything else chosen in plain sight.
//
//   Proposal p = propose_training(work, "llama-3-8b", "64xh100-sxm", diagnostics);
//   p.text                        // the plan as YAML, every default visible, each key explained
//   p.notes                       // which choices were made and why
//
// The sharding is the smallest that fits (DDP, ZeRO-1, 2, 3, then recompute); the global batch is the multiple of
// data · micro nearest to presets/starting-point.yaml's step_tokens.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/workspace.hpp"

namespace reckon {

struct Proposal {
  std::string text;  // empty after a fault
  std::vector<std::string> notes;
};

Proposal propose_training(Workspace& work, const std::string& model, const std::string& gpus,
                          Diagnostics& diagnostics);

}  // namespace reckon
