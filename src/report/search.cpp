#include "reckon/report/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/compare.hpp"
#include "reckon/report/json.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::size_t kMostListed = 40;  // of a text; data formats have all
constexpr const char* kNone = "no plan of the space meets the conditions";

using SetList = std::vector<std::pair<std::string, std::string>>;

std::string plans(std::uint64_t n) {
  return n < 100000000 ? grouped(static_cast<double>(n))
                       : format_quantity(static_cast<double>(n), kOne, Hint::kRatio);
}

std::string fields(const SetList& sets) {
  std::vector<std::string> words;
  for (const auto& [path, value] : sets) words.push_back(path + "=" + value);
  return words.empty() ? "the plan as it stands" : join(words, " ");
}

std::string field(const FoundPlan& p, const std::string& path) {
  for (const auto& [name, value] : p.fields)
    if (name == path) return value;
  return std::string(kAbsent);
}

// Fields that are not the same in all plans of a list.
std::vector<std::string> varied(const std::vector<const FoundPlan*>& list) {
  std::vector<std::string> out;
  for (const auto& [path, value] : list.front()->fields) {
    const bool differs =
        std::any_of(list.begin(), list.end(), [&, name = path](const FoundPlan* p) {
          return field(*p, name) != field(*list.front(), name);
        });
    if (differs) out.push_back(path);
  }
  return out;
}

// The last word of a path says enough where no other ends so.
std::string short_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

// "fits", "tight", "does not fit"; empty where the kind of plan has no such word.
std::string verdict(const FoundPlan& p) {
  const Metric* m = find_metric(p.metrics, "memory.verdict");
  return m && m->has_value() ? m->text : "";
}

bool all_fit(const std::vector<const FoundPlan*>& list) {
  return std::all_of(list.begin(), list.end(), [](const FoundPlan* p) {
    const Metric* fits = find_metric(p->metrics, "fits");
    return (!fits || fits->value != 0) && verdict(*p) != "tight";
  });
}

std::string cell(const Metric& m, const FoundPlan& p) {
  return m.id == "fits" && !verdict(p).empty() ? verdict(p) : shown(m);
}

