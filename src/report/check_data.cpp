// The outcome of `check` for programs: JSON and CSV.
#include <cmath>

#include "check_row.hpp"
#include "reckon/base/json.hpp"
#include "reckon/base/table.hpp"
#include "reckon/report/check.hpp"
#include "reckon/report/json.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

// `fits` and its like are held as 1 and 0, and read as yes and no.
bool is_yes_or_no(const CheckLine& l) {
  return !l.is_text && (l.value == "yes" || l.value == "no");
}

bool has_number(const CheckLine& l) { return !l.is_text && std::isfinite(l.number); }

void write_number(JsonWriter& json, const CheckLine& l, double number) {
  is_yes_or_no(l) ? json.boolean(number != 0) : json.number(number);
}

// A figure the file states: a word as it is, a number in SI units, null if it states none.
void write_stated(JsonWriter& json, std::string_view key, const CheckLine& l,
                  const std::string& text, bool has_it, double number) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else if (l.is_text) {
    json.text(text);
  } else {
    has_it ? write_number(json, l, number) : static_cast<void>(json.null());
  }
}

void write_value(JsonWriter& json, const CheckLine& l) {
  json.key("value");
  if (l.is_text) {
    json.text(l.value);
  } else {
    write_number(json, l, l.number);
  }
  const bool no_unit = l.is_text || l.unit.empty() || is_yes_or_no(l);
  json.key("unit");
  no_unit ? json.null() : json.text(l.unit);
}

void write_text(JsonWriter& json, std::string_view key, const std::string& text) {
  json.key(key);
  text.empty() ? json.null() : json.text(text);
}

void write_line(JsonWriter& json, const CheckLine& l) {
  json.object();
  write_text(json, "id", l.id);
  write_text(json, "file", l.file);
  json.key("line");
  l.span ? json.number(l.span.line) : json.null();
  write_text(json, "case", l.case_name);
  json.key("metric").text(l.metric);
  write_value(json, l);
  write_stated(json, "expected", l, l.exact, l.has_exact, l.exact_number);
  write_stated(json, "printed", l, l.printed, l.has_printed, l.printed_number);
  json.key("within").number(l.within);
  write_stated(json, "at_most", l, l.at_most, has_number(l), l.most);
  write_stated(json, "at_least", l, l.at_least, has_number(l), l.least);
  json.key("deviation");
  deviation_of(l).empty() ? json.null()
                          : json.number(l.has_exact ? l.exact_deviation : l.printed_deviation);
  json.key("pass").boolean(l.pass);
  write_text(json, "why", l.why);
  write_text(json, "source", l.source);
  json.close();
}

}  // namespace

std::string check_json(const CheckReport& report) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("checks").array();
  for (const CheckLine& l : report.lines) write_line(json, l);
  json.close().key("summary").object(JsonWriter::kOneLine);
  json.key("lines").number(static_cast<double>(report.lines.size()));
  json.key("plans").number(static_cast<double>(report.plans));
  json.key("files").number(static_cast<double>(report.files));
  json.key("missed").number(static_cast<double>(report.misses())).close().close();
  return json.str();
}

namespace {

// What a column of numbers holds of a stated figure: in the unit of the value beside it, a word as it is.
std::string stated_cell(const CheckLine& l, const std::string& text, bool has_it, double number) {
  if (text.empty() || l.is_text || is_yes_or_no(l)) return text;
  return has_it ? shortest_number(number) : "";
}

}  // namespace

std::string check_csv(const CheckReport& report) {
  Table out({{"id"},
             {"file"},
             {"line"},
             {"case"},
             {"metric"},
             {"value"},
             {"unit"},
             {"expected"},
             {"printed"},
             {"within"},
             {"at_most"},
             {"at_least"},
             {"deviation"},
             {"pass"},
             {"why"},
             {"source"}});
  for (const CheckLine& l : report.lines) {
    const bool as_text = l.is_text || is_yes_or_no(l);
    const bool has_deviation = !deviation_of(l).empty();
    out.row({l.id, l.file, l.span ? std::to_string(l.span.line) : "", l.case_name, l.metric,
             as_text         ? l.value
             : has_number(l) ? shortest_number(l.number)
                             : "",
             as_text ? "" : l.unit, stated_cell(l, l.exact, l.has_exact, l.exact_number),
             stated_cell(l, l.printed, l.has_printed, l.printed_number), shortest_number(l.within),
             stated_cell(l, l.at_most, has_number(l), l.most),
             stated_cell(l, l.at_least, has_number(l), l.least),
             has_deviation ? shortest_number(l.has_exact ? l.exact_deviation : l.printed_deviation)
                           : "",
             l.pass ? "yes" : "no", l.why, l.source});
  }
  return out.csv();
}

}  // namespace reckon
