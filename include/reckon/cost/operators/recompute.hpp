// Time of recomputed modules with a software stack: their kernels of the forward pass once more.
//
//   for (RecomputeModule m : plan.recompute_modules) module_time(plan, g, m, l, machine, gemms, forward)
//
// A MoE layer that runs again dispatches and combines again; a dense MLP or MoE layer under tensor parallelism takes
// its region's collectives again, one of the layer's two. Source: Megatron-LM, --recompute-modules.
#pragma once

#include <string_view>

#include "reckon/cost/operators/elementwise.hpp"
#include "reckon/cost/recompute.hpp"

namespace reckon {

inline const Formula kModuleAgain{"operator.layer.recompute_module", "R_mod",
                                  "one module of a layer, recomputed",
                                  "its kernels and what its communication leaves exposed"};
inline const Formula kRecomputeModules{"operator.layer.recompute_modules", "R",
                                       "one layer, recomputed", "the modules that are named"};

inline bool gemm_of_module(std::string_view label, RecomputeModule m) {
  switch (m) {
    case RecomputeModule::kMlaUp:
      return label == "queries" || label == "keys and values";
    case RecomputeModule::kMlp:
      return label.starts_with("MLP");
    case RecomputeModule::kMoe:
      return label.starts_with("experts") || label.starts_with("shared") || label == "router" ||
             label.starts_with("latent ");
    case RecomputeModule::kSharedExperts:
      return label.starts_with("shared");
    case RecomputeModule::kCoreAttention:
    case RecomputeModule::kLayerNorm:
    case RecomputeModule::kMlpAct:
    case RecomputeModule::kMoeAct:
      break;
  }
  return false;
}

// What of a layer's forward pass modules take over as it is.
template <class R>
struct ForwardParts {
  Seconds<R> attention, tensor, expert;  // of tensor: what one region of the layer takes
};

// One module's norms, positions and activation functions: their share of what the layer's elementwise kernels take.
template <class R>
Seconds<R> module_traffic(const TrainingPlan<R>& plan, const LayerGroup<R>& g,
                          RecomputeModule module, const LayerShape<R>& l,
                          const OperatorMachine<R>& m) {
  const Bytes<R> bytes = layer_module_bytes(plan, g, module, l);
  if (bytes <= Bytes<R>{}) return {};
  Sum<kByte, R> all;
  for (const TrafficPart<R>& part : layer_traffic(plan, g, l)) all.add(part.label, part.forward);
  auto S_all = all.total();
  auto S_mod = bytes;
  auto ew = traffic_factor(m.stack);
  NAME(S_mod, S_all, ew);
  return traffic_time(ew * S_mod, m.stack.traffic.kernels * (S_mod / S_all), m);
}

// gemms: those of the layer (operators/layer.hpp), with what they are called.
template <class R, class Gemms>
Seconds<R> module_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g, RecomputeModule module,
                       const LayerShape<R>& l, const OperatorMachine<R>& m, const Gemms& gemms,
                       const ForwardParts<R>& forward) {
  Sum<kSecond, R> out;
  if (!has_module(g, module)) return out.total();
  if (module == RecomputeModule::kCoreAttention) out.add("attention", forward.attention);
  for (const auto& x : gemms) {
    if (!gemm_of_module(x.label, module)) continue;
    const Seconds<R> once = gemm_time(x.gemm, x.rates(m), m);
    out.add(x.label, x.grouped ? once / m.stack.gemm.grouped : once);
  }
  out.add("elementwise", module_traffic(plan, g, module, l, m));
  if (module == RecomputeModule::kMlp || module == RecomputeModule::kMoe)
    out.add("tensor exposed", forward.tensor);
  if (module == RecomputeModule::kMoe) out.add("experts exposed", forward.expert);
  return kModuleAgain(out.total());
}

template <class R, class Gemms>
Seconds<R> modules_time(const TrainingPlan<R>& plan, const LayerGroup<R>& g, const LayerShape<R>& l,
                        const OperatorMachine<R>& m, const Gemms& gemms,
                        const ForwardParts<R>& forward) {
  Sum<kSecond, R> all;
  for (const RecomputeModule module : modules_again(plan))
    all.add(name_of(module), module_time(plan, g, module, l, m, gemms, forward));
  return kRecomputeModules(all.total());
}

}  // namespace reckon
