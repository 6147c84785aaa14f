// Estimates as CSV (RFC 4180, lines end in "\n"): one line per metric, all of them, in SI units.
//
//   file,case,metric,value,unit,title,reason
//   plan.yaml,,memory.total,69701476352,B,memory per GPU,
//   plan.yaml,,memory.verdict,fits,,verdict,
//   plan.yaml,,run.cost,,USD,cost of the run,add price: to get dollars
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/result.hpp"

namespace reckon {

std::string eval_csv(const std::vector<Result>& results);

}  // namespace reckon
