#include "cell.hpp"

#include <cmath>

#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {

std::string shown(const Metric& m) {
  if (!reason_of(m).empty()) return std::string(kAbsent);
  return m.is_text() ? m.text : format_quantity(m.value, m.dim, m.hint);
}

std::string plain(const Metric& m) {
  if (!reason_of(m).empty()) return "";
  if (m.is_text()) return m.text;
  if (m.hint == Hint::kYesNo) return m.value != 0 ? "yes" : "no";
  return shortest_number(m.value);
}

std::string reason_of(const Metric& m) {
  if (!m.has_value()) return m.reason;
  if (m.is_text() || std::isfinite(m.value)) return "";
  return std::isnan(m.value) ? "undefined" : "unbounded";
}

std::string listed_nos(const std::vector<No>& all) {
  std::string out;
  for (const No why : all) out += (out.empty() ? "" : ", ") + std::string(words_of(why));
  return out;
}

std::string unit_of(const Metric& m) {
  return m.is_text() || m.hint == Hint::kYesNo ? "" : unit_name(m.dim, m.hint);
}

void write_cell(JsonWriter& json, const Metric& m) {
  const std::string reason = reason_of(m), unit = unit_of(m);
  json.object(JsonWriter::kOneLine).key("value");
  if (!reason.empty()) {
    json.null();
  } else if (m.is_text()) {
    json.text(m.text);
  } else if (m.hint == Hint::kYesNo) {
    json.boolean(m.value != 0);
  } else {
    json.number(m.value);
  }
  json.key("unit");
  unit.empty() ? json.null() : json.text(unit);
  if (!reason.empty()) json.key("reason").text(reason);
  json.close();
}

void write_cells(JsonWriter& json, const std::vector<Metric>& metrics) {
  json.object();
  for (const Metric& m : metrics) {
    json.key(m.id);
    write_cell(json, m);
  }
  json.close();
}

}  // namespace reckon
