// Plans side by side, in four formats.
//
// JSON: {"schema_version", "kind": "comparison", "plans": [name], "columns": [{id, title, unit}], "rows": [{"plan",
// "results": {id: {value, unit}}}], "inputs": [{path, values}], "explained": [{metric, plan, first, other, parts:
// [{part, first, other}]}]}.
#pragma once

#include "reckon/engine/compare.hpp"
#include "reckon/report/section.hpp"

namespace reckon {

std::string comparison_text(const Comparison& c, const TextStyle& style);
std::string comparison_json(const Comparison& c);
std::string comparison_csv(const Comparison& c);
std::string comparison_markdown(const Comparison& c);

// "step.time: 7.62 s, 8.10 s (+6.3 %)" with its parts; also under a search's runner-up.
Section explained_section(const ExplainedDifference& e, const std::string& first,
                          const std::string& other);

// "+6.3 %", "×2.4"; "" where no number says it.
std::string relative(const Metric& first, const Metric& other);

}  // namespace reckon
