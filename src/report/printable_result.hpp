// A result whose texts are safe on a terminal: names and sources come from files.
#pragma once

#include "reckon/engine/result.hpp"

namespace reckon {

Result printable_result(Result result);
std::vector<Metric> printable_metrics(std::vector<Metric> metrics);

}  // namespace reckon
