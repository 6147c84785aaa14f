// The machine of a plan: its cluster looked up, and what stands beside it in the plan laid over its parts.
#include <fmt/format.h>

#include "overlay.hpp"
#include "parts.hpp"
#include "reckon/engine/resolve.hpp"

namespace reckon {
namespace {

using doc::Value;

void override_hardware(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  const Value node = doc::take(tree, "node"), chip = doc::take(tree, "chip"),
              fabric = doc::take(tree, "fabric");
  Value* cluster = tree.find("cluster");
  const auto into = [&](Value* at, const Value& overlay, const char* what, Shelf shelf) {
    if (overlay.is_null() || !at) return;
    if (overlay.is_scalar() || overlay.find("base")) {  // another chip altogether
      Value other = overlay;
      if (shelf == Shelf::kNodes) other = resolve_node(work, overlay, diagnostics);
      if (shelf == Shelf::kChips || shelf == Shelf::kFabrics) {
        const Value* base = overlay.is_scalar() ? &overlay : overlay.find("base");
        const Value* found = work.load(shelf, base->text, base->span, diagnostics);
        if (!found) return;
        other = *found;
        if (overlay.is_mapping()) {
          Value rest = overlay;
          doc::take(rest, "base");
          lay_over(other, rest);
        }
      }
      *at = std::move(other);
      return;
    }
    if (!overlay.is_mapping()) {
      diagnostics.error(overlay.span,
                        fmt::format("{}: expected a name or the fields that differ", what));
      return;
    }
    if (shelf == Shelf::kNodes) {
      lay_over_node(*at, overlay);
      *at = resolve_node(work, *at, diagnostics);
    } else {
      lay_over(*at, overlay);
    }
  };
  Value* at_node = cluster && cluster->is_mapping() ? cluster->find("node") : nullptr;
  into(at_node, node, "node", Shelf::kNodes);
  if (!at_node || !at_node->is_mapping()) return;
  into(at_node->find("chip"), chip, "chip", Shelf::kChips);
  if (!fabric.is_null() && !at_node->find("fabric"))
    doc::set(*at_node, "fabric", doc::mapping(fabric.span));
  into(at_node->find("fabric"), fabric, "fabric", Shelf::kFabrics);
}

}  // namespace

void resolve_hardware(Workspace& work, Value& tree, Diagnostics& diagnostics) {
  if (Value* cluster = tree.find("cluster"); cluster && !cluster->is_null())
    *cluster = open_cluster(work, *cluster, diagnostics);
  override_hardware(work, tree, diagnostics);
  if (Value* cluster = tree.find("cluster"); cluster && !cluster->is_null())
    *cluster = fill_nodes(std::move(*cluster), diagnostics);
}

}  // namespace reckon
