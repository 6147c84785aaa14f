// Which file of hardware/stacks a plan's word means on its chip.
//
//   software: nemo-2024                        # the same on every chip: what a plan may name
//   chips: [h100-sxm, h200-sxm]                # what a file is for; that of the file it starts from, if not stated
#pragma once

#include "reckon/doc/value.hpp"
#include "reckon/engine/workspace.hpp"

namespace reckon {

// `said` with the name of the file that holds on this chip: the one named; the same software's on this chip; else the
// generic one of the chip, with a warning. `default` is that. chip: its resolved tree, may be null.
doc::Value stack_on_chip(Workspace& work, doc::Value said, const doc::Value* chip,
                         Diagnostics& diagnostics);

// Takes out what only tells files apart.
void without_shelf_keys(doc::Value& stack);

}  // namespace reckon
