// Published training runs: the plans of plans/measured with what each was measured to do.
//
//   for (const MeasuredRun& r : measured_runs(work, "bloom*", diagnostics))
//     r.plan, r.values[0].metric, r.values[0].value       // legal and bound; "step.time", 110.48
//
// A file holds what its runs share, `cases:` what differs, and `measured:` beside each (spec/measured_run.hpp). A row
// that states nothing, an unknown metric, one that is no time, memory or `fits`, or two figures that contradict each
// other by more than 1.5 % are faults of the file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reckon/engine/load.hpp"
#include "reckon/spec/measured_run.hpp"

namespace reckon {

// What a metric is judged as: a longer time and a lower throughput are the same error.
enum class MeasuredAs { kTime, kRate, kMemory, kFits };

struct MeasuredFigure {
  std::string metric;
  MeasuredAs as = MeasuredAs::kTime;
  double value = 0;  // SI
  Span span;
};

struct MeasuredRun {
  std::string file, name;  // "bloom", the case
  MeasuredFacts facts;
  std::vector<MeasuredFigure> figures;
  TrainingPlan<double> plan;
  Span span;

  const MeasuredFigure* time() const;  // step.time or a throughput
  bool ran_out_of_memory() const;      // fits: no
};

// "dense 16 bit", "MoE 8 bit": what kind of run a plan is.
std::string kind_of_run(const TrainingPlan<double>& plan);

// Those of files whose name matches (a pattern with *; all if empty), by file name. A `stack` stands in for the one
// that each run states: "default" is that of its chip.
std::vector<MeasuredRun> measured_runs(Workspace& work, const std::string& pattern,
                                       Diagnostics& diagnostics, const std::string& stack = {});

// Those of one file.
// The folder that measured runs are read from: the first root's that has any.
std::filesystem::path measured_folder(const Workspace& work);
// Whether `rows` is a file of one's own runs; a name in plans/measured otherwise. False after a fault too: a path that
// is no file.
bool are_own_rows(const std::string& rows, Diagnostics& diagnostics);
std::vector<MeasuredRun> measured_runs_of(Workspace& work, const std::filesystem::path& file,
                                          Diagnostics& diagnostics, const std::string& stack = {});

}  // namespace reckon
