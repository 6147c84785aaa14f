// The text of each formula, as recordings print it.
#include <algorithm>

#include "expression.hpp"
#include "reckon/report/derivation.hpp"

namespace reckon {
namespace {

// Labels of the sums and choices in one expression.
void collect_labels(const Tape& tape, std::int32_t i, bool top, std::vector<std::string>& out) {
  if (i < 0 || (!top && tape.name_of(i))) return;
  const Tape::Node& n = tape.node(i);
  const bool sum = n.op == Op::kPart;
  if (sum || is_choice(n.op)) {
    for (const std::int32_t p : sum ? sum_terms(tape, i) : operands_of(tape, i)) {
      const Label label = tape.name_of(p) ? tape.name_of(p)->part : Label();
      const std::string text(label.index < 0 ? std::string(label.text)
                                             : std::string(label.text) + " i");
      if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) {
        out.push_back(text);
      }
    }
    return;
  }
  for (const std::int32_t child : {n.a, n.b, n.c}) collect_labels(tape, child, false, out);
}

}  // namespace

void formula_texts(const Tape& tape, std::map<std::string, std::string>& texts,
                   std::map<std::string, std::string>& torn) {
  for (std::int32_t i = 0; i < tape.size(); ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (!name || !name->formula) continue;
    if (tape.node(unaliased(tape, i)).op == Op::kLiteral) continue;  // an empty sum says nothing
    const std::string text = symbol_text(*name) + " = " + expression_text(tape, i, Show::kFolded);
    const auto [at, fresh] = texts.emplace(std::string(name->formula->id), text);
    if (!fresh && at->second != text) torn.emplace(at->first, text);
  }
}

void formula_parts(const Tape& tape, std::map<std::string, std::vector<std::string>>& parts) {
  for (std::int32_t i = 0; i < tape.size(); ++i) {
    const Tape::Name* name = tape.name_of(i);
    if (!name || !name->formula) continue;
    std::vector<std::string> found;
    collect_labels(tape, i, true, found);
    if (found.empty()) continue;
    std::vector<std::string>& known = parts[std::string(name->formula->id)];
    for (std::string& label : found) {
      if (std::find(known.begin(), known.end(), label) == known.end()) known.push_back(label);
    }
  }
}

}  // namespace reckon
