#include "needs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../legal_recurrent.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/spec/questions/layers.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

bool waits(const Assume<double>& a) {
  return value_of(a.latency.node_hop.raw) > 0 || value_of(a.latency.network_hop.raw) > 0;
}

void need_latency(bool stated, const char* key, const char* link, const Assume<double>& assume,
                  const Asked& asked) {
  if (stated || !waits(assume)) return;
  asked
      .fault(link, fmt::format("{}: the preset '{}' counts waiting, and this link states none",
                               link, assume.preset))
      .help(fmt::format("state {}: 5 us, or name the machine (cluster: 8xh100-sxm), or assume: "
                        "textbook, which waits for nothing",
                        key));
}

}  // namespace

void need_links(const MaybeCluster& cluster, const OnLinks<double>& on,
                const Assume<double>& assume, const Asked& asked, bool crosses, bool inside) {
  if (inside && !on.link && !(cluster && cluster->node.chip.link))
    asked
        .fault("link", cluster ? "link: the cluster's chip states no link"
                               : "link: the rate inside a node is not stated")
        .help("link: 450 GB/s, or cluster: 8xh100-sxm");
  if (on.link) need_latency(on.latency.has_value(), "latency", "link", assume, asked);
  if (!crosses) return;
  if (!on.network && !(cluster && cluster->node.fabric && cluster->node.nics))
    asked
        .fault("network",
               "network: the ranks cross nodes, and the rate between nodes is not stated")
        .help("network: 50 GB/s (one way, per GPU), or cluster: 64xh100-sxm");
  if (on.network)
    need_latency(on.network_latency.has_value(), "network_latency", "network", assume, asked);
}

void need_peak(const MaybeCluster& cluster, const OnPeak<double>& on, const Asked& asked) {
  if (on.peak) return;
  if (!cluster) {
    asked.fault("peak", "peak: how fast a GPU computes is not stated")
        .help("peak: 989 TFLOP/s, or cluster: 8xh100-sxm");
  } else if (!cluster->node.chip.peak.of(on.compute)) {
    asked
        .fault("compute", fmt::format("compute: chip '{}' has no peak for {}",
                                      cluster->node.chip.id, name_of(on.compute)))
        .help("`reckon show` the chip lists its peaks; or state peak: 989 TFLOP/s");
  }
}

void need_bandwidth(const MaybeCluster& cluster, const OnChip<double>& on, const Asked& asked) {
  if (on.bandwidth || cluster) return;
  asked.fault("bandwidth", "bandwidth: how fast a GPU reads its memory is not stated")
      .help("bandwidth: 3.35 TB/s, or cluster: 8xh100-sxm");
}

void need_capacity(const MaybeCluster& cluster, const OnChip<double>& on, const Asked& asked) {
  if (on.capacity || cluster) return;
  asked.fault("capacity", "capacity: how much memory a GPU has is not stated")
      .help("capacity: 80 GB, or cluster: 8xh100-sxm");
}

void need_dimensions(const Model<double>& model, std::string_view what, const Asked& asked) {
  if (model.hidden && !model.layers.empty()) return;
  asked.fault("model", fmt::format("model: {} needs the model's layers and hidden width", what))
      .help(
          "a count alone has none: name a model with dimensions, generic-7b or generic-70b for one "
          "of that size (`reckon list models`)");
}

void need_counted_mixers(const Model<double>& model, ActivationCount how, const Asked& asked) {
  check_chunks(model, asked.places, asked.diagnostics);
  if (how == ActivationCount::kAutograd || how == ActivationCount::kMegatron) return;
  for (const LayerGroup<double>& g : model.layers) {
    if (!recurrent(g.mixer.kind)) continue;
    asked
        .fault("assume.activations",
               fmt::format("activations: {} counts a transformer's layer, and has no {} layers",
                           name_of(how), name_of(g.mixer.kind)))
        .help("assume: {activations: autograd} counts what frameworks keep of it");
    return;
  }
}

void need_split(const Model<double>& model, const OnLayers<double>& on, const Asked& asked) {
  const long t = whole(on.tensor);
  if (!on.sequence)
    asked.fault("sequence", "sequence: how long a sequence is is not stated")
        .help("sequence: 8192");
  if (on.sequence_parallel && t == 1)
    asked
        .fault("sequence_parallel",
               "sequence_parallel: it works between tensor ranks, and tensor is 1")
        .help("tensor: 8, or leave sequence_parallel out");
  const auto divides = [&](const std::optional<Count<double>>& n, std::size_t i, const char* part,
                           const char* what) {
    if (!n || whole(*n) % t == 0) return;
    asked.fault("tensor", fmt::format("tensor: {} does not divide {} = {}", t, what, whole(*n)))
        .note(asked.places.of(fmt::format("model.layers.{}.{}", i, part)), "it is stated here")
        .help("nearest degrees that work: " + nearest_divisors(whole(*n), t));
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    divides(model.layers[i].mixer.heads, i, "mixer.heads", "heads");
    divides(model.layers[i].mlp.width, i, "mlp.width", "the MLP's width");
  }
}

void warn_of_more_gpus(const MaybeCluster& cluster, const std::optional<Count<double>>& gpus,
                       std::string_view key, const Asked& asked) {
  if (!cluster || !gpus) return;
  const double has = value_of(cluster->nodes.raw) * value_of(cluster->node.gpus.raw),
               asks = value_of(gpus->raw);
  if (asks <= has) return;
  const double node = value_of(cluster->node.gpus.raw);
  const std::string& chip = cluster->node.chip.id;
  asked.diagnostics
      .warning(
          asked.places.of(key),
          fmt::format("{}: {} GPUs, and the cluster has {}: answered for as many such nodes as "
                      "that takes",
                      key, asks, has))
      .help(fmt::format("name a cluster of that size: {:.0f}{}", std::ceil(asks / node) * node,
                        chip.empty() ? " GPUs" : "x" + chip));
}

std::string text(const Result& r, std::string_view id) {
  const Metric* m = r.find(id);
  if (!m || !m->has_value()) return "–";
  if (m->is_text()) return m->text;
  constexpr double kShortest = 1e-12;  // below it a wait is none
  if (m->dim == kSecond && m->value > 0 && m->value < kShortest) return "under 1 ps";
  return format_quantity(m->value, m->dim, m->hint);
}

}  // namespace reckon
