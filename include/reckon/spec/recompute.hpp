// What is computed again in the backward pass instead of being kept since the forward pass.
//
//   recompute: full
//   recompute: {modules: [layernorm, mla_up_proj, moe_act]}     # as Megatron-LM calls them
//
// `selective` and `norms` are sets of modules with a name of their own: the attention core; norms and
// activation functions. Source of the modules: Megatron-LM, --recompute-modules; mlp_act is its moe_act for dense MLPs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace reckon {

// Nothing; the attention core; whole layers; norms and activation functions; every second operator
// (torchtitan's selective per-operator policy); modules by name.
enum class Recompute { kNone, kSelective, kFull, kNorms, kOperators, kModules };
constexpr auto names(Recompute) {
  return std::array{"none", "selective", "full", "norms", "operators", "modules"};
}

// The attention core; the two norms of a layer; MLA's up-projections of queries, keys and values, with their
// positions; a dense MLP, its activation function; routed and shared experts with dispatch and combine, their
// activation functions; the shared experts alone.
enum class RecomputeModule {
  kCoreAttention,
  kLayerNorm,
  kMlaUp,
  kMlp,
  kMlpAct,
  kMoe,
  kMoeAct,
  kSharedExperts
};
constexpr auto names(RecomputeModule) {
  return std::array{"core_attn", "layernorm", "mla_up_proj", "mlp",
                    "mlp_act",   "moe",       "moe_act",     "shared_experts"};
}

using ModuleSet = std::uint32_t;
constexpr ModuleSet set_of(RecomputeModule m) { return ModuleSet{1} << static_cast<unsigned>(m); }

constexpr ModuleSet modules_of(Recompute policy) {
  using enum RecomputeModule;
  if (policy == Recompute::kSelective) return set_of(kCoreAttention);
  if (policy == Recompute::kNorms) return set_of(kLayerNorm) | set_of(kMlpAct) | set_of(kMoeAct);
  return 0;
}

// A policy with the modules that it makes again.
struct Again {
  Recompute policy;
  ModuleSet modules;

  constexpr Again(Recompute p) : policy(p), modules(modules_of(p)) {}  // NOLINT: a policy is one
  constexpr Again(Recompute p, const std::vector<RecomputeModule>& named) : Again(p) {
    if (p != Recompute::kModules) return;
    for (const RecomputeModule m : named) modules |= set_of(m);
  }

  constexpr bool makes(RecomputeModule m) const { return (modules & set_of(m)) != 0; }
  // Whether what any of these modules makes again is not kept.
  constexpr bool drops(ModuleSet by) const { return (modules & by) != 0; }
  // Whether what is made again is counted while it is alive beside what is kept.
  constexpr bool has_live() const {
    return policy == Recompute::kFull || policy == Recompute::kModules;
  }
};

// The modules that run again of a plan or a question, those that are named in their order.
template <class Stated>
std::vector<RecomputeModule> modules_again(const Stated& x) {
  if (x.recompute == Recompute::kModules) return x.recompute_modules;
  std::vector<RecomputeModule> out;
  for (std::size_t i = 0; i < names(RecomputeModule{}).size(); ++i)
    if ((modules_of(x.recompute) & set_of(static_cast<RecomputeModule>(i))) != 0)
      out.push_back(static_cast<RecomputeModule>(i));
  return out;
}

// Of a plan or a question that states both.
template <class Stated>
Again again_of(const Stated& x) {
  return {x.recompute, x.recompute_modules};
}

}  // namespace reckon
