// Finding one's way on a tape: which nodes a formula or an input left, and what is below a node.
//
//   for (std::int32_t i : nodes_of(tape, "gemm.time")) sum += tape.node(i).value;
//   derivation(tape, last_node_of(tape, "step.time"), …)
//
// An id is a formula's id or an input's path.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reckon/units/formula/formula.hpp"

namespace reckon {

// All occurrences, in order of evaluation.
std::vector<std::int32_t> nodes_of(const Tape& tape, std::string_view id);
// The last one: of a formula used by its own caller, the outermost. -1 if there is none.
std::int32_t last_node_of(const Tape& tape, std::string_view id);
// Ids of the formulas on the tape, sorted, each once.
std::vector<std::string_view> formulas_on(const Tape& tape);

// The direct operands of a node; of a choice its candidates.
std::vector<std::int32_t> operands_of(const Tape& tape, std::int32_t node);
// Whether a node is an input or a literal, possibly under other names.
bool is_given(const Tape& tape, std::int32_t node);
// What a chain of other names leads to.
std::int32_t unaliased(const Tape& tape, std::int32_t node);
// How to show the node's value: its own hint, or the one its operands agree on where the operation
// keeps it (parameters + parameters are parameters).
Hint hint_of(const Tape& tape, std::int32_t node);

// The dimension of a node's value where it is known: names carry theirs, literals have none of their
// own.
std::optional<Dim> known_dim(const Tape& tape, std::int32_t node);

}  // namespace reckon
