#include "reckon/report/plan_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cell.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/section.hpp"

namespace reckon {
namespace {

// Reasons one after the other, each once, with the rows it is of.
std::vector<std::string> reasons(const PlanTable& t) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const PlanTable::Row& row : t.rows) {
    if (row.fault.empty()) continue;
    auto at = std::find_if(found.begin(), found.end(),
                           [&](const auto& f) { return f.first == row.fault; });
    if (at == found.end()) at = found.insert(at, {row.fault, {}});
    at->second.push_back(join(row.values, ", "));
  }
  std::vector<std::string> out;
  for (const auto& [fault, rows] : found) {
    const std::size_t n = rows.size();
    const std::string which =
        n <= 4 ? join(rows, "; ") : fmt::format("{}; {} … {}", rows[0], rows[1], rows[n - 1]);
    out.push_back(fmt::format("no plan at {}: {}", which, fault));
    if (out.size() == 8 && found.size() > 9) {
      out.push_back(
          fmt::format("… and {} reasons more: --format csv lists each", found.size() - 8));
      break;
    }
  }
  return out;
}

// Why the answers of rows are no, as far as no column says it.
std::string nos_of(const PlanTable& t, const PlanTable::Row& row) {
  const bool said = find_metric(t.columns, "fits") || find_metric(t.columns, "memory.verdict");
  std::vector<No> nos = row.no;
  if (said) std::erase(nos, No::kMemory);
  return listed_nos(nos);
}

Section section_of(const PlanTable& t) {
  std::vector<Table::Column> columns;
  for (const Axis& a : t.axes) columns.push_back({a.path, Align::kRight, true});
  for (const Metric& m : t.columns) columns.push_back({m.id, Align::kRight});
  const bool any_no = std::any_of(t.rows.begin(), t.rows.end(),
                                  [&t](const PlanTable::Row& r) { return !nos_of(t, r).empty(); });
  if (any_no) columns.push_back({"", Align::kLeft, true});
  Table table(columns);
  for (const PlanTable::Row& row : t.rows) {
    std::vector<std::string> cells = row.values;
    for (const Metric& m : row.cells) cells.push_back(shown(m));
    if (!row.fault.empty() && !t.columns.empty()) cells.emplace_back("no plan");
    if (any_no) {
      cells.resize(columns.size() - 1);
      cells.push_back(nos_of(t, row));
    }
    table.row(std::move(cells));
  }
  return {.title = "", .table = std::move(table), .notes = reasons(t)};
}

bool as_number(const std::string& text, double& out) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

std::string plan_table_text(const PlanTable& t, const TextStyle& style) {
  return sections_text({section_of(t)}, style);
}
std::string plan_table_markdown(const PlanTable& t) { return sections_markdown({section_of(t)}); }

std::string plan_table_csv(const PlanTable& t) {
  std::vector<Table::Column> columns;
  for (const Axis& a : t.axes) columns.push_back({a.path});
  for (const Metric& m : t.columns) {
    const std::string unit = unit_of(m);
    columns.push_back({unit.empty() || unit == "1" ? m.id : fmt::format("{} [{}]", m.id, unit)});
  }
  columns.push_back({"reason"});
  Table table(columns);
  for (const PlanTable::Row& row : t.rows) {
    std::vector<std::string> cells = row.values;
    for (std::size_t i = 0; i < t.columns.size(); ++i)
      cells.push_back(row.fault.empty() ? plain(row.cells[i]) : "");
    cells.push_back(row.fault.empty() ? nos_of(t, row) : row.fault);
    table.row(std::move(cells));
  }
  return table.csv();
}

std::string plan_table_json(const PlanTable& t, std::string_view kind) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text(kind);
  json.key("columns").array();
  for (const Metric& m : t.columns) {
    json.object(JsonWriter::kOneLine).key("id").text(m.id).key("title").text(m.title);
    const std::string unit = unit_of(m);
    json.key("unit");
    unit.empty() ? json.null() : json.text(unit);
    json.close();
  }
  json.close().key("rows").array();
  for (const PlanTable::Row& row : t.rows) {
    json.object().key("at").object(JsonWriter::kOneLine);
    for (std::size_t i = 0; i < t.axes.size(); ++i) {
      double x = 0;
      json.key(t.axes[i].path);
      as_number(row.values[i], x) ? json.number(x) : json.text(row.values[i]);
    }
    json.close();
    if (row.fault.empty()) {
      json.key("results");
      write_cells(json, row.cells);
      if (!row.no.empty()) json.key("no").array(JsonWriter::kOneLine);
      for (const No why : row.no) json.text(words_of(why));
      if (!row.no.empty()) json.close();
    } else {
      json.key("reason").text(row.fault);
    }
    json.close();
  }
  json.close().close();
  return json.str();
}

std::string plan_plot(const PlanTable& t, const TextStyle& style, Diagnostics& diagnostics) {
  constexpr std::size_t kBar = 40;
  if (t.columns.empty() || t.rows.empty()) return "";
  // The first column that is a number, and not whether something holds.
  const auto at = std::find_if(t.columns.begin(), t.columns.end(), [](const Metric& m) {
    return m.hint != Hint::kYesNo && !m.is_text();
  });
  const std::size_t column =
      at == t.columns.end() ? 0 : static_cast<std::size_t>(at - t.columns.begin());
  const Metric& what = t.columns[column];
  double largest = 0;
  bool any = false;
  for (const PlanTable::Row& row : t.rows) {
    const Metric* m = row.fault.empty() ? &row.cells[column] : nullptr;
    if (!m || !reason_of(*m).empty() || m->is_text()) continue;
    largest = std::max(largest, m->value);
    any = true;
  }
  if (!any || what.hint == Hint::kYesNo) {
    diagnostics.error({}, fmt::format("--plot: {} is no number at any point", what.id))
        .help("name one that is: --metric step.time");
    return "";
  }
  Table table({{"", Align::kRight}, {"", Align::kRight}, {""}});
  for (const PlanTable::Row& row : t.rows) {
    if (!row.fault.empty()) {
      table.row({join(row.values, ", "), "no plan", ""});
      continue;
    }
    const Metric& m = row.cells[column];
    const double share = reason_of(m).empty() && largest > 0 ? std::max(0.0, m.value / largest) : 0;
    std::string bar;
    for (std::size_t i = 0; i < static_cast<std::size_t>(share * kBar + 0.5); ++i) bar += "█";
    table.row({join(row.values, ", "), shown(m), bar});
  }
  std::vector<std::string> paths;
  for (const Axis& a : t.axes) paths.push_back(a.path);
  return sections_text(
      {{.title = fmt::format("{} over {}", what.id, join(paths, ", ")), .table = std::move(table)}},
      style);
}

}  // namespace reckon
