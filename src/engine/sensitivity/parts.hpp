// The parts of a sensitivity that need more than slopes.
#pragma once

#include "reckon/engine/sensitivity.hpp"

namespace reckon {

// What 10 % more of the inputs that matter most brings.
void add_tenths(const Loaded& plan, const Metric& metric, Sensitivity& out);
// Whole numbers of the plan at the next legal values.
void add_whole(const Loaded& plan, const Recorded& recorded, const Metric& metric,
               Sensitivity& out);
// Constants whose source gives a range.
void add_ranges(const Loaded& plan, const Metric& metric, Sensitivity& out);
// Choices near the point where they switch.
void add_kinks(const Recorded& recorded, const Metric& metric, Sensitivity& out);

}  // namespace reckon
