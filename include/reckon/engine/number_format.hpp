// A file of formats/ ready to be computed with.
//
//   std::optional<NumberFormatInUse> f = load_number_format(work, "fp8-e4m3", span, diagnostics);
//   encode(f->element, 67).value
//
// A file that contradicts itself (bits that don't add up, a `max` that is not the largest code's) is a fault.
#pragma once

#include <optional>
#include <string>

#include "reckon/engine/workspace.hpp"
#include "reckon/numerics/scheme.hpp"
#include "reckon/spec/number_format.hpp"

namespace reckon {

struct NumberFormatInUse {
  std::string id;
  NumberFormat<double> spec;
  Element element;
  Scheme scheme;  // of formats whose values share scales, and of plain elements (rule none)
  long block = 0, block_rows = 1;  // values that share a scale; 0: a tensor or a channel
  std::string size_only;           // why nothing can be computed with it; empty if it can
};

std::optional<NumberFormatInUse> load_number_format(Workspace& work, const std::string& name,
                                                    Span said, Diagnostics& diagnostics);

}  // namespace reckon
