// A training plan's step beside the critical batch at the loss that its run will reach.
//
// The loss is what the plan's law says of all parameters and the run's tokens, or run.target_loss. The law is of
// dense models trained from scratch: for a mixture of experts or adapters the target is stated or left open.
// Most data ranks: at one micro-batch a rank, and as many as stages where there is a pipeline.
#pragma once

#include <algorithm>

#include "reckon/cost/critical_batch.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/cost/scaling.hpp"

namespace reckon {

template <class R>
struct RunBatch {
  std::optional<Ratio<R>> loss;
  std::optional<Count<R>> critical, largest_data;
  std::optional<BatchCost<R>> cost;
  std::string_view confidence, law, loss_law;
  const char* reason = "";  // why there is none
};

namespace detail {

template <class R>
const char* no_target_loss(const TrainingPlan<R>& plan) {
  if (!plan.batch_law.batch) return "the plan names no law of the critical batch: batch_law";
  if (plan.run.target_loss) return nullptr;
  if (!plan.run.tokens) return "the plan states no length: run: {tokens: 1.4T}";
  if (plan.trainable.adapters)
    return "no law of training from scratch says what adapters reach: run: {target_loss: 2.0}";
  if (!plan.law.loss) return "the plan names no law of the loss: law: besiroglu";
  const bool moe = std::any_of(plan.model.layers.begin(), plan.model.layers.end(),
                               [](const auto& g) { return g.mlp.kind == MlpKind::kMoe; });
  return moe ? "the loss law is of dense models: run: {target_loss: 2.0}" : nullptr;
}

}  // namespace detail

template <class R>
RunBatch<R> run_batch(const TrainingPlan<R>& plan, const Layout<R>& x, Count<R> params) {
  RunBatch<R> out;
  if (const char* why = detail::no_target_loss(plan)) {
    out.reason = why;
    return out;
  }
  out.loss = plan.run.target_loss
                 ? *plan.run.target_loss
                 : loss_at(loss_curve(*plan.law.loss), {params, *plan.run.tokens}).total;
  out.critical = critical_batch(*plan.batch_law.batch, *out.loss);
  out.cost = batch_cost(x.tokens, *out.critical);
  out.largest_data =
      largest_data_degree(*out.critical, x.T * plan.mesh.context * plan.mesh.pipeline);
  out.confidence = name_of(plan.batch_law.confidence);
  const auto called_as = [](const Law<R>& law) {
    return law.id.empty() ? std::string_view("the plan's own") : std::string_view(law.id);
  };
  out.law = called_as(plan.batch_law);
  out.loss_law = plan.run.target_loss ? std::string_view("stated") : called_as(plan.law);
  return out;
}

}  // namespace reckon
