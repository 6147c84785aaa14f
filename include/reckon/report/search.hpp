// What a search found: the best plans, what became of the others, why the second is second.
//
// JSON: {"schema_version", "kind": "search", "objective", "columns", "rows": [{"rank", "sets": {path: value},
// "fields", "results"}], "front", "given": {"results"}, "tally": {plans, rejected, evaluated, bounded, shapes,
// seconds, "reasons": [{why, plans, nearest}]}, "runner_up", "over_given", "stopped", "notes"}.
#pragma once

#include "reckon/engine/search.hpp"
#include "reckon/engine/sweep.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

// `timed`: with the time it took and the rates, which differ from run to run.
std::string found_text(const Found& f, const TextStyle& style, bool timed = true);
std::string found_json(const Found& f, bool timed = true);
std::string found_csv(const Found& f);
std::string found_markdown(const Found& f, bool timed = true);

// Where no plan was found: that there is none, and why the others lost. A table without rows does not say it.
std::string none_found(const Found& f);

// "1,234,567 of 13,165,632 plans, 1.2M a second, 9 s left": for a terminal.
std::string progress_line(const SearchProgress& p);

}  // namespace reckon
