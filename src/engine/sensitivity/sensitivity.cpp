#include "reckon/engine/sensitivity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "parts.hpp"
#include "reckon/cost/operators/step.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/metric_named.hpp"
#include "reckon/units/formula/sensitivity.hpp"

namespace reckon {
namespace {

// Times that no formula of the training estimate splits further.
const std::vector<std::string_view>& leaf_ids() {
  static const std::vector<std::string_view> ids{
      kCompute.id, kRecomputeTime.id, kCollectiveTime.id, kAllToAll.id, kAllToAllNodeTorus.id,
      kAllToAllTorus.id, kHop.id, kRingHop.id, kOptimizerTime.id, kOffloadTime.id, kModuleTime.id,
      kHostExposed.id, kTransfersPlayed.id,
      // Under a software stack, and where a schedule is played out; the rest of what a larger cluster adds is a share
      // of all of these.
      kOperatorUseful.id, kOperatorAgain.id, kMeanExposed.id, kOperatorBubble.id,
      kOperatorImbalance.id, kPeerExposed.id, kOutside.id, kGradientsExposed.id, kGradientsAlone.id,
      kGradientsInBuckets.id, kFixedStep.id, kFixedScales.id, kUpdateKernels.id, kClusterSync.id,
      kBubbleUneven.id, kImbalancePlayed.id};
  return ids;
}

bool continuous(const Tape::Name& name) {
  return name.hint != Hint::kCount && name.hint != Hint::kLength && name.hint != Hint::kParams &&
         name.hint != Hint::kTokens;
}

std::string place(const Origin& origin) {
  return origin.line ? fmt::format("{}:{}", origin.file, origin.line) : "default";
}

const Metric* number_named(const Recorded& recorded, const std::string& id,
                           Diagnostics& diagnostics) {
  const Metric* m = metric_named(recorded.metrics(), id, {}, diagnostics);
  if (!m || (m->has_value() && !m->is_text() && m->hint != Hint::kYesNo)) return m;
  diagnostics.error(
      {},
      fmt::format("{}: {}", id, m->has_value() ? "the plan computes no number for it" : m->reason));
  return nullptr;
}

}  // namespace

Sensitivity sensitivities(const Loaded& plan, const std::string& metric, Diagnostics& diagnostics) {
  Sensitivity out;
  const Recorded recorded(plan);
  const Metric* m = number_named(recorded, metric, diagnostics);
  if (!m) return out;
  out.metric = *m;
  if (m->node < 0) return out;  // a constant: nothing moves it
  for (const InputSlope& s : input_slopes(recorded.tape(), m->node)) {
    if (!continuous(*s.name) || s.elasticity == 0) continue;
    out.inputs.push_back({s.path,
                          place(s.name->origin),
                          s.value,
                          s.name->dim,
                          s.name->hint,
                          s.slope,
                          s.elasticity,
                          {}});
  }
  add_tenths(plan, *m, out);
  add_whole(plan, recorded, *m, out);
  add_ranges(plan, *m, out);
  add_kinks(recorded, *m, out);
  if (!(m->dim == kSecond)) return out;
  for (const Share& s : breakdown(recorded.tape(), m->node, leaf_ids())) {
    if (s.value != 0) out.leaves.push_back({s.name, s.value, s.value / m->value});
  }
  return out;
}

}  // namespace reckon
