#include "reckon/report/fit.hpp"

#include <fmt/format.h>

#include "eval_sections.hpp"
#include "reckon/base/json.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

std::string number(double x) { return format_quantity(x, kOne, Hint::kRatio, 6); }
std::string shorter(double x) { return format_quantity(x, kOne, Hint::kRatio); }

std::string title(const FitReport& r) {
  const bool loss = r.request.approach == FitApproach::kLoss;
  return fmt::format("{} of {}: {} of {} runs", loss ? "L = E + A / N^α + B / D^β" : "N* = k · C^a",
                     r.request.file, r.read - r.dropped.size(), r.read);
}

Section constants_section(const FitReport& r) {
  Table t({{"constant"},
           {"value", Align::kRight},
           {"95 % of refits", Align::kRight},
           {"deviation", Align::kRight},
           {"meaning"}});
  for (const FitConstant& c : r.constants)
    t.row({c.symbol, number(c.value),
           c.low ? fmt::format("{} to {}", shorter(*c.low), shorter(*c.high)) : "",
           c.deviation ? shorter(*c.deviation) : "", c.meaning});
  return {.title = "", .table = std::move(t)};
}

Section groups_section(const FitReport& r) {
  if (r.groups.empty()) return {};
  Table t({{"compute", Align::kRight},
           {"runs", Align::kRight},
           {"N*", Align::kRight},
           {"lowest loss", Align::kRight},
           {""}});
  for (const IsoflopGroup& g : r.groups) {
    const char* why = !g.bottom  ? "no parabola that opens upward"
                      : g.inside ? ""
                                 : "lowest outside the sizes that were run: left out";
    t.row({format_quantity(g.flops, kFlop), fmt::format("{}", g.runs.size()),
           g.bottom ? format_quantity(g.best_N, kOne, Hint::kParams) : "",
           g.bottom ? number(g.best_loss) : "", why});
  }
  return {.title = "Runs of equal compute", .table = std::move(t)};
}

std::string rule(const FitReport& r) {
  const FitRequest& q = r.request;
  std::vector<std::string> rules;
  if (q.drop_highest > 0) rules.push_back(fmt::format("the {} of highest loss", q.drop_highest));
  if (q.drop_above) rules.push_back(fmt::format("those of a loss above {:g}", *q.drop_above));
  if (rules.empty())
    return "No run is dropped: --drop-highest N or --drop-above LOSS drops outliers, and says "
           "which.";
  std::vector<std::string> lines;
  for (const RunRow& x : r.dropped)
    lines.push_back(fmt::format("{} ({})", x.line, shorter(x.loss)));
  return fmt::format("Dropped: {}: lines {}.", join(rules, " and "),
                     lines.empty() ? "none" : join(lines, ", "));
}

std::vector<std::string> notes(const FitReport& r) {
  std::vector<std::string> out;
  if (r.request.approach == FitApproach::kLoss)
    out.push_back(
        fmt::format("Sum of Huber terms {:.8g} (δ {:g} on log loss), root mean square of the "
                    "residuals {:.4g}. {} of "
                    "{} starts end there.",
                    r.objective, r.request.delta, r.root_mean_square, r.agreeing, r.starts));
  out.push_back(rule(r));
  if (r.resamples > 0)
    out.push_back(fmt::format("{} resamples, seed {}.", r.resamples, r.request.seed));
  out.insert(out.end(), r.notes.begin(), r.notes.end());
  return out;
}

Table residuals_table(const FitReport& r, bool plain) {
  Table t({{"line", Align::kRight},
           {"params", Align::kRight},
           {"tokens", Align::kRight},
           {"loss", Align::kRight},
           {"predicted", Align::kRight},
           {"residual", Align::kRight},
           {plain ? "dropped" : ""}});
  for (const FitResidual& x : r.residuals) {
    const bool known = x.predicted > 0;
    const auto value = [&](double v, Hint hint) {
      return plain ? shortest_number(v) : format_quantity(v, kOne, hint);
    };
    t.row({fmt::format("{}", x.run.line), value(x.run.params, Hint::kParams),
           value(x.run.tokens, Hint::kTokens), value(x.run.loss, Hint::kRatio),
           known ? value(x.predicted, Hint::kRatio) : "",
           known ? (plain ? shortest_number(x.residual) : fmt::format("{:+.4f}", x.residual)) : "",
           plain ? (x.dropped ? "yes" : "no") : (x.dropped ? "dropped" : "")});
  }
  return t;
}

