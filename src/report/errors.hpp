// Errors of predictions in words: "5.1 %".
#pragma once

#include <fmt/format.h>

#include <string>

#include "reckon/base/json.hpp"
#include "reckon/numerics/robust_fit.hpp"

namespace reckon {

inline std::string percent(double share) {
  return share >= 9.995 ? fmt::format("×{:.0f}", 1 + share) : fmt::format("{:.1f} %", 100 * share);
}
// A figure beside the limit it is held to: with another digit where rounding would print 6.3 missed by 6.3.
inline std::string percent_beside(double share, double limit) {
  constexpr int kMostDigits = 6;
  std::string out = percent(share);
  for (int digits = 2; share > limit && out == percent(limit) && digits <= kMostDigits; ++digits)
    if (std::string finer = fmt::format("{:.{}f} %", 100 * share, digits);
        finer != fmt::format("{:.{}f} %", 100 * limit, digits))
      out = std::move(finer);
  return out;
}
inline std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

inline void write_errors(JsonWriter& json, const ErrorSummary& e) {
  json.object(JsonWriter::kOneLine);
  json.key("rows").number(static_cast<double>(e.rows));
  json.key("mean").number(e.mean).key("median").number(e.median);
  json.key("p90").number(e.p90).key("bias").number(e.bias).close();
}

}  // namespace reckon
