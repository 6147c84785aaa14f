// What a serving plan must obey, and what is said of its answer.
#pragma once

#include "question_of.hpp"
#include "reckon/cost/serving/answer.hpp"

namespace reckon {

void check_serving(const ServingPlan<double>& q, const Asked& asked);
void say_serving(const ServingPlan<double>& q, const ServingAnswer<double>& out, Result& r);

}  // namespace reckon
