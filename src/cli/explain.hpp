// Derivations of metrics: what `--explain ID` prints.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/loaded.hpp"

namespace reckon::cli {

struct ExplainStyle {
  int depth = 4;
  std::size_t width = 100;
  bool markdown = false;
};
// Each of `ids`: a metric id, a pattern such as memory.*, or all. An id that names nothing is a fault
// with a suggestion.
std::string explain(const Loaded& plan, const std::vector<std::string>& ids,
                    const ExplainStyle& style, Diagnostics& diagnostics);

}  // namespace reckon::cli
