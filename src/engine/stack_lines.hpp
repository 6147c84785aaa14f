// What an answer says of the software stack behind it: how sure its constants are, what it hides behind what, and where
// a plan leaves the range that was measured.
#pragma once

#include "reckon/cost/training.hpp"
#include "reckon/engine/result.hpp"
#include "stack_claim.hpp"

namespace reckon {

std::string stack_line(const Stack<double>& stack, const StackClaim& claim);
// "70 % of tensor collectives behind GEMMs, …"
std::string hidden_line(const TrainingPlan<double>& plan);
// In what the plan is outside of the runs behind its stack: "sequence 131,072 of 2,048 to 8,192"; empty if in nothing.
std::string outside_words(const TrainingPlan<double>& plan, const Layout<double>& layout);
void stack_warnings(const TrainingPlan<double>& plan, const TrainingEstimate<double>& e,
                    const StackClaim& claim, std::vector<std::string>& out);

}  // namespace reckon
