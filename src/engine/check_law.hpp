// A law's `expect:` lines as questions, so that `reckon check laws/` holds a law to what its source prints.
#pragma once

#include <string>
#include <vector>

#include "reckon/engine/plan_file.hpp"

namespace reckon {

// Whether a file is a law.
bool is_law(const doc::Value& tree);

// Shorthands of a law's file: `samples` as a block of text, a set of constants a line.
void write_out_law(doc::Value& law);

// - {question: scaling, given: {flops: 1e21 FLOP}, metric: params, printed: 2.86B, within: 1%}
// becomes {kind: scaling, law: the file, flops: 1e21 FLOP, expect: [the rest]}. Faults of the law itself too.
std::vector<PlanFile> law_questions(Workspace& work, const std::string& name,
                                    const doc::Value& tree, Diagnostics& diagnostics);

}  // namespace reckon
