#include "legal_recurrent.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reckon/cost/recurrent.hpp"

namespace reckon {
namespace {

class RecurrentCheck {
 public:
  RecurrentCheck(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out)
      : plan_(plan), places_(places), out_(out) {}

  void accounting() {
    const ActivationCount how = plan_.assume.activations;
    if (how == ActivationCount::kAutograd || how == ActivationCount::kMegatron) return;
    const auto& layers = plan_.model.layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!recurrent(layers[i].mixer.kind)) continue;
      fault("assume.activations",
            fmt::format("{} counts a transformer's layer, and has no {} layers", name_of(how),
                        kind(i)))
          .note(places_.of(fmt::format("model.layers.{}.mixer.kind", i)), "this layer is one")
          .help("assume: {activations: autograd} counts what frameworks keep of it");
      return;
    }
  }

  void run() {
    const auto& layers = plan_.model.layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!recurrent(layers[i].mixer.kind)) continue;
      once(i);
      break;
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (recurrent(layers[i].mixer.kind) && splits(i)) break;
  }

 private:
  Diagnostic& fault(std::string_view path, std::string message) {
    return out_.error(places_.of(path), std::move(message));
  }
  static long number(const std::optional<Count<double>>& x) {
    return x ? std::lround(value_of(x->raw)) : 0;
  }
  std::string_view kind(std::size_t i) const { return name_of(plan_.model.layers[i].mixer.kind); }

  // What one such layer forbids, whatever there are more.
  void once(std::size_t i) {
    const std::string at = fmt::format("model.layers.{}.mixer.kind", i);
    if (number(plan_.mesh.context) > 1)
      fault("mesh.context",
            fmt::format("context ranks would wait for each other's states in {} layers, which is "
                        "not priced",
                        kind(i)))
          .note(places_.of(at), "this layer is one")
          .help("split heads instead: mesh: {tensor: …}, and sequence: yes");
    if (plan_.stack) scans(i, at);
  }

  void scans(std::size_t i, const std::string& at) {
    const Stack<double>& stack = *plan_.stack;
    const MixerKind mixer = plan_.model.layers[i].mixer.kind;
    if (!stack.scan) {
      fault("stack", fmt::format("stack '{}' states nothing of scans, which {} layers run",
                                 stack.id, kind(i)))
          .note(places_.of(at), "this layer is one")
          .help(
              "state it: stack: {scan: {ceiling: 14%, vector: 10%, backward: 3.6, kernels: 5}}, or "
              "assume an efficiency: assume: {train.mfu: 40%}");
      return;
    }
    if (mixer == MixerKind::kMamba1 && !plan_.cluster.node.chip.peak.of(Compute::kFp32))
      fault("stack", "mamba1's scan runs in fp32, for which the chip states no peak")
          .note(places_.of("cluster.node.chip.peak"), "peaks are stated here");
    if (!stack.scan->measured)
      out_.warning(
          places_.of("stack.scan.measured"),
          fmt::format("the scans of {} layers are not measured under stack '{}': shares of "
                      "the peaks (stack.scan) are starting values, and no training run "
                      "with such layers vouches for them",
                      kind(i), stack.id));
  }

  // Groups and key heads that tensor ranks would have to share. True: said.
  bool splits(std::size_t i) {
    const long t = number(plan_.mesh.tensor);
    const Mixer<double>& x = plan_.model.layers[i].mixer;
    for (const auto& [field, n] :
         {std::pair{"groups", number(x.groups)}, std::pair{"key_heads", number(x.key_heads)}}) {
      if (n == 0 || n % t == 0) continue;
      fault("mesh.tensor", fmt::format("tensor = {} does not divide {} = {}", t, field, n))
          .note(places_.of(fmt::format("model.layers.{}.mixer.{}", i, field)),
                fmt::format("{} is stated here", field))
          .help("ranks that share one are not priced: choose a degree that divides it");
      return true;
    }
    return false;
  }

  const TrainingPlan<double>& plan_;
  const Places& places_;
  Diagnostics& out_;
};

}  // namespace

void check_recurrent(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out) {
  check_scans(plan, places, out);
  RecurrentCheck(plan, places, out).accounting();
}

void check_scans(const TrainingPlan<double>& plan, const Places& places, Diagnostics& out) {
  check_chunks(plan.model, places, out);
  RecurrentCheck(plan, places, out).run();
}

void check_chunks(const Model<double>& model, const Places& places, Diagnostics& out) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Mixer<double>& x = model.layers[i].mixer;
    if (!chunked(x.kind) || x.chunk) continue;
    out.error(places.of(fmt::format("model.layers.{}.mixer.kind", i)),
              fmt::format("the model needs mixer.chunk (tokens that the training kernels of {} "
                          "layers take at a time)",
                          name_of(x.kind)))
        .help("state it: mixer: {chunk: 256}; config.json calls it chunk_size");
    return;
  }
}

}  // namespace reckon
