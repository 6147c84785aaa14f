#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, Mesh)
RECKON_ALL_OF(, TrainingPlan)

}  // namespace reckon
