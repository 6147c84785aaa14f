#include "expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::array kGreek{
    std::pair{"alpha", "α"},  std::pair{"beta", "β"},  std::pair{"gamma", "γ"},
    std::pair{"delta", "δ"},  std::pair{"Delta", "Δ"}, std::pair{"epsilon", "ε"},
    std::pair{"eta", "η"},    std::pair{"theta", "θ"}, std::pair{"kappa", "κ"},
    std::pair{"lambda", "λ"}, std::pair{"mu", "μ"},    std::pair{"rho", "ρ"},
    std::pair{"sigma", "σ"},  std::pair{"Sigma", "Σ"}, std::pair{"tau", "τ"},
    std::pair{"phi", "φ"},    std::pair{"omega", "ω"}, std::pair{"Omega", "Ω"},
};

// How tightly a piece of text holds together.
enum Binding { kLoose, kSum, kQuotient, kProduct, kPower, kAtom };

struct Piece {
  std::string text;
  Binding binding;
};

std::string wrapped(const Piece& p, Binding needed) {
  return p.binding < needed ? "(" + p.text + ")" : p.text;
}

// "max of 4 stages", "min(ring, tree)".
Piece candidates(const Tape& tape, const Tape::Node& n) {
  const char* best = n.op == Op::kLargest ? "max" : "min";
  const Label first = tape.name_of(tape.candidate(n, 0))->part;
  if (n.b == 1) return {label_text(first), kAtom};
  if (first.index >= 0) return {fmt::format("{} of {} {}s", best, n.b, first.text), kLoose};
  std::string list;
  for (std::int32_t k = 0; k < n.b; ++k) {
    list += (k ? ", " : "") + label_text(tape.name_of(tape.candidate(n, k))->part);
  }
  return {fmt::format("{}({})", best, list), kAtom};
}

// Parts that come from one formula are told apart by their labels.
bool symbols_repeat(const Tape& tape, const std::vector<std::int32_t>& parts) {
  std::set<std::string> seen;
  for (const std::int32_t p : parts) {
    const Tape::Name* name = tape.name_of(p);
    if (!name || name->part.text.empty()) return false;
    seen.insert(symbol_text(*name));
  }
  return seen.size() < parts.size();
}

class Expression {
 public:
  Expression(const Tape& tape, Show show) : tape_(tape), show_(show) {}
  Piece body(std::int32_t i) const;

 private:
  Piece operand(std::int32_t i) const;
  Piece beside(std::int32_t i, std::int32_t sibling) const;
  Piece number(std::int32_t i) const;
  Piece sum(std::int32_t i) const;
  Piece difference(const Tape::Node& n) const;
  Piece product(const Tape::Node& n) const;
  Piece quotient(const Tape::Node& n) const;
  Piece power(const Tape::Node& n) const;
  Piece call(const char* f, std::int32_t a) const;
  Piece call(const char* f, std::int32_t a, std::int32_t b) const;
  Piece comparison(const Tape::Node& n) const;
  Piece selection(const Tape::Node& n) const;
  Piece choice(std::int32_t i) const;

  const Tape& tape_;
  Show show_;
};

// The SI number with a prefix: inside an equation days and shares would not multiply. Tokens/s and requests/s do, and
// nobody reads them in Hz.
Piece Expression::number(std::int32_t i) const {
  return {format_quantity(tape_.node(i).value, known_dim(tape_, i).value_or(kOne),
                          rate_hint(hint_of(tape_, i))),
          kAtom};
}

Piece Expression::operand(std::int32_t i) const {
  const Tape::Name* name = tape_.name_of(i);
  if (!name) return body(i);
  if (show_ == Show::kNumbers) return number(i);
  return {symbol_text(*name), kAtom};
}

// An operand of +, max, < …: there a literal has the dimension of the other side.
Piece Expression::beside(std::int32_t i, std::int32_t sibling) const {
  const Tape::Node& n = tape_.node(i);
  if (n.op != Op::kLiteral || tape_.name_of(i) || n.value == 0) return operand(i);
  const auto dim = known_dim(tape_, sibling);
  return dim && !(*dim == kOne) ? Piece{format_quantity(n.value, *dim), kAtom} : operand(i);
}

Piece Expression::sum(std::int32_t i) const {
  const bool parts = tape_.node(i).op == Op::kPart;
  if (is_listed_sum(tape_, i) || (parts && show_ == Show::kFolded)) {
    return show_ == Show::kNumbers ? number(i) : Piece{"Σ parts", kSum};
  }
  const std::vector<std::int32_t> terms = sum_terms(tape_, i);
  if (terms.size() == 1) return operand(terms[0]);
  const bool by_label = parts && show_ == Show::kSymbols && symbols_repeat(tape_, terms);
  std::string text;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Piece term = by_label ? Piece{label_text(tape_.name_of(terms[k])->part), kAtom}
                                : beside(terms[k], terms[k == 0 ? terms.size() - 1 : 0]);
    text += (text.empty() ? "" : " + ") + wrapped(term, kSum);
  }
  return {text, kSum};
}

Piece Expression::difference(const Tape::Node& n) const {
  const Tape::Node& left = tape_.node(n.a);
  const std::string right = wrapped(beside(n.b, n.a), kQuotient);
  if (left.op == Op::kLiteral && left.value == 0) return {"−" + right, kSum};
  return {wrapped(beside(n.a, n.b), kSum) + " − " + right, kSum};
}

