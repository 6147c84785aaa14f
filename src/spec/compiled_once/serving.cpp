#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, ServingEngine)
RECKON_ALL_OF(, ServingPlan)

}  // namespace reckon
