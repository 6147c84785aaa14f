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

// What most models have none of, and then goes without saying.
constexpr std::string_view kRare[] = {"parameters.mtp", "parameters.vision",
                                      "files.scales",   "kv.indexer_per_token",
                                      "kv.state",       "kv.convolution"};

constexpr std::string_view kParts[] = {
    "parameters.embedding", "parameters.positions", "parameters.head",
    "parameters.attention", "parameters.mlp",       "parameters.experts",
    "parameters.shared",    "parameters.router",    "parameters.vectors"};

std::string remainder_words(const PublishedTotal& p) {
  return fmt::format("{} of them are unexplained beside {}", grouped(p.remainder), listed(p.terms));
}

// The report as a result, so that sections read its metrics as they do those of a plan.
Result as_result(const ModelReport& report) {
  Result r;
  r.name = report.name;
  if (!report.published.empty()) r.headline.emplace_back("published", report.published);
  if (report.total && report.total->verdict == PublishedVerdict::kUnexplained && !report.stored)
    r.headline.emplace_back(
        "", fmt::format("the {} that are published are not met: {}", report.total->published,
                        remainder_words(*report.total)));
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

std::string bytes(double n) { return format_quantity(n, kByte, Hint::kNone); }
std::string bytes(const std::optional<double>& n) { return n ? bytes(*n) : std::string(kAbsent); }

Section formats_section(const ModelReport& report) {
  if (report.formats.size() < 2) return {};
  Table out({{"format"},
             {"weights", Align::kRight},
             {"cache of a token", Align::kRight},
             {"cache of a sequence", Align::kRight}});
  for (const FormatLine& l : report.formats)
    out.row({printable(l.format), bytes(l.weights), bytes(l.token), bytes(l.sequence)});
  return {.title = "By format", .table = std::move(out)};
}

std::string published_line(const PublishedTotal& p) {
  std::string line = fmt::format("{} = {}", p.published, join(p.terms, " + "));
  if (p.verdict == PublishedVerdict::kUnexplained)
    line += fmt::format(" + unexplained: {}", grouped(p.remainder));
  return fmt::format("Published: {} ({}).", line, name_of(p.verdict));
}

std::vector<Section> stored_sections(const ModelReport& report) {
  if (!report.stored) return {};
  const StoredReport& s = *report.stored;
  Section terms{
      .title = "Stored",
      .table = Table(
          {{"term"}, {"elements", Align::kRight}, {"bytes", Align::kRight}, {"in the files"}})};
  for (const StoredTerm& t : s.terms)
    terms.table.row({printable(t.name), grouped(t.elements),
                     s.stated && t.id != "packed" ? grouped(t.bytes) : std::string(kAbsent),
                     t.held ? "yes" : "no"});
  if (s.stated) terms.table.row({"in the files", grouped(s.elements), grouped(s.bytes), ""});
  if (!s.stated)
    terms.notes.emplace_back("The model does not state what its files hold (`files`).");
  if (report.total) terms.notes.push_back(published_line(*report.total));
  std::vector<Section> out{std::move(terms)};
  if (s.formats.empty()) return out;
  Table formats({{"format"}, {"elements", Align::kRight}, {"bytes", Align::kRight}});
  for (const StoredFormat& f : s.formats)
    formats.row({printable(f.name), grouped(f.elements), grouped(f.bytes)});
  out.push_back({.title = "Stored, by format", .table = std::move(formats)});
  return out;
}

std::vector<Section> sections_of(const ModelReport& report, const Result& result,
                                 const Canvas& canvas) {
  Reader r(result);
  KeyValues headline(canvas);
  for (const auto& [key, value] : result.headline) headline.add(key, value);
  std::vector<Section> out{{.table = headline.table()}};
  for (const std::string_view id : kRare) {
    const Metric* m = r.result().find(id);
    if (m && (!m->has_value() || m->value == 0)) r.claim({id});
  }
  const Metric *one = r.result().find("kv.per_sequence"), *all = r.result().find("kv.batch");
  if (one && all && (!all->has_value() || one->value == all->value)) r.claim({"kv.batch"});
  Section parts = parts_section(r, canvas);  // takes its metrics before the group does
  out.push_back(group(r, "Parameters", {"parameters."}));
  out.push_back(std::move(parts));
  out.push_back(canvas.markdown ? layers_table(report) : layers_in_words(report, canvas));
  out.push_back(group(r, "FLOPs", {"flops."}));
  out.push_back(group(r, "Memory", {"memory.", "kv."}));
  out.push_back(formats_section(report));
  if (report.stored) r.claim_all("files.");
  for (Section& s : stored_sections(report)) out.push_back(std::move(s));
  out.push_back(group(r, "Files", {"files."}));
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

void write_stored(JsonWriter& json, const ModelReport& report) {
  json.key("formats").array();
  for (const FormatLine& l : report.formats) {
    json.object().key("format").text(l.format).key("weights").number(l.weights);
    if (l.token) json.key("cache_of_a_token").number(*l.token);
    if (l.sequence) json.key("cache_of_a_sequence").number(*l.sequence);
    json.close();
  }
  json.close();
  if (!report.stored) return;
  json.key("stored").array();
  for (const StoredTerm& t : report.stored->terms) {
    json.object().key("id").text(t.id).key("name").text(t.name);
    json.key("elements").number(t.elements).key("bytes").number(t.bytes);
    json.key("held").boolean(t.held).close();
  }
  json.close().key("stored_by_format").array();
  for (const StoredFormat& f : report.stored->formats)
    json.object()
        .key("format")
        .text(f.name)
        .key("elements")
        .number(f.elements)
        .key("bytes")
        .number(f.bytes)
        .close();
  json.close();
  if (!report.total) return;
  const PublishedTotal& p = *report.total;
  json.key("total").object().key("published").text(p.published);
  json.key("verdict").text(std::string(name_of(p.verdict))).key("computed").number(p.computed);
  json.key("unexplained").number(p.remainder).key("terms").array();
  for (const std::string& t : p.terms) json.text(t);
  json.close().close();
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
  json.close();
  write_stored(json, report);
  json.close();
  return json.str();
}

std::string model_csv(const ModelReport& report) { return metrics_csv(report.metrics); }

std::string model_markdown(const ModelReport& report) {
  const Result result = as_result(report);
  return "# " + markdown_text(result.name) + "\n\n" +
         sections_markdown(sections_of(report, result, Canvas::for_markdown()));
}

}  // namespace reckon
