// What each continuous input of a plan is worth, and the split of the step time into the times it is made of.
//
// One backward sweep over the recorded plan. Counts (degrees, layers, batch sizes) are left out: they bound loops and
// branches, so a derivative by them means nothing. The leaf times add up to the step time exactly; communication
// that hides behind compute counts nothing, unless it does not hide wholly.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/loaded.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

struct InputWorth {
  std::string path, place;
  double value = 0;
  Dim dim = {};
  Hint hint = Hint::kNone;
  double slope = 0;       // SI units of the metric per SI unit of the input
  double elasticity = 0;  // per cent of the metric per per cent of the input
};

struct LeafShare {
  std::string title;
  double value = 0, share = 0;
};

struct Sensitivity {
  Metric metric;
  std::vector<InputWorth> inputs;  // largest first; those that move nothing left out
  std::vector<LeafShare> leaves;   // of a time; empty otherwise
};

// A metric that is no number on the plan's tape is a fault with a suggestion.
Sensitivity sensitivities(const Loaded& plan, const std::string& metric, Diagnostics& diagnostics);

}  // namespace reckon
