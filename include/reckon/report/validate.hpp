// Predicted against measured, as `reckon validate` prints it.
//
//   Matrix products and attention: constants of hardware/kernels against measurements
//     kind              rows  sets  median  mean   p90   bias  flat   peak
//     gemm               653    11   3.8 %  5.1 %  …
//
// Text and Markdown: errors per kind and per set, budgets, what was not predicted; with `verbose` every row. CSV: a
// line a row. JSON: all of it, seconds and shares as numbers.
#pragma once

#include <string>

#include "reckon/engine/validate_kernels.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string validate_text(const ValidateReport& report, const TextStyle& style);
std::string validate_markdown(const ValidateReport& report);
std::string validate_json(const ValidateReport& report);
std::string validate_csv(const ValidateReport& report);

}  // namespace reckon
