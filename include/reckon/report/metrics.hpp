// Any list of metrics in four formats: for commands that are not about one plan.
//
//   metrics_csv(report.metrics);
//
//   metric,value,unit,title,reason
//   parameters.total,8030261248,params,all parameters,
//
// All of them, in the order they have, in SI units but for text and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/engine/result.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string metrics_text(const std::vector<Metric>& metrics, const TextStyle& style = {});

// {"schema_version", "kind", "name", "results": {id: {"value", "unit"}}}: cells as in report/json.hpp.
std::string metrics_json(std::string_view kind, std::string_view name,
                         const std::vector<Metric>& metrics);

std::string metrics_csv(const std::vector<Metric>& metrics);
std::string metrics_markdown(const std::vector<Metric>& metrics);

}  // namespace reckon
