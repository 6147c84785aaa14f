// must say: \(conversion from\|no viable conversion from\)
#include "reckon/units/formula/formula.hpp"

// A size needs its unit, even where it is written as a constant.
#ifdef WRONG
reckon::Bytes<double> size = 4;
#else
using namespace reckon;
Bytes<double> size = 4_B;
#endif
