// Counts and limits as sentences have them.
//
//   count_of(1, "replica")        "1 replica"       count_of(3, "replica")     "3 replicas"
//   at_most(41.4167)              "41.41 requests/s": a maximum is not rounded up
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "reckon/units/format.hpp"

namespace reckon {

inline std::string count_of(double n, std::string_view what) {
  return fmt::format("{} {}{}", format_quantity(n, kOne, Hint::kCount), what, n == 1 ? "" : "s");
}

// Of requests/s, in the four digits of a report.
inline std::string at_most(double rate) {
  constexpr double kRounding = 1e-12;
  if (!(rate > 0) || !std::isfinite(rate)) return format_quantity(rate, kHertz, Hint::kRequestRate);
  const double place = std::pow(10, std::floor(std::log10(rate)) - 3);
  return format_quantity(std::floor(rate / place * (1 + kRounding)) * place, kHertz,
                         Hint::kRequestRate);
}

}  // namespace reckon
