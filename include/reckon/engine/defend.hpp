// The argument for a training plan, as somebody would make it at a whiteboard: six steps, each with its numbers and the
// alternatives that were turned down, and one last line that says what binds.
//
//   1 memory before sharding    2 the smallest sharding that fits    3 activations
//   4 communication             5 time and cost                      6 the same on 64 times the GPUs
//
// Nothing is priced here: every number is a metric of the plan or of the plan with one thing changed (`Variant`).
// What is stated is defended as it is, and what a plan of one's own leaves out means what `eval` takes it for (DDP).
// Only where there is no plan yet (--model, --gpus) sharding and recompute are chosen, as far as no --set states them,
// among the ways of step 2: of those that fit with room to spare, the one whose step is shortest, and of equals the one
// that shards and recomputes least.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reckon/engine/load.hpp"

namespace reckon {

// A formula worth showing: a metric of a plan.
struct ShownFormula {
  std::shared_ptr<const LoadedTraining> plan;
  std::string metric;
};

struct DefenceTable {
  struct Row {
    std::vector<std::string> cells;
    bool chosen = false;
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

struct DefenceStep {
  std::string title;
  std::vector<std::string> claims = {};  // in words, with numbers
  std::vector<ShownFormula> formulas = {};
  std::vector<DefenceTable> tables = {};
  std::string conclusion = {};
};

struct Defence {
  std::string title;
  std::vector<std::pair<std::string, std::string>> headline;  // as in a result
  std::vector<std::string> chosen;                            // what was chosen, and by which rule
  std::vector<DefenceStep> steps;
  std::string binds;  // the last line
  std::vector<std::string> not_modelled;
};

// The plan must be legal. `proposed`: the program wrote it, so what --set doesn't state may be chosen.
Defence defend(Workspace& work, const LoadedTraining& plan, bool proposed);

}  // namespace reckon
