// Prefill workers, transfer, decode workers: one stage feeds the next.
#pragma once

#include "reckon/load/simulate.hpp"

namespace reckon::load {

// Time of so many prompt tokens and nothing else, s.
double prefill_alone(const Scenario& scenario, double tokens);

// Times of the requests, of both stages; totals are the decode workers', summed.
Run play_pools(const Scenario& scenario, std::vector<Request>& requests, std::size_t measured_from);

}  // namespace reckon::load
