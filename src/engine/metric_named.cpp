#include "reckon/engine/metric_named.hpp"

#include <fmt/format.h>

#include "reckon/base/edit_distance.hpp"

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

}  // namespace reckon
