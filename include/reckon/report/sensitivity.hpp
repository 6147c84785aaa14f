// What each input is worth, as `reckon sensitivity` prints it.
//
//   time of one optimizer step [step.time] = 6.962 s
//
//   Worth of 1 % more
//     input                        value    changes it by  stated at
//     cluster.node.chip.peak.bf16  989.4 TFLOP/s  −0.999 %  hardware/chips/h100-sxm.yaml:9
//
//   Where the time goes
//     compute time of a step   6.955 s   99.89 %
//     …
//     sum                      6.962 s  100.00 %
#pragma once

#include <string>

#include "reckon/engine/sensitivity.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string sensitivity_text(const Sensitivity& s, const TextStyle& style = {});
// {"schema_version", "kind": "sensitivity", "metric": {…}, "inputs": [{path, value, unit, slope, elasticity,
// tenth, stated}], "whole": [{path, value, down, up}], "kinks": [{path, change, formula}], "ranges": [{path, value,
// low, high, at_low, at_high}], "leaves": [{title, value, share}]}
std::string sensitivity_json(const Sensitivity& s);
std::string sensitivity_csv(const Sensitivity& s);  // path,value,unit,slope,elasticity,tenth,stated
std::string sensitivity_markdown(const Sensitivity& s);

}  // namespace reckon
