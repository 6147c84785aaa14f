// What a step is made of where a software stack gives its time.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/operators/known.hpp"
#include "reckon/cost/step.hpp"

namespace reckon {

inline const Formula kFixedStep{"step.fixed", "T_fixed", "fixed time of a step",
                                "of the software stack"};
inline const Formula kClusterSync{"step.growth_sync", "T_sync",
                                  "what each doubling beyond a node adds", "its time · doublings"};
inline const Formula kClusterGrowth{"step.growth", "T_growth", "what a larger cluster adds",
                                    "a share and a time at every doubling beyond a node"};

// Parts of a step that only the operator-level model has.
template <class R>
struct OperatorParts {
  Seconds<R> gemms{}, attention{}, scan{}, elementwise{}, casts{}, tables{};
};

template <class R>
struct OperatorStep {
  ComputeTime<R> compute;
  PipelineTime<R> pipeline;
  Seconds<R> tensor{}, context{}, expert{}, p2p{}, data{}, optimizer{}, fixed{}, growth{}, time{};
  OperatorParts<R> parts;
  KnownTimes<R> known;  // collectives that it asked for
};

template <class R, class V>
void operator_metrics(const OperatorStep<R>& s, V&& v) {
  v(MetricInfo{"operators.gemms", "matrix products of the layers"}, s.parts.gemms);
  v(MetricInfo{"operators.attention", "attention cores"}, s.parts.attention);
  if (!(s.parts.scan <= Seconds<R>{}))
    v(MetricInfo{"operators.scan", "scans of layers that keep a state"}, s.parts.scan);
  v(MetricInfo{"operators.elementwise", "norms, activations, positions, permutations"},
    s.parts.elementwise);
  v(MetricInfo{"operators.casts", "casts to fp8"}, s.parts.casts);
  v(MetricInfo{"operators.tables", "embedding, head and loss"}, s.parts.tables);
  v(kFixedStep, s.fixed);
  v(kClusterGrowth, s.growth);
}

}  // namespace reckon
