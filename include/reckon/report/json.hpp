// Estimates as JSON: all metrics under their ids, in SI units, as exactly as they were computed.
//
//   {
//     "schema_version": 1,
//     "kind": "training", "name": …, "file": …, "case": …, "headline": {"model": …},
//     "results": {
//       "memory.total": {"value": 69701476352, "unit": "B"},
//       "memory.verdict": {"value": "fits", "unit": null},
//       "fits": {"value": true, "unit": null},
//       "run.cost": {"value": null, "unit": "USD", "reason": "add price: to get dollars"}
//     },
//     "assumptions": [
//       {"path": "train.mfu", "value": "40 %", "place": "plan.yaml:8", "source": null, "overridden": false}
//     ],
//     "warnings": [], "not_modelled": [],
//     "fixes": [{"change": "recompute=full", "title": …, "headroom": {…}, "step_time": {…}}]
//   }
//
// A question has no fixes; it has "answer" (in words), "formulas" [{metric, symbol, steps, where}], "also"
// [{convention, flags, results}], "notes" and, where steps are drawn, "pictures" [{title, lines}].
//
// A value is a number, true, false, a word, or null with a "reason"; never NaN. Counts and shares have the unit "1".
// One plan gives that object, several an array of it. Keys keep their order; new ones may be added, and a change of
// meaning raises schema_version.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/result.hpp"

namespace reckon {

inline constexpr int kSchemaVersion = 1;

std::string eval_json(const std::vector<Result>& results);

}  // namespace reckon
