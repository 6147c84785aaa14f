// Predicted against measured serving rows, as `reckon validate serving` prints it: errors per engine and figure beside
// two baselines, budgets, and with `verbose` every row. CSV: a line a row. JSON: all of it in SI units.
#pragma once

#include <string>

#include "reckon/engine/validate_serving.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string validate_serving_text(const ServingReport& report, const TextStyle& style);
std::string validate_serving_markdown(const ServingReport& report);
std::string validate_serving_json(const ServingReport& report);
std::string validate_serving_csv(const ServingReport& report);

}  // namespace reckon
