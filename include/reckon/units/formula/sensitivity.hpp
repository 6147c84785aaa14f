// What a recording tells about change, in one backward sweep over the tape.
//
//   adjoints(tape, root)[i]          d root / d node i, exact
//   input_slopes(tape, root)         of every input: slope, and elasticity = slope · input / root:
//                                    «+1 % of it changes the root by so many per cent»
//   breakdown(tape, root, ids)       value · adjoint of the named formulas: a step time scales with
//                                    the times it is made of, so over all leaf times this adds up
//                                    to the step time itself; hidden work counts nothing
//
// A derivative holds between two jumps of ceil and comparisons, and for a fixed structure: a degree
// that also bounds a loop or decides a branch must be re-evaluated instead. At a tie of max or min
// both sides count half. The elasticity of a root that is 0, or not finite, is 0.
#pragma once

#include <string>
#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

std::vector<double> adjoints(const Tape& tape, std::int32_t root);

struct InputSlope {
  std::string path;
  const Tape::Name*
      name;  // symbol, dimension, hint, origin; lives as long as the tape is unchanged
  double value;
  double slope;       // in SI units of the root per SI unit of the input
  double elasticity;  // % of the root per % of the input
};
// Inputs that have a path and reach the root, largest elasticity first. Several inputs of one path
// (a column of a table) are one entry: they move together.
std::vector<InputSlope> input_slopes(const Tape& tape, std::int32_t root);

struct Share {
  std::string name;
  double value;
};
// The elasticities of input_slopes() alone.
std::vector<Share> elasticities(const Tape& tape, std::int32_t root);
// Contribution of every formula among `ids` (inputs by their path), summed by title, largest first. One that others of
// them are made of counts whole, and they count only where they stand beside it.
std::vector<Share> breakdown(const Tape& tape, std::int32_t root,
                             const std::vector<std::string_view>& ids);

}  // namespace reckon
