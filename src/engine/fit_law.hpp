// The law file of a fit.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/fit.hpp"

namespace reckon {

// As laws/*.yaml: constants with their intervals, the range of the runs, resampled constants, how it was made.
std::string law_text(const FitReport& report, const std::vector<RunRow>& kept);

}  // namespace reckon