// What rows set and no column says, for all have the same: without it none of them is had again.
std::string set_besides(const std::vector<FoundPlan>& found,
                        const std::vector<std::string>& columns) {
  std::vector<std::string> words;
  for (const FoundPlan& p : found)
    for (const auto& [path, value] : p.sets) {
      if (std::find(columns.begin(), columns.end(), path) != columns.end()) continue;
      const std::string now = field(p, path);
      std::string word = path + "=" + (now == kAbsent ? value : now);
      if (std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(std::move(word));
    }
  return words.empty() ? "" : "Besides: " + join(words, " ");
}

// What plans are ranked by stays in a narrow table.
bool ranks(const Found& f, const std::string& id) {
  return id == f.objective || std::find(f.pareto.begin(), f.pareto.end(), id) != f.pareto.end();
}

Section list_section(const std::string& title, const std::vector<FoundPlan>& found, const Found& f,
                     bool given) {
  std::vector<const FoundPlan*> list;
  for (const FoundPlan& p : found)
    if (list.size() < kMostListed) list.push_back(&p);
  const bool has_given = given && !f.given.metrics.empty();
  if (has_given) list.push_back(&f.given);
  const std::vector<std::string> paths = varied(list);
  const bool fit = all_fit(list);
  const auto is_shown = [&](const Metric& m) { return m.hint != Hint::kYesNo || !fit; };
  std::vector<Table::Column> columns{{"", Align::kRight}};
  for (const std::string& p : paths) columns.push_back({short_name(p), Align::kRight, true});
  for (const Metric& m : f.columns)
    if (is_shown(m)) columns.push_back({m.id, Align::kRight, ranks(f, m.id)});
  Table t(columns);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool last = has_given && i + 1 == list.size();
    std::vector<std::string> cells{last ? "given" : std::to_string(i + 1)};
    for (const std::string& path : paths) cells.push_back(field(*list[i], path));
    for (const Metric& m : cells_of(list[i]->metrics, f.columns))
      if (is_shown(m)) cells.push_back(cell(m, *list[i]));
    t.row(std::move(cells));
  }
  Section out{.title = title, .table = std::move(t)};
  std::vector<No> no = has_given ? f.given.no : std::vector<No>();
  std::erase(no, No::kMemory);
  if (!no.empty()) out.notes.push_back("The plan as given: " + listed_nos(no) + ".");
  if (std::string more = set_besides(found, paths); !more.empty())
    out.notes.push_back(std::move(more));
  if (found.size() > kMostListed)
    out.notes.push_back(
        fmt::format("… and {} more: --format csv lists them.", found.size() - kMostListed));
  return out;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string way(const Found& f) { return f.maximize ? "largest" : "smallest"; }

std::string why(const Tally::Reason& r) {
  return r.nearest.empty() ? r.why : fmt::format("{} ({})", r.why, r.nearest);
}

Section tally_section(const Found& f, bool timed) {
  const Tally& t = f.tally;
  Table table({{"plans", Align::kRight}, {"why they lost"}});
  for (const Tally::Reason& r : t.reasons) table.row({plans(r.plans), why(r)});
  std::vector<std::string> notes;
  if (t.shapes == 0)
    notes.push_back(fmt::format("{} points: {} evaluated, {} make no plan.", plans(t.plans),
                                plans(t.evaluated), plans(t.rejected)));
  else
    notes.push_back(
        fmt::format("{}: {} with a step time, {} ruled out by memory or conditions alone, {} by a "
                    "lower "
                    "bound; layer times of {} shapes.",
                    t.plans == 1 ? "One legal plan" : plans(t.plans) + " legal plans",
                    plans(t.evaluated), plans(t.rejected), plans(t.bounded), plans(t.shapes)));
  if (timed && t.seconds > 0)
    notes.push_back(fmt::format(
        "{:.3g} s: {} plans a second, {} of them with a step time.", t.seconds,
        format_quantity(static_cast<double>(t.plans) / t.seconds, kOne, Hint::kRatio),
        format_quantity(static_cast<double>(t.evaluated) / t.seconds, kOne, Hint::kRatio)));
  if (t.reasons.empty()) return {.notes = std::move(notes)};
  return {.title = "The others", .table = std::move(table), .notes = std::move(notes)};
}

std::vector<Section> sections(const Found& f, bool timed) {
  std::vector<Section> out;
  if (f.stopped)
    out.push_back({.notes = {"Interrupted: the best so far, of a part of the space."}});
  if (f.best.empty()) {
    out.push_back({.notes = {capital(kNone) + "."}});
  } else {
    out.push_back(
        list_section(fmt::format("Best plans, {} {} first", way(f), f.objective), f.best, f, true));
    std::vector<std::string> said{fmt::format("The best: {}", fields(f.best.front().sets))};
    for (const Accuracy& a : f.accuracy) said.push_back(capital(a.text) + ".");
    if (f.ties > 1)
      said.push_back(
          fmt::format("Rows 1 to {} lie nearer to each other than that median error: "
                      "which of them is faster, these figures can't tell.",
                      f.ties));
    said.insert(said.end(), f.said.begin(), f.said.end());
    out.push_back({.notes = std::move(said)});
  }
  if (!f.front.empty())
    out.push_back(
        list_section(fmt::format("No plan beats these in both {} and {}", f.pareto[0], f.pareto[1]),
                     f.front, f, false));
  if (f.over_given && !f.over_given->parts.empty())
    out.push_back(explained_section(*f.over_given, "given", "best"));
  if (f.runner_up && !f.runner_up->parts.empty())
    out.push_back(explained_section(*f.runner_up, "best", "second"));
  out.push_back(tally_section(f, timed));
  if (!f.notes.empty()) out.push_back({.notes = f.notes});
  return out;
}

void write_plan(JsonWriter& json, const FoundPlan& p, const Found& f, std::size_t rank) {
  json.object();
  if (rank > 0) json.key("rank").number(static_cast<double>(rank));
  json.key("sets").object(JsonWriter::kOneLine);
  for (const auto& [path, value] : p.sets) json.key(path).text(value);
  json.close().key("fields").object(JsonWriter::kOneLine);
  for (const auto& [path, value] : p.fields) json.key(path).text(value);
  json.close().key("results");
  write_cells(json, cells_of(p.metrics, f.columns));
  json.close();
}

void write_difference(JsonWriter& json, const char* key,
                      const std::optional<ExplainedDifference>& e) {
  json.key(key);
  if (!e || e->parts.empty()) {
    json.null();
    return;
  }
  json.object().key("metric").text(e->first.id).key("first").number(e->first.value);
  json.key("other").number(e->other.value).key("parts").array();
  for (const PartDifference& p : e->parts)
    json.object(JsonWriter::kOneLine)
        .key("part")
        .text(p.label)
        .key("first")
        .number(p.first)
        .key("other")
        .number(p.other)
        .close();
  json.close().close();
}

void write_tally(JsonWriter& json, const Tally& t, bool timed) {
  const auto count = [&](const char* key, std::uint64_t n) {
    json.key(key).number(static_cast<double>(n));
  };
  json.key("tally").object();
  count("plans", t.plans);
  count("evaluated", t.evaluated);
  count("rejected", t.rejected);
  count("bounded", t.bounded);
  count("shapes", t.shapes);
  if (timed) json.key("seconds").number(t.seconds);
  json.key("reasons").array();
  for (const Tally::Reason& r : t.reasons) {
    json.object(JsonWriter::kOneLine).key("why").text(r.why);
    count("plans", r.plans);
    json.key("nearest").text(r.nearest).close();
  }
  json.close().close();
}

}  // namespace

