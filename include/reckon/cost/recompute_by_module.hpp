// What each recomputed module saves and costs, of a plan that names them.
//
//   RecomputeByModule<double> m = recompute_by_module(plan, estimate(plan));
//   m.modules[0].saved, m.modules[0].flops, m.modules[0].time
//
// Apart from the estimate, which needs the sums alone. `saved` is of the heaviest stage, before what is made again of
// one layer comes back beside it; time is of a step, a mean over the stages.
#pragma once

#include <string>
#include <vector>

#include "reckon/cost/operators/step.hpp"
#include "reckon/cost/training.hpp"

namespace reckon {

inline const Formula kModuleSaved{"recompute.saved", "M_mod",
                                  "memory that a recomputed module saves on the heaviest stage",
                                  "tensors that it makes again, of all micro-batches in flight"};
inline const Formula kDropped{"recompute.dropped", "M_drop",
                              "tensors of a layer that a module makes again",
                              "sum of those it would keep"};
inline const Formula kModuleStackTime{"recompute.stack_time", "T_mod",
                                      "a module of all layers, computed again",
                                      "its kernels, a mean over the stages"};

template <class R>
struct ModuleCost {
  RecomputeModule module;
  std::optional<Bytes<R>> saved;
  std::optional<Flops<R>> flops;  // of a token
  std::optional<Seconds<R>> time;
};

template <class R>
struct RecomputeByModule {
  std::vector<ModuleCost<R>> modules;

  template <class V>
  void metrics(V&& v) const {
    for (const ModuleCost<R>& m : modules) {
      const std::string id = "recompute." + std::string(name_of(m.module)) + ".",
                        name = std::string(name_of(m.module)) + ", made again: ";
      v(MetricInfo{id + "saved", name + "memory saved on the heaviest stage"}, m.saved,
        "needs the model's layers and hidden width");
      v(MetricInfo{id + "flops", name + "FLOPs of a token", Hint::kPerToken}, m.flops,
        "needs batch.sequence");
      v(MetricInfo{id + "time", name + "time in a step"}, m.time,
        "needs train.mfu that does not count recompute, or a stack");
    }
  }
};

// Tensors of one layer that `set` makes again.
template <class R>
Bytes<R> dropped(const Model<R>& model, const LayerGroup<R>& g, const ActivationShape<R>& x,
                 ModuleSet set) {
  Sum<kByte, R> all;
  const auto add = [&](const KeptTensor<R>& k) {
    if ((k.by & set) != 0) all.add(k.title, k.bytes);
  };
  for_each_mixer_tensor(model, g.mixer, x, add);
  for_each_mlp_tensor(g.mlp, x, add);
  return kDropped(all.total());
}

template <class R>
Bytes<R> saved_by(const TrainingPlan<R>& plan, const TrainingEstimate<R>& e, RecomputeModule m) {
  const ActivationShape<R> shape = activation_shape(plan, e.layout);
  std::vector<LayerMemory<R>> layers;
  for (const LayerGroup<R>& g : plan.model.layers) {
    auto M_drop = dropped(plan.model, g, shape, set_of(m));
    layers.push_back({M_drop, M_drop});
  }
  const Stages<R> stages(plan.model, cut_of(plan));
  auto M_mod =
      stage_activations(plan.model, plan.assume, Recompute::kNone, layers, e.memory.in_flight,
                        stages, e.memory.stage, {}, std::optional(e.layout.n))
          .total;
  NAME(M_mod);
  return kModuleSaved(1 * M_mod);
}

// With a stack: of all layers, a mean over the stages.
template <class R>
Seconds<R> stack_module_time(const TrainingPlan<R>& plan, const Layout<R>& x, RecomputeModule m) {
  KnownTimes<R> known;
  const OperatorMachine<R> machine = operator_machine(plan, known);
  const LayerShape<R> shape = layer_shape(plan, x);
  Sum<kSecond, R> all;
  LayerGemms<R> gemms;
  for (std::size_t i = 0; i < plan.model.layers.size(); ++i) {
    const LayerGroup<R>& g = plan.model.layers[i];
    const LayerTime<R> l = layer_time(plan, g, x, shape, machine, gemms);
    const auto forward = forward_parts(plan, g, attention_time(plan, g.mixer, machine), l);
    all.add(group_label(plan.model, "layers", "layers of group", i),
            g.count * module_time(plan, g, m, shape, machine, gemms.all, forward));
  }
  auto t_all = all.total();
  auto n = x.n;
  auto p = plan.mesh.pipeline;
  NAME(t_all, n, p);
  return kModuleStackTime(n * t_all / p);
}

template <class R>
RecomputeByModule<R> recompute_by_module(const TrainingPlan<R>& plan,
                                         const TrainingEstimate<R>& e) {
  RecomputeByModule<R> out;
  if (plan.recompute != Recompute::kModules) return out;
  for (const RecomputeModule m : plan.recompute_modules) {
    ModuleCost<R> cost{m, {}, {}, {}};
    if (e.memory.activations) cost.saved = saved_by(plan, e, m);
    if (e.flops.run)
      cost.flops = module_flops(plan.model, m,
                                core_flops(plan.model, *plan.batch.sequence,
                                           plan.assume.attention != AttentionKernel::kFlash));
    if (plan.stack)
      cost.time = stack_module_time(plan, e.layout, m);
    else if (plan.assume.train.mfu && e.flops.core && adds_recompute(plan.assume))
      cost.time = assumed_module_time(plan, e.layout, m, *e.flops.core);
    out.modules.push_back(cost);
  }
  return out;
}

}  // namespace reckon
