#include "reckon/report/compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cell.hpp"
#include "reckon/report/json.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

bool numeric(const Metric& m) {
  return reason_of(m).empty() && !m.is_text() && m.hint != Hint::kYesNo;
}

Section metrics_section(const Comparison& c) {
  std::vector<Table::Column> columns{{"metric"}};
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    columns.push_back({c.names[i], Align::kRight});
    if (i > 0) columns.push_back({"", Align::kRight});
  }
  Table t(columns);
  for (const ComparedMetric& m : c.metrics) {
    std::vector<std::string> row{m.head.id};
    for (std::size_t i = 0; i < m.cells.size(); ++i) {
      row.push_back(shown(m.cells[i]));
      if (i > 0) row.push_back(relative(m.cells[0], m.cells[i]));
    }
    t.row(std::move(row));
  }
  return {.title = "Metrics", .table = std::move(t)};
}

Section inputs_section(const Comparison& c) {
  if (c.inputs.empty()) return {.title = "Inputs", .notes = {"The plans state the same."}};
  std::vector<Table::Column> columns{{"input"}};
  for (const std::string& name : c.names) columns.push_back({name, Align::kRight});
  Table t(columns);
  for (const InputDifference& d : c.inputs) {
    std::vector<std::string> row{d.path};
    for (const std::string& v : d.values) row.push_back(v.empty() ? std::string(kAbsent) : v);
    t.row(std::move(row));
  }
  return {.title = "What differs in the inputs", .table = std::move(t)};
}

std::vector<Section> sections(const Comparison& c) {
  std::vector<Section> out{metrics_section(c), inputs_section(c)};
  for (const ExplainedDifference& e : c.explained)
    out.push_back(explained_section(e, c.names[0], c.names[e.plan]));
  return out;
}

}  // namespace

std::string relative(const Metric& first, const Metric& other) {
  if (!numeric(first) || !numeric(other)) return "";
  if (first.value == other.value) return "=";
  if (first.value == 0 || (first.value < 0) != (other.value < 0)) return "";
  const double ratio = other.value / first.value;
  if (ratio >= 2 || ratio <= 0.1) return fmt::format("×{:.3g}", ratio);
  return fmt::format("{:+.2g} %", 100 * (ratio - 1));
}

Section explained_section(const ExplainedDifference& e, const std::string& first,
                          const std::string& other) {
  const Metric& m = e.first;
  Table t(
      {{"part"}, {first, Align::kRight}, {other, Align::kRight}, {"difference", Align::kRight}});
  const auto text = [&](double x) {
    return x == 0 ? std::string(kAbsent) : format_quantity(x, m.dim, m.hint);
  };
  for (const PartDifference& p : e.parts) {
    const double d = p.difference();
    t.row({p.label, text(p.first), text(p.other),
           fmt::format("{}{}", d < 0 ? "−" : "+", format_quantity(std::abs(d), m.dim, m.hint))});
  }
  const double d = e.other.value - e.first.value;
  const std::string title =
      shown(e.first) == shown(e.other)
          ? fmt::format("{} is {} in both, but for {}{}", m.id, shown(e.other), d < 0 ? "−" : "+",
                        format_quantity(std::abs(d), m.dim, m.hint))
          : fmt::format("Why {} is {} instead of {}", m.id, shown(e.other), shown(e.first));
  return {.title = title, .table = std::move(t)};
}

std::string comparison_text(const Comparison& c, const TextStyle& style) {
  return sections_text(sections(c), style);
}
std::string comparison_markdown(const Comparison& c) { return sections_markdown(sections(c)); }

std::string comparison_csv(const Comparison& c) {
  std::vector<Table::Column> columns{{"what"}, {"name"}, {"unit"}};
  for (const std::string& name : c.names) columns.push_back({name});
  Table t(columns);
  for (const ComparedMetric& m : c.metrics) {
    std::vector<std::string> row{"metric", m.head.id, unit_of(m.head)};
    for (const Metric& cell : m.cells) row.push_back(plain(cell));
    t.row(std::move(row));
  }
  for (const InputDifference& d : c.inputs) {
    std::vector<std::string> row{"input", d.path, ""};
    row.insert(row.end(), d.values.begin(), d.values.end());
    t.row(std::move(row));
  }
  return t.csv();
}

std::string comparison_json(const Comparison& c) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text("comparison");
  json.key("columns").array();
  for (const ComparedMetric& m : c.metrics) {
    json.object(JsonWriter::kOneLine).key("id").text(m.head.id).key("title").text(m.head.title);
    json.key("unit").text(unit_of(m.head)).close();
  }
  json.close().key("rows").array();
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    std::vector<Metric> cells;
    for (const ComparedMetric& m : c.metrics) cells.push_back(m.cells[i]);
    json.object().key("plan").text(c.names[i]).key("results");
    write_cells(json, cells);
    json.close();
  }
  json.close().key("inputs").array();
  for (const InputDifference& d : c.inputs) {
    json.object(JsonWriter::kOneLine)
        .key("path")
        .text(d.path)
        .key("values")
        .array(JsonWriter::kOneLine);
    for (const std::string& v : d.values) v.empty() ? json.null() : json.text(v);
    json.close().close();
  }
  json.close().key("explained").array();
  for (const ExplainedDifference& e : c.explained) {
    json.object().key("metric").text(e.first.id).key("plan").text(c.names[e.plan]);
    json.key("unit").text(unit_of(e.first)).key("first").number(e.first.value);
    json.key("other").number(e.other.value).key("parts").array();
    for (const PartDifference& p : e.parts) {
      json.object(JsonWriter::kOneLine).key("part").text(p.label).key("first").number(p.first);
      json.key("other").number(p.other).close();
    }
    json.close().close();
  }
  json.close().close();
  return json.str();
}

}  // namespace reckon
