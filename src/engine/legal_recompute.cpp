#include "legal_recompute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/cost/recompute.hpp"

namespace reckon {
namespace {

constexpr const char* kAt = "recompute_modules";

std::vector<RecomputeModule> modules_in(const Model<double>& model) {
  std::vector<RecomputeModule> out;
  for (std::size_t i = 0; i < names(RecomputeModule{}).size(); ++i) {
    const auto m = static_cast<RecomputeModule>(i);
    if (std::any_of(model.layers.begin(), model.layers.end(),
                    [m](const LayerGroup<double>& g) { return has_module(g, m); }))
      out.push_back(m);
  }
  return out;
}

std::string listed(const std::vector<RecomputeModule>& modules) {
  std::vector<std::string> words;
  for (const RecomputeModule m : modules) words.emplace_back(name_of(m));
  return join(words, ", ");
}

// What of the named modules another one runs again anyway.
std::vector<RecomputeModule> within(RecomputeModule m) {
  using enum RecomputeModule;
  if (m == kMoe) return {kMoeAct, kSharedExperts};
  if (m == kMlp) return {kMlpAct};
  return {};
}

bool has(const std::vector<RecomputeModule>& modules, RecomputeModule m) {
  return std::find(modules.begin(), modules.end(), m) != modules.end();
}

}  // namespace

void check_modules(const Model<double>& model, Recompute policy,
                   const std::vector<RecomputeModule>& modules, const Places& places,
                   Diagnostics& out) {
  if (policy != Recompute::kModules) return;
  const std::vector<RecomputeModule> there = modules_in(model);
  if (there.empty()) {
    out.error(places.of("recompute"),
              "recompute: the model does not state which modules its layers have")
        .note(places.of("model"), "the model is stated here")
        .help("name a model (`reckon list models`), or recompute: full");
    return;
  }
  if (modules.empty()) {
    out.error(places.of("recompute"), "recompute: no module is named")
        .help(fmt::format("recompute: {{modules: [layernorm]}}; the model has {}", listed(there)));
    return;
  }
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const RecomputeModule m = modules[i];
    if (!has(there, m))
      out.error(places.of(kAt), fmt::format("recompute: the model has no module '{}'", name_of(m)))
          .note(places.of("model"), "the model is stated here")
          .help("modules it has: " + listed(there));
    if (std::find(modules.begin(), modules.begin() + static_cast<std::ptrdiff_t>(i), m) !=
        modules.begin() + static_cast<std::ptrdiff_t>(i))
      out.error(places.of(kAt), fmt::format("recompute: '{}' is named twice", name_of(m)))
          .help("leave one of them out");
    for (const RecomputeModule part : within(m))
      if (has(modules, part))
        out.error(places.of(kAt),
                  fmt::format("recompute: '{}' is part of '{}', which runs again as a whole",
                              name_of(part), name_of(m)))
            .help(fmt::format("leave {} out", name_of(part)));
  }
}

namespace {

class OffloadCheck {
 public:
  OffloadCheck(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out)
      : plan_(plan), places_(places), out_(out) {}

  void run() {
    const Offloaded<double>& o = plan_.offloaded;
    const bool activations = value_of(o.activations.raw) > 0;
    const bool any = plan_.offload != Offload::kNone || o.weights || o.gradients || activations;
    if (!any) return;
    const Chip<double>& chip = plan_.cluster.node.chip;
    if (!chip.host)
      fault("offload", "offload needs the chip's host link, which is not stated")
          .note(places_.of("cluster.node.chip"), "host is missing here")
          .help("state it: chip: {host.one_way: 63 GB/s}");
    const long z = static_cast<long>(value_of(plan_.sharding.zero.raw));
    const long p = static_cast<long>(value_of(plan_.mesh.pipeline.raw));
    if (o.weights && (z < 3 || p > 1))
      fault("offloaded.weights",
            z < 3 ? fmt::format(
                        "weights lie on the GPU as a whole: zero is {}, and only ZeRO-3 gathers "
                        "them layer by layer",
                        z)
                  : fmt::format(
                        "with {} stages gathered weights stay on the GPU for the whole step", p))
          .note(places_.of(z < 3 ? "sharding.zero" : "mesh.pipeline"), "stated here")
          .help(z < 3 ? "write sharding: fsdp, or leave weights out of offload"
                      : "mesh.pipeline: 1, or leave weights out of offload");
    if (o.gradients && z < 2)
      fault("offloaded.gradients",
            fmt::format("every GPU sums whole gradients: zero is {}, and shards of them exist from "
                        "ZeRO-2 on",
                        z))
          .note(places_.of("sharding.zero"), "zero is stated here")
          .help("write sharding: zero-2 or fsdp, or leave gradients out of offload");
    if ((o.weights || o.gradients) && plan_.offload != Offload::kOptimizer)
      fault(
          o.weights ? "offloaded.weights" : "offloaded.gradients",
          "weights and gradients in the host's memory are updated there, and the optimizer is not")
          .help("write offload: [optimizer, " +
                std::string(o.weights ? o.gradients ? "gradients, weights" : "weights"
                                      : "gradients") +
                "]");
    if (activations && (!plan_.model.hidden || plan_.model.layers.empty()))
      fault(
          "offloaded.activations",
          "what layers keep follows from the model's layers and hidden width, which are not stated")
          .note(places_.of("model"), "the model is stated here")
          .help("write model: {params: 7B, layers: 32, hidden: 4096}");
  }

 private:
  Diagnostic& fault(std::string_view path, std::string message) {
    return out_.error(places_.of(path), std::move(message));
  }

  const TrainingPlan<double>& plan_;
  const Places& places_;
  Diagnostics& out_;
};

}  // namespace

void check_offload(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out) {
  OffloadCheck(plan, places, out).run();
}

}  // namespace reckon
