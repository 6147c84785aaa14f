#include "reckon/report/calibrate.hpp"

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

std::string shown(const CalibratedConstant& c, double x) {
  return format_quantity(x, c.dim, c.dim == kOne ? Hint::kRatio : Hint::kNone);
}

Section set_section(const CalibratedSet& set) {
  Section s{set.name,
            Table({{"constant"}, {"value", Align::kRight}, {"95 % interval", Align::kRight}, {""}}),
            {}};
  for (const CalibratedConstant& c : set.constants)
    s.table.row({c.name, shown(c, c.value),
                 c.at_bound || std::isnan(c.low)
                     ? "–"
                     : fmt::format("{} … {}", shown(c, c.low), shown(c, c.high)),
                 c.at_bound ? "at its bound: the points don't fix it" : ""});
  std::string note = fmt::format("{} points: error {} mean, {} median, {} p90", set.in_sample.rows,
                                 percent(set.in_sample.mean), percent(set.in_sample.median),
                                 percent(set.in_sample.p90));
  note += set.left_what.empty()
              ? "; too few to leave any out"
              : fmt::format("; leaving out a {} {}", set.left_what, percent(set.left_out.mean));
  s.notes.push_back(note + fmt::format("; one flat efficiency {}", percent(set.flat.mean)));
  return s;
}

Section ceilings_section(const Calibration& c) {
  Section s{
      "Ceilings: the best of each",
      Table({{"measured"}, {"at"}, {"rate", Align::kRight}, {"of what is printed", Align::kRight}}),
      {}};
  for (const Ceiling& x : c.ceilings)
    s.table.row({x.name, x.shape, format_quantity(x.value, x.dim),
                 x.printed > 0 ? percent(x.value / x.printed) : "–"});
  return s;
}

Section layers_section(const Calibration& c) {
  Section s{"Whole layers, predicted from these constants",
            Table({{"layer"},
                   {"measured", Align::kRight},
                   {"predicted", Align::kRight},
                   {"error", Align::kRight}}),
            {}};
  for (const LayerCheck& l : c.layers) {
    s.table.row({l.name + " " + l.shape, format_quantity(l.measured, kSecond),
                 format_quantity(l.predicted, kSecond),
                 signed_percent(l.predicted / l.measured - 1)});
    if (!l.outside.empty())
      s.notes.push_back(fmt::format("{} {}: beyond what the constants were fitted on: {}", l.name,
                                    l.shape, join(l.outside, ", ")));
  }
  return s;
}

void write_checks(JsonWriter& json, const Calibration& c) {
  json.key("layers").array();
  for (const LayerCheck& l : c.layers) {
    json.object(JsonWriter::kOneLine).key("layer").text(l.name).key("shape").text(l.shape);
    json.key("measured").number(l.measured).key("predicted").number(l.predicted);
    json.key("unit").text("s").key("outside").array();
    for (const std::string& text : l.outside) json.text(text);
    json.close().close();
  }
  json.close().key("ceilings").array();
  for (const Ceiling& x : c.ceilings) {
    json.object(JsonWriter::kOneLine).key("name").text(x.name).key("shape").text(x.shape);
    json.key("value").number(x.value).key("unit").text(unit_name(x.dim));
    json.key("printed");
    if (x.printed > 0)
      json.number(x.printed);
    else
      json.null();
    json.close();
  }
  json.close();
}

std::vector<Section> sections_of(const Calibration& c) {
  std::vector<Section> out;
  if (!c.ceilings.empty()) out.push_back(ceilings_section(c));
  for (const CalibratedSet& set : c.sets) out.push_back(set_section(set));
  if (!c.layers.empty()) out.push_back(layers_section(c));
  if (!c.skipped.empty()) out.push_back({"Not fitted", Table({}), c.skipped});
  if (!c.failed.empty()) out.push_back({"Fits that explain nothing", Table({}), c.failed});
  return out;
}

}  // namespace

std::string calibrate_text(const Calibration& calibration, const TextStyle& style) {
  return sections_text(sections_of(calibration), style);
}

std::string calibrate_markdown(const Calibration& calibration) {
  return sections_markdown(sections_of(calibration));
}

std::string calibrate_csv(const Calibration& calibration) {
  Table t({{"set"}, {"constant"}, {"value"}, {"low"}, {"high"}, {"unit"}, {"at_bound"}});
  for (const CalibratedSet& s : calibration.sets)
    for (const CalibratedConstant& c : s.constants)
      t.row({s.name, c.name, shortest_number(c.value), shortest_number(c.low),
             shortest_number(c.high), unit_name(c.dim), c.at_bound ? "true" : "false"});
  return t.csv();
}

std::string calibrate_json(const Calibration& calibration) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("chip").text(calibration.kernels.chip).key("sets").array();
  for (const CalibratedSet& s : calibration.sets) {
    json.object().key("name").text(s.name).key("constants").object();
    for (const CalibratedConstant& c : s.constants) {
      json.key(c.name).object(JsonWriter::kOneLine);
      json.key("value").number(c.value).key("low").number(c.low).key("high").number(c.high);
      json.key("unit").text(unit_name(c.dim)).key("at_bound").boolean(c.at_bound).close();
    }
    json.close().key("error");
    write_errors(json, s.in_sample);
    json.key("left_out");
    if (s.left_what.empty()) {
      json.null();
    } else {
      write_errors(json, s.left_out);
    }
    json.close();
  }
  json.close();
  write_checks(json, calibration);
  json.key("not_fitted").array();
  for (const std::string& text : calibration.skipped) json.text(text);
  json.close().key("failed").array();
  for (const std::string& text : calibration.failed) json.text(text);
  json.close().close();
  return json.str();
}

}  // namespace reckon
