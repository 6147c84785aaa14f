// What the formats say of a line of `expect:`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/engine/check.hpp"

namespace reckon {

using CheckLines = std::vector<const CheckLine*>;

// The lines of each file, in order of first appearance.
std::vector<std::pair<std::string, CheckLines>> by_file(const CheckReport& report);

std::size_t misses_of(const CheckLines& lines);

// "P303 memory.states (case zero-3)"
std::string name_of(const CheckLine& line);

// "plan.yaml:14:5", or the file if the place is not known.
std::string place_of(const CheckLine& line);

// From the exact value if one is stated, else from the printed one; "" for words and if there is none.
std::string deviation_of(const CheckLine& line);

// "16 lines of 3 plans in 2 files: 1 missed"
std::string summary_of(const CheckReport& report);

}  // namespace reckon
