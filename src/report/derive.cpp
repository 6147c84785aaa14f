// The tape below a node -> a tree of named steps.
#include <algorithm>
#include <map>
#include <set>

#include "expression.hpp"
#include "reckon/report/derivation.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// A long list of like parts (stage 0 … stage 63) is derived for the largest few only.
constexpr std::size_t kMostAlike = 3;

// The steps of a node: the named values its expression is made of, each once, in order. Of a choice
// and a condition only the branch that was taken.
void collect_operands(const Tape& tape, std::int32_t i, bool top, std::vector<std::int32_t>& out) {
  if (i < 0) return;
  if (!top && tape.name_of(i)) {
    if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
    return;
  }
  const Tape::Node& n = tape.node(i);
  if (is_choice(n.op)) return collect_operands(tape, tape.winner(n), false, out);
  if (n.op == Op::kSelect) {
    collect_operands(tape, n.a, false, out);
    return collect_operands(tape, tape.node(n.a).value != 0 ? n.b : n.c, false, out);
  }
  collect_operands(tape, n.a, false, out);
  collect_operands(tape, n.b, false, out);
}

// Sums and choices in an expression that a table shows, outermost first.
void collect_tables(const Tape& tape, std::int32_t i, bool top, std::vector<std::int32_t>& out) {
  if (i < 0 || (!top && tape.name_of(i))) return;
  const Tape::Node& n = tape.node(i);
  if (is_choice(n.op)) {
    if (n.b > 1) out.push_back(i);
    return;
  }
  if (is_listed_sum(tape, i)) return out.push_back(i);
  for (const std::int32_t child : {n.a, n.b, n.c}) collect_tables(tape, child, false, out);
}

// `hint`: of the step that the table is in, whose dimension it shares.
DerivationTable table_of(const Tape& tape, std::int32_t i, Hint hint) {
  const Tape::Node& n = tape.node(i);
  DerivationTable out;
  out.is_choice = is_choice(n.op);
  out.total = n.value;
  out.dim = known_dim(tape, i).value_or(kOne);
  if (out.dim == kHertz) out.hint = rate_hint(hint);
  const auto parts = out.is_choice ? operands_of(tape, i) : sum_terms(tape, i);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Tape::Name* name = tape.name_of(parts[k]);
    const Label label = !name ? Label() : name->part.text.empty() ? name->symbol : name->part;
    out.rows.push_back({label_text(label), tape.node(parts[k]).value,
                        out.is_choice && static_cast<std::int32_t>(k) == n.c});
  }
  return out;
}

// Appends the names of a chain of aliases down to `end`, leaving out repetitions.
std::vector<std::string> symbols_between(const Tape& tape, std::int32_t i, std::int32_t end) {
  std::vector<std::string> out;
  for (;; i = tape.node(i).a) {
    const Tape::Name* name = tape.name_of(i);
    if (name) {
      const std::string symbol = symbol_text(*name);
      if (out.empty() || out.back() != symbol) out.push_back(symbol);
    }
    if (i == end) return out;
  }
}

DerivationInput input_of(const Tape& tape, std::int32_t i) {
  const std::int32_t end = unaliased(tape, i);
  DerivationInput out;
  out.symbols = symbols_between(tape, i, end);
  out.value = tape.node(i).value;
  out.dim = known_dim(tape, i).value_or(kOne);
  out.hint = hint_of(tape, i);
  if (const Tape::Name* name = tape.name_of(end)) {
    out.path = name->path;
    out.origin = name->origin;
  }
  for (std::int32_t k = i; k != end; k = tape.node(k).a) {
    const Tape::Name* name = tape.name_of(k);
    if (name && !name->row.text.empty()) out.row = label_text(name->row);
  }
  return out;
}

// Other names of a value, down to the formula or expression behind them.
std::int32_t behind_names(const Tape& tape, std::int32_t i) {
  const auto is_formula = [&tape](std::int32_t k) {
    return tape.name_of(k) && tape.name_of(k)->formula;
  };
  while (tape.node(i).op == Op::kAlias && !is_formula(i)) i = tape.node(i).a;
  return i;
}

class Builder {
 public:
  Builder(const Tape& tape, int depth) : tape_(tape), depth_(depth) {}
  // `around`: the hint of the step that the node is in.
  DerivationNode node(std::int32_t i, int level, Hint around = Hint::kNone);

 private:
  void describe(std::int32_t i, std::int32_t step, DerivationNode& out) const;
  void add_operands(std::int32_t step, int level, DerivationNode& out);
  void add_children(const std::vector<std::int32_t>& computed, int level, DerivationNode& out);
  std::vector<std::int32_t> without_similar(std::int32_t step, std::vector<std::int32_t> computed,
                                            DerivationNode& out) const;
  bool is_shown(std::int32_t step, int level) const {
    const auto at = expanded_at_.find(step);
    return at != expanded_at_.end() && at->second <= level;
  }

