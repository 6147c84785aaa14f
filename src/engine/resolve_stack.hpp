// Which file of hardware/stacks a plan's word means on its chip, and what its collectives take from other shelves.
#pragma once

#include "reckon/doc/value.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

// `said` with the name of the file that holds on this chip: the one named; the same software's on this chip; else the
// generic one of the chip, with a warning. `default` is that. chip: its resolved tree, may be null.
doc::Value stack_on_chip(Workspace& work, doc::Value said, const doc::Value* chip,
                         Diagnostics& diagnostics);

// Curves of the chip's kernels and NCCL's hops, where the stack states none of its own.
void fill_collectives(Workspace& work, doc::Value& stack, const doc::Value* chip,
                      Diagnostics& diagnostics);

}  // namespace reckon
