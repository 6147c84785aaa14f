// The tree of steps -> text.
#include "reckon/report/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "equation.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kNarrowest = 40;  // columns of text a deep branch keeps

std::string value_of_node(const DerivationNode& n) {
  return format_quantity(n.value, n.dim, n.hint);
}

std::string name_of_preset(std::string_view file) {
  file = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file.substr(0, file.rfind('.')));
}

std::string input_text(const DerivationInput& input) {
  const std::string origin = origin_text(input);
  return fmt::format("{} = {}{}{}", join(input.symbols, " = "),
                     format_quantity(input.value, input.dim, input.hint), origin.empty() ? "" : " ",
                     origin);
}

}  // namespace

std::vector<std::string> derivation_steps(const DerivationNode& n) {
  std::vector<std::string> steps;
  const std::string value = value_of_node(n);
  if (!n.text.empty() && n.text != value) steps.push_back(n.text);
  if (!n.numbers.empty()) steps.push_back(n.numbers);
  steps.push_back(value);
  return steps;
}

namespace {

std::string symbol_of(const DerivationNode& n) { return join(n.symbols, " = "); }

std::string one_line(const DerivationNode& n) {
  return symbol_of(n) + " = " + join(derivation_steps(n), " = ");
}

// A plain step that can stand behind its only user on the same line.
bool can_follow(const DerivationNode& n) {
  return n.title.empty() && n.tables.empty() && n.part.empty() && !n.repeated;
}

// Which rows of a long table are shown: the first ones and the chosen one.
bool is_row_shown(const DerivationTable& t, std::size_t k) {
  return t.rows.size() <= kMostRows || k < kMostRows - 2 || t.rows[k].chosen;
}

class Printer {
 public:
  explicit Printer(std::size_t width) : width_(width) {}

  void print(const DerivationNode& n, const std::string& lead, const std::string& rest);
  std::string take() { return std::move(out_); }

 private:
  void line(const std::string& s) { out_ += s + "\n"; }
  std::size_t room(const std::string& lead) const {
    return std::max(kNarrowest, width_ - std::min(width_, columns(lead)));
  }
  // First line after `lead`, the others after `rest`.
  void block(const std::vector<std::string>& lines, const std::string& lead,
             const std::string& rest);
  void heading(const DerivationNode& n, const std::string& lead, const std::string& rest);
  void table(const DerivationTable& t, const std::string& rest);
  void inputs(const std::vector<DerivationInput>& list, const std::string& rest);
  void children(const DerivationNode& n, const std::string& rest);

  std::size_t width_;
  std::string out_;
};

void Printer::block(const std::vector<std::string>& lines, const std::string& lead,
                    const std::string& rest) {
  for (std::size_t k = 0; k < lines.size(); ++k) line((k == 0 ? lead : rest) + lines[k]);
}

void Printer::heading(const DerivationNode& n, const std::string& lead, const std::string& rest) {
  const bool labelled = !n.part.empty() && !n.title.starts_with(n.part) &&
                        std::find(n.symbols.begin(), n.symbols.end(), n.part) == n.symbols.end();
  const std::string title = (labelled ? n.part + ": " : "") + n.title;
  const std::string reference =
      fmt::format("[{}{}{}]", n.id, n.source.empty() ? "" : "; ", n.source);
  if (columns(title) + 1 + columns(reference) <= room(lead)) {
    return line(lead + title + " " + reference);
  }
  line(lead + title);
  line(rest + wrap(reference, room(rest), rest));
}

// Follows a chain of plain steps as far as they fit on the line.
const DerivationNode* join_chain(const DerivationNode& n, std::string& text, std::size_t width,
                                 std::vector<DerivationInput>& inputs) {
  const DerivationNode* last = &n;
  inputs = n.inputs;
  while (last->children.size() == 1 && can_follow(last->children[0])) {
    const DerivationNode& next = last->children[0];
    const std::string longer = text + ", " + one_line(next);
    if (columns(longer) > width) break;
    text = longer;
    inputs.insert(inputs.end(), next.inputs.begin(), next.inputs.end());
    last = &next;
  }
  return last;
}

void Printer::print(const DerivationNode& n, const std::string& lead, const std::string& rest) {
  if (n.repeated)
    return line(fmt::format("{}{} = {} (above)", lead, symbol_of(n), value_of_node(n)));
  if (n.text.empty()) return line(lead + input_text(n.inputs.at(0)));
  if (!n.title.empty()) heading(n, lead, rest);
  const std::string& first = n.title.empty() ? lead : rest;
  std::string text = one_line(n);
  std::vector<DerivationInput> given = n.inputs;
  const DerivationNode* last = &n;
  if (columns(text) <= room(first)) {
    if (n.title.empty() && n.tables.empty()) last = join_chain(n, text, room(first), given);
    line(first + text);
  } else {
    block(equation_lines(symbol_of(n), derivation_steps(n), room(first)), first, rest);
  }
  for (const DerivationTable& t : last->tables) table(t, rest);
  inputs(given, rest);
  children(*last, rest);
}

void Printer::table(const DerivationTable& t, const std::string& rest) {
  std::size_t names = 0, values = 0;
  for (const auto& row : t.rows) {
    names = std::max(names, columns(row.name));
    values = std::max(values, columns(format_quantity(row.value, t.dim, t.hint)));
  }
  std::size_t hidden = 0;
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    if (!is_row_shown(t, k)) {
      ++hidden;
      continue;
    }
    const auto& row = t.rows[k];
    std::string note = row.chosen ? "  ◂ chosen" : "";
    if (!t.is_choice && t.total != 0) note = fmt::format("  {:5.1f} %", 100 * row.value / t.total);
    line(fmt::format("{}     {}  {}{}", rest, pad_right(row.name, names),
                     pad_left(format_quantity(row.value, t.dim, t.hint), values), note));
  }
  if (hidden > 0) line(fmt::format("{}     … and {} more", rest, hidden));
}

