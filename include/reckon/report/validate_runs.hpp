// Predicted against measured runs, as `reckon validate runs|memory` prints it.
//
//   Step time of measured runs, by the stacks that ship
//     rows                     n  median  mean   p90   bias  constant  textbook
//     core                   141   3.3 %  5.0 %  …
//
// Text and Markdown: errors per set, file and stack, a picture of all rows, budgets; with `verbose` every row. CSV: a
// line a row. JSON: all of it, SI units and shares as numbers.
#pragma once

#include <string>

#include "reckon/engine/validate_runs.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string validate_runs_text(const RunsReport& report, const TextStyle& style);
std::string validate_runs_markdown(const RunsReport& report);
std::string validate_runs_json(const RunsReport& report);
std::string validate_runs_csv(const RunsReport& report);

}  // namespace reckon
