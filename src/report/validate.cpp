#include "reckon/report/validate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "errors.hpp"
#include "reckon/base/json.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

std::string whole(std::size_t n) { return fmt::format("{}", n); }

std::vector<Table::Column> columns(const char* first) {
  return {{first},
          {"rows", Align::kRight},
          {"median", Align::kRight},
          {"mean", Align::kRight},
          {"p90", Align::kRight},
          {"bias", Align::kRight},
          {"flat", Align::kRight},
          {"peak", Align::kRight}};
}

std::vector<std::string> cells(const std::string& name, const ErrorSummary& model,
                               const ErrorSummary& flat, const ErrorSummary& peak) {
  return {name,
          whole(model.rows),
          percent(model.median),
          percent(model.mean),
          percent(model.p90),
          signed_percent(model.bias),
          percent(flat.mean),
          percent(peak.mean)};
}

bool leaves_out(const ValidateReport& r) { return r.request.leave_out != LeaveOut::kNothing; }

std::string title_of(const ValidateReport& r) {
  const char* what = r.request.collectives ? "Collectives in one node" : "Kernels";
  if (!leaves_out(r))
    return fmt::format("{}: the constants that ship, against measured times", what);
  return fmt::format("{}: each {} predicted by constants fitted without it", what,
                     name_of(r.request.leave_out));
}

Section families_section(const ValidateReport& r, bool seen) {
  Section s{seen ? title_of(r) : "Points that no fit has seen, by the same constants",
            Table(columns("kind")),
            {}};
  for (const ValidateFamily& f : r.families)
    if (f.seen == seen) s.table.row(cells(f.name, f.model, f.flat, f.peak));
  if (seen)
    s.notes.emplace_back(
        "Of |predicted/measured − 1|: median, mean, 90th percentile; bias is its signed mean. flat "
        "and peak: mean "
        "error of one flat efficiency for everything (hardware/kernels/generic.yaml) and of the "
        "peak, as baselines.");
  return s.table.empty() ? Section{} : s;
}

Section sets_section(const ValidateReport& r, std::size_t width) {
  Section s{"By set", Table(columns("measured")), {}};
  for (const ValidateSet& set : r.sets) {
    std::string name = set.name;
    if (set.constants != set.library && set.constants != "refitted")
      name += fmt::format(" [constants of {}]", set.constants);
    s.table.row(cells(name, set.model, set.flat, set.peak));
  }
  if (width > 0) s.table = s.table.fitted(width, 0);
  return s;
}

Section rows_section(const ValidateSet& set) {
  Section s{set.name,
            Table({{"row"},
                   {"measured", Align::kRight},
                   {"predicted", Align::kRight},
                   {"error", Align::kRight}}),
            {}};
  for (const ValidateRow& row : set.rows)
    s.table.row({row.shape, format_quantity(row.measured, kSecond),
                 format_quantity(row.predicted, kSecond),
                 signed_percent(row.predicted / row.measured - 1)});
  return s;
}

Section budgets_section(const ValidateReport& r) {
  Section s{
      "Budgets", Table({{"kind"}, {"mean", Align::kRight}, {"at most", Align::kRight}, {""}}), {}};
  for (const BudgetLine& b : r.budgets)
    s.table.row({b.name, b.errors.rows == 0 ? "no rows" : percent_beside(b.errors.mean, b.limit),
                 percent(b.limit), b.holds() ? "holds" : "missed"});
  return s.table.empty() ? Section{} : s;
}

Section left_section(const ValidateReport& r, bool verbose) {
  Section s;
  if (r.not_predicted.empty()) return s;
  s.title = "Not predicted";
  if (!verbose) {
    s.notes.push_back(fmt::format("{} sets have no model or no constants: --verbose lists them",
                                  r.not_predicted.size()));
    return s;
  }
  s.notes = r.not_predicted;
  return s;
}

std::vector<Section> sections_of(const ValidateReport& r, bool verbose, std::size_t width) {
  std::vector<Section> out{families_section(r, true), families_section(r, false),
                           sets_section(r, width)};
  if (verbose)
    for (const ValidateSet& set : r.sets) out.push_back(rows_section(set));
  out.push_back(budgets_section(r));
  out.push_back(left_section(r, verbose));
  return out;
}

void write_summaries(JsonWriter& json, const ErrorSummary& model, const ErrorSummary& flat,
                     const ErrorSummary& peak) {
  json.key("model");
  write_errors(json, model);
  json.key("flat");
  write_errors(json, flat);
  json.key("peak");
  write_errors(json, peak);
}

void write_set(JsonWriter& json, const ValidateSet& s) {
  json.object();
  json.key("name").text(s.name).key("kind").text(s.family).key("chip").text(s.chip);
  json.key("library").text(s.library).key("source").text(s.source);
  json.key("constants").text(s.constants).key("seen").boolean(s.seen);
  write_summaries(json, s.model, s.flat, s.peak);
  json.key("points").array();
  for (const ValidateRow& r : s.rows) {
    json.object(JsonWriter::kOneLine).key("shape").text(r.shape);
    json.key("measured").number(r.measured).key("predicted").number(r.predicted);
    json.key("flat").number(r.flat).key("peak").number(r.peak).close();
  }
  json.close().close();
}

}  // namespace

std::string validate_text(const ValidateReport& report, const TextStyle& style) {
  return sections_text(sections_of(report, style.verbose, style.usable_width() - 2), style);
}

std::string validate_markdown(const ValidateReport& report) {
  return sections_markdown(sections_of(report, false, 0));
}

std::string validate_json(const ValidateReport& report) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("of").text(report.request.collectives ? "collectives" : "kernels");
  json.key("leave_out").text(name_of(report.request.leave_out));
  json.key("unit").text("s");
  json.key("kinds").array();
  for (const ValidateFamily& f : report.families) {
    json.object().key("name").text(f.name).key("seen").boolean(f.seen);
    write_summaries(json, f.model, f.flat, f.peak);
    json.close();
  }
  json.close().key("sets").array();
  for (const ValidateSet& s : report.sets) write_set(json, s);
  json.close().key("budgets").array();
  for (const BudgetLine& b : report.budgets) {
    json.object(JsonWriter::kOneLine).key("name").text(b.name);
    json.key("mean").number(b.errors.mean).key("at_most").number(b.limit);
    json.key("holds").boolean(b.holds()).key("source").text(b.source).close();
  }
  json.close().key("not_predicted").array();
  for (const std::string& text : report.not_predicted) json.text(text);
  json.close().close();
  return json.str();
}

std::string validate_csv(const ValidateReport& report) {
  Table out({{"kind"},
             {"chip"},
             {"library"},
             {"set"},
             {"seen"},
             {"constants"},
             {"shape"},
             {"measured_s"},
             {"predicted_s"},
             {"error"},
             {"flat_s"},
             {"peak_s"},
             {"file"},
             {"line"},
             {"source"}});
  for (const ValidateSet& s : report.sets)
    for (const ValidateRow& r : s.rows)
      out.row({s.family, s.chip, s.library, s.name, s.seen ? "yes" : "no", s.constants, r.shape,
               shortest_number(r.measured), shortest_number(r.predicted),
               shortest_number(r.predicted / r.measured - 1), shortest_number(r.flat),
               shortest_number(r.peak), r.span ? r.span.file->name : "",
               r.span ? fmt::format("{}", r.span.line) : "", s.source});
  return out.csv();
}

}  // namespace reckon
