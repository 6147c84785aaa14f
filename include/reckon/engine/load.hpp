// From a plan's tree to a plan: names looked up, shorthands written out, everything bound and located.
//
//   cluster: 64xh100-sxm          {nodes: 8, node: hardware/nodes/hgx-h100.yaml with its chip and fabric}
//   model: llama-3-8b             models/llama-3-8b.yaml
//   precision: bf16               formats/recipes/bf16.yaml with the sizes of its formats
//   assume: textbook              presets/textbook.yaml, overridden key by key
//   chip: {peak.bf16: 989 TFLOP/s}    overrides cluster.node.chip, as do node: and fabric:
//
// Every value keeps the file and line that stated it.
#pragma once

#include "reckon/engine/loaded.hpp"
#include "reckon/engine/plan_file.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

class LoadedTraining : public Loaded {
 public:
  TrainingPlan<double> plan;

  Result result(Workspace& work) const override;
  std::vector<Metric> metrics(Workspace& work) const override;
  Judged judged(Workspace& work) const override;
  bool at(const Changes& changes, Judged& out, Diagnostics& diagnostics) const override;
  std::shared_ptr<const void> record(const Recording& run,
                                     std::vector<Metric>& metrics) const override;
};

// Looks up, binds, checks legality. Meaningful only if `diagnostics` has no new errors.
LoadedTraining load_training(Workspace& work, doc::Value tree, Diagnostics& diagnostics);

}  // namespace reckon
