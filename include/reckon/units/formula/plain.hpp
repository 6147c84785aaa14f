// The value of a quantity as a plain double, for a simulation that works on doubles. It can't get
// back into a formula: what a simulation finds comes back as whole numbers (structural()).
//
//   schedule::PassTimes t{plain(F), plain(B), plain(W)};
#pragma once

#include "reckon/units/quantity.hpp"

namespace reckon {

template <Dim D, class R>
double plain(Quantity<D, R> x) {
  return value_of(x.raw);
}

}  // namespace reckon
