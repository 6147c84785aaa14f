// As many digits as a file of fitted constants keeps.
//
//   four_digits(0.123456)          // 0.1235
#pragma once

#include <fmt/format.h>

#include <cstdlib>

namespace reckon {

inline double four_digits(double x) {
  return std::strtod(fmt::format("{:.4g}", x).c_str(), nullptr);
}

}  // namespace reckon
