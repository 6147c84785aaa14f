#include "reckon/report/validate_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "errors.hpp"
#include "reckon/base/json.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/calibrate_runs.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"
#include "scatter.hpp"

namespace reckon {
namespace {

bool of_runs(const RunsReport& r) { return r.request.of == BudgetOf::kRuns; }

std::string title_of(const RunsReport& r) {
  if (!of_runs(r)) return "Memory of measured runs";
  if (r.request.leave_out_model)
    return "Step time of measured runs, each predicted without those of its model";
  if (r.request.leave_out_file)
    return "Step time of measured runs, each predicted without its source";
  if (r.request.stack == "default")
    return "Step time of measured runs, by the usual stack of their chip";
  if (!r.request.stack.empty())
    return fmt::format("Step time of measured runs, by the stack {}", r.request.stack);
  if (!r.request.rows.empty()) return "Step time of measured runs, by the stacks they name";
  return "Step time of measured runs, by the stacks that ship";
}

std::vector<Table::Column> columns(const RunsReport& r, const char* first) {
  std::vector<Table::Column> out{{first},
                                 {"rows", Align::kRight},
                                 {"median", Align::kRight},
                                 {"mean", Align::kRight},
                                 {"p90", Align::kRight},
                                 {"bias", Align::kRight}};
  if (of_runs(r)) {
    out.push_back({"constant", Align::kRight});
    out.push_back({"textbook", Align::kRight});
  } else {
    out.push_back({"largest", Align::kRight});
  }
  return out;
}

std::vector<std::string> cells(const RunsReport& r, const RunGroup& g) {
  std::vector<std::string> out{g.name,
                               fmt::format("{}", g.model.rows),
                               percent(g.model.median),
                               percent(g.model.mean),
                               percent(g.model.p90),
                               signed_percent(g.model.bias)};
  if (of_runs(r)) {
    out.push_back(g.constant.rows > 0 ? percent(g.constant.mean) : "–");
    out.push_back(g.textbook.rows > 0 ? percent(g.textbook.mean) : "–");
  } else {
    out.push_back(percent(g.largest));
  }
  return out;
}

Section groups_section(const RunsReport& r, const std::vector<RunGroup>& groups, std::string title,
                       const char* first) {
  Section s{std::move(title), Table(columns(r, first)), {}};
  for (const RunGroup& g : groups) s.table.row(cells(r, g));
  return s.table.empty() ? Section{} : s;
}

Section sets_section(const RunsReport& r) {
  Section s = groups_section(r, r.sets, title_of(r), "rows");
  if (of_runs(r))
    s.notes.emplace_back(
        "Of |predicted/measured − 1| of the step time: median, mean, 90th percentile; bias is its "
        "signed mean. constant: mean error of one efficiency per stack and precision, fitted on "
        "these rows. textbook: of that preset at the MFU of plans/measured/budgets.yaml.");
  return s;
}

Section stacks_section(const RunsReport& r) {
  Section s = groups_section(r, r.stacks, "By stack", "stack");
  std::vector<std::string> few;
  for (const RunGroup& g : r.stacks) {
    const auto core = std::count_if(r.rows.begin(), r.rows.end(), [&](const JudgedRow& row) {
      return row.stack == g.name && (row.facts.core || !of_runs(r));
    });
    if (static_cast<double>(core) < kEnoughRuns) few.push_back(g.name);
  }
  if (!few.empty() && r.request.source.empty() && r.request.rows.empty())
    s.notes.push_back(fmt::format("Fewer than six {}rows prove nothing: {}.",
                                  of_runs(r) ? "core " : "", join(few, ", ")));
  return s;
}

std::string seconds_label(double x) { return format_quantity(x, kSecond); }
std::string bytes_label(double x) { return format_quantity(x, kByte); }

Section picture_section(const RunsReport& r) {
  std::vector<ScatterPoint> points;
  for (const JudgedRow& row : r.rows)
    if (row.dim == kSecond || row.dim == kByte) points.push_back({row.measured, row.error});
  Section s;
  s.title =
      of_runs(r) ? "Error against the measured step time" : "Error against the measured memory";
  s.table = Table({{""}});
  for (const std::string& line : scatter(points, {}, of_runs(r) ? seconds_label : bytes_label))
    s.table.row({line});
  return points.empty() ? Section{} : s;
}

Section rows_section(const RunsReport& r) {
  Section s{"Rows",
            Table({{"file"},
                   {"case"},
                   {"metric"},
                   {"measured", Align::kRight},
                   {"predicted", Align::kRight},
                   {"error", Align::kRight},
                   {""}}),
            {}};
  for (const JudgedRow& row : r.rows) {
    std::vector<std::string> notes;
    for (const std::string& n : {row.facts.unexplained, row.facts.assumed, row.facts.caveat})
      if (!n.empty()) notes.push_back(n);
    s.table.row({row.file, row.name, row.metric, format_quantity(row.measured, row.dim, row.hint),
                 format_quantity(row.predicted, row.dim, row.hint), signed_percent(row.error),
                 join(notes, "; ")});
  }
  return s.table.empty() ? Section{} : s;
}

// Rows that no budget counts stand with what is not known about them.
Section unexplained_section(const RunsReport& r) {
  Section s{"Out of the budgets",
            Table({{"file"}, {"case"}, {"error", Align::kRight}, {"not known"}}),
            {}};
  for (const JudgedRow& row : r.rows)
    if (!row.facts.unexplained.empty())
      s.table.row({row.file, row.name, signed_percent(row.error), row.facts.unexplained});
  return s.table.empty() ? Section{} : s;
}

Section verdicts_section(const RunsReport& r) {
  Section s{"Whether it fits",
            Table({{"file"}, {"case"}, {"run"}, {"predicted", Align::kRight}, {""}}),
            {}};
  std::size_t ran = 0, failed = 0, right_ran = 0, right_failed = 0, close_ran = 0, close_failed = 0;
  for (const FitVerdict& v : r.verdicts) {
    ++(v.ran ? ran : failed);
    if (v.close)
      ++(v.ran ? close_ran : close_failed);
    else if (v.right())
      ++(v.ran ? right_ran : right_failed);
    if (v.right() && v.ran && !v.close) continue;
    s.table.row({v.file, v.name, v.ran ? "ran" : "out of memory",
                 fmt::format("{} of {}", format_quantity(v.total, kByte),
                             format_quantity(v.capacity, kByte)),
                 v.close     ? "said that it may not fit"
                 : v.right() ? ""
                 : v.ran     ? "said not to fit"
                             : "said to fit"});
  }
  if (ran + failed == 0) return {};
  if (s.table.empty()) s.table = Table({});
  s.notes.push_back(fmt::format(
      "{} of {} runs that ran are said to fit, {} that they may not (over by less than totals are "
      "wrong by), {} not to; of "
      "{} that ran out of memory {} are said not to fit, {} that they may not.",
      right_ran, ran, close_ran, ran - right_ran - close_ran, failed, right_failed, close_failed));
  return s;
}

std::string figure_text(const RunBudgetLine& b, double x) {
  if (!b.measured) return "no rows";
  return b.count                  ? fmt::format("{}", x)
         : b.hint == Hint::kRatio ? fmt::format("{:.2f}", x)
                                  : percent(x);
}

std::string value_text(const RunBudgetLine& b) {
  const bool share = b.measured && !b.count && b.hint != Hint::kRatio;
  return share ? percent_beside(b.value, b.limit) : figure_text(b, b.value);
}

Section budgets_section(const RunsReport& r) {
  Section s{"Budgets",
            Table({{"rows"}, {"figure"}, {"", Align::kRight}, {"budget", Align::kRight}, {""}}),
            {}};
  for (const RunBudgetLine& b : r.budgets)
    s.table.row({b.name, b.figure, value_text(b),
                 (b.at_least ? "at least " : "at most ") +
                     (b.measured ? figure_text(b, b.limit) : percent(b.limit)),
                 b.holds() ? "holds" : "missed"});
  if (!s.table.empty()) return s;
  if (r.request.source.empty() || !r.request.rows.empty()) return {};
  return {.notes = {"Budgets: none is of these rows alone (plans/measured/budgets.yaml)."}};
}

Section left_section(const RunsReport& r) {
  Section s;
  if (r.not_predicted.empty()) return s;
  s.title = "Not predicted";
  s.notes = r.not_predicted;
  return s;
}

std::vector<Section> sections_of(const RunsReport& r, bool verbose, bool picture) {
  std::vector<Section> out{sets_section(r), groups_section(r, r.files, "By source", "source"),
                           stacks_section(r)};
  if (picture) out.push_back(picture_section(r));
  if (!of_runs(r)) {
    out.push_back(verdicts_section(r));
    out.push_back(unexplained_section(r));
  }
  if (verbose) out.push_back(rows_section(r));
  out.push_back(budgets_section(r));
  out.push_back(left_section(r));
  return out;
}

void write_group(JsonWriter& json, const RunGroup& g) {
  json.object().key("name").text(g.name);
  if (!g.note.empty()) json.key("fitted").text(g.note);
  json.key("model");
  write_errors(json, g.model);
  json.key("largest").number(g.largest);
  json.key("constant");
  write_errors(json, g.constant);
  json.key("textbook");
  write_errors(json, g.textbook);
  json.close();
}

void write_groups(JsonWriter& json, const char* key, const std::vector<RunGroup>& groups) {
  json.key(key).array();
  for (const RunGroup& g : groups) write_group(json, g);
  json.close();
}

void write_row(JsonWriter& json, const JudgedRow& r) {
  json.object(JsonWriter::kOneLine).key("file").text(r.file).key("case").text(r.name);
  json.key("stack").text(r.stack).key("chip").text(r.chip).key("kind").text(r.kind);
  json.key("tier").text(name_of(r.facts.tier)).key("core").boolean(r.facts.core);
  json.key("metric").text(r.metric).key("unit").text(unit_name(r.dim, r.hint));
  json.key("measured").number(r.measured).key("predicted").number(r.predicted);
  json.key("error").number(r.error);
  if (r.constant) json.key("constant").number(*r.constant);
  if (r.textbook) json.key("textbook").number(*r.textbook);
  json.key("assumed").text(r.facts.assumed).key("caveat").text(r.facts.caveat);
  json.key("unexplained").text(r.facts.unexplained).key("source").text(r.facts.source).close();
}

std::string optional_number(const std::optional<double>& x) { return x ? shortest_number(*x) : ""; }

}  // namespace

std::string validate_runs_text(const RunsReport& report, const TextStyle& style) {
  return sections_text(sections_of(report, style.verbose, true), style);
}

std::string validate_runs_markdown(const RunsReport& report) {
  return sections_markdown(sections_of(report, false, false));
}

std::string validate_runs_json(const RunsReport& report) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("of").text(name_of(report.request.of));
  json.key("leave_out")
      .text(report.request.leave_out_model  ? "model"
            : report.request.leave_out_file ? "file"
                                            : "nothing");
  if (!report.request.stack.empty()) json.key("stack").text(report.request.stack);
  write_groups(json, "sets", report.sets);
  write_groups(json, "sources", report.files);
  write_groups(json, "stacks", report.stacks);
  json.key("rows").array();
  for (const JudgedRow& r : report.rows) write_row(json, r);
  json.close().key("verdicts").array();
  for (const FitVerdict& v : report.verdicts) {
    json.object(JsonWriter::kOneLine).key("file").text(v.file).key("case").text(v.name);
    json.key("ran").boolean(v.ran).key("fits").boolean(v.fits).key("close").boolean(v.close);
    json.key("total").number(v.total).key("capacity").number(v.capacity).close();
  }
  json.close().key("budgets").array();
  for (const RunBudgetLine& b : report.budgets) {
    json.object(JsonWriter::kOneLine).key("rows").text(b.name).key("figure").text(b.figure);
    json.key("value").number(b.value).key(b.at_least ? "at_least" : "at_most").number(b.limit);
    json.key("holds").boolean(b.holds()).key("source").text(b.source).close();
  }
  json.close().key("not_predicted").array();
  for (const std::string& text : report.not_predicted) json.text(text);
  json.close().close();
  return json.str();
}

std::string validate_runs_csv(const RunsReport& report) {
  Table out({{"file"},
             {"case"},
             {"stack"},
             {"chip"},
             {"kind"},
             {"tier"},
             {"core"},
             {"metric"},
             {"unit"},
             {"measured"},
             {"predicted"},
             {"error"},
             {"constant"},
             {"textbook"},
             {"place"},
             {"assumed"},
             {"caveat"},
             {"unexplained"},
             {"source"}});
  for (const JudgedRow& r : report.rows)
    out.row({r.file, r.name, r.stack, r.chip, r.kind, std::string(name_of(r.facts.tier)),
             r.facts.core ? "yes" : "no", r.metric, unit_name(r.dim, r.hint),
             shortest_number(r.measured), shortest_number(r.predicted), shortest_number(r.error),
             optional_number(r.constant), optional_number(r.textbook),
             r.span ? fmt::format("{}:{}", r.span.file->name, r.span.line) : "", r.facts.assumed,
             r.facts.caveat, r.facts.unexplained, r.facts.source});
  return out.csv();
}

}  // namespace reckon
