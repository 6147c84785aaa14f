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
  Table t({{"input"},
           {"value", Align::kRight},
           {"changes it by", Align::kRight},
           {"10 % more", Align::kRight},
           {"stated at"}});
  for (const InputWorth& w : s.inputs)
    t.row({w.path, format_quantity(w.value, w.dim, w.hint), fmt::format("{:+.3g} %", w.elasticity),
           w.tenth ? fmt::format("{:+.3g} %", 100 * *w.tenth) : "", w.place});
  Section out{.title = "Worth of 1 % more", .table = std::move(t)};
  if (std::any_of(s.inputs.begin(), s.inputs.end(), at_limit))
    out.notes.emplace_back(
        "A share at 100 % can't rise: read its line as what 1 % less changes, with the sign "
        "turned.");
  if (s.inputs.empty()) out.notes.emplace_back("No continuous input moves it.");
  return out;
}

std::string change(double metric, double now) {
  if (metric == now) return "=";
  const double ratio = metric / now;
  return now == 0 || ratio <= 0 || ratio >= 2 ? "" : fmt::format(" ({:+.3g} %)", 100 * (ratio - 1));
}

Section whole_section(const Sensitivity& s) {
  if (s.whole.empty()) return {};
  const Metric& m = s.metric;
  Table t({{"input"},
           {"value", Align::kRight},
           {"next below", Align::kRight},
           {"next above", Align::kRight}});
  const auto text = [&](const std::optional<WholeWorth::Next>& next) {
    if (!next) return std::string("none");
    if (next->metric == m.value) return next->value + ": the same";
    return fmt::format("{}: {}{}", next->value, format_quantity(next->metric, m.dim, m.hint),
                       change(next->metric, m.value));
  };
  for (const WholeWorth& w : s.whole) t.row({w.path, w.now, text(w.down), text(w.up)});
  return {.title = "Whole numbers, at the next legal values", .table = std::move(t)};
}

Section kinks_section(const Sensitivity& s) {
  if (s.kinks.empty()) return {};
  Table t({{"with", Align::kLeft}, {"by", Align::kRight}, {"switches sides"}});
  for (const Kink& k : s.kinks)
    t.row({k.path, fmt::format("{:+.2g} %", 100 * k.change),
           fmt::format("{} [{}]", k.title, k.formula)});
  return {.title = "Where the slopes change",
          .table = std::move(t),
          .notes = {"A maximum, minimum or choice that takes its other side once the input has "
                    "moved so far, to first "
                    "order; the nearest ones."}};
}

Section ranges_section(const Sensitivity& s) {
  if (s.ranges.empty()) return {};
  const Metric& m = s.metric;
  Table t({{"constant"},
           {"value", Align::kRight},
           {"range", Align::kRight},
           {"at its ends", Align::kRight}});
  for (const RangeWorth& r : s.ranges)
    t.row({r.path, format_quantity(r.value, kOne, Hint::kRatio),
           fmt::format("{:.4g} to {:.4g}", r.low, r.high),
           fmt::format("{} to {}", format_quantity(r.at_low, m.dim, m.hint),
                       format_quantity(r.at_high, m.dim, m.hint))});
  return {.title = "Constants whose source gives a range", .table = std::move(t)};
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
          "10 % more, and other whole numbers, are evaluated: degrees and batch sizes change the "
          "plan's structure."}};
  return {std::move(head),   inputs_section(s), whole_section(s), kinks_section(s),
          ranges_section(s), leaves_section(s), std::move(how)};
}

}  // namespace

std::string sensitivity_text(const Sensitivity& s, const TextStyle& style) {
  return sections_text(sections(s), style);
}
std::string sensitivity_markdown(const Sensitivity& s) { return sections_markdown(sections(s)); }

std::string sensitivity_csv(const Sensitivity& s) {
  Table t({{"path"}, {"value"}, {"unit"}, {"slope"}, {"elasticity"}, {"tenth"}, {"stated"}});
  for (const InputWorth& w : s.inputs)
    t.row({w.path, shortest_number(w.value), unit_name(w.dim, w.hint), shortest_number(w.slope),
           shortest_number(w.elasticity), w.tenth ? shortest_number(*w.tenth) : "", w.place});
  return t.csv();
}

namespace {

void write_changed(JsonWriter& json, const Sensitivity& s) {
  json.key("whole").array();
  for (const WholeWorth& w : s.whole) {
    json.object(JsonWriter::kOneLine).key("path").text(w.path).key("value").text(w.now);
    for (const auto& [key, next] : {std::pair{"down", &w.down}, {"up", &w.up}}) {
      json.key(key);
      if (!*next) {
        json.null();
        continue;
      }
      json.object(JsonWriter::kOneLine)
          .key("value")
          .text((*next)->value)
          .key("metric")
          .number((*next)->metric)
          .close();
    }
    json.close();
  }
  json.close().key("kinks").array();
  for (const Kink& k : s.kinks) {
    json.object(JsonWriter::kOneLine).key("path").text(k.path).key("change").number(k.change);
    json.key("formula").text(k.formula).close();
  }
  json.close().key("ranges").array();
  for (const RangeWorth& r : s.ranges) {
    json.object(JsonWriter::kOneLine).key("path").text(r.path).key("value").number(r.value);
    json.key("low").number(r.low).key("high").number(r.high);
    json.key("at_low").number(r.at_low).key("at_high").number(r.at_high).close();
  }
  json.close();
}

}  // namespace

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
    json.key("elasticity").number(w.elasticity).key("tenth");
    w.tenth ? json.number(*w.tenth) : json.null();
    json.key("stated").text(w.place).close();
  }
  json.close();
  write_changed(json, s);
  json.key("leaves").array();
  for (const LeafShare& l : s.leaves) {
    json.object(JsonWriter::kOneLine).key("title").text(l.title).key("value").number(l.value);
    json.key("share").number(l.share).close();
  }
  json.close().close();
  return json.str();
}

}  // namespace reckon
