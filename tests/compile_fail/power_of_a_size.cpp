// must say: powers are taken of plain numbers, not of quantities
#include "reckon/units/formula/formula.hpp"

template <class R>
auto square(reckon::Bytes<R> a, reckon::Count<R> n) {
#ifdef WRONG
  return pow(a, 2);
#else
  return a * pow(n, 2);
#endif
}
template auto square(reckon::Bytes<double>, reckon::Count<double>);
