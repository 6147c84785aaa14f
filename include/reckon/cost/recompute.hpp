// What recomputed modules run again: FLOPs of a token, bytes that pass through memory.
//
//   core_attn        the attention core's products       layernorm     no products: a read and a write
//   mla_up_proj      q (from its latent) and k, v        mlp_act, moe_act   the same
//   mlp              the dense MLP's matrices            moe           what a token passes of it, dispatch and combine
//   shared_experts   their matrices
//
//   time of one, with a stated MFU = FLOPs · tokens / (GPUs · peak · MFU) + n · bytes / (W_m · e_m)
//
// `layernorm` in these is the two norms of a layer; a kept norm's input is what both start from.
// Source: Megatron-LM, --recompute-modules; DeepSeek-V3 report, section 3.2.3.
#pragma once

#include <initializer_list>
#include <string_view>

#include "reckon/cost/operators/elementwise.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/spec/training.hpp"

namespace reckon {

inline const Formula kModuleParameters{"recompute.parameters", "N_mod",
                                       "matrix parameters of a module on a token's path",
                                       "all layers that have it", Hint::kParams};
inline const Formula kModuleFlops{"recompute.flops", "F_mod",
                                  "FLOPs of a token that a module runs again", "one forward pass",
                                  Hint::kPerToken};
inline const Formula kCoreFlops{"recompute.core_flops", "F_mod",
                                "FLOPs of a token that attention cores run again",
                                "as its kernels compute them, forward", Hint::kPerToken};
inline const Formula kModulesFlops{"recompute.all_flops", "F_again",
                                   "FLOPs of a token that recomputed modules run again",
                                   "sum over the modules", Hint::kPerToken};
inline const Formula kModuleBytes{"recompute.bytes", "S_mod",
                                  "bytes of one micro-batch that a module's norms, positions and "
                                  "activation functions move again",
                                  "all layers of the model that have it, on one rank"};

template <class R>
bool has_module(const LayerGroup<R>& g, RecomputeModule m) {
  const bool attends = g.mixer.kind == MixerKind::kAttention || g.mixer.kind == MixerKind::kMla;
  const bool dense = g.mlp.kind == MlpKind::kDense, routed = g.mlp.kind == MlpKind::kMoe;
  switch (m) {
    case RecomputeModule::kCoreAttention:
      return attends;
    case RecomputeModule::kLayerNorm:
      return attends || dense || routed;
    case RecomputeModule::kMlaUp:
      return g.mixer.kind == MixerKind::kMla;
    case RecomputeModule::kMlp:
    case RecomputeModule::kMlpAct:
      return dense;
    case RecomputeModule::kMoe:
    case RecomputeModule::kMoeAct:
      return routed;
    case RecomputeModule::kSharedExperts:
      return routed && !(g.mlp.shared <= 0);
  }
  return false;
}

// Parameters of a layer's matrices that a token multiplies with when module m runs again.
template <class R>
Count<R> module_parameters(const Model<R>& model, const LayerGroup<R>& g, RecomputeModule m) {
  Sum<kOne, R> all;
  if (!has_module(g, m)) return all.total();
  for_each_matrix(model, g, [&](const Matrix<R>& x) {
    const std::string_view name = x.name;
    const bool up = g.mixer.kind == MixerKind::kMla && (name == "q" || name == "kv_b");
    const bool of_mlp = name == "gate" || name == "up" || name == "down";
    if (m == RecomputeModule::kMlaUp ? x.part == Part::kAttention && up
        : m == RecomputeModule::kMlp ? x.part == Part::kMlp
        : m == RecomputeModule::kSharedExperts
            ? x.part == Part::kShared && of_mlp
            : m == RecomputeModule::kMoe && (x.part == Part::kRouter || x.part == Part::kShared))
      all.add(x.name, elements(x));
    else if (m == RecomputeModule::kMoe && x.part == Part::kExpert)
      all.add({"experts of a token"}, of_one_token(g.mlp, elements(x)));
  });
  return all.total();
}

// F_run: the attention cores of all layers, forward.
template <class R>
Flops<R> module_flops(const Model<R>& model, RecomputeModule m, Flops<R> F_run) {
  NAME(F_run);
  if (m == RecomputeModule::kCoreAttention) return kCoreFlops(1 * F_run);
  Sum<kOne, R> parameters;
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    parameters.add(group_label(model, "layers", "layers of group", i),
                   model.layers[i].count * module_parameters(model, model.layers[i], m));
  auto N_mod = kModuleParameters(parameters.total());
  return kModuleFlops(2_flop * N_mod);
}

template <class R>
Flops<R> modules_flops(const TrainingPlan<R>& plan, Flops<R> F_run) {
  Sum<kFlop, R> all;
  for (const RecomputeModule m : modules_again(plan))
    all.add(name_of(m), module_flops(plan.model, m, F_run));
  return kModulesFlops(all.total());
}

// Bytes of one layer and micro-batch that module m reads and writes again beside its products.
template <class R>
Bytes<R> layer_module_bytes(const TrainingPlan<R>& plan, const LayerGroup<R>& g, RecomputeModule m,
                            const LayerShape<R>& l) {
  Sum<kByte, R> moved;
  if (!has_module(g, m)) return moved.total();
  if (m == RecomputeModule::kSharedExperts) {
    auto inner = 2_B * (l.T * (g.mlp.shared * shared_width(g.mlp) / l.t));
    NAME(inner);
    moved.add("activation", inner * (g.mlp.matrices <= 2 ? Count<R>{2} : Count<R>{3}));
    return moved.total();
  }
  for (const TrafficPart<R>& part : layer_traffic(plan, g, l)) {
    const bool norm = part.place == LayerPlace::kNormMixer || part.place == LayerPlace::kNormMlp;
    const bool function = part.place == LayerPlace::kActivation;
    const bool again = m == RecomputeModule::kLayerNorm ? norm
                       : m == RecomputeModule::kMlaUp   ? part.place == LayerPlace::kPositions
                       : m == RecomputeModule::kMoe
                           ? function || part.place == LayerPlace::kRoute
                           : m != RecomputeModule::kCoreAttention && function;
    if (again) moved.add(part.label, part.forward);
  }
  return moved.total();
}

template <class R>
Bytes<R> module_bytes(const TrainingPlan<R>& plan, RecomputeModule m, const LayerShape<R>& l) {
  Sum<kByte, R> all;
  for (std::size_t i = 0; i < plan.model.layers.size(); ++i) {
    const LayerGroup<R>& g = plan.model.layers[i];
    all.add(group_label(plan.model, "layers", "layers of group", i),
            g.count * layer_module_bytes(plan, g, m, l));
  }
  return kModuleBytes(all.total());
}

// Collectives of a region that run again with it: layers with such a module.
template <class R>
Count<R> layers_with(const Model<R>& model, const Again& again,
                     std::initializer_list<RecomputeModule> modules) {
  Count<R> n{0};
  for (const LayerGroup<R>& g : model.layers) {
    bool any = false;
    for (const RecomputeModule m : modules) any = any || (again.makes(m) && has_module(g, m));
    if (any) n += g.count;
  }
  return n;
}

}  // namespace reckon
