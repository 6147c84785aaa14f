#include "reckon/cost/model.hpp"

#include "reckon/cost/reads.hpp"

namespace reckon {

template <class R>
static void add_cache(const Model<R>& model, const ModelQuestion<R>& q, ModelEstimate<R>& e) {
  e.kv = kv_cache(model, {q.b, q.b_state, q.windows}, q.s);
  auto B = q.B;
  auto KV = e.kv->sequence;
  NAME(B);
  e.kv_batch = kKvBatch(B * KV);
}

template <class R>
ModelEstimate<R> model_estimate(const Model<R>& model, const ModelQuestion<R>& q) {
  ModelEstimate<R> e;
  e.n = parameters(model);
  TrainingPlan<R> plan;  // FLOPs ask for a plan: this one trains everything and recomputes nothing
  plan.model = model;
  plan.batch.sequence = q.s;
  e.flops = token_flops(plan, e.n, Count<R>{0});
  auto N_mm = e.n.matmul;
  auto N = e.n.total;
  NAME(N_mm, N);
  e.matmul = kForwardMatmul(2_flop * N_mm);
  e.weights = q.b * N;
  e.read = read_parameters(model, e.n, experts_read(model, q.B), WeightsRead::kNoInputTable);
  if (model.abstract()) {
    const bool heads = model.hidden && !model.layers.empty() && model.layers.front().mixer.heads;
    if (heads) add_cache(model, q, e);
    return e;
  }
  add_cache(model, q, e);
  if (model.files) e.files = file_contents(model);
  return e;
}

template ModelEstimate<double> model_estimate(const Model<double>&, const ModelQuestion<double>&);
template ModelEstimate<Dual> model_estimate(const Model<Dual>&, const ModelQuestion<Dual>&);
template ModelEstimate<Traced> model_estimate(const Model<Traced>&, const ModelQuestion<Traced>&);

}  // namespace reckon
