// What a recording tells about change, in one backward sweep over the tape.
//
// adjoints(tape, root)[i] = d root / d node i, exact. From it:
// - elasticity of the root to an input: input · adjoint / root;
// - breakdown by kind of work: a step time scales with the times it is made of, so the sum over all
// leaf
//   times of value · adjoint is the step time itself; hidden work has adjoint 0 and counts nothing.
#pragma once

#include <string>
#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

std::vector<double> adjoints(const Tape& tape, std::int32_t root);

struct Share {
  std::string name;
  double value;
};
// Elasticities to all inputs, summed by field path, largest first.
std::vector<Share> elasticities(const Tape& tape, std::int32_t root);
// Contribution of every formula among `ids`, summed by title; nested ones must not both be named.
std::vector<Share> breakdown(const Tape& tape, std::int32_t root,
                             const std::vector<std::string_view>& ids);

}  // namespace reckon