  const Tape& tape_;
  int depth_;
  // Steps that were derived, and the level they were derived at: one that the depth limit cut short
  // is derived again where there is more room.
  std::map<std::int32_t, int> expanded_at_;
  std::set<std::vector<std::string>> stated_;  // inputs that were listed
};

void Builder::describe(std::int32_t i, std::int32_t step, DerivationNode& out) const {
  out.symbols = symbols_between(tape_, i, step);
  if (out.symbols.empty()) out.symbols.push_back("value");
  out.value = tape_.node(i).value;
  out.dim = known_dim(tape_, step).value_or(kOne);
  out.hint = hint_of(tape_, i);
  for (std::int32_t k = i; out.part.empty(); k = tape_.node(k).a) {
    if (const Tape::Name* name = tape_.name_of(k)) out.part = label_text(name->part);
    if (k == step) break;
  }
  if (out.symbols.size() > 1 && out.symbols.front() == out.part)
    out.symbols.erase(out.symbols.begin());
  const Tape::Name* name = tape_.name_of(step);
  if (!name || !name->formula) return;
  out.title = name->formula->title;
  out.id = name->formula->id;
  out.source = name->formula->source;
}

DerivationNode Builder::node(std::int32_t i, int level, Hint around) {
  const std::int32_t step = behind_names(tape_, i);
  DerivationNode out;
  describe(i, step, out);
  // A part of a sum or a choice is what the whole is: of requests/s requests/s.
  if (!out.part.empty() && out.dim == kHertz && out.hint == Hint::kNone)
    out.hint = rate_hint(around);
  out.text = expression_text(tape_, step, Show::kSymbols);
  out.numbers = expression_text(tape_, step, Show::kNumbers);
  out.repeated = is_shown(step, level);
  if (out.numbers == out.text ||
      out.numbers == format_quantity(out.value, out.dim, rate_hint(out.hint))) {
    out.numbers.clear();
  }
  if (out.repeated) return out;
  expanded_at_[step] = level;
  std::vector<std::int32_t> tables;
  collect_tables(tape_, step, true, tables);
  for (const std::int32_t t : tables)
    out.tables.push_back(table_of(tape_, t, hint_of(tape_, step)));
  add_operands(step, level, out);
  return out;
}

void Builder::add_operands(std::int32_t step, int level, DerivationNode& out) {
  std::vector<std::int32_t> operands, computed;
  collect_operands(tape_, step, true, operands);
  for (const std::int32_t o : operands) {
    if (!is_given(tape_, o)) {
      computed.push_back(o);
      continue;
    }
    DerivationInput input = input_of(tape_, o);
    std::vector<std::string> key = input.symbols;
    key.push_back(format_quantity(input.value, input.dim, input.hint) + origin_text(input));
    if (stated_.insert(key).second) out.inputs.push_back(std::move(input));
  }
  add_children(without_similar(step, std::move(computed), out), level, out);
}

// Of many counted parts the largest few.
std::vector<std::int32_t> Builder::without_similar(std::int32_t step,
                                                   std::vector<std::int32_t> computed,
                                                   DerivationNode& out) const {
  std::vector<std::int32_t> alike;
  for (const std::int32_t c : computed) {
    const Tape::Name* name = tape_.name_of(c);
    if (name->part.index >= 0 && is_listed_sum(tape_, step)) alike.push_back(c);
  }
  if (alike.size() <= kMostAlike + 1) return computed;  // the line about one would be as long
  std::stable_sort(alike.begin(), alike.end(), [this](std::int32_t a, std::int32_t b) {
    return tape_.node(a).value > tape_.node(b).value;
  });
  const std::set<std::int32_t> dropped(alike.begin() + kMostAlike, alike.end());
  std::erase_if(computed, [&dropped](std::int32_t c) { return dropped.count(c) > 0; });
  out.similar = static_cast<int>(dropped.size());
  return computed;
}

void Builder::add_children(const std::vector<std::int32_t>& computed, int level,
                           DerivationNode& out) {
  if (level < depth_) {
    // A chain of locals reads as one step, so it costs no depth.
    const bool chain = computed.size() == 1 && out.title.empty() &&
                       !tape_.name_of(behind_names(tape_, computed[0]))->formula;
    for (const std::int32_t c : computed)
      out.children.push_back(node(c, chain ? level : level + 1, out.hint));
    return;
  }
  out.more = static_cast<int>(std::count_if(computed.begin(), computed.end(), [&](std::int32_t c) {
    return expanded_at_.count(behind_names(tape_, c)) == 0;
  }));
  out.deeper = depth_ + 1;
}

}  // namespace

DerivationNode derive(const Tape& tape, std::int32_t root, int depth) {
  if (is_given(tape, root)) {
    DerivationNode out;
    DerivationInput input = input_of(tape, root);
    out.symbols = input.symbols.empty() ? std::vector<std::string>{"value"} : input.symbols;
    out.value = input.value;
    out.dim = input.dim;
    out.hint = input.hint;
    out.inputs.push_back(std::move(input));
    return out;
  }
  return Builder(tape, depth).node(root, 0);
}

}  // namespace reckon
