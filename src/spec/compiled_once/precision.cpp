#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, Stored)
RECKON_ALL_OF(, TensorFormats)
RECKON_ALL_OF(, Precision)
RECKON_ALL_OF(, Optimizer)

}  // namespace reckon
