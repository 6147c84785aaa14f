// A count as a plain whole number, for checks and words: the degrees of a mesh, the layers of a group.
//
//   number(plan.mesh.tensor)          // 8
#pragma once

#include <cmath>
#include <optional>

#include "reckon/units/quantity.hpp"

namespace reckon {

inline long number(const Count<double>& x) { return std::lround(x.raw); }
// 0 where it is not stated.
inline long number(const std::optional<Count<double>>& x) { return x ? number(*x) : 0; }

}  // namespace reckon
