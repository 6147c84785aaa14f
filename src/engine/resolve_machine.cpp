// Machines looked up: chips, nodes, and clusters by a name or by a count of chips.
#include <fmt/format.h>

#include "overlay.hpp"
#include "parts.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/resolve.hpp"
#include "resolve_named.hpp"

namespace reckon {

using doc::Value;

namespace {

// `64xh100-sxm` -> count and chip. False if the text has another form.
bool split_count(const Value& said, Value& count, std::string& chip) {
  const std::size_t x = said.text.find('x');
  if (x == std::string::npos || x == 0 || x + 1 == said.text.size()) return false;
  const std::string number = said.text.substr(0, x);
  if (number.find_first_not_of("0123456789.,_+-eEkKMGTi ") != std::string::npos) return false;
  if (number.find_first_of("0123456789") == std::string::npos) return false;
  count = doc::scalar(number, said.span);
  chip = said.text.substr(x + 1);
  return true;
}

}  // namespace

Value resolve_chip(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return named(work, Shelf::kChips, said, diagnostics, [](Value&) {});
}

Value resolve_node(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  const auto plain = [](Value&) {};
  return named(work, Shelf::kNodes, said, diagnostics, [&](Value& node) {
    rewrite(node, "chip",
            [&](const Value& v) { return named(work, Shelf::kChips, v, diagnostics, plain); });
    rewrite(node, "fabric", [&](const Value& v) {
      return is_none(v) ? Value{} : named(work, Shelf::kFabrics, v, diagnostics, plain);
    });
  });
}

namespace {

// `h100` is no chip, but h100-sxm and h100-pcie are.
bool names_several(Workspace& work, const std::string& name, Span said, Diagnostics& diagnostics) {
  std::vector<std::string> longer;
  for (const std::string& id : work.ids(Shelf::kChips)) {
    if (id == name) return false;
    if (id.starts_with(name + "-")) longer.push_back(id);
  }
  if (longer.empty()) return false;
  diagnostics.error(said, fmt::format("no chip called '{}'", name))
      .help(fmt::format("chips whose names begin so: {}", join(longer, ", ")));
  return true;
}

bool is_on(Workspace& work, Shelf shelf, std::string_view name) {
  const std::vector<std::string> ids = work.ids(shelf);
  return std::find(ids.begin(), ids.end(), name) != ids.end();
}

// A chip's usual node with that chip in it: somebody's own file of an H100 names the node that holds the shipped one.
// What the node says of its chip (how many its link joins) holds of this one too.
Value usual_node_of(Workspace& work, const Value& usual, const Value& chip_name,
                    Diagnostics& diagnostics) {
  const Value* file = work.load(Shelf::kNodes, usual.text, usual.span, diagnostics);
  if (!file) return doc::faulty();
  const Value* holds = file->find("chip");
  const Value* held = holds && holds->is_mapping() ? holds->find("base") : holds;
  if (!held || held->text == chip_name.text) return resolve_node(work, usual, diagnostics);
  Value chip = chip_name;
  if (holds->is_mapping()) {
    chip = *holds;
    doc::set(chip, "base", chip_name);
  }
  Value node = doc::mapping(usual.span);
  doc::set(node, "base", usual);
  doc::set(node, "chip", std::move(chip));
  return resolve_node(work, node, diagnostics);
}

// 64xh100-sxm: that many GPUs in the usual node of that chip.
Value counted_chips(Workspace& work, Value gpus, const std::string& chip_name, const Value& said,
                    Diagnostics& diagnostics) {
  if (is_on(work, Shelf::kNodes, chip_name)) {
    diagnostics.error(said.span, fmt::format("'{}' is a node, not a chip", chip_name))
        .help(fmt::format("write cluster: {{node: {}, nodes: {}}}", chip_name, gpus.text));
    return doc::faulty();
  }
  if (names_several(work, chip_name, said.span, diagnostics)) return doc::faulty();
  const Value* chip = work.load(Shelf::kChips, chip_name, said.span, diagnostics);
  if (!chip) return doc::faulty();
  const Value* usual = chip->find("usual_node");
  if (!usual || !usual->is_scalar()) {
    diagnostics.error(said.span, fmt::format("chip '{}' names no usual node", chip_name))
        .help(
            fmt::format("write cluster: {{node: {{base: NAME, chip: {}}}, nodes: N}}", chip_name));
    return doc::faulty();
  }
  Value out = doc::mapping(said.span);
  doc::set(out, "gpus", std::move(gpus));
  doc::set(out, "node",
           usual_node_of(work, *usual, doc::scalar(chip_name, said.span), diagnostics));
  return out;
}

// 1xh100-sxm is a part of a node, and node.gpus says which: stated anew, it takes the count's place.
void restate_part(Value& cluster, double whole, const Value& node) {
  const double count = plain_count(cluster.find("gpus")), part = plain_count(node.find("gpus"));
  if (count < 1 || count >= whole || part < 1 || part > whole) return;
  doc::set(cluster, "gpus", *node.find("gpus"));
}

// What differs, over a cluster whose node has been looked up.
void lay_over_cluster(Value& cluster, Value rest) {
  Value* node = cluster.find("node");
  const Value* over = rest.find("node");
  if (node && node->is_mapping() && over && over->is_mapping() && !over->find("base")) {
    const double whole = plain_count(node->find("gpus"));
    lay_over_node(*node, *over);
    restate_part(cluster, whole, *over);
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "node"; });
  }
  lay_over(cluster, rest);
  const Value* nodes = rest.find("nodes");
  if (nodes && !nodes->is_null())
    std::erase_if(cluster.entries, [](const doc::Entry& e) { return e.key == "gpus"; });
}

bool states(const Value& v, std::string_view key) {
  const Value* at = v.find(key);
  return at && !at->is_null();
}

}  // namespace

Value open_cluster(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  Value gpus;
  std::string chip_name;
  const auto look_up = [&](Value& c) {
    rewrite(c, "node", [&](const Value& v) { return resolve_node(work, v, diagnostics); });
  };
  const Value* name = said.is_mapping() ? said.find("base") : &said;
  if (name && name->is_scalar() && split_count(*name, gpus, chip_name)) {
    Value out = counted_chips(work, gpus, chip_name, *name, diagnostics);
    if (!out.is_mapping() || said.is_scalar()) return out;
    Value rest = said;
    std::erase_if(rest.entries, [](const doc::Entry& e) { return e.key == "base"; });
    lay_over_cluster(out, std::move(rest));
    look_up(out);
    return out;
  }
  if (name && name->is_scalar() && is_on(work, Shelf::kNodes, name->text)) {
    diagnostics.error(name->span, fmt::format("'{}' is a node, not a cluster", name->text))
        .help(fmt::format("write cluster: {{node: {}, nodes: 1}}", name->text));
    return doc::faulty();
  }
  if (said.is_mapping() && states(said, "gpus") && states(said, "nodes")) {
    diagnostics
        .error(said.find("gpus")->span, "cluster: its size is stated twice, by gpus and by nodes")
        .note(said.find("nodes")->span, "nodes are stated here")
        .help("leave one of them out");
    return doc::faulty();
  }
  Value out = named(work, Shelf::kClusters, said, diagnostics, look_up);
  if (out.is_mapping() && said.is_mapping() && states(said, "gpus"))  // over a cluster's own nodes
    std::erase_if(out.entries, [](const doc::Entry& e) { return e.key == "nodes"; });
  return out;
}

Value resolve_cluster(Workspace& work, const Value& said, Diagnostics& diagnostics) {
  return fill_nodes(open_cluster(work, said, diagnostics), diagnostics);
}

}  // namespace reckon
