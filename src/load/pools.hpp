// Prefill workers, transfer, decode workers: one stage feeds the next.
#pragma once

#include "reckon/load/simulate.hpp"

namespace reckon::load {

// Times of the requests, of both stages; totals are the decode workers', summed.
Run play_pools(const Scenario& scenario, std::vector<Request>& requests, std::size_t measured_from);

}  // namespace reckon::load
