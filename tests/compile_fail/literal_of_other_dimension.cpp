// must say: adds or compares quantities of different dimensions
#include "reckon/units/formula/formula.hpp"

using namespace reckon;
template <class R>
auto at_least(Bytes<R> size) {
#ifdef WRONG
  return max(size, 2_flop);
#else
  return max(size, 2_B);
#endif
}
template auto at_least(Bytes<double>);
