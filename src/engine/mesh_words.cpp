#include "mesh_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reckon {
namespace {

using Plan = TrainingPlan<double>;

int number(const Count<double>& x) { return whole(x); }

std::string link_name(const Plan& plan) {
  const auto& link = plan.cluster.node.chip.link;
  if (!link) return "the node's link";
  return link->kind.empty() ? "the node's link" : link->kind;
}
std::string fabric_name(const Plan& plan) {
  const auto& fabric = plan.cluster.node.fabric;
  if (!fabric) return "the network";
  return fabric->name.empty() ? fabric->id.empty() ? "the network" : fabric->id : fabric->name;
}

// "InfiniBand NDR, beyond a pod (7 to 1)"
std::string crossed(const Plan& plan, const Group<double>& g) {
  if (number(g.q) <= 1) return "";
  if (!g.crosses()) {
    if (!g.ways) return link_name(plan);
    return fmt::format("{}, {:.3g} links of the torus", link_name(plan), value_of(g.ways->raw));
  }
  std::string out = fabric_name(plan);
  if (g.straddles) out += ", across a node's edge";
  if (g.tier < 0) return out;
  const Tier<double>& tier = plan.cluster.tiers[static_cast<std::size_t>(g.tier)];
  out += fmt::format(", beyond a {}", tier.name.empty() ? "tier" : tier.name);
  const double x = value_of(tier.oversubscription.raw);
  if (x > 1) out += fmt::format(" ({:g} to 1)", x);
  return out;
}

MeshRow row(const Plan& plan, std::string axis, const AxisSpan<double>& span,
            const Group<double>& g) {
  return {std::move(axis), number(span.degree), number(span.stride), number(g.r), crossed(plan, g)};
}

std::string data_axis(const Plan& plan) {
  const int z = number(plan.sharding.zero);
  return z == 0 ? "data (replicate)" : "data (shard)";
}

// Shards lie next to each other, replicas of them apart.
void add_data(const Plan& plan, const Layout<double>& x, const AxisSpan<double>& span,
              std::vector<MeshRow>& out) {
  const int n = number(x.shard), D = number(span.degree);
  if (n >= number(x.ranks) || number(plan.sharding.zero) == 0) {
    out.push_back(row(plan, data_axis(plan), span, x.data));
    return;
  }
  const int shard = std::max(1, n / std::max(1, number(x.ranks) / D));
  MeshRow sharing = row(plan, "data (shard)", span, x.sharing);
  sharing.ranks = shard;
  MeshRow copies = row(plan, "data (replicate)", span, x.copies);
  copies.ranks = D / shard;
  copies.apart *= shard;
  out.push_back(sharing);
  out.push_back(copies);
}

// What is sent where; what it may hide behind.
struct Words {
  std::string operation, behind;
};

Words words_of(const Plan& plan, std::string_view id) {
  const int z = number(plan.sharding.zero);
  const bool piped = number(plan.mesh.pipeline) > 1, each = z >= 3 && !piped;
  const char* last = "the last backward pass";
  if (id == "all_gather")
    return {"all-gather", !each                   ? "the first forward pass"
                          : plan.sharding.reshard ? "the layer before, both passes"
                                                  : "the layer before, forward"};
  if (id == "reduce_scatter")
    return {"reduce-scatter", each               ? "the layer before, backward"
                              : z == 2 && !piped ? "the backward passes"
                                                 : last};
  if (id == "all_reduce")
    return {plan.sharding.bucket ? "all-reduce in buckets" : "all-reduce", last};
  if (id == "replicas") return {"all-reduce", last};
  if (id == "tensor")
    return {plan.mesh.sequence ? "gather + scatter" : "all-reduce", "products of the same layer"};
  if (id == "context") {
    switch (plan.mesh.context_by) {
      case ContextBy::kRing:
        return {"send to the next rank", "attention of the block before"};
      case ContextBy::kAllGather:
        return {"all-gather of K, V", "nothing"};
      case ContextBy::kUlysses:
        return {"all-to-all of q, K, V; of the output", "nothing"};
    }
  }
  if (id == "expert") return {"all-to-all", "another micro-batch"};
  return {"send to the next stage", "other micro-batches"};
}

std::vector<Metric>::iterator place_of(std::vector<Metric>& metrics, const std::string& id) {
  return std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.id == id; });
}

}  // namespace

std::vector<MeshRow> mesh_rows(const Plan& plan, const Layout<double>& x) {
  std::vector<MeshRow> out;
  for (const PlacedAxis<double>& a : placed_axes(plan.mesh, x.D)) {
    if (number(a.span.degree) <= 1) continue;
    if (a.axis == MeshAxis::kData) {
      add_data(plan, x, a.span, out);
      continue;
    }
    const Group<double>& g = a.axis == MeshAxis::kTensor    ? x.tensor
                             : a.axis == MeshAxis::kContext ? x.context
                                                            : x.pipeline;
    out.push_back(row(plan, std::string(name_of(a.axis)), a.span, g));
  }
  if (number(plan.mesh.expert) <= 1) return out;
  const Count<double> apart = expert_tensor(plan);
  out.push_back(row(plan, "expert", {plan.mesh.expert, apart}, x.expert));
  if (number(x.experts_data.q) > 1)
    out.push_back(
        row(plan, "experts' data", {x.experts_data.q, apart * plan.mesh.expert}, x.experts_data));
  return out;
}

void add_communication_words(const Plan& plan, const Communication<double>& c,
                             std::vector<Metric>& metrics) {
  const std::pair<const char*, const Operation<double>*> all[] = {
      {"all_gather", &c.all_gather}, {"reduce_scatter", &c.reduce_scatter},
      {"all_reduce", &c.all_reduce}, {"replicas", &c.replicas},
      {"tensor", &c.tensor},         {"context", &c.context},
      {"expert", &c.expert},         {"pipeline", &c.pipeline}};
  for (const auto& operation : all) {
    const char* id = operation.first;  // a structured binding can't be captured by clang 14
    auto at = place_of(metrics, fmt::format("comm.{}.ranks", id));
    if (at == metrics.end()) continue;
    const std::string what = at->title.substr(0, at->title.find(':'));
    const Words words = words_of(plan, id);
    const std::string link = crossed(plan, operation.second->group);
    const auto text = [&](const char* key, const char* title, const std::string& value) {
      Metric m;
      m.id = fmt::format("comm.{}.{}", id, key);
      m.title = fmt::format("{}: {}", what, title);
      m.text = value.empty() ? "none" : value;
      return m;
    };
    metrics.insert(
        at, {text("operation", "operation", words.operation), text("link", "what it crosses", link),
             text("behind", "what it may hide behind", words.behind)});
  }
}

}  // namespace reckon