Piece Expression::product(const Tape::Node& n) const {
  return {wrapped(operand(n.a), kProduct) + "·" + wrapped(operand(n.b), kProduct), kProduct};
}
Piece Expression::quotient(const Tape::Node& n) const {
  return {wrapped(operand(n.a), kQuotient) + " / " + wrapped(operand(n.b), kPower), kQuotient};
}
Piece Expression::power(const Tape::Node& n) const {
  return {wrapped(operand(n.a), kAtom) + "^" + wrapped(operand(n.b), kAtom), kPower};
}
Piece Expression::call(const char* f, std::int32_t a) const {
  return {fmt::format("{}({})", f, operand(a).text), kAtom};
}
Piece Expression::call(const char* f, std::int32_t a, std::int32_t b) const {
  return {fmt::format("{}({}, {})", f, beside(a, b).text, beside(b, a).text), kAtom};
}
Piece Expression::comparison(const Tape::Node& n) const {
  const char* sign = n.op == Op::kLess ? "<" : "≤";
  return {fmt::format("{} {} {}", beside(n.a, n.b).text, sign, beside(n.b, n.a).text), kLoose};
}
Piece Expression::selection(const Tape::Node& n) const {
  return {fmt::format("({} if {} else {})", beside(n.b, n.c).text, operand(n.a).text,
                      beside(n.c, n.b).text),
          kAtom};
}

Piece Expression::choice(std::int32_t i) const {
  const Tape::Node& n = tape_.node(i);
  if (show_ == Show::kNumbers) return number(i);
  if (show_ == Show::kSymbols) return candidates(tape_, n);
  return {n.op == Op::kLargest ? "max of candidates" : "min of candidates", kLoose};
}

Piece Expression::body(std::int32_t i) const {
  const Tape::Node& n = tape_.node(i);
  switch (n.op) {
    case Op::kLiteral:
      return {write_quantity(n.value, kOne), kAtom};
    case Op::kInput:
      return operand(i);
    case Op::kAlias:
      return operand(n.a);
    case Op::kAdd:
    case Op::kPart:
      return sum(i);
    case Op::kSubtract:
      return difference(n);
    case Op::kMultiply:
      return product(n);
    case Op::kDivide:
      return quotient(n);
    case Op::kMax:
      return call("max", n.a, n.b);
    case Op::kMin:
      return call("min", n.a, n.b);
    case Op::kPow:
      return power(n);
    case Op::kSqrt:
      return {"√" + wrapped(operand(n.a), kAtom), kAtom};
    case Op::kCeil:
      return call("ceil", n.a);
    case Op::kFloor:
      return call("floor", n.a);
    case Op::kExp:
      return call("exp", n.a);
    case Op::kLog:
      return call("ln", n.a);
    case Op::kLog2:
      return call("log2", n.a);
    case Op::kLess:
    case Op::kLessEqual:
      return comparison(n);
    case Op::kSelect:
      return selection(n);
    case Op::kLargest:
    case Op::kSmallest:
      return choice(i);
  }
  return {"?", kAtom};
}

void collect_terms(const Tape& tape, std::int32_t i, Op op, bool top,
                   std::vector<std::int32_t>& out) {
  const Tape::Node& n = tape.node(i);
  if (n.op != op || (!top && tape.name_of(i))) return out.push_back(i);
  const bool single = n.b < 0;  // the first part of a Sum
  if (single) return out.push_back(n.a);
  collect_terms(tape, n.a, op, false, out);
  if (op == Op::kPart) return out.push_back(n.b);
  collect_terms(tape, n.b, op, false, out);
}

}  // namespace

Hint rate_hint(Hint hint) {
  return hint == Hint::kTokenRate || hint == Hint::kRequestRate ? hint : Hint::kNone;
}

std::string expression_text(const Tape& tape, std::int32_t node, Show show) {
  return Expression(tape, show).body(node).text;
}

std::string label_text(const Label& label) {
  return label.index < 0 ? std::string(label.text) : fmt::format("{} {}", label.text, label.index);
}

std::string symbol_text(const Tape::Name& name) {
  const std::string text = label_text(name.symbol);
  const std::size_t end = std::min(text.find('_'), text.size());
  for (const auto& [word, letter] : kGreek) {
    if (text.compare(0, end, word) == 0) return letter + text.substr(end);
  }
  return text;
}

bool is_choice(Op op) { return op == Op::kLargest || op == Op::kSmallest; }

std::vector<std::int32_t> sum_terms(const Tape& tape, std::int32_t node) {
  const Op op = tape.node(node).op;
  std::vector<std::int32_t> out;
  if (op != Op::kAdd && op != Op::kPart) return {node};
  collect_terms(tape, node, op, true, out);
  return out;
}

bool is_listed_sum(const Tape& tape, std::int32_t node) {
  constexpr std::size_t kMostInFormula = 4;
  if (tape.node(node).op != Op::kPart) return false;
  const std::vector<std::int32_t> parts = sum_terms(tape, node);
  const auto counted = [&tape](std::int32_t t) {
    const Tape::Name* name = tape.name_of(t);
    return name && name->part.index >= 0;
  };
  return parts.size() > kMostInFormula ||
         (parts.size() > 1 && std::all_of(parts.begin(), parts.end(), counted));
}

}  // namespace reckon
