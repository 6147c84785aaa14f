// Which loss scale keeps a gradient alive in a format, and what the search for one costs.
#pragma once

#include "numbers.hpp"

namespace reckon {

void add_loss_scale(const DtypeQuestion<double>& q, const NumberFormatInUse& format,
                    const std::string& suffix, Result& out);

}  // namespace reckon
