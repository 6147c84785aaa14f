// Units as people write them: "TB/s", "Gbit/s", "tokens/s", "us/√B", "USD/kWh".
//
//   UnitReading r = read_unit("GB/s");      // r.dim == kByteRate, r.scale(5 as Decimal) == 5e9
//
// A unit is factors joined by / (or ·), each with an exponent if need be (B^2, √B). Prefixes are
// case-sensitive: k, M, G … are 10³…, Ki, Mi, Gi … are 2¹⁰….
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decimal.hpp"
#include "reckon/units/dim.hpp"

namespace reckon {

// Words that count things. They have no dimension, so what they mean is up to the Hint.
enum Word : unsigned { kTokenWord = 1, kParamWord = 2, kRequestWord = 4, kGpuWord = 8 };

struct UnitReading {
  Dim dim = {};
  int exponent = 0;                        // power of ten
  std::vector<std::uint32_t> times, over;  // exact factors: 1024, 3600, 8
  unsigned above = 0, below = 0;           // Words in numerator and denominator
  std::optional<std::string> unknown;      // the factor that is no unit, if any

  Decimal scale(Decimal d) const;
};

UnitReading read_unit(std::string_view text);

// A name of one factor closest to `unknown` ("Gb/S", "gib", "hour s"); empty if none is close.
std::string closest_unit(std::string_view unknown);

// "B", "FLOP/B", "s/√B", "1/s", "1": the SI unit of a dimension. read_unit() understands all but
// "1".
std::string si_unit(Dim dim);

}  // namespace reckon
