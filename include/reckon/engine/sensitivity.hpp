// What each input of a plan is worth, where that changes, and the split of the step time into the times it is made of.
//
// Continuous inputs by one backward sweep over the recorded plan; what 10 % more of one brings is evaluated. Counts
// (degrees, layers, batch sizes) bound loops and branches, so a derivative by them means nothing: the plan is evaluated
// at the next legal value on both sides. A kink is a max, min or choice on the way to the metric that switches sides
// when an input moves by less than a half. Constants that carry a range are put at both ends of it. The leaf times
// add up to the step time exactly; communication that hides behind compute counts nothing, unless it does not hide
// wholly.
#pragma once

#include <optional>
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
  std::optional<double>
      tenth;  // relative change of the metric with 10 % more, where that is a plan
};

// The next legal values of a whole number, and the metric there.
struct WholeWorth {
  std::string path, now;
  struct Next {
    std::string value;
    double metric = 0;
  };
  std::optional<Next> down, up;
};

// Where the metric's slope changes: a choice that switches when an input moves by `change` of itself.
struct Kink {
  std::string formula, title;  // the formula that the choice stands in
  std::string path;            // the input that gets there first
  double change = 0;           // relative
};

// A constant at both ends of the range its source gives.
struct RangeWorth {
  std::string path;
  double value = 0, low = 0, high = 0;
  double at_low = 0, at_high = 0;  // the metric
};

struct LeafShare {
  std::string title;
  double value = 0, share = 0;
};

struct Sensitivity {
  Metric metric;
  std::vector<InputWorth> inputs;  // largest first; those that move nothing left out
  std::vector<WholeWorth> whole;
  std::vector<Kink> kinks;  // nearest first
  std::vector<RangeWorth> ranges;
  std::vector<LeafShare> leaves;  // of a time; empty otherwise
};

// A metric that is no number on the plan's tape is a fault with a suggestion.
Sensitivity sensitivities(const Loaded& plan, const std::string& metric, Diagnostics& diagnostics);

}  // namespace reckon
