#include "reckon/spec/compiled_once.hpp"

namespace reckon {

RECKON_ALL_OF(, Chip)
RECKON_ALL_OF(, Node)
RECKON_ALL_OF(, Cluster)

}  // namespace reckon
