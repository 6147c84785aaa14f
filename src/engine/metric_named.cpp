#include "reckon/engine/metric_named.hpp"

#include <fmt/format.h>

#include "reckon/base/edit_distance.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {

const Metric* metric_named(const std::vector<Metric>& metrics, std::string_view id, Span at,
                           Diagnostics& diagnostics, std::string_view said_by) {
  if (const Metric* m = find_metric(metrics, id)) return m;
  std::vector<std::string> known;
  for (const Metric& m : metrics) known.push_back(m.id);
  const std::string near = closest(std::string(id), known);
  diagnostics.error(at, fmt::format("{}this plan has no metric '{}'", said_by, id))
      .help(near.empty() ? "`reckon eval PLAN --format csv` lists a plan's metrics"
                         : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

bool read_metric_value(const Metric& m, const std::string& text, Span at, Diagnostics& diagnostics,
                       double& out) {
  if (m.hint == Hint::kYesNo) {
    const bool yes = text == "yes" || text == "true";
    if (!yes && text != "no" && text != "false") {
      diagnostics.error(at, fmt::format("{}: expected yes or no, found '{}'", m.id, text));
      return false;
    }
    out = yes ? 1 : 0;
    return true;
  }
  std::string_view magnitude = text;
  const bool negative = magnitude.starts_with('-');  // a headroom may be negative
  if (negative) magnitude.remove_prefix(1);
  const auto parsed =
      parse_quantity(magnitude, m.dim, m.hint == Hint::kCount ? Hint::kRatio : m.hint);
  if (const auto* error = std::get_if<ParseError>(&parsed)) {
    diagnostics.error(at, fmt::format("{}: {}", m.id, error->message)).help(error->help);
    return false;
  }
  out = std::get<double>(parsed) * (negative ? -1 : 1);
  return true;
}

}  // namespace reckon
