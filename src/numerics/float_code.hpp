// Codes of floating-point elements. See element.hpp for the rules.
#pragma once

#include "reckon/numerics/element.hpp"

namespace reckon::detail {

Coded encode_float(const Element& e, double x, const RoundingMode& mode);
double decode_float(const Element& e, std::uint64_t code);
std::uint64_t largest_code(const Element& e);  // of a finite positive value

// Should a magnitude go one quantum up? Its code without the fraction is `odd` or even, the fraction is
// `remainder` over 2^shift.
bool rounds_up(const RoundingMode& mode, bool negative, bool odd, std::uint64_t remainder,
               int shift);

}  // namespace reckon::detail
