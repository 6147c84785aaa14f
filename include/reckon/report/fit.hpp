// What a fit found, as text, JSON, CSV and Markdown.
//
//   loss law of laws/data/chinchilla-245.csv: 240 of 245 runs
//     constant  value    95 % of refits        deviation
//     E         1.8172   1.77 to 1.866         0.0246
//   …
#pragma once

#include <string>

#include "reckon/engine/fit.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

// `residuals`: with a line for every run.
std::string fit_text(const FitReport& report, bool residuals, const TextStyle& style);
std::string fit_markdown(const FitReport& report, bool residuals);
std::string fit_json(const FitReport& report, bool residuals);
// The constants; with `residuals`, the runs instead.
std::string fit_csv(const FitReport& report, bool residuals);

}  // namespace reckon
