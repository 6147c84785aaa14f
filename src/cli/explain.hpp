// Derivations of metrics: what `--explain ID` prints.
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"
#include "reckon/engine/loaded.hpp"

namespace reckon::cli {

// Options that say nothing beside, or without, a derivation are faults: a format that has none, `--depth` alone.
// `how`: what asks for one, "add --explain".
void check_explain(const Shared& shared, bool explain, const std::optional<int>& depth,
                   const char* how, Diagnostics& diagnostics);

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
