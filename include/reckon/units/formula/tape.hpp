// The recording: a number type that remembers how it was made.
//
// A Traced number is its value and its place on the thread's Tape: one flat list of nodes in order
// of evaluation. A node may carry a name: a formula's, a local's, an input's with file and line.
// Everything a reader is told (derivation, breakdown, sensitivities) is read off the tape
// afterwards.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reckon/units/formula/origin.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

struct Formula;

// A label that is only put into words when somebody reads it: {"stage", 3}.
struct Label {
  std::string_view text = {};
  int index = -1;
  constexpr Label() = default;
  constexpr Label(const char* t) : text(t) {}
  constexpr Label(std::string_view t, int i = -1) : text(t), index(i) {}
  friend constexpr bool operator==(const Label&, const Label&) = default;
};

struct Traced {
  double v = 0;
  std::int32_t id = -1;  // -1: a constant written in a formula, not on the tape yet
  Traced() = default;
  explicit constexpr Traced(double value, std::int32_t i = -1) : v(value), id(i) {}
};

class Tape {
 public:
  // The newest tape of a thread is the one its Traced numbers write to.
  static inline thread_local constinit Tape* current = nullptr;
  Tape() : outer_(current) { current = this; }
  ~Tape() { current = outer_; }
  Tape(const Tape&) = delete;

  struct Node {
    Op op;
    // Operands; of a choice: where its candidates begin, how many there are, which one won.
    std::int32_t a = -1, b = -1, c = -1;
    std::int32_t name = -1;
    double value = 0;
  };
  struct Name {
    const Formula* formula = nullptr;
    Label symbol = {};  // what it is called in formulas
    Label part = {};    // which part of a sum or choice it is
    Label row = {};     // lookups: which row of the table
    Dim dim = {};
    Origin origin = {};
    Hint hint = Hint::kNone;
    std::string_view path = {};  // inputs: field path, as --set takes it
  };

  Traced input(double value, const Name& name) {
    const Traced x = push({Op::kInput, -1, -1, -1, -1, value});
    return attach(x, name);
  }
  Traced operation(Op op, const Traced& a, const Traced& b, double value) {
    const std::int32_t left = place(a), right = is_unary(op) ? -1 : place(b);
    return push({op, left, right, -1, -1, value});
  }
  Traced selection(Op op, Traced l, Traced r, bool holds, Traced yes, Traced no) {
    const Traced condition = operation(op, l, r, holds);
    const std::int32_t y = place(yes), n = place(no);
    return push({Op::kSelect, condition.id, y, n, -1, holds ? yes.v : no.v});
  }
  // `total` is a Sum's so far: nothing, or what this returned for the part before.
  Traced add_part(Traced total, Traced part) {
    const double value = evaluate(Op::kPart, total.v, part.v);
    if (total.id < 0) return push({Op::kPart, part.id, -1, -1, -1, value});
    return push({Op::kPart, total.id, part.id, -1, -1, value});
  }
  Traced choice(Op op, const std::vector<Traced>& candidates, std::size_t winner);

  // Names a value where it stands; a value that already has a name gets a second node, its alias.
  Traced name(Traced x, const Name& name);
  // An input as found under `key` in a table.
  Traced lookup(Traced x, Label key);
  // Says which part of a sum or choice a value is.
  Traced part(Traced x, Label label, Dim dim);

  const Node& node(std::int32_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  const Name* name_of(std::int32_t i) const {
    return node(i).name < 0 ? nullptr : &names_[static_cast<std::size_t>(node(i).name)];
  }
  // The k-th candidate of a choice, from 0.
  std::int32_t candidate(const Node& choice, std::int32_t k) const {
    return candidates_[static_cast<std::size_t>(choice.a + k)];
  }
  std::int32_t winner(const Node& choice) const { return candidate(choice, choice.c); }
  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  void clear() {
    nodes_.clear();
    names_.clear();
    candidates_.clear();
  }

 private:
  Traced push(const Node& n) {
    nodes_.push_back(n);
    return Traced(n.value, size() - 1);
  }
  std::int32_t place(const Traced& x) {
    return x.id >= 0 ? x.id : push({Op::kLiteral, -1, -1, -1, -1, x.v}).id;
  }
  Traced attach(Traced x, const Name& name) {
    names_.push_back(name);
    nodes_[static_cast<std::size_t>(x.id)].name = static_cast<std::int32_t>(names_.size()) - 1;
    return x;
  }

  Tape* outer_;
  std::vector<Node> nodes_;
  std::vector<Name> names_;
  std::vector<std::int32_t> candidates_;
};

inline bool is_nothing(const Traced& x) { return x.id < 0 && x.v == 0; }

// Constants alone stay constants, and what a literal zero leaves out is not recorded: a + 0 is a,
// 0·a is nothing. (0·∞ is, being no zero.)
template <Op op>
Traced combine(const Traced& a, const Traced& b = {}) {
  const double v = evaluate(op, a.v, b.v);
  if (a.id < 0 && (is_unary(op) || b.id < 0)) return Traced(v);
  if (op == Op::kAdd && is_nothing(a)) return Traced(v, b.id);
  if ((op == Op::kAdd || op == Op::kSubtract) && is_nothing(b)) return Traced(v, a.id);
  if (op == Op::kMultiply && v == 0 && (is_nothing(a) || is_nothing(b))) return Traced(v);
  if (op == Op::kDivide && v == 0 && is_nothing(a)) return Traced(v);
  return Tape::current->operation(op, a, b, v);
}
inline Traced select(Op op, Traced l, Traced r, bool holds, Traced yes, Traced no) {
  return Tape::current->selection(op, l, r, holds, yes, no);
}
inline double value_of(const Traced& x) { return x.v; }

}  // namespace reckon
