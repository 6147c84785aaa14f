#include "overlay.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "parts.hpp"

namespace reckon {
namespace {

using doc::Value;

constexpr std::array kNamed{"model",     "cluster",   "node",  "chip", "fabric",
                            "precision", "optimizer", "stack", "nccl", "engine"};

bool is_named(std::string_view key) {
  return std::find(kNamed.begin(), kNamed.end(), key) != kNamed.end();
}

bool states_all(const Value& v, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) {
    const Value* at = v.find(key);
    return at && !at->is_null();
  });
}

// Whether what is written out needs nothing of what lies below it: another recipe's master copy, another model's
// layers would creep in.
bool is_whole(std::string_view key, const Value& below, const Value& v) {
  const auto switches = [&](std::initializer_list<const char*> from, const char* to) {
    return states_all(v, from) && !(below.is_mapping() && states_all(below, {to}));
  };
  if (key == "precision")
    return states_all(v, {"compute", "weights", "gradients", "activations", "reduce", "gather"});
  if (key == "optimizer") return states_all(v, {"states"});
  if (key == "model")
    return switches({"params"}, "params") ||
           (switches({"layers", "hidden"}, "layers") && v.find("layers")->is_sequence());
  if (key == "batch")
    return switches({"tokens_per_gpu"}, "tokens_per_gpu") ||
           switches({"global", "micro", "sequence"}, "global");
  return false;
}

bool starts_anew(std::string_view key, const Value& below, const Value& overlay) {
  if (!overlay.is_mapping()) return false;
  return (is_named(key) && overlay.find("base")) || is_whole(key, below, overlay);
}

// Turns `key: name` into `key: {base: name}` (`assume: name` into {preset: name}), a word into what it stands for.
void open_name(std::string_view key, Value& v) {
  if (!v.is_scalar()) return;
  if (key == "sharding" || key == "overlap") {
    if (Value out = key == "sharding" ? sharding_of(v) : overlap_of(v); !out.is_null())
      v = std::move(out);
    return;
  }
  if (!is_named(key) && key != "assume") return;
  Value open = doc::mapping(v.span);
  doc::set(open, is_named(key) ? "base" : "preset", v);
  v = std::move(open);
}

void open_names_for(Value& tree, const Value& overlay) {
  for (const doc::Entry& e : overlay.entries) {
    Value* at = tree.find(e.key);
    if (!at || !e.value.is_mapping() || starts_anew(e.key, *at, e.value)) continue;
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
  doc::merge(tree, overlay, starts_anew);
}

void lay_over_node(Value& node, const Value& overlay) {
  const Value *gpus = node.find("gpus"), *nics = node.find("nics");
  const double before = plain_count(gpus), ports = plain_count(nics);
  lay_over(node, overlay);
  const Value* stated = overlay.find("nics");
  if (stated && !stated->is_null()) return;
  keep_ports_of_part(node, before, ports);
}

Value sharding_of(const Value& word) {
  static const std::pair<const char*, std::pair<const char*, const char*>> kWords[] = {
      {"ddp", {"0", "all"}},    {"none", {"0", "all"}},   {"zero-1", {"1", "all"}},
      {"zero-2", {"2", "all"}}, {"zero-3", {"3", "all"}}, {"fsdp", {"3", "all"}},
      {"hsdp", {"3", "node"}}};
  for (const auto& [name, meaning] : kWords) {
    if (word.text != name) continue;
    Value out = doc::mapping(word.span);
    doc::set(out, "zero", doc::scalar(meaning.first, word.span));
    doc::set(out, "within", doc::scalar(meaning.second, word.span));
    return out;
  }
  return {};
}

Value overlap_of(const Value& word) {
  Value all = doc::mapping(word.span);
  Value share = word;
  if (word.text == "none") share.text = "0%";
  if (word.text == "full") share.text = "100%";
  for (const char* key : {"data", "tensor", "context", "expert", "pipeline", "host"})
    doc::set(all, key, share);
  return all;
}

const Value* scalar_in(const Value* v) {
  if (v && v->is_mapping()) v = v->find("value");
  return v && v->is_scalar() ? v : nullptr;
}

}  // namespace reckon
