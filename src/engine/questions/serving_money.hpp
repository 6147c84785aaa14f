// What is said of a serving plan's money: tokens under the load and never idle, GPUs for a rate, a budget's requests.
#pragma once

#include "reckon/cost/serving/answer.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

void say_money(const ServingPlan<double>& q, const ServingAnswer<double>& out, Result& r);

// "8 requests/s", or "200 users".
std::string load_text(const ServingPlan<double>& q);

// Pools that take more GPUs than there are: the answer is no.
void say_pools_beyond(const ServingPlan<double>& q, const ServingPools<double>& p, Result& r);

}  // namespace reckon
