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

#include <string>
#include <utility>
#include <vector>

#include "reckon/doc/bind.hpp"
#include "reckon/engine/loaded.hpp"
#include "reckon/engine/workspace.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

// One line of `expect:`. Numbers stay text until the metric gives them a unit.
struct Expectation {
  std::string id, metric, exact, printed, source;
  std::optional<Ratio<double>> within;
  doc::Value fits;                      // shorthand: {fits: no}
  Span span, exact_span, printed_span;  // of the line, and of its values

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "of the worked example; names the line in reports"), s.id...);
    v(Field("metric", "", "the metric that is held"), s.metric...);
    v(Field("exact", "", "its value, held to 1e-5"), s.exact...);
    v(Field("printed", "", "the figure a source prints, held to `within`"), s.printed...);
    v(Field("within", "", "relative tolerance of `printed`").share(), s.within...);
    v(Field("source", "", "where the figure is printed"), s.source...);
    v(Field("fits", "", "short for metric: fits"), s.fits...);
  }
};

// A plan file, before anything is looked up: the plan's own keys, its expectations, its cases.
struct PlanFile {
  std::string name;  // as given
  std::string kind;
  doc::Value tree;  // without kind, expect, measured, cases
  std::vector<Expectation> expect;
  struct Case {
    std::string name;
    doc::Value overlay;
    std::vector<Expectation> expect;
    Span span;
  };
  std::vector<Case> cases;
  std::vector<std::pair<std::string, doc::Value>> sets;  // laid over plan and case alike
};

// `sets`: path=value overrides, applied to whatever is evaluated: the plan or one of its cases.
using Sets = std::vector<std::pair<std::string, std::string>>;

PlanFile open_plan(Workspace& work, std::string name, doc::Value tree, const Sets& sets,
                   Diagnostics& diagnostics);

// The plan's tree, or that of one of its cases, with the sets; a set that doesn't fit is a fault.
doc::Value case_tree(const PlanFile& file, const PlanFile::Case* which, Diagnostics& diagnostics);

class LoadedTraining : public Loaded {
 public:
  TrainingPlan<double> plan;

  Result result(Workspace& work) const override;
  std::vector<Metric> metrics(Workspace& work) const override;
  bool at(const Changes& changes, std::vector<Metric>& out,
          Diagnostics& diagnostics) const override;
  std::shared_ptr<const void> record(const Recording& run,
                                     std::vector<Metric>& metrics) const override;
};

// Looks up, binds, checks legality. Meaningful only if `diagnostics` has no new errors.
LoadedTraining load_training(Workspace& work, doc::Value tree, Diagnostics& diagnostics);

// One named thing and all it refers to, as a tree ready to bind.
doc::Value resolve_model(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_cluster(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_chip(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_node(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// For training, which needs formats of gradients; a recipe, for serving, does not.
doc::Value resolve_precision(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// chip: resolved, on which the stack runs; may be null.
doc::Value resolve_stack(Workspace& work, const doc::Value& said, const doc::Value* chip,
                         Diagnostics& diagnostics);
doc::Value resolve_recipe(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_optimizer(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
// A format's name under each class of tensors.
doc::Value resolve_classes(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_format(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_law(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);
doc::Value resolve_assume(Workspace& work, const doc::Value& said, Diagnostics& diagnostics);

}  // namespace reckon
