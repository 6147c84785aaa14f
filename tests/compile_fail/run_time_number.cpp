// must say: not a constant expression
#include "reckon/units/formula/formula.hpp"

// A plain int of the surrounding code would enter the formula unrecorded.
template <class R>
auto repeated(reckon::Seconds<R> t, [[maybe_unused]] int n) {
#ifdef WRONG
  return t * n;
#else
  return t * 2;
#endif
}
template auto repeated(reckon::Seconds<double>, int);
