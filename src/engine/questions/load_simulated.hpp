// A load question played out: what the simulation found, beside the closed form.
#pragma once

#include "reckon/cost/questions/load.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/load/simulate.hpp"

namespace reckon {

// Most tokens of prompt and answer: stated, or the model's context; 0 if neither is.
double longest_of(const LoadQuestion<double>& question);

load::Scenario scenario_of(const LoadQuestion<double>& question, const LoadAnswer<double>& answer,
                           std::vector<load::Request> trace);

// Metrics simulated.*, deviation.* of the closed form, a table of both, what is to be said.
void add_simulation(const LoadQuestion<double>& question, const load::Outcome& outcome, Result& r);

}  // namespace reckon
