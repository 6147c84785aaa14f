// must say: \(conver.*Quantity\|no viable conversion from returned value\)
#include "reckon/units/formula/formula.hpp"

template <class R>
reckon::Seconds<R> time(reckon::Bytes<R> size, reckon::ByteRate<R> rate) {
#ifdef WRONG
  return size * rate;
#else
  return size / rate;
#endif
}
template reckon::Seconds<double> time(reckon::Bytes<double>, reckon::ByteRate<double>);
