// Figures that a question can't do without: a fault says which, where it would stand, and how to give it.
#pragma once

#include <string>

#include "question_of.hpp"
#include "reckon/spec/questions/machine.hpp"

namespace reckon {

template <class R>
struct OnLayers;  // spec/questions/layers.hpp

using MaybeCluster = std::optional<Cluster<double>>;

// A link inside the node and, if the ranks cross nodes, a network; under a preset that counts waiting, a latency for a
// link that is stated bare.
void need_links(const MaybeCluster& cluster, const OnLinks<double>& on,
                const Assume<double>& assume, const Asked& asked, bool crosses, bool inside = true);
void need_peak(const MaybeCluster& cluster, const OnPeak<double>& on, const Asked& asked);
void need_bandwidth(const MaybeCluster& cluster, const OnChip<double>& on, const Asked& asked);
void need_capacity(const MaybeCluster& cluster, const OnChip<double>& on, const Asked& asked);
// Layers, hidden width and whatever else: `what` says for what.
void need_dimensions(const Model<double>& model, std::string_view what, const Asked& asked);
// Mixers whose activations are modelled.
void need_counted_mixers(const Model<double>& model, ActivationCount how, const Asked& asked);
// A sequence length, and tensor ranks that divide the model's heads and widths.
void need_split(const Model<double>& model, const OnLayers<double>& on, const Asked& asked);

// A warning where more GPUs are asked about than the cluster has: it is answered for as many nodes as that takes.
void warn_of_more_gpus(const MaybeCluster& cluster, const std::optional<Count<double>>& gpus,
                       std::string_view key, const Asked& asked);

// A metric of the result as people read it; "–" where it has no value.
std::string text(const Result& r, std::string_view id);

}  // namespace reckon
