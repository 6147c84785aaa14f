// What an answer says of the software stack behind it: how sure its constants are, what it hides behind what, and where
// a plan leaves the range that was measured.
#pragma once

#include "reckon/cost/training.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

std::string stack_line(const Stack<double>& stack, const std::string& changed);
// "70 % of tensor collectives behind GEMMs, …"
std::string hidden_line(const TrainingPlan<double>& plan);
void stack_warnings(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
                    std::vector<std::string>& out);

}  // namespace reckon
