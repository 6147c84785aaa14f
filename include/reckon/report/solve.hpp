// What solved for a target prints.
//
//   cluster.nodes = 41 meets run.days <= 30 days: 29.6 days
//   40 doesn't: 30.3 days.
//
// JSON: {"schema_version", "kind": "solution", "path", "target", "outcome": met | always | never | between, "answer":
// {value, metric}, "beyond", "now", "monotone", "turns", "looked_at", "passed_over"}.
#pragma once

#include "reckon/engine/solve.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string solution_text(const Solution& s, const TextStyle& style);
std::string solution_json(const Solution& s);
std::string solution_csv(const Solution& s);
std::string solution_markdown(const Solution& s);

}  // namespace reckon
