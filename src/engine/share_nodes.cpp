#include "share_nodes.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace reckon {
namespace {

using doc::Value;

constexpr std::size_t kWorthSharing = 160;  // characters; a reference takes about 30

bool is_own(std::string_view key) { return key == "description" || key == "default"; }

bool is_node(const Value& v) { return v.is_mapping() && v.find("type") != nullptr; }

// What a value says, in brief: two that say the same have the same.
struct Print {
  std::size_t hash = 0, size = 0;
  void add(std::string_view text) {
    hash = hash * 1099511628211U + std::hash<std::string_view>{}(text);
    size += text.size();
  }
  void add(const Print& other) {
    hash = hash * 1099511628211U + other.hash;
    size += other.size;
  }
};

class Sharing {
 public:
  explicit Sharing(Value& schema) : schema_(schema) {}

  void run() {
    if (!schema_.find("$defs")) doc::set(schema_, "$defs", doc::mapping());
    for (doc::Entry& e : schema_.entries) take_print(e.value);
    for (doc::Entry& e : schema_.entries)
      if (e.key != "$defs") share(e.value, e.key);
    for (doc::Entry& e : schema_.find("$defs")->entries) share(e.value, e.key);
    for (auto& [name, node] : made_) doc::set(*schema_.find("$defs"), name, std::move(node));
    if (schema_.find("$defs")->entries.empty()) doc::take(schema_, "$defs");
  }

 private:
  // Of a node: without its own description, and remembered.
  Print take_print(const Value& v) {
    Print all, body;
    body.add(v.text);
    body.add(v.is_mapping() ? "{" : v.is_sequence() ? "[" : v.quoted ? "'" : "");
    for (const Value& item : v.items) body.add(take_print(item));
    for (const doc::Entry& e : v.entries) {
      Print entry = take_print(e.value);
      entry.add(e.key);
      (is_own(e.key) ? all : body).add(entry);
    }
    all.add(body);
    if (is_node(v)) {
      prints_[&v] = body;
      ++seen_[body.hash];
    }
    return all;
  }

  void inside(Value& v, const std::string& name) {
    for (Value& item : v.items) share(item, name);
    for (doc::Entry& e : v.entries) share(e.value, e.key == "items" ? name : e.key);
  }

  void share(Value& v, const std::string& name) {
    const auto print = prints_.find(&v);
    if (print == prints_.end() || print->second.size < kWorthSharing ||
        seen_[print->second.hash] < 2)
      return inside(v, name);
    std::string& known = names_[print->second.hash];
    const bool first = known.empty();
    if (first) {
      known = free_name(name.find_first_of("^[.") == name.npos ? name : "item");
      inside(v, name);
    }
    Value node = doc::mapping(), rest = doc::mapping();
    for (doc::Entry& e : v.entries) (is_own(e.key) ? node : rest).entries.push_back(std::move(e));
    doc::set(node, "$ref", doc::scalar("#/$defs/" + known));
    node.entries.back().value.quoted = true;
    v = std::move(node);
    if (first) made_.emplace(known, std::move(rest));
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; schema_.find("$defs")->find(name) || !taken_.insert(name).second; ++n)
      name = fmt::format("{}-{}", wanted, n);
    return name;
  }

  Value& schema_;
  std::unordered_map<const Value*, Print> prints_;
  std::unordered_map<std::size_t, int> seen_;           // nodes that say the same
  std::unordered_map<std::size_t, std::string> names_;  // under which it is said once
  std::set<std::string> taken_;
  std::map<std::string, Value> made_;
};

}  // namespace

void share_nodes(Value& schema) { Sharing{schema}.run(); }

}  // namespace reckon
