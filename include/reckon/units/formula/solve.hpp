// Numbers found by search, with the derivative of what they solve.
//
//   auto u_0 = found<R>("u_0", bisect(low, high, [&](double u) { return f(plain_quantity(…), u); }));
//   auto u = kShare(u_0 - f(u_0) / slope(u_0));      // one Newton step, on R
//
// The search runs on plain numbers, so that all number types take the same path. The step changes the value by
// rounding alone; on Dual and Traced it carries the slope of the implicit function, −(∂f/∂p) / (∂f/∂u).
#pragma once

#include <cmath>

#include "reckon/units/formula/formula.hpp"
#include "reckon/units/formula/plain.hpp"

namespace reckon {

template <Dim D, class R>
Quantity<D, double> plain_quantity(Quantity<D, R> x) {
  return Quantity<D, double>(plain(x));
}

// A number that a search came to, under a name: no field stands behind it.
template <class R>
Ratio<R> found(Label label, double value) {
  if constexpr (std::is_same_v<R, Traced>) {
    return Ratio<R>(Tape::current->input(value, {.symbol = label, .hint = Hint::kRatio}));
  } else {
    return Ratio<R>(R(value));
  }
}

// Where a function that grows passes zero, to the last bit; an end where it does not.
template <class F>
double bisect(double low, double high, F f) {
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) break;
    (f(middle) < 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace reckon
