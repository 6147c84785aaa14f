#include "reckon/report/defend.hpp"

#include <fmt/format.h>

#include "equation.hpp"
#include "paint.hpp"
#include "reader.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/question.hpp"

namespace reckon {
namespace {

constexpr std::string_view kIndent = "   ";

std::vector<std::string> formula_lines(const ShownFormula& f, std::size_t width) {
  Result r;
  r.answer.formulas = {f.metric};
  write_equations(r, *f.plan);
  std::vector<std::string> out;
  for (const Equation& e : r.answer.equations) {
    for (const std::string& line : equation_lines(e.symbol, e.steps, width))
      out.push_back(printable(line));
  }
  return out;
}

Table as_table(const DefenceTable& t, bool markdown) {
  std::vector<Table::Column> heads;
  for (std::size_t i = 0; i < t.columns.size(); ++i)
    heads.push_back({printable(t.columns[i]), i == 0 ? Align::kLeft : Align::kRight,
                     t.columns[i] == "time" || t.columns[i] == "cost"});
  if (!t.columns.empty()) heads.back().align = Align::kLeft;
  heads.push_back({"", Align::kLeft, true});
  Table out(heads);
  for (const DefenceTable::Row& row : t.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row.cells) cells.push_back(printable(cell));
    cells.resize(t.columns.size());
    cells.emplace_back(!row.chosen ? "" : markdown ? "the plan" : "◂");
    out.row(std::move(cells));
  }
  return out;
}

std::string step_text(const DefenceStep& s, std::size_t number, const TextStyle& style) {
  const Paint paint{style.colour};
  const std::size_t room = style.usable_width() - kIndent.size();
  std::string out = paint.bold(fmt::format("{}  {}", number, s.title)) + '\n';
  const auto line = [&](const std::string& text) {
    out += std::string(kIndent) + wrap(printable(text), room, "   ") + '\n';
  };
  for (const std::string& claim : s.claims) line(claim);
  for (const ShownFormula& f : s.formulas)
    for (const std::string& l : formula_lines(f, room - 2))
      out += std::string(kIndent) + "  " + l + '\n';
  for (const DefenceTable& t : s.tables)
    out += '\n' + table_text(style.fit ? as_table(t, false)
                                       : as_table(t, false).fitted(room, t.columns.size() - 1),
                             style, kIndent);
  if (!s.tables.empty()) out += '\n';
  line("→ " + s.conclusion);
  return out;
}

// A plan's names and sources are text in a page too.
std::string in_page(const std::string& text) { return markdown_text(printable(text)); }

std::string step_markdown(const DefenceStep& s, std::size_t number) {
  std::string out = fmt::format("## {}. {}\n\n", number, in_page(s.title));
  for (const std::string& claim : s.claims) out += "- " + in_page(claim) + '\n';
  if (!s.claims.empty()) out += '\n';
  std::string formulas;
  for (const ShownFormula& f : s.formulas)
    for (const std::string& l : formula_lines(f, 100)) formulas += l + '\n';
  if (!formulas.empty()) out += "```\n" + formulas + "```\n\n";
  for (const DefenceTable& t : s.tables) out += as_table(t, true).markdown() + '\n';
  return out + "**" + in_page(s.conclusion) + "**\n";
}

}  // namespace

std::string defence_text(const Defence& d, const TextStyle& style) {
  const Paint paint{style.colour};
  const std::size_t width = style.usable_width();
  const Canvas canvas{.width = width, .verbose = false, .paint = paint};
  std::string out = paint.bold(printable(d.title)) + '\n';
  KeyValues rows(canvas);
  for (const auto& [key, value] : d.headline) rows.add(printable(key), printable(value));
  out += rows.table().text("  ");
  for (const std::string& c : d.chosen) out += "  " + wrap(printable(c), width - 2, "  ") + '\n';
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    out += '\n' + step_text(d.steps[i], i + 1, style);
  out += '\n' + wrap(paint.bold(printable(d.binds)), width) + '\n';
  if (!d.not_modelled.empty())
    out += '\n' + wrap("Not modelled: " + printable(join(d.not_modelled, "; ")), width) + '\n';
  return out;
}

std::string defence_markdown(const Defence& d) {
  std::string out = "# " + in_page(d.title) + "\n\n";
  for (const auto& [key, value] : d.headline)
    out += fmt::format("- {}: {}\n", in_page(key), in_page(value));
  for (const std::string& c : d.chosen) out += "- " + in_page(c) + '\n';
  for (std::size_t i = 0; i < d.steps.size(); ++i) out += '\n' + step_markdown(d.steps[i], i + 1);
  out += "\n**" + in_page(d.binds) + "**\n";
  if (!d.not_modelled.empty())
    out += "\nNot modelled: " + in_page(join(d.not_modelled, "; ")) + '\n';
  return out;
}

}  // namespace reckon
