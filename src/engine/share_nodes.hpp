// A JSON Schema with what it says many times said once: equal nodes go to "$defs", each place refers to them and keeps
// its own description and default.
#pragma once

#include "reckon/doc/value.hpp"

namespace reckon {

void share_nodes(doc::Value& schema);

}  // namespace reckon
