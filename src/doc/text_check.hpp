// Is this text at all? Control characters and bytes that are not UTF-8 are reported at their place,
// before a parser sees them.
#pragma once

#include "reckon/base/diagnostic.hpp"

namespace reckon::doc {

// False after reporting the first fault: a file of another kind would have thousands.
bool check_text(const SourceFile* file, Diagnostics& diagnostics);

}  // namespace reckon::doc
