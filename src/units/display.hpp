// How a kind of quantity is shown: the unit, what an SI value is divided by, and which prefixes its
// numbers take. Formatting for people and writing for files share it.
#pragma once

#include <string>
#include <string_view>

#include "reckon/units/dim.hpp"

namespace reckon {

struct Display {
  enum class Prefixes {
    kNone,     // 1,234 s/B
    kLarge,    // 49 GB, 0.5 B
    kSmall,    // 27.22 ms, 86,400 s
    kBoth,     // 12 pJ, 3 MJ
    kLetters,  // 7.5B params: K, M, B, T before a space
  };
  std::string unit;  // after prefix; empty for plain numbers
  Prefixes prefixes = Prefixes::kNone;
  double per = 1;             // SI value of one unit: 3600 for hours
  bool divide = false;        // the unit is 1 / per: USD/h is 3600 per USD/s
  std::string singular = {};  // "day", where "1 days" would be wrong
  double letters_from = 0;    // kLetters: below it all digits are shown
  bool money = false;         // two decimals at least

  double to_unit(double si) const { return divide ? si * per : si / per; }
};

Display display_of(double si_value, Dim dim, Hint hint);

}  // namespace reckon
