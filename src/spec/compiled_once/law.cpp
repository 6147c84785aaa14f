#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, Law)

}  // namespace reckon
