// Tables over several plans: a sweep's points, a search's ranking.
//
//   cluster.nodes  memory per GPU  step time
//   1                    75.2 GB     12.4 s
//   3              not a plan: 24 GPUs …
//
// JSON: {"schema_version", "kind", "columns": [{"id", "unit", "title"}], "rows": [{"at": {path: value}, "results":
// {id: {value, unit}}, "no": ["misses a stated target"], "reason"}]}: "no" where the plan's answer is one, "reason" in
// place of results. CSV: a column a field and metric, in SI units, and "reason" of both.
#pragma once

#include "reckon/engine/sweep.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string plan_table_text(const PlanTable& table, const TextStyle& style);
std::string plan_table_json(const PlanTable& table, std::string_view kind);
std::string plan_table_csv(const PlanTable& table);
std::string plan_table_markdown(const PlanTable& table);

// The first axis across, one curve of the first column; a fault where they are no numbers.
std::string plan_plot(const PlanTable& table, const TextStyle& style, Diagnostics& diagnostics);

}  // namespace reckon
