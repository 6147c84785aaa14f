#include "overlay.hpp"

#include <algorithm>
#include <array>

namespace reckon {
namespace {

using doc::Value;

constexpr std::array kNamed{"model", "cluster", "node", "chip", "fabric", "precision", "optimizer"};

// Turns `key: name` into `key: {base: name}` (`assume: name` into {preset: name}).
void open_name(std::string_view key, Value& v) {
  const bool named = std::find(kNamed.begin(), kNamed.end(), key) != kNamed.end();
  if (!v.is_scalar() || !(named || key == "assume")) return;
  Value open = doc::mapping(v.span);
  doc::set(open, named ? "base" : "preset", v);
  v = std::move(open);
}

void open_names_for(Value& tree, const Value& overlay) {
  for (const doc::Entry& e : overlay.entries) {
    Value* at = tree.find(e.key);
    if (!at || !e.value.is_mapping() || e.value.find("base")) continue;
    open_name(e.key, *at);
    if (at->is_mapping()) open_names_for(*at, e.value);
  }
}

}  // namespace

void open_names_along(Value& tree, std::string_view path) {
  Value* at = &tree;
  for (std::size_t dot = path.find('.'); at && dot != path.npos; dot = path.find('.')) {
    const std::string_view part = path.substr(0, dot);
    Value* child = at->is_mapping() ? at->find(part) : nullptr;
    if (child) open_name(part, *child);
    at = child;
    path.remove_prefix(dot + 1);
  }
}

void lay_over(Value& tree, const Value& overlay) {
  open_names_for(tree, overlay);
  doc::merge(tree, overlay);
}

}  // namespace reckon
