// must say: adds or compares quantities of different dimensions
#include "reckon/units/formula/formula.hpp"

template <class R>
bool less(reckon::Bytes<R> a, reckon::ByteRate<R> b, reckon::Bytes<R> c) {
#ifdef WRONG
  return static_cast<bool>(a < b);
#else
  return static_cast<bool>(a < c);
#endif
}
template bool less(reckon::Bytes<double>, reckon::ByteRate<double>, reckon::Bytes<double>);