void Printer::inputs(const std::vector<DerivationInput>& list, const std::string& rest) {
  std::string with;
  const auto flush = [&] {
    if (!with.empty()) line(rest + "· " + wrap(with, room(rest) - 2, rest + "  "));
    with.clear();
  };
  for (const DerivationInput& input : list) {
    const std::string text = input_text(input);
    if (!with.empty() && columns(with) + 2 + columns(text) > room(rest) - 2) flush();
    with += (with.empty() ? "" : ", ") + text;
  }
  flush();
}

void Printer::children(const DerivationNode& n, const std::string& rest) {
  std::string cut;
  if (n.more > 0) cut = fmt::format("… (--depth {} shows {} more)", n.deeper, n.more);
  if (n.similar > 0) cut = fmt::format("… and {} more like these", n.similar);
  for (std::size_t k = 0; k < n.children.size(); ++k) {
    const bool last = k + 1 == n.children.size() && cut.empty();
    print(n.children[k], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "));
  }
  if (!cut.empty()) line(rest + "└─ " + cut);
}

}  // namespace

std::string origin_text(const DerivationInput& input) {
  const Origin& o = input.origin;
  std::string place;
  if (!o.file.empty())
    place = o.line > 0 ? fmt::format("{}:{}", o.file, o.line) : std::string(o.file);
  std::vector<std::string> words;
  if (o.kind == OriginKind::kPreset) {
    words.push_back(o.file.empty() ? "preset" : "preset " + name_of_preset(o.file));
  } else if (!place.empty()) {
    words.push_back(place);
  } else if (!input.path.empty() && o.kind == OriginKind::kDefault) {
    words.push_back("default");
  }
  if (!input.row.empty()) words.push_back("row " + input.row);
  if (o.kind == OriginKind::kOverridden) words.push_back("overridden");
  if (words.empty() && o.source.empty()) return "";
  const std::string separator = words.empty() || o.source.empty() ? "" : "; ";
  return fmt::format("({}{}{})", join(words, ", "), separator, o.source);
}

std::string derivation_text(const DerivationNode& node, std::size_t width) {
  Printer printer(width);
  printer.print(node, "", "");
  return printer.take();
}

std::string derivation(const Tape& tape, std::int32_t root, const DerivationOptions& options) {
  return derivation_text(derive(tape, root, options.depth), options.width);
}

std::string derivation_markdown(const Tape& tape, std::int32_t root,
                                const DerivationOptions& options) {
  return "```text\n" + derivation(tape, root, options) + "```\n";
}

}  // namespace reckon
