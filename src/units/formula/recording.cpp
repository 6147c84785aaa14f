#include "reckon/units/formula/recording.hpp"

#include <algorithm>

namespace reckon {
namespace {

bool is_choice(Op op) { return op == Op::kLargest || op == Op::kSmallest; }

// An input under another name (a row looked up) counts once, where it entered.
bool is_called(const Tape& tape, std::int32_t i, std::string_view id) {
  const Tape::Name* name = tape.name_of(i);
  if (!name) return false;
  if (name->formula) return name->formula->id == id;
  return tape.node(i).op == Op::kInput && name->path == id;
}

Hint agreed(const Tape& tape, std::int32_t a, std::int32_t b) {
  const Hint left = hint_of(tape, a);
  if (b < 0) return left;
  return left != Hint::kNone && left == hint_of(tape, b) ? left : Hint::kNone;
}

std::optional<Dim> dim_of_product(const Tape& tape, const Tape::Node& n) {
  const auto a = known_dim(tape, n.a), b = known_dim(tape, n.b);
  if (!a || !b) return std::nullopt;
  return n.op == Op::kMultiply ? *a * *b : *a / *b;
}

std::optional<Dim> first_known(const Tape& tape, std::int32_t a, std::int32_t b) {
  const auto known = known_dim(tape, a);
  return known || b < 0 ? known : known_dim(tape, b);
}

}  // namespace

std::vector<std::int32_t> nodes_of(const Tape& tape, std::string_view id) {
  std::vector<std::int32_t> out;
  for (std::int32_t i = 0; i < tape.size(); ++i) {
    if (is_called(tape, i, id)) out.push_back(i);
  }
  return out;
}

std::int32_t last_node_of(const Tape& tape, std::string_view id) {
  std::int32_t i = tape.size() - 1;
  while (i >= 0 && !is_called(tape, i, id)) --i;
  return i;
}

std::vector<std::string_view> formulas_on(const Tape& tape) {
  std::vector<std::string_view> out;
  for (std::int32_t i = 0; i < tape.size(); ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (name && name->formula) out.push_back(name->formula->id);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::int32_t> operands_of(const Tape& tape, std::int32_t node) {
  const Tape::Node& n = tape.node(node);
  std::vector<std::int32_t> out;
  if (is_choice(n.op)) {
    for (std::int32_t k = 0; k < n.b; ++k) out.push_back(tape.candidate(n, k));
    return out;
  }
  for (const std::int32_t child : {n.a, n.b, n.c}) {
    if (child >= 0) out.push_back(child);
  }
  return out;
}

bool is_given(const Tape& tape, std::int32_t node) {
  const Op op = tape.node(unaliased(tape, node)).op;
  return op == Op::kInput || op == Op::kLiteral;
}

std::int32_t unaliased(const Tape& tape, std::int32_t node) {
  while (tape.node(node).op == Op::kAlias) node = tape.node(node).a;
  return node;
}

Hint hint_of(const Tape& tape, std::int32_t node) {
  const Tape::Name* name = tape.name_of(node);
  if (name && name->hint != Hint::kNone) return name->hint;
  const Tape::Node& n = tape.node(node);
  switch (n.op) {
    case Op::kAlias:
    case Op::kCeil:
    case Op::kFloor:
      return hint_of(tape, n.a);
    case Op::kAdd:
    case Op::kPart:
    case Op::kSubtract:
    case Op::kMax:
    case Op::kMin:
      return agreed(tape, n.a, n.b);
    case Op::kSelect:
      return agreed(tape, n.b, n.c);
    case Op::kLargest:
    case Op::kSmallest:
      return hint_of(tape, tape.winner(n));
    default:
      return Hint::kNone;
  }
}

std::optional<Dim> known_dim(const Tape& tape, std::int32_t node) {
  if (const Tape::Name* name = tape.name_of(node)) return name->dim;
  const Tape::Node& n = tape.node(node);
  switch (n.op) {
    case Op::kLiteral:
    case Op::kInput:
      return std::nullopt;
    case Op::kAlias:
      return known_dim(tape, n.a);
    case Op::kMultiply:
    case Op::kDivide:
      return dim_of_product(tape, n);
    case Op::kAdd:
    case Op::kPart:
    case Op::kSubtract:
    case Op::kMax:
    case Op::kMin:
      return first_known(tape, n.a, n.b);
    case Op::kSelect:
      return first_known(tape, n.b, n.c);
    case Op::kSqrt: {
      const auto square = known_dim(tape, n.a);
      return square ? std::optional(root(*square)) : std::nullopt;
    }
    case Op::kLargest:
    case Op::kSmallest:
      return known_dim(tape, tape.winner(n));
    default:
      return kOne;  // functions of plain numbers, comparisons
  }
}

}  // namespace reckon
