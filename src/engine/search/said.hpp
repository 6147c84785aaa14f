// What a search says beside its rows: which fields nobody let it choose, what its best plans change that nobody may
// have meant to, and how far its figures can tell two plans apart.
#pragma once

#include "reckon/engine/search.hpp"

namespace reckon::searching {

// "Held: sharding ddp, schedule 1f1b, …": groups of fields that neither the space nor an axis opens, with the plan's
// values, and how they are opened. Nothing where only single fields are varied.
std::vector<std::string> held_words(const Space<double>& space, const std::vector<Axis>& axes,
                                    const std::vector<std::pair<std::string, std::string>>& given,
                                    const doc::Value& resolved);

// A search that may choose the precision may rank by it alone.
void say_precision(Found& found);

// The accuracy of the best plan's figures, and how many rows lie within its median error.
void add_accuracy(Workspace& work, Found& found);

}  // namespace reckon::searching
