// Numbers for people: four significant digits, a prefix, the unit.
//
//   format_quantity(49e9, kByte)                          "49 GB"
//   format_quantity(7e9, kOne, Hint::kParams)             "7B params"
//   format_quantity(0.4, kOne, Hint::kFraction)           "40 %"
//   format_quantity(5e10, kByteRate)                      "50 GB/s"
//   format_binary(412316860416.0)                         "384 GiB"
//
// Decimal prefixes unless asked for binary: never mixed in silence. No digit group separators
// inside numbers with a fraction; whole counts below 1e8 are grouped by commas ("8,192"). Exact
// whole values are never rounded away: 8030261248 parameters print as "8.03B params" here and in
// full in JSON.
#pragma once

#include <string>

#include "reckon/units/dim.hpp"

namespace reckon {

std::string format_quantity(double si_value, Dim dim, Hint hint = Hint::kNone, int digits = 4);
std::string format_binary(double bytes, int digits = 4);

// The shortest text that parse_quantity() reads back as the same double: for files and --export.
std::string write_quantity(double si_value, Dim dim, Hint hint = Hint::kNone);

// Whole numbers with commas: "8,030,261,248".
std::string grouped(double whole);

}  // namespace reckon
