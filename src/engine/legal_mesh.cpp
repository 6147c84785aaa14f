#include "legal_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "legal_tensor.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/layout.hpp"
#include "reckon/engine/legal.hpp"
#include "whole_number.hpp"

namespace reckon {
namespace {

class MeshCheck {
 public:
  MeshCheck(const TrainingPlan<double>& plan, bool divided, const Places& places, Diagnostics& out)
      : plan_(plan), places_(places), out_(out), divided_(divided) {}

  void run() {
    order();
    tiers();
    torus();
    sharing();
    buckets();
    reshard();
    recompute();
    accumulation();
    if (number(plan_.mesh.context) > 1)
      context();
    else if (plan_.mesh.context_by != ContextBy::kRing)
      fault("mesh.context_by", "there are no context ranks: mesh.context is 1")
          .help("state mesh.context, or leave context_by out");
    if (divided_ && right_) straddling();
  }

 private:
  Diagnostic& fault(std::string_view path, std::string message) {
    right_ = false;
    return out_.error(places_.of(path), std::move(message));
  }

  void order() {
    const auto& stated = plan_.mesh.order;
    if (stated.empty()) return;
    for (const MeshAxis axis : usual_order()) {
      const auto n = std::count(stated.begin(), stated.end(), axis);
      if (n == 1) continue;
      fault("mesh.order",
            n == 0 ? fmt::format("the axis {} has no place in the order", name_of(axis))
                   : fmt::format("the axis {} stands {} times in the order", name_of(axis), n))
          .help(
              "each axis once: [tensor, context, data, pipeline], from neighbouring ranks "
              "outwards");
    }
  }

  void tiers() {
    const auto& all = plan_.cluster.tiers;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const long inner = number(all[i - 1].nodes), outer = number(all[i].nodes);
      if (outer > inner && outer % inner == 0) continue;
      fault(fmt::format("cluster.tiers.{}.nodes", i),
            fmt::format("a tier of {} nodes can't be made of units of {}", outer, inner))
          .note(places_.of(fmt::format("cluster.tiers.{}.nodes", i - 1)),
                "the tier below is stated here")
          .help(fmt::format("nearest nodes that work: {} or {}",
                            std::max(1L, outer / inner) * inner,
                            (std::max(1L, outer / inner) + 1) * inner));
    }
  }

  void torus() {
    const auto& sides = plan_.cluster.node.torus;
    if (sides.empty()) return;
    double chips = 1;
    for (const Count<double>& side : sides) chips *= value_of(side.raw);
    const long gpus = number(plan_.cluster.node.gpus);
    // A plan on a part of a pod: the part is not a torus that the file describes.
    if (std::lround(chips) != gpus)
      fault("cluster.node.torus",
            fmt::format("the sides of the torus make {:g} chips, the node has {}", chips, gpus))
          .note(places_.of("cluster.node.gpus"), "chips of the node are stated here")
          .help("state the sides of the slice: node: {torus: [4, 4, 8]}, or torus: []");
    const auto& link = plan_.cluster.node.chip.link;
    if (link && !link->peer)
      fault("cluster.node.torus", "the rate of one link of the torus is not stated")
          .note(places_.of("cluster.node.chip"), "link.peer is missing here")
          .help("state it: chip: {link.peer: 90 GB/s}");
  }

  long ranks() const {
    const Mesh<double>& m = plan_.mesh;
    const long G = number(plan_.cluster.nodes) * number(plan_.cluster.node.gpus);
    return G / (number(m.tensor) * number(m.pipeline));
  }

  void sharing() {
    const Sharding<double>& s = plan_.sharding;
    if (!s.ranks) return;
    const long n = number(*s.ranks);
    if (number(s.zero) == 0)
      fault("sharding.ranks", "nothing is sharded: zero is 0")
          .help("write sharding: {zero: 3, ranks: 64} (HSDP)");
    if (s.within == Within::kNode)
      fault("sharding.ranks", "the ranks that share are stated twice: within the node, and ranks")
          .note(places_.of("sharding.within"), "within is stated here")
          .help("leave one of them out");
    if (divided_ && ranks() % n != 0)
      fault("sharding.ranks",
            fmt::format("{} ranks that share do not divide data · context = {}", n, ranks()))
          .help("nearest numbers that work: " + nearest_divisors(ranks(), n));
  }