std::string none_found(const Found& f) {
  std::vector<std::string> lost;
  for (const Tally::Reason& r : f.tally.reasons)
    lost.push_back(fmt::format("{} of {}: {}", plans(r.plans), plans(f.tally.plans), why(r)));
  return lost.empty() ? kNone : fmt::format("{}; {}", kNone, join(lost, "; "));
}

std::string found_text(const Found& f, const TextStyle& style, bool timed) {
  return sections_text(sections(f, timed), style);
}
std::string found_markdown(const Found& f, bool timed) {
  return sections_markdown(sections(f, timed));
}

std::string found_csv(const Found& f) {
  std::vector<Table::Column> columns{{"list"}, {"rank"}, {"sets"}};
  for (const Metric& m : f.columns) columns.push_back({m.id});
  Table t(columns);
  const auto rows = [&](const char* list, const std::vector<FoundPlan>& found) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::vector<std::string> cells{list, std::to_string(i + 1), fields(found[i].sets)};
      for (const Metric& m : cells_of(found[i].metrics, f.columns)) cells.push_back(plain(m));
      t.row(std::move(cells));
    }
  };
  rows("best", f.best);
  rows("front", f.front);
  return t.csv();
}

std::string found_json(const Found& f, bool timed) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text("search");
  json.key("objective").text((f.maximize ? "max:" : "min:") + f.objective);
  json.key("columns").array();
  for (const Metric& m : f.columns)
    json.object(JsonWriter::kOneLine)
        .key("id")
        .text(m.id)
        .key("title")
        .text(m.title)
        .key("unit")
        .text(unit_of(m))
        .close();
  json.close().key("rows").array();
  for (std::size_t i = 0; i < f.best.size(); ++i) write_plan(json, f.best[i], f, i + 1);
  json.close().key("front").array();
  for (const FoundPlan& p : f.front) write_plan(json, p, f, 0);
  json.close();
  if (!f.given.metrics.empty()) {
    json.key("given");
    write_plan(json, f.given, f, 0);
  }
  write_difference(json, "over_given", f.over_given);
  write_difference(json, "runner_up", f.runner_up);
  write_tally(json, f.tally, timed);
  json.key("stopped").boolean(f.stopped).key("notes").array();
  for (const std::string& n : f.said) json.text(n);
  for (const std::string& n : f.notes) json.text(n);
  json.close().key("accuracy").array();
  for (const Accuracy& a : f.accuracy) json.text(a.text);
  json.close().key("ties").number(static_cast<double>(f.ties)).close();
  return json.str();
}

std::string progress_line(const SearchProgress& p) {
  const double done = static_cast<double>(p.done), all = static_cast<double>(p.all);
  const double rate = p.seconds > 0 ? done / p.seconds : 0;
  return fmt::format(
      "{} of {} plans, {} a second, {} left", plans(p.done), plans(p.all),
      format_quantity(rate, kOne, Hint::kRatio, 3),
      rate > 0 ? format_quantity((all - done) / rate, kSecond, Hint::kNone, 2) : "?");
}

}  // namespace reckon
