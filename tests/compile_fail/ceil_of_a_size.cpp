// must say: no matching function for call to
#include "reckon/units/formula/formula.hpp"

// What ceil(bytes) is would depend on the unit.
template <class R>
auto pages(reckon::Bytes<R> size, reckon::Bytes<R> page) {
#ifdef WRONG
  return ceil(size);
#else
  return ceil(size / page);
#endif
}
template auto pages(reckon::Bytes<double>, reckon::Bytes<double>);