  void buckets() {
    const Sharding<double>& s = plan_.sharding;
    if (!s.bucket) return;
    if (number(s.zero) > 0)
      fault("sharding.bucket",
            "buckets are priced for DDP, and zero is " + std::to_string(number(s.zero)))
          .note(places_.of("sharding.zero"), "zero is stated here")
          .help("leave bucket out: ZeRO's messages are those of its layers");
  }

  void reshard() {
    if (plan_.sharding.reshard) return;
    if (number(plan_.sharding.zero) < 3)
      fault("sharding.reshard",
            "weights are not sharded: zero is " + std::to_string(number(plan_.sharding.zero)))
          .help("write sharding: {zero: 3, reshard: no}");
    else if (number(plan_.mesh.pipeline) > 1)
      fault("sharding.reshard",
            "with a pipeline the gathered weights stay for the whole step in any case")
          .note(places_.of("mesh.pipeline"), "stages are stated here")
          .help("leave reshard out");
  }

  void recompute() {
    if (!plan_.recompute_every) return;
    const long k = number(*plan_.recompute_every);
    if (plan_.recompute != Recompute::kFull)
      fault("recompute_every", fmt::format("inputs of layers are kept under recompute: full, and "
                                           "recompute is {}",
                                           name_of(plan_.recompute)))
          .note(places_.of("recompute"), "recompute is stated here")
          .help("write recompute: full");
    double layers = 0;
    for (const auto& g : plan_.model.layers) layers += value_of(g.count.raw);
    const long L = static_cast<long>(layers) / std::max(1L, number(plan_.mesh.pipeline));
    if (L > 0 && k > L)
      fault("recompute_every", fmt::format("{} layers between two inputs that are kept, but a "
                                           "stage holds {}",
                                           k, L))
          .help(fmt::format("at most {}", L));
  }

  void accumulation() {
    if (!plan_.precision.accumulation || !plan_.trainable.adapters) return;
    fault("precision.accumulation", "a buffer that sums the gradients of adapters is not priced")
        .note(places_.of("trainable"), "adapters are stated here")
        .help("write precision: {base: …, accumulation: none}");
  }

  // All-to-alls deal whole heads out to the context ranks.
  void context() {
    if (plan_.mesh.context_by != ContextBy::kUlysses) return;
    const long c = number(plan_.mesh.context), t = number(plan_.mesh.tensor);
    for (std::size_t i = 0; i < plan_.model.layers.size(); ++i) {
      const Mixer<double>& x = plan_.model.layers[i].mixer;
      if (x.kind == MixerKind::kNone || !x.heads) continue;
      const long heads = number(x.kv_heads ? *x.kv_heads : *x.heads) / t;
      if (heads > 0 && heads % c == 0) continue;
      fault("mesh.context",
            fmt::format("ulysses deals whole heads out: context = {} does not divide the {} {} "
                        "heads that a tensor rank holds",
                        c, heads, x.kv_heads ? "key and value" : "attention"))
          .note(places_.of(fmt::format("model.layers.{}.mixer", i)), "heads are stated here")
          .help(heads > 0 ? fmt::format("nearest degrees that work: {}; or context_by: ring",
                                        nearest_divisors(heads, c))
                          : "context_by: ring");
      return;
    }
  }

  // Possible, and slow: some groups reach over a node's edge.
  void straddling() {
    const Layout<double> x = lay_out(plan_);
    const auto warn = [this](const char* path, const char* axis, const Group<double>& g) {
      if (!g.straddles) return;
      const long N = number(plan_.cluster.node.gpus);
      out_.warning(
          places_.of(path),
          fmt::format(
              "{} groups of {} do not fill nodes of {}: some lie across a node's edge, with "
              "{} on one side, and all wait for those; nearest degrees that lie in a node: "
              "{}",
              axis, number(g.q), N, number(g.r), nearest_divisors(N, number(g.q))));
    };
    warn("mesh.tensor", "tensor", x.tensor);
    warn("mesh.context", "context", x.context);
    warn("mesh.expert", "expert", x.expert);
  }

  const TrainingPlan<double>& plan_;
  const Places& places_;
  Diagnostics& out_;
  bool divided_, right_ = true;
};

}  // namespace

void check_mesh(const TrainingPlan<double>& plan, bool divided, const Places& places,
                Diagnostics& out) {
  MeshCheck(plan, divided, places, out).run();
}

}  // namespace reckon
