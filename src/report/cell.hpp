// A metric's value as each format writes it.
#pragma once

#include <string>

#include "reckon/base/json.hpp"
#include "reckon/engine/result.hpp"

namespace reckon {

inline constexpr std::string_view kAbsent = "–";

// "21.92 GB", "fits", "yes", "–"
std::string shown(const Metric& m);

// For CSV: the number in SI units, the word, yes or no; "" if there is none.
std::string plain(const Metric& m);

// Why there is no value: the engine's reason, or that the number is none. "" if there is a value.
std::string reason_of(const Metric& m);

// "misses a stated target, its budget buys nothing"
std::string listed_nos(const std::vector<No>& all);

// The unit that stands beside the value in JSON and CSV; "" for words and for yes and no.
std::string unit_of(const Metric& m);

// {"value": 4.9e10, "unit": "B"}
void write_cell(JsonWriter& json, const Metric& m);

// "key": {"value": …} for each, all of them.
void write_cells(JsonWriter& json, const std::vector<Metric>& metrics);

}  // namespace reckon
