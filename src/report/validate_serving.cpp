#include "reckon/report/validate_serving.hpp"

#include <fmt/format.h>

#include "errors.hpp"
#include "reckon/base/json.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

bool leaves_out(const ServingReport& r) { return r.request.leave_out != LeaveOut::kNothing; }

std::string title_of(const ServingReport& r) {
  if (!leaves_out(r)) return "Serving: the engines' constants that ship, against measured rows";
  return fmt::format("Serving: each {} predicted by constants fitted without it",
                     name_of(r.request.leave_out));
}

Section families_section(const ServingReport& r) {
  Section s{title_of(r),
            Table({{"engine and figure"},
                   {"rows", Align::kRight},
                   {"median", Align::kRight},
                   {"mean", Align::kRight},
                   {"p90", Align::kRight},
                   {"bias", Align::kRight},
                   {"flat", Align::kRight},
                   {"peak", Align::kRight}}),
            {}};
  for (const ServingFamily& f : r.families)
    s.table.row({f.name, fmt::format("{}", f.model.rows), percent(f.model.median),
                 percent(f.model.mean), percent(f.model.p90), signed_percent(f.model.bias),
                 percent(f.flat.mean), percent(f.peak.mean)});
  s.notes.emplace_back(
      "Of |predicted/measured − 1|: median, mean, 90th percentile; bias is its signed mean. flat: "
      "kernels at one flat efficiency (hardware/kernels/generic.yaml), the engine's other "
      "constants "
      "kept; peak: chips and links without a loss.");
  return s;
}

Section rows_section(const ServingReport& r, const std::string& family) {
  Section s{family,
            Table({{"row"},
                   {"measured", Align::kRight},
                   {"predicted", Align::kRight},
                   {"error", Align::kRight}}),
            {}};
  for (const ServingRow& row : r.rows) {
    if (row.family != family) continue;
    s.table.row({row.name, format_quantity(row.measured, row.dim, row.hint),
                 format_quantity(row.predicted, row.dim, row.hint),
                 signed_percent(row.predicted / row.measured - 1)});
  }
  return s;
}

Section constants_section(const ServingReport& r) {
  Section s{"Constants: as the engines' files state them, and as a fit of all rows has them",
            Table({{"engine"},
                   {"constant"},
                   {"stated", Align::kRight},
                   {"fitted", Align::kRight},
                   {"95 %", Align::kRight},
                   {""}}),
            {}};
  for (const EngineConstant& c : r.constants)
    s.table.row({c.engine, c.path, fmt::format("{:.4g}", c.stated), fmt::format("{:.4g}", c.fitted),
                 c.low < c.high ? fmt::format("{:.3g} … {:.3g}", c.low, c.high) : "–",
                 c.at_bound ? "at its bound" : ""});
  return s.table.empty() ? Section{} : s;
}

Section budgets_section(const ServingReport& r) {
  Section s{
      "Budgets", Table({{"kind"}, {"mean", Align::kRight}, {"at most", Align::kRight}, {""}}), {}};
  for (const ServingBudget& b : r.budgets)
    s.table.row({b.name, b.errors.rows == 0 ? "no rows" : percent_beside(b.errors.mean, b.limit),
                 percent(b.limit), b.holds() ? "holds" : "missed"});
  return s.table.empty() ? Section{} : s;
}

std::vector<Section> sections_of(const ServingReport& r, bool verbose) {
  std::vector<Section> out{families_section(r)};
  if (verbose)
    for (const ServingFamily& f : r.families) out.push_back(rows_section(r, f.name));
  out.push_back(constants_section(r));
  out.push_back(budgets_section(r));
  return out;
}

}  // namespace

std::string validate_serving_text(const ServingReport& report, const TextStyle& style) {
  return sections_text(sections_of(report, style.verbose), style);
}

std::string validate_serving_markdown(const ServingReport& report) {
  return sections_markdown(sections_of(report, false));
}

std::string validate_serving_json(const ServingReport& report) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("of").text("serving").key("leave_out").text(name_of(report.request.leave_out));
  json.key("kinds").array();
  for (const ServingFamily& f : report.families) {
    json.object().key("name").text(f.name).key("model");
    write_errors(json, f.model);
    json.key("flat");
    write_errors(json, f.flat);
    json.key("peak");
    write_errors(json, f.peak);
    json.close();
  }
  json.close().key("rows").array();
  for (const ServingRow& r : report.rows) {
    json.object(JsonWriter::kOneLine).key("name").text(r.name).key("kind").text(r.family);
    json.key("metric").text(r.metric).key("chip").text(r.chip).key("model").text(r.model);
    json.key("measured").number(r.measured).key("predicted").number(r.predicted);
    json.key("flat").number(r.flat).key("peak").number(r.peak).key("source").text(r.source).close();
  }
  json.close().key("budgets").array();
  for (const ServingBudget& b : report.budgets) {
    json.object(JsonWriter::kOneLine).key("name").text(b.name);
    json.key("mean").number(b.errors.mean).key("at_most").number(b.limit);
    json.key("holds").boolean(b.holds()).key("source").text(b.source).close();
  }
  json.close().close();
  return json.str();
}

std::string validate_serving_csv(const ServingReport& report) {
  Table out({{"kind"},
             {"engine"},
             {"chip"},
             {"model"},
             {"row"},
             {"metric"},
             {"measured"},
             {"predicted"},
             {"error"},
             {"flat"},
             {"peak"},
             {"fitted"},
             {"file"},
             {"line"},
             {"source"}});
  for (const ServingRow& r : report.rows)
    out.row({r.family, r.engine, r.chip, r.model, r.name, r.metric, shortest_number(r.measured),
             shortest_number(r.predicted), shortest_number(r.predicted / r.measured - 1),
             shortest_number(r.flat), shortest_number(r.peak), r.fitted ? "yes" : "no", r.file,
             r.span ? fmt::format("{}", r.span.line) : "", r.source});
  return out.csv();
}

}  // namespace reckon
