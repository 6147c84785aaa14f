// Dual numbers: a value and its derivative by one chosen input. Running a model on Dual gives the
// exact derivative (no step size), because every operation carries its own slope.
#pragma once

#include "reckon/units/formula/arithmetic.hpp"

namespace reckon {

struct Dual {
  double v = 0, d = 0;
  Dual() = default;
  explicit constexpr Dual(double value, double derivative = 0) : v(value), d(derivative) {}
};
template <Op op>
Dual combine(Dual a, Dual b = {}) {
  const Slopes s = slopes(op, a.v, b.v);
  return Dual(evaluate(op, a.v, b.v), s.a * a.d + s.b * b.d);
}
inline Dual select(Op, Dual, Dual, bool holds, Dual yes, Dual no) { return holds ? yes : no; }
inline double value_of(Dual x) { return x.v; }

}  // namespace reckon
