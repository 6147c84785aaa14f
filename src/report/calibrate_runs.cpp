#include "reckon/report/calibrate_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "errors.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

std::string errors_text(const ErrorSummary& e) {
  return fmt::format("{} mean, {} median, {} p90", percent(e.mean), percent(e.median),
                     percent(e.p90));
}

Section section_of(const RunsCalibration& c) {
  Section s{c.stack,
            Table({{"constant"},
                   {"usual", Align::kRight},
                   {"fitted", Align::kRight},
                   {"95 % interval", Align::kRight},
                   {""}}),
            {}};
  const auto shown = [](const FittedStackConstant& k, double x) {
    return format_quantity(x, k.dim, k.hint, 4);
  };
  std::size_t free = 0;
  for (const FittedStackConstant& k : c.constants) {
    const bool sure = !k.at_bound && !std::isnan(k.low);
    free += k.at_bound ? 0 : 1;
    s.table.row({k.field, shown(k, k.usual), shown(k, k.value),
                 sure ? fmt::format("{} … {}", shown(k, k.low), shown(k, k.high)) : "–",
                 k.at_bound ? "at its bound" : ""});
  }
  if (c.rows <= free)
    s.notes.push_back(fmt::format(
        "{} run{} can't fix {} constants, so none has an interval: what the runs leave open stays "
        "near the usual value.",
        c.rows, c.rows == 1 ? "" : "s", free));
  if (!c.apart.empty()) s.notes.push_back("Left out: " + join(c.apart, "; "));
  s.notes.push_back(fmt::format("{} run{}, {} of them core: error {}; before {}", c.rows,
                                c.rows == 1 ? "" : "s", c.core, errors_text(c.in_sample),
                                errors_text(c.before)));
  if (static_cast<double>(c.telling()) < kEnoughRuns)
    s.notes.emplace_back(c.measured.empty()
                             ? "Fewer than six core runs: starting values, they prove nothing."
                             : "Fewer than six runs: starting values, they prove nothing.");
  s.notes.push_back(c.left_what.empty() ? "One model of one source: nothing can be left out."
                                        : fmt::format("Leaving out a {}: {}", c.left_what,
                                                      errors_text(c.left_out)));
  if (!c.idle.empty())
    s.notes.push_back("Not fitted, no run depends on them: " + join(c.idle, ", "));
  return s;
}

std::vector<Section> sections_of(const std::vector<RunsCalibration>& all) {
  std::vector<Section> out;
  for (const RunsCalibration& c : all) out.push_back(section_of(c));
  return out;
}

}  // namespace

std::string calibrate_runs_text(const std::vector<RunsCalibration>& all, const TextStyle& style) {
  return sections_text(sections_of(all), style);
}

std::string calibrate_runs_markdown(const std::vector<RunsCalibration>& all) {
  return sections_markdown(sections_of(all));
}

std::string calibrate_runs_csv(const std::vector<RunsCalibration>& all) {
  Table t(
      {{"stack"}, {"constant"}, {"usual"}, {"value"}, {"low"}, {"high"}, {"unit"}, {"at_bound"}});
  for (const RunsCalibration& c : all)
    for (const FittedStackConstant& k : c.constants)
      t.row({c.stack, k.field, shortest_number(k.usual), shortest_number(k.value),
             shortest_number(k.low), shortest_number(k.high), unit_name(k.dim, k.hint),
             k.at_bound ? "true" : "false"});
  return t.csv();
}

std::string calibrate_runs_json(const std::vector<RunsCalibration>& all) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("stacks").array();
  for (const RunsCalibration& c : all) {
    json.object().key("stack").text(c.stack).key("constants").object();
    for (const FittedStackConstant& k : c.constants) {
      json.key(k.field).object(JsonWriter::kOneLine);
      json.key("usual").number(k.usual).key("value").number(k.value);
      json.key("low").number(k.low).key("high").number(k.high);
      json.key("unit").text(unit_name(k.dim, k.hint)).key("at_bound").boolean(k.at_bound).close();
    }
    json.close().key("error");
    write_errors(json, c.in_sample);
    json.key("before");
    write_errors(json, c.before);
    json.key("left_what").text(c.left_what).key("left_out");
    write_errors(json, c.left_out);
    json.key("runs").number(static_cast<double>(c.rows)).key("apart").array();
    for (const std::string& a : c.apart) json.text(a);
    json.close();
    json.close();
  }
  json.close().close();
  return json.str();
}

}  // namespace reckon
