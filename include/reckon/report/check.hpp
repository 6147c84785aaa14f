// What `check` found, for people, programs and CI.
//
//   plans/worked/week-14.yaml  12 of 12 hold
//   plans/worked/llama.yaml     3 of 4 hold
//
//   plans/worked/llama.yaml:31:5: P303 memory.states
//     17.51 GB is not 17.5 GB (+0.057 %)
//     source: week-14 notes, problem 3
//
//   16 lines of 3 plans in 2 files: 1 missed
//
// The report may be that of many files: add their lines and counts.
#pragma once

#include <string>

#include "reckon/engine/check.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string check_text(const CheckReport& report, const TextStyle& style = {});

// {"schema_version": 1, "checks": [{"id", "file", "line", "case", "metric", "value", "unit", "expected", "printed",
// "within", "at_most", "at_least", "deviation", "pass", "why"}], "summary": {…}}. `expected` is what is held to 1e-5,
// `printed` the figure held to `within`; `deviation` is relative, from `expected` if there is one, else from `printed`.
std::string check_json(const CheckReport& report);

// The same columns; texts as the file states them.
std::string check_csv(const CheckReport& report);

std::string check_markdown(const CheckReport& report);

// JUnit's XML, as CI systems read it: a suite per file, a test case per line, an error for each that can't be read.
std::string check_junit(const CheckReport& report);

}  // namespace reckon
