// must say: adds or compares quantities of different dimensions
#include "reckon/units/formula/formula.hpp"

using namespace reckon;
template <class R>
bool short_wait(Seconds<R> t) {
#ifdef WRONG
  return static_cast<bool>(t < 4);
#else
  return static_cast<bool>(t < 4_s);
#endif
}
template bool short_wait(Seconds<double>);