std::vector<Section> sections(const FitReport& r, bool residuals) {
  std::vector<Section> out{constants_section(r), groups_section(r)};
  if (residuals)
    out.push_back(
        {.title = "Residuals: ln loss − ln predicted", .table = residuals_table(r, false)});
  out.push_back({.title = "", .notes = notes(r)});
  return out;
}

void write_optional(JsonWriter& json, const char* key, const std::optional<double>& x) {
  json.key(key);
  x ? json.number(*x) : json.null();
}

void write_residuals(JsonWriter& json, const FitReport& r) {
  json.key("residuals").array();
  for (const FitResidual& x : r.residuals) {
    json.object(JsonWriter::kOneLine).key("line").number(x.run.line);
    json.key("params").number(x.run.params).key("tokens").number(x.run.tokens);
    json.key("flops").number(x.run.flops).key("loss").number(x.run.loss);
    write_optional(json, "predicted", x.predicted > 0 ? std::optional(x.predicted) : std::nullopt);
    write_optional(json, "residual", x.predicted > 0 ? std::optional(x.residual) : std::nullopt);
    json.key("dropped").boolean(x.dropped).close();
  }
  json.close();
}

}  // namespace

std::string fit_text(const FitReport& r, bool residuals, const TextStyle& style) {
  std::string out = title(r) + '\n';
  for (const std::string& w : r.warnings)
    out += "warning: " + wrap(w, style.usable_width() - 9, "  ") + '\n';
  return out + '\n' + sections_text(sections(r, residuals), style);
}

std::string fit_markdown(const FitReport& r, bool residuals) {
  std::vector<Section> all = sections(r, residuals);
  all.insert(all.begin(), {.title = "", .warnings = r.warnings});
  return "# " + markdown_text(title(r)) + "\n\n" + sections_markdown(all);
}

std::string fit_json(const FitReport& r, bool residuals) {
  JsonWriter json;
  json.object().key("schema_version").number(1).key("file").text(r.request.file);
  json.key("approach").text(r.request.approach == FitApproach::kLoss ? "loss" : "isoflop");
  json.key("runs").number(static_cast<double>(r.read));
  json.key("dropped").array(JsonWriter::kOneLine);
  for (const RunRow& x : r.dropped) json.number(x.line);
  json.close().key("constants").object();
  for (const FitConstant& c : r.constants) {
    json.key(c.key).object(JsonWriter::kOneLine).key("value").number(c.value);
    write_optional(json, "low", c.low);
    write_optional(json, "high", c.high);
    write_optional(json, "deviation", c.deviation);
    json.close();
  }
  json.close();
  if (r.request.approach == FitApproach::kLoss) {
    json.key("objective").number(r.objective).key("root_mean_square").number(r.root_mean_square);
    json.key("starts").number(static_cast<double>(r.starts));
    json.key("agreeing").number(static_cast<double>(r.agreeing));
  }
  json.key("resamples").number(static_cast<double>(r.resamples));
  json.key("seed").number(static_cast<double>(r.request.seed));
  if (residuals) write_residuals(json, r);
  json.key("warnings").array();
  for (const std::string& w : r.warnings) json.text(w);
  return json.close().close().str() + "\n";
}

std::string fit_csv(const FitReport& r, bool residuals) {
  if (residuals) return residuals_table(r, true).csv();
  Table t({{"constant"}, {"value"}, {"low"}, {"high"}, {"deviation"}});
  const auto text = [](const std::optional<double>& x) { return x ? shortest_number(*x) : ""; };
  for (const FitConstant& c : r.constants)
    t.row({c.key, shortest_number(c.value), text(c.low), text(c.high), text(c.deviation)});
  return t.csv();
}

}  // namespace reckon
