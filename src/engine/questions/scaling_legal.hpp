// What a scaling question must state, and what may not contradict what.
#pragma once

#include "question_of.hpp"
#include "reckon/cost/questions/scaling.hpp"

namespace reckon {

void check_scaling(const ScalingQuestion<double>& q, const Asked& asked);

}  // namespace reckon
