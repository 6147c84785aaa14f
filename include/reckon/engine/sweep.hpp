// A plan over the values of some fields: one row a point, illegal ones with the reason.
//
//   reckon sweep plan.yaml --vary cluster.nodes=1..64:x2 --vary batch.micro=1,2,4
//
//   SweepTable t = sweep(work, {file, nullptr, axes, {}}, diagnostics);
//   t.rows[3].cells[0].value
#pragma once

#include <functional>

#include "reckon/engine/axes.hpp"
#include "reckon/engine/points.hpp"

namespace reckon {

// Metrics of several plans side by side.
struct PlanTable {
  std::vector<Axis> axes;       // what differs
  std::vector<Metric> columns;  // id, title, dimension, hint
  struct Row {
    std::vector<std::string> values;  // of the axes
    std::vector<Metric> cells;        // one a column
    std::string fault;                // in place of cells: why there is no such plan
    std::vector<No> no = {};          // why its answer is no
  };
  std::vector<Row> rows;
};

struct SweepRequest {
  const PlanFile& file;
  const PlanFile::Case* which = nullptr;
  std::vector<Axis> axes;
  std::vector<std::string> metrics;  // those of the kind's tables if empty
};

// An unknown metric or field is a fault. A field that no point can take is one too.
PlanTable sweep(Workspace& work, const SweepRequest& request, Diagnostics& diagnostics);

// Columns of a table over these points: those asked for, those of the kind that some point has, or those that differ.
std::vector<Metric> table_columns(const PlanKind& kind, const std::vector<std::string>& asked,
                                  const std::vector<const std::vector<Metric>*>& points,
                                  Diagnostics& diagnostics);
// The cells of one plan under them.
std::vector<Metric> cells_of(const std::vector<Metric>& metrics,
                             const std::vector<Metric>& columns);

}  // namespace reckon
