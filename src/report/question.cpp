#include "reckon/report/question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell.hpp"
#include "equation.hpp"
#include "eval_sections.hpp"
#include "printable_result.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/derivation.hpp"

namespace reckon {
namespace {

// A row without any value says why instead; columns that no row fills are left out.
Section grid_section(const Result& r, const Grid& g, bool markdown) {
  const auto cell = [&](const Grid::Part& row, const Grid::Part& column) {
    return r.find(row.id + "." + column.id);
  };
  std::vector<const Grid::Part*> columns;
  for (const Grid::Part& c : g.columns) {
    if (std::any_of(g.rows.begin(), g.rows.end(),
                    [&](const Grid::Part& row) { return cell(row, c) != nullptr; }))
      columns.push_back(&c);
  }
  std::vector<Table::Column> heads{{g.corner}};
  // How long it takes stays in a narrow table, and which row was chosen.
  for (const Grid::Part* c : columns)
    heads.push_back({c->title, Align::kRight, c->title == "time" || c->title == "exposed"});
  heads.push_back({markdown ? "note" : "", Align::kLeft, true});
  Table table(heads);
  for (const Grid::Part& row : g.rows) {
    std::vector<std::string> cells{row.title};
    for (const Grid::Part* c : columns) {
      const Metric* m = cell(row, *c);
      cells.push_back(m ? shown(*m) : "");
    }
    std::string note = row.chosen ? (markdown ? "chosen" : "◂") : "";
    if (!row.note.empty()) note += (note.empty() ? "" : " ") + row.note;
    cells.push_back(note);
    table.row(std::move(cells));
  }
  return {.title = g.title, .table = std::move(table)};
}

Section also_section(const Result& r, const Canvas& canvas) {
  Table table({{"convention"}, {"as asked for"}, {"prints", Align::kLeft, true}});
  for (const Also& a : r.answer.also) {
    std::vector<std::string> values;
    for (const Metric& m : a.metrics)
      values.push_back(a.metrics.size() > 1 ? m.id + " " + shown(m) : shown(m));
    table.row({a.title, a.how, join(values, " · ")});
  }
  return {.title = "Also: what other conventions print",
          .table = canvas.markdown ? std::move(table) : table.fitted(canvas.width - 2, 2)};
}

// Zero waiting and full efficiency are conventions too, but a line of noughts says no more than the preset's name.
Section convention_section(const Result& r, const Canvas& canvas) {
  std::vector<std::string> said;
  for (const Assumption& a : r.assumptions) {
    const std::string value = a.path == "preset" ? "preset " + a.value : a.path + " " + a.value;
    said.push_back(a.overridden ? value + " (overridden)" : value);
  }
  if (said.empty()) return {};
  return {.title = canvas.markdown ? "Convention" : "",
          .notes = {(canvas.markdown ? "" : "Convention: ") + join(said, " · ")}};
}

Section headline_of(const Result& r, const Canvas& canvas) {
  KeyValues rows(canvas);
  for (const auto& [key, value] : r.headline) rows.add(key, value);
  return {.title = "", .table = rows.table()};
}

std::vector<Section> sections(const Result& r, const Canvas& canvas) {
  std::vector<Section> out;
  for (const Grid& g : r.answer.grids) out.push_back(grid_section(r, g, canvas.markdown));
  if (!r.answer.notes.empty()) out.push_back({.title = "", .notes = r.answer.notes});
  out.push_back(convention_section(r, canvas));
  out.push_back(also_section(r, canvas));
  if (!r.not_modelled.empty())
    out.push_back({.title = "", .notes = {"Not modelled: " + join(r.not_modelled, "; ")}});
  std::vector<const Metric*> all;
  for (const Metric& m : r.metrics) all.push_back(&m);
  if (canvas.verbose) out.push_back(every_metric(all, "Every metric", canvas));
  return out;
}

std::string equations_text(const Result& r, std::size_t width) {
  std::string out;
  for (const Equation& e : r.answer.equations) {
    for (const std::string& line : equation_lines(e.symbol, e.steps, width - 2))
      out += "  " + line + '\n';
    for (const std::string& local : e.where)
      out += "    " + wrap(local, width - 4, "      ") + '\n';
  }
  return out;
}

std::string pictures_text(const Result& r, bool markdown) {
  std::string out;
  for (const Picture& p : r.answer.pictures) {
    out += markdown ? fmt::format("\n## {}\n\n```\n", markdown_text(p.title))
                    : fmt::format("\n{}\n", p.title);
    for (const std::string& line : p.lines)
      out += line.empty() ? "\n" : (markdown ? "" : "  ") + line + '\n';
    if (markdown) out += "```\n";
  }
  return out;
}

std::string title(const Result& r) {
  return r.case_name.empty() ? r.name : fmt::format("{} ({})", r.name, r.case_name);
}

Table as_table(const QuestionTable& t) {
  std::vector<Table::Column> heads;
  for (const std::string& name : t.varied) heads.push_back({name, Align::kRight, true});
  for (const std::string& id : t.metrics) heads.push_back({id, Align::kRight});
  const bool any_no = std::any_of(t.rows.begin(), t.rows.end(),
                                  [](const QuestionRow& row) { return !row.result.fits(); });
  if (any_no) heads.push_back({"", Align::kLeft, true});
  Table out(heads);
  for (const QuestionRow& row : t.rows) {
    std::vector<std::string> cells = row.values;
    for (const std::string& id : t.metrics) {
      const Metric* m = row.result.find(id);
      cells.push_back(m ? shown(*m) : "");
    }
    if (any_no) cells.push_back(listed_nos(row.result.no));
    out.row(std::move(cells));
  }
  return out;
}

// What all rows say of themselves before they answer: the law, its constants.
std::vector<std::pair<std::string, std::string>> common_headline(const QuestionTable& t) {
  std::vector<std::pair<std::string, std::string>> out;
  if (t.rows.empty()) return out;
  for (const auto& line : t.rows.front().result.headline) {
    const bool everywhere = std::all_of(t.rows.begin(), t.rows.end(), [&](const QuestionRow& row) {
      const auto& lines = row.result.headline;
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    });
    if (everywhere) out.push_back(line);
  }
  return out;
}

// Each warning once, whichever rows carry it.
std::vector<std::string> all_warnings(const QuestionTable& t) {
  std::vector<std::string> out;
  for (const QuestionRow& row : t.rows)
    for (const std::string& w : row.result.warnings)
      if (std::find(out.begin(), out.end(), w) == out.end()) out.push_back(w);
  return out;
}

std::string table_title(const QuestionTable& t) {
  const std::string kind = t.rows.empty() ? "" : t.rows.front().result.kind;
  return t.varied.empty() ? kind : fmt::format("{} by {}", kind, listed(t.varied));
}

}  // namespace

namespace {

// t_ring = t_coll says nothing: the formula behind it does.
const DerivationNode& same_by_another_name(const DerivationNode& n) {
  const bool other = n.children.size() == 1 && !n.children[0].symbols.empty() &&
                     n.text == n.children[0].symbols.front() && !n.children[0].text.empty();
  return other ? same_by_another_name(n.children[0]) : n;
}

std::vector<std::string> locals_of(const DerivationNode& n) {
  std::vector<std::string> out;
  for (const DerivationNode& local : n.children) {
    if (!local.title.empty() || local.repeated || local.text.empty() || local.value == 0) continue;
    if (local.text == local.symbols.front()) continue;  // router = router
    out.push_back(join(local.symbols, " = ") + " = " + join(derivation_steps(local), " = "));
  }
  return out;
}

}  // namespace

void write_equations(Result& result, const Loaded& loaded) {
  if (result.answer.formulas.empty()) return;
  const Recorded recorded(loaded);
  for (const std::string& id : result.answer.formulas) {
    const Metric* m = recorded.find(id);
    if (!m || m->node < 0) continue;
    const DerivationNode node = derive(recorded.tape(), m->node, 2);
    if (node.text.empty()) continue;  // an input: the headline says it
    const DerivationNode& said = same_by_another_name(node);
    result.answer.equations.push_back(
        {id, node.symbols.front(), derivation_steps(said), locals_of(said)});
  }
}

std::string question_text(const Result& original, const TextStyle& style) {
  const Result r = printable_result(original);
  const Canvas canvas{
      .width = style.usable_width(), .verbose = style.verbose, .paint = {style.colour}};
  std::string out = canvas.paint.bold(title(r)) + '\n';
  out += sections_text({headline_of(r, canvas)}, style);
  for (const std::string& line : r.answer.lines)
    out += "  " + wrap(line, canvas.width - 2, "  ") + '\n';
  for (const std::string& w : r.warnings)
    out += canvas.paint.caution("warning: ") + wrap(w, canvas.width - 9, "  ") + '\n';
  if (!r.answer.equations.empty()) out += '\n' + equations_text(r, canvas.width);
  out += pictures_text(r, false);
  return out + '\n' + sections_text(sections(r, canvas), style);
}

std::string question_markdown(const Result& original) {
  const Result r = printable_result(original);
  std::string out = "# " + markdown_text(title(r)) + "\n\n";
  Section head = headline_of(r, Canvas::for_markdown());
  head.notes = r.answer.lines;
  head.warnings = r.warnings;
  out += sections_markdown({head});
  if (!r.answer.equations.empty()) out += "\n```\n" + equations_text(r, 100) + "```\n";
  out += pictures_text(r, true);
  return out + '\n' + sections_markdown(sections(r, Canvas::for_markdown()));
}

std::string question_table_text(const QuestionTable& t, const TextStyle& style) {
  const Canvas canvas{
      .width = style.usable_width(), .verbose = style.verbose, .paint = {style.colour}};
  KeyValues head(canvas);
  for (const auto& [key, value] : common_headline(t)) head.add(key, value);
  return sections_text(
      {{.title = "", .table = head.table()},
       {.title = table_title(t), .table = as_table(t), .warnings = all_warnings(t)}},
      style);
}

std::string question_table_markdown(const QuestionTable& t) {
  Section section{.title = table_title(t), .table = as_table(t)};
  for (const auto& [key, value] : common_headline(t)) section.notes.push_back(key + ": " + value);
  section.warnings = all_warnings(t);
  return sections_markdown({section});
}

}  // namespace reckon
