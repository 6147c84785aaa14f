#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, Stack)

}  // namespace reckon
