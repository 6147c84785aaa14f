#include "reckon/report/calibrate_stack.hpp"

#include <fmt/format.h>

#include "reckon/base/json.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

bool is_interval(const FittedStackConstant& k) { return !k.at_bound && k.low < k.high; }

Section section_of(const StackCalibration& c) {
  Section s{fmt::format("{}, laid onto {}", c.chip, c.base),
            Table({{"constant"},
                   {"base", Align::kRight},
                   {"measured", Align::kRight},
                   {"95 % interval", Align::kRight},
                   {"by"}}),
            {}};
  for (const MeasuredConstant& m : c.constants) {
    const FittedStackConstant& k = m.constant;
    const auto shown = [&k](double x) { return format_quantity(x, k.dim, k.hint, 4); };
    s.table.row({k.field, shown(k.usual), shown(k.value),
                 is_interval(k) ? fmt::format("{} … {}", shown(k.low), shown(k.high))
                 : k.at_bound   ? "at its bound"
                                : "–",
                 m.from});
  }
  s.notes.emplace_back(
      "Kernels measured alone: in a run clocks fall and neighbours interfere, so a step takes "
      "longer "
      "than these ceilings say. `reckon calibrate runs` fits what is left on measured steps.");
  if (!c.kept.empty())
    s.notes.push_back("As in the base, for nothing here measures it: " + join(c.kept, ", "));
  return s;
}

}  // namespace

std::string calibrate_stack_text(const StackCalibration& c, const TextStyle& style) {
  return sections_text({section_of(c)}, style);
}

std::string calibrate_stack_markdown(const StackCalibration& c) {
  return sections_markdown({section_of(c)});
}

std::string calibrate_stack_csv(const StackCalibration& c) {
  Table t({{"constant"}, {"base"}, {"value"}, {"low"}, {"high"}, {"unit"}, {"at_bound"}, {"by"}});
  for (const MeasuredConstant& m : c.constants) {
    const FittedStackConstant& k = m.constant;
    t.row({k.field, shortest_number(k.usual), shortest_number(k.value), shortest_number(k.low),
           shortest_number(k.high), unit_name(k.dim, k.hint), k.at_bound ? "true" : "false",
           m.from});
  }
  return t.csv();
}

std::string calibrate_stack_json(const StackCalibration& c) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion);
  json.key("chip").text(c.chip).key("base").text(c.base).key("constants").object();
  for (const MeasuredConstant& m : c.constants) {
    const FittedStackConstant& k = m.constant;
    json.key(k.field).object(JsonWriter::kOneLine);
    json.key("base").number(k.usual).key("value").number(k.value);
    json.key("low").number(k.low).key("high").number(k.high);
    json.key("unit").text(unit_name(k.dim, k.hint)).key("at_bound").boolean(k.at_bound);
    json.key("by").text(m.from).close();
  }
  json.close().key("kept").array();
  for (const std::string& k : c.kept) json.text(k);
  json.close().close();
  return json.str();
}

}  // namespace reckon
