#include "reckon/report/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/json.hpp"
#include "reckon/base/table.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

// A share of 100 % has no per cent more.
bool at_limit(const InputWorth& w) { return w.hint == Hint::kFraction && w.value >= 1; }

Section inputs_section(const Sensitivity& s) {
  Table t({{"input"}, {"value", Align::kRight}, {"changes it by", Align::kRight}, {"stated at"}});
  for (const InputWorth& w : s.inputs)
    t.row({w.path, format_quantity(w.value, w.dim, w.hint), fmt::format("{:+.3g} %", w.elasticity),
           w.place});
  Section out{.title = "Worth of 1 % more", .table = std::move(t)};
  if (std::any_of(s.inputs.begin(), s.inputs.end(), at_limit))
    out.notes.emplace_back(
        "A share at 100 % can't rise: read its line as what 1 % less changes, with the sign "
        "turned.");
  if (s.inputs.empty()) out.notes.emplace_back("No continuous input moves it.");
  return out;
}

Section leaves_section(const Sensitivity& s) {
  Table t({{"part"}, {"time", Align::kRight}, {"share", Align::kRight}});
  double sum = 0;
  for (const LeafShare& l : s.leaves) {
    t.row({l.title, format_quantity(l.value, kSecond), fmt::format("{:.2f} %", 100 * l.share)});
    sum += l.value;
  }
  if (s.leaves.empty()) return {};
  t.row(
      {"sum", format_quantity(sum, kSecond), fmt::format("{:.2f} %", 100 * sum / s.metric.value)});
  return {.title = "Where the time goes",
          .table = std::move(t),
          .notes = {"Each by what it really adds: communication that hides counts nothing; a "
                    "window it fills counts less."}};
}

std::vector<Section> sections(const Sensitivity& s) {
  Section head{
      .notes = {fmt::format("{} [{}] = {}", s.metric.title, s.metric.id,
                            format_quantity(s.metric.value, s.metric.dim, s.metric.hint))}};
  Section how{
      .notes = {
          "One backward sweep over the recorded plan: exact slopes, valid between two jumps of a "
          "whole number. "
          "Degrees, batch sizes and other counts are left out: they change the plan's structure."}};
  return {std::move(head), inputs_section(s), leaves_section(s), std::move(how)};
}

}  // namespace

std::string sensitivity_text(const Sensitivity& s, const TextStyle& style) {
  return sections_text(sections(s), style);
}
std::string sensitivity_markdown(const Sensitivity& s) { return sections_markdown(sections(s)); }

std::string sensitivity_csv(const Sensitivity& s) {
  Table t({{"path"}, {"value"}, {"unit"}, {"slope"}, {"elasticity"}, {"stated"}});
  for (const InputWorth& w : s.inputs)
    t.row({w.path, shortest_number(w.value), unit_name(w.dim, w.hint), shortest_number(w.slope),
           shortest_number(w.elasticity), w.place});
  return t.csv();
}

std::string sensitivity_json(const Sensitivity& s) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text("sensitivity");
  json.key("metric").object(JsonWriter::kOneLine);
  json.key("id").text(s.metric.id).key("value").number(s.metric.value);
  json.key("unit").text(unit_name(s.metric.dim, s.metric.hint)).close();
  json.key("inputs").array();
  for (const InputWorth& w : s.inputs) {
    json.object(JsonWriter::kOneLine).key("path").text(w.path).key("value").number(w.value);
    json.key("unit").text(unit_name(w.dim, w.hint)).key("slope").number(w.slope);
    json.key("elasticity").number(w.elasticity).key("stated").text(w.place).close();
  }
  json.close().key("leaves").array();
  for (const LeafShare& l : s.leaves) {
    json.object(JsonWriter::kOneLine).key("title").text(l.title).key("value").number(l.value);
    json.key("share").number(l.share).close();
  }
  json.close().close();
  return json.str();
}

}  // namespace reckon
