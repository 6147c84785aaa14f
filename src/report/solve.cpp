#include "reckon/report/solve.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cell.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr const char* kOutcomes[] = {"met", "always", "never", "between"};

const char* word_of(Outcome o) { return kOutcomes[static_cast<std::size_t>(o)]; }

std::string target_text(const Solution& s) {
  return fmt::format("{} {} {}", s.target.metric, sign_of(s.target.compare), s.target.text);
}

// In so many digits that it is told from the target where it is another value.
std::string beside_target(const Solution& s, const Metric& m) {
  if (!m.has_value() || m.is_text() || m.value == s.target_number) return shown(m);
  constexpr int kUsual = 4, kMost = 12;
  for (int digits = kUsual; digits <= kMost; ++digits) {
    const std::string text = format_quantity(m.value, m.dim, m.hint, digits);
    if (text != format_quantity(s.target_number, m.dim, m.hint, digits))
      return digits == kUsual ? shown(m) : text;
  }
  return shown(m);
}

// "813.3552373759941B" as people read it; the answer's own text has no digit too many already.
std::string short_text(const std::string& text) {
  constexpr int kDigits = 5;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool grouped = read.ptr != end && *read.ptr == ',';
  if (read.ec != std::errc() || read.ptr - text.data() <= kDigits + 1 || grouped) return text;
  if (number == std::floor(number)) return text;
  return fmt::format("{:.{}g}{}", number, kDigits, std::string(read.ptr, end));
}

std::string at(const Solution& s, const Tried& t) {
  return fmt::format("{} = {}: {}", s.path, short_text(t.text), beside_target(s, t.metric));
}

std::string headline(const Solution& s) {
  switch (s.outcome) {
    case Outcome::kMet:
      return fmt::format("{} = {} meets {}: {}", s.path, s.answer->text, target_text(s),
                         beside_target(s, s.answer->metric));
    case Outcome::kAlways:
      return fmt::format("Every legal value of {} from {} to {} meets {}; the closest is {}",
                         s.path, short_text(s.low.text), short_text(s.high.text), target_text(s),
                         at(s, *s.answer));
    case Outcome::kNever:
      return fmt::format("No value of {} from {} to {} meets {}. The bound is {}", s.path,
                         short_text(s.low.text), short_text(s.high.text), target_text(s),
                         at(s, *s.beyond));
    case Outcome::kBetween:
      return fmt::format(
          "No legal value of {} meets {} exactly: {} is below or above it, {} on the other side",
          s.path, target_text(s), at(s, *s.answer), at(s, *s.beyond));
  }
  return "";
}

std::vector<std::string> lines(const Solution& s) {
  std::vector<std::string> out{headline(s) + "."};
  // Of a field that is no whole number the next value is the last digit's: nobody would tell the two apart.
  const bool apart = s.beyond && s.answer &&
                     short_text(s.beyond->text) != short_text(s.answer->text) &&
                     beside_target(s, s.beyond->metric) != beside_target(s, s.answer->metric);
  if (s.outcome == Outcome::kMet && apart)
    out.push_back(fmt::format("The next legal value beyond, {}, doesn't: {}.",
                              short_text(s.beyond->text), beside_target(s, s.beyond->metric)));
  if (s.answer && !s.answer->no.empty()) {
    out.push_back(
        fmt::format("The plan's answer there is no all the same: {}.", listed_nos(s.answer->no)));
  }
  if (s.now)
    out.push_back(fmt::format("The plan has {}, which {}.", at(s, *s.now),
                              s.now->meets ? "meets it" : "doesn't meet it"));
  if (!s.monotone) {
    std::string turns;
    for (const Tried& t : s.turns) turns += (turns.empty() ? "" : "; ") + at(s, t);
    out.push_back(fmt::format(
        "{} climbs and falls with {} (turns at {}): the answer is of the first stretch, and "
        "`reckon sweep` shows the rest.",
        s.target.metric, s.path, turns));
  }
  std::string looked = fmt::format("{} legal values were looked at", s.looked_at);
  if (s.passed_over > 0)
    looked += s.why_passed_over.empty()
                  ? fmt::format(", {} others give no number for it", s.passed_over)
              : s.passed_at.empty()
                  ? fmt::format(", {} others make no plan ({})", s.passed_over, s.why_passed_over)
                  : fmt::format(", {} others make no plan (the first beyond, {}: {})",
                                s.passed_over, short_text(s.passed_at), s.why_passed_over);
  out.push_back(looked + ".");
  return out;
}

void write_tried(JsonWriter& json, const char* key, const std::optional<Tried>& t) {
  json.key(key);
  if (!t) {
    json.null();
    return;
  }
  json.object(JsonWriter::kOneLine).key("value").text(t->text).key("number").number(t->x);
  json.key("metric").number(t->metric.value).key("unit").text(unit_of(t->metric));
  json.key("meets").boolean(t->meets).close();
}

}  // namespace

std::string solution_text(const Solution& s, const TextStyle& style) {
  return sections_text({{.notes = lines(s)}}, style);
}
std::string solution_markdown(const Solution& s) {
  return sections_markdown({{.notes = lines(s)}});
}

std::string solution_csv(const Solution& s) {
  Table t({{"what"}, {"path"}, {"value"}, {"metric"}, {"number"}, {"unit"}, {"meets"}});
  const auto row = [&](const char* what, const std::optional<Tried>& x) {
    if (x)
      t.row({what, s.path, x->text, s.target.metric, plain(x->metric), unit_of(x->metric),
             x->meets ? "yes" : "no"});
  };
  row("answer", s.answer);
  row("beyond", s.beyond);
  row("now", s.now);
  return t.csv();
}

std::string solution_json(const Solution& s) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text("solution");
  json.key("path").text(s.path).key("target").text(target_text(s));
  json.key("outcome").text(word_of(s.outcome));
  write_tried(json, "answer", s.answer);
  write_tried(json, "beyond", s.beyond);
  write_tried(json, "now", s.now);
  json.key("monotone").boolean(s.monotone).key("turns").array();
  for (const Tried& t : s.turns) json.text(t.text);
  json.close().key("looked_at").number(static_cast<double>(s.looked_at));
  json.key("passed_over").number(static_cast<double>(s.passed_over)).close();
  return json.str();
}

}  // namespace reckon
