#include "parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "overlay.hpp"
#include "reckon/doc/bind.hpp"

namespace reckon {

using doc::Value;

double plain_count(const Value* v) {
  const Value* number = scalar_in(v);
  if (!number) return 0;
  const auto parsed = parse_quantity(number->text, kOne, Hint::kCount);
  const double* x = std::get_if<double>(&parsed);
  return x ? *x : 0;
}

void keep_ports_of_part(Value& node, double gpus_before, double ports_before) {
  const double gpus = plain_count(node.find("gpus"));
  if (gpus < 1 || gpus >= gpus_before || ports_before < 1) return;
  const Value* ports = node.find("nics");
  const double part = std::max(1.0, std::round(ports_before * gpus / gpus_before));
  Value fewer = doc::scalar(fmt::format("{}", part), node.find("gpus")->span);
  fewer.replaced = ports->span;
  doc::set(node, "nics", std::move(fewer));
}

namespace {

std::string written(double count) { return fmt::format("{:.0f}", count); }

Diagnostic& does_not_fill(const Value& said, double gpus, double per_node, Diagnostics& diagnostics,
                          Span node) {
  const double below = std::floor(gpus / per_node) * per_node;
  return diagnostics
      .error(said.span,
             fmt::format("{} GPUs do not fill nodes of {}", written(gpus), written(per_node)))
      .note(node, "GPUs of a node are stated here")
      .help(
          fmt::format("nearest counts that do: {} and {}; or write cluster: {{node: …, nodes: …}}",
                      written(below), written(below + per_node)));
}

// The torus of a whole pod is not that of a slice, which may state its own.
void drop_other_torus(Value& node, double gpus) {
  const Value* torus = node.find("torus");
  if (!torus || !torus->is_sequence()) return;
  const Span& said = torus->span;
  if (!said || !said.file->name.starts_with("hardware/")) return;  // the plan's own must fit
  double chips = 1;
  for (const Value& side : torus->items) chips *= plain_count(&side);
  if (chips == gpus) return;
  std::erase_if(node.entries, [](const doc::Entry& e) { return e.key == "torus"; });
}

}  // namespace

Value fill_nodes(Value cluster, Diagnostics& diagnostics) {
  if (!cluster.is_mapping()) return cluster;
  const Value* count = cluster.find("gpus");
  Value* node = cluster.find("node");
  if (!count || count->is_null() || !node || !node->is_mapping()) return cluster;
  const Value said = *count;
  std::erase_if(cluster.entries, [](const doc::Entry& e) { return e.key == "gpus"; });
  node = cluster.find("node");  // it has moved up
  double gpus = 0, per_node = 0;
  Origins unused;
  const BindContext at{diagnostics, unused, "cluster"};
  const Field field = Field("gpus", "", "GPUs of the plan").degree();
  if (!detail::read_number(said, kOne, field, at, gpus)) return doc::faulty();
  const Value* stated = node->find("gpus");
  const Field of_node = Field("gpus", "", "GPUs of a node").degree();
  if (!stated || !detail::read_number(*stated, kOne, of_node, at.in("node"), per_node))
    return stated ? doc::faulty() : cluster;
  if (gpus > per_node && std::fmod(gpus, per_node) != 0) {
    does_not_fill(said, gpus, per_node, diagnostics, stated->span);
    return doc::faulty();
  }
  doc::set(cluster, "nodes", doc::scalar(written(std::max(1.0, gpus / per_node)), said.span));
  node = cluster.find("node");
  if (gpus < per_node) {
    const double ports = plain_count(node->find("nics"));
    Value part = doc::scalar(written(gpus), said.span);
    part.replaced = node->find("gpus")->span;
    doc::set(*node, "gpus", std::move(part));
    keep_ports_of_part(*node, per_node, ports);
    drop_other_torus(*node, gpus);
  }
  return cluster;
}

}  // namespace reckon
