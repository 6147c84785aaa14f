// must say: adds or compares quantities of different dimensions
#include "reckon/units/formula/formula.hpp"

template <class R>
auto sum(reckon::Bytes<R> a, reckon::Seconds<R> b, reckon::Seconds<R> c) {
#ifdef WRONG
  return a + b;
#else
  return b + c;
#endif
}
template auto sum(reckon::Bytes<double>, reckon::Seconds<double>, reckon::Seconds<double>);
