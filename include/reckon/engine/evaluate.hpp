// A loaded plan -> its result; and the same recorded, for derivations and sensitivities.
#pragma once

#include <memory>

#include "reckon/cost/training.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/result.hpp"
#include "reckon/spec/lift.hpp"

namespace reckon {

// Metrics, assumptions, what is not modelled, fixes if it does not fit. The plan must be legal.
Result evaluate(Workspace& work, const LoadedTraining& loaded);

// The metrics alone, in the order of the report.
std::vector<Metric> metrics_of(const TrainingPlan<double>& plan);

// A plan evaluated on a tape. Metrics carry their nodes; the tape lives here, with the paths it points into.
class Recorded {
 public:
  explicit Recorded(const LoadedTraining& loaded);
  const Tape& tape() const { return tape_; }
  const std::vector<Metric>& metrics() const { return metrics_; }
  const Metric* find(std::string_view id) const;

 private:
  Tape tape_;
  Recording run_;
  TrainingPlan<Traced> plan_;  // its texts are the labels of sums
  std::vector<Metric> metrics_;
};

}  // namespace reckon
