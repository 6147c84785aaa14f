#include "reckon/report/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "breakdown.hpp"
#include "cell.hpp"
#include "eval_sections.hpp"
#include "printable_result.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/metrics.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

constexpr std::string_view kParts[] = {
    "parameters.embedding", "parameters.positions", "parameters.head",
    "parameters.attention", "parameters.mlp",       "parameters.experts",
    "parameters.shared",    "parameters.router",    "parameters.vectors"};

// The report as a result, so that sections read its metrics as they do those of a plan.
Result as_result(const ModelReport& report) {
  Result r;
  r.name = report.name;
  if (!report.published.empty()) r.headline.emplace_back("published", report.published);
  if (!report.conventions.empty()) r.headline.emplace_back("for", report.conventions);
  r.metrics = report.metrics;
  return printable_result(std::move(r));
}

Section parts_section(Reader& r, const Canvas& canvas) {
  const Metric* total = r.result().find("parameters.total");  // shown by the group
  Breakdown parts(canvas, total ? total->value : 0);
  bool any = false;
  for (const std::string_view id : kParts) {
    const auto size = r.number(id);
    if (size.value_or(0) == 0) continue;
    parts.part(r.get(id)->title, r.text(id), *size);
    any = true;
  }
  return any ? Section{.title = "By part", .table = parts.table()} : Section{};
}

std::string parameters(double count) { return format_quantity(count, kOne, Hint::kParams); }

std::string counted(const LayerLine& l) { return format_quantity(l.count, kOne, Hint::kCount); }

// A line per group, wrapped: the words are long.
Section layers_in_words(const ModelReport& report, const Canvas& canvas) {
  KeyValues out(canvas);
  for (const LayerLine& l : report.layers) {
    std::string line = printable(l.mixer) + "; " + printable(l.mlp);
    if (l.per_layer > 0)
      line += fmt::format(": {} each, {}", parameters(l.per_layer), parameters(l.total));
    out.add(counted(l) + " ×", line);
  }
  return {.title = "Layers", .table = out.table()};
}

Section layers_table(const ModelReport& report) {
  Table out({{"count", Align::kRight},
             {"mixer"},
             {"MLP"},
             {"a layer", Align::kRight},
             {"all", Align::kRight}});
  for (const LayerLine& l : report.layers) {
    const bool known = l.per_layer > 0;
    out.row({counted(l), printable(l.mixer), printable(l.mlp),
             known ? parameters(l.per_layer) : std::string(kAbsent),
             known ? parameters(l.total) : std::string(kAbsent)});
  }
  return {.title = "Layers", .table = std::move(out)};
}

// The metrics that are under one of these prefixes and not shown yet; each reason once.
Section group(Reader& r, std::string title, std::initializer_list<std::string_view> prefixes) {
  Section out{.title = std::move(title), .table = Table({{""}, {"", Align::kRight}})};
  std::set<std::string> reasons;
  for (const Metric* m : r.not_shown()) {
    const auto about = [m](std::string_view prefix) { return m->id.starts_with(prefix); };
    if (std::none_of(prefixes.begin(), prefixes.end(), about)) continue;
    out.table.row({m->title, r.text(m->id)});
    if (const std::string reason = reason_of(*m); !reason.empty()) reasons.insert(reason);
  }
  for (const std::string& reason : reasons)
    out.notes.push_back(std::string(kAbsent) + ' ' + reason);
  return out;
}

std::vector<Section> sections_of(const ModelReport& report, const Result& result,
                                 const Canvas& canvas) {
  Reader r(result);
  KeyValues headline(canvas);
  for (const auto& [key, value] : result.headline) headline.add(key, value);
  std::vector<Section> out{{.table = headline.table()}};
  Section parts = parts_section(r, canvas);  // takes its metrics before the group does
  out.push_back(group(r, "Parameters", {"parameters."}));
  out.push_back(std::move(parts));
  out.push_back(canvas.markdown ? layers_table(report) : layers_in_words(report, canvas));
  out.push_back(group(r, "FLOPs", {"flops."}));
  out.push_back(group(r, "Memory", {"memory.", "kv."}));
  out.push_back(every_metric(r.not_shown(), "Other", canvas));
  return out;
}

void write_parameters(JsonWriter& json, std::string_view key, double count) {
  Metric m;
  m.value = count;
  m.hint = Hint::kParams;
  if (count == 0) m.reason = "the model states no layers and hidden width";
  json.key(key);
  write_cell(json, m);
}

void write_layer(JsonWriter& json, const LayerLine& l) {
  json.object().key("count").number(l.count);
  json.key("mixer").text(l.mixer).key("mlp").text(l.mlp);
  write_parameters(json, "per_layer", l.per_layer);
  write_parameters(json, "total", l.total);
  json.close();
}

}  // namespace

std::string model_text(const ModelReport& report, const TextStyle& style) {
  const Canvas canvas{
      .width = style.usable_width(), .verbose = style.verbose, .paint = {style.colour}};
  const Result result = as_result(report);
  return canvas.paint.bold(result.name) + '\n' +
         sections_text(sections_of(report, result, canvas), style);
}

std::string model_json(const ModelReport& report) {
  JsonWriter json;
  json.object().key("schema_version").number(kSchemaVersion).key("kind").text("model");
  json.key("name").text(report.name).key("published").text(report.published);
  json.key("for").text(report.conventions).key("results");
  write_cells(json, report.metrics);
  json.key("layers").array();
  for (const LayerLine& l : report.layers) write_layer(json, l);
  json.close().close();
  return json.str();
}

std::string model_csv(const ModelReport& report) { return metrics_csv(report.metrics); }

std::string model_markdown(const ModelReport& report) {
  const Result result = as_result(report);
  return "# " + result.name + "\n\n" +
         sections_markdown(sections_of(report, result, Canvas::for_markdown()));
}

}  // namespace reckon
