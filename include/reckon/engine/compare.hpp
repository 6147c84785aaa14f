// Plans side by side: their metrics, what differs in what they state, and which part of a metric makes the difference.
//
//   Comparison c = compare(work, {a.get(), b.get()}, {"step.time"}, diagnostics);
//   c.inputs.front().path                       // "sharding.zero": "1" and "3"
//   c.explained.front().parts.front().label     // "data": what step.time differs by, largest first
//
// The first plan is what the others are held against. A metric that is a sum is explained by its parts.
#pragma once

#include "reckon/engine/loaded.hpp"

namespace reckon {

struct ComparedMetric {
  Metric head;                // id, title, dimension
  std::vector<Metric> cells;  // one a plan
};

struct InputDifference {
  std::string path;
  std::vector<std::string> values;  // one a plan; "" where it states none
};

struct PartDifference {
  std::string label;
  double first = 0, other = 0;
  double difference() const { return other - first; }
};

// Why plan `plan` has another value of a metric than the first one.
struct ExplainedDifference {
  Metric first, other;
  std::size_t plan = 1;
  std::vector<PartDifference> parts;  // largest difference first; those that are equal left out
};

struct Comparison {
  std::vector<std::string> names;
  std::vector<ComparedMetric> metrics;
  std::vector<InputDifference> inputs;
  std::vector<ExplainedDifference> explained;
};

using PlansCompared = std::vector<const Loaded*>;

// `metrics`: those to show; without any, those of the kind's tables. `kind` of all plans.
Comparison compare(Workspace& work, const PlansCompared& plans, std::string_view kind,
                   const std::vector<std::string>& metrics, Diagnostics& diagnostics);

// The parts of a sum on a recorded plan's tape, and what they come to; empty where the metric is no sum.
std::vector<std::pair<std::string, double>> parts_of(const Recorded& plan, std::string_view metric);

std::vector<InputDifference> differences(const std::vector<const doc::Value*>& plans);

// What the other's metric differs by, part by part.
ExplainedDifference explain_difference(const Recorded& first, const Recorded& other,
                                       std::string_view metric);

}  // namespace reckon
