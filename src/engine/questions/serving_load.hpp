// A serving plan under its rate or its users: what is said of the closed form, and the same load played out.
#pragma once

#include "question_of.hpp"
#include "reckon/cost/serving/answer.hpp"
#include "reckon/load/simulate.hpp"

namespace reckon {

// Service, waiting and chunking apart; saturation; the ways to combine prompts and answers side by side.
void say_load(const ServingPlan<double>& q, const ServingAnswer<double>& out, Result& r);

// One way of the plan as a simulation has it: the plan's steps in a table, memory in blocks of cache. Each engine has
// its share of the requests by chance; of pools all requests come to the prefill workers.
load::Scenario serving_scenario(const ServingPlan<double>& q, const ServingAnswer<double>& out,
                                WayOfServing way, std::vector<load::Request> trace);

// The way that the plan itself goes.
WayOfServing own_way(const ServingPlan<double>& q);

// simulated.*, and simulated_ways.* beside them where a rate is stated.
void simulate_serving(Workspace& work, const LoadedQuestion<ServingPlan>& loaded,
                      const ServingAnswer<double>& out, Result& r);

}  // namespace reckon
