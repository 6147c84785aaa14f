#include "reckon/cost/questions/layer.hpp"

namespace reckon {
namespace {

// The group that was asked for, else the one with most layers.
template <class R>
std::size_t group_asked(const LayerQuestion<R>& q) {
  if (q.layer) return static_cast<std::size_t>(whole(*q.layer));
  std::size_t most = 0;
  for (std::size_t i = 1; i < q.model.layers.size(); ++i) {
    if (q.model.layers[most].count < q.model.layers[i].count) most = i;
  }
  return most;
}

template <class R>
void add_up(LayerAnswer<R>& a) {
  Sum<kFlop, R> flops[2];
  Sum<kByte, R> sent[2];
  Sum<kSecond, R> exposed[2];
  int i = 0;
  for (const LayerRow<R>& row : a.rows) {
    const int pass = row.backward ? 1 : 0;
    const Label label("operator", i++);
    if (row.flops) flops[pass].add(label, *row.flops);
    if (!row.group) continue;
    sent[pass].add(label, row.bytes);
    exposed[pass].add(label, *row.exposed);
  }
  a.flops_forward = flops[0].total();
  a.flops_backward = flops[1].total();
  a.sent_forward = sent[0].total();
  a.sent_backward = sent[1].total();
  a.exposed_forward = exposed[0].total();
  a.exposed_backward = exposed[1].total();
}

}  // namespace

template <class R>
TrainingPlan<R> plan_of(const LayerQuestion<R>& q) {
  TrainingPlan<R> plan;
  plan.model = q.model;
  plan.cluster = *q.cluster;
  plan.mesh.tensor = q.tensor;
  plan.mesh.context = q.context;
  plan.mesh.expert = q.expert;
  plan.mesh.expert_tensor = q.expert_tensor;
  plan.mesh.sequence = q.sequence_parallel;
  plan.batch.micro = q.micro;
  plan.batch.sequence = q.sequence;
  plan.recompute = q.recompute;
  plan.recompute_modules = q.recompute_modules;
  plan.precision = q.precision;
  plan.assume = q.assume;
  plan.stack = q.stack;
  auto G = plan.cluster.nodes * plan.cluster.node.gpus;
  NAME(G);
  auto B = q.micro * data_degree(plan, G);
  NAME(B);
  plan.batch.global = B;
  return plan;
}

template <class R>
LayerAnswer<R> answer(const LayerQuestion<R>& question) {
  const TrainingPlan<R> plan = plan_of(question);
  const Layout<R> layout = lay_out(plan);
  KnownTimes<R> known;
  const OperatorMachine<R> machine = operator_machine(plan, known);
  const LayerShape<R> shape = layer_shape(plan, layout);
  LayerAnswer<R> a;
  a.group = group_asked(question);
  const LayerGroup<R>& g = plan.model.layers[a.group];
  LayerGemms<R> gemms;
  const LayerTime<R> time = layer_time(plan, g, layout, shape, machine, gemms);
  a.forward = time.all.forward;
  a.backward = time.all.backward;
  a.recompute = time.recompute;
  a.held_back = !(time.host <= Seconds<R>{}) && !(time.host < a.forward);
  a.tokens = layout.T;
  a.rows = LayerList<R>(plan, g, layout, shape, machine).all();
  add_up(a);
  return a;
}

template TrainingPlan<double> plan_of(const LayerQuestion<double>&);
template TrainingPlan<Traced> plan_of(const LayerQuestion<Traced>&);
template LayerAnswer<double> answer(const LayerQuestion<double>&);
template LayerAnswer<Traced> answer(const LayerQuestion<Traced>&);

}  // namespace reckon
