// A metric by its id, or a fault that names the nearest one.
//
//   const Metric* m = metric_named(result.metrics, "step.tme", at, diagnostics, "expect: ");
//   // error: expect: this plan has no metric 'step.tme' · help: did you mean 'step.time'?
#pragma once

#include <string_view>
#include <vector>

#include "reckon/base/diagnostic.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

const Metric* metric_named(const std::vector<Metric>& metrics, std::string_view id, Span at,
                           Diagnostics& diagnostics, std::string_view said_by = "");

// `27.2222 ms` in the metric's unit; a headroom may be negative. False after a fault.
bool read_metric_value(const Metric& metric, const std::string& text, Span at,
                       Diagnostics& diagnostics, double& out);

}  // namespace reckon
