// Which inputs of a recording bear on any of some results, whatever their slope: a candidate that lost
// a choice, a condition that decided one.
//
//   std::set<std::string_view> read = reached_inputs(tape, {time.node, bytes.node});
//   read.contains("link")                        // false: no result depends on it
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

// Paths live as long as the tape.
std::set<std::string_view> reached_inputs(const Tape& tape, const std::vector<std::int32_t>& roots);

}  // namespace reckon
