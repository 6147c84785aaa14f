// What plans state differently: resolved trees, leaf by leaf.
#include <algorithm>

#include "reckon/engine/compare.hpp"

namespace reckon {
namespace {

using doc::Value;
using Trees = std::vector<const Value*>;

// What a leaf is there to say to people, or says where it came from.
bool is_remark(std::string_view key) {
  return key == "name" || key == "comment" || key == "source" || key == "as_of";
}

std::string text_of(const Value* v) {
  if (!v || v->is_null()) return "";
  if (v->is_scalar()) return v->text;
  if (const Value* id = v->find("id"); id && id->is_scalar()) return id->text;
  if (const Value* value = v->find("value"); value && value->is_scalar()) return value->text;
  return v->is_sequence() ? std::to_string(v->items.size()) + " items" : "stated";
}

class Differences {
 public:
  std::vector<InputDifference> out;

  void compare(const std::string& path, const Trees& at) {
    if (all_same(at)) return;
    if (all(at, [](const Value& v) { return v.is_mapping() && !v.find("value"); }) &&
        !other_thing(at)) {
      for (const std::string& key : keys(at)) {
        if (!is_remark(key)) compare(path.empty() ? key : path + "." + key, children(at, key));
      }
      return;
    }
    if (all(at, [&](const Value& v) {
          return v.is_sequence() && v.items.size() == at[0]->items.size();
        })) {
      for (std::size_t i = 0; i < at[0]->items.size(); ++i) {
        Trees items;
        for (const Value* v : at) items.push_back(&v->items[i]);
        compare(path + "." + std::to_string(i), items);
      }
      return;
    }
    report(path, at);
  }

 private:
  template <class Test>
  static bool all(const Trees& at, Test test) {
    return std::all_of(at.begin(), at.end(), [&](const Value* v) { return v && test(*v); });
  }
  static bool all_same(const Trees& at) {
    return std::all_of(at.begin(), at.end(), [&](const Value* v) {
      if (!v || !at[0]) return v == at[0];
      return doc::same(*v, *at[0]);
    });
  }
  // Another file's thing: its name says it all.
  static bool other_thing(const Trees& at) {
    Trees ids = children(at, "id");
    return !all_same(ids) && all(ids, [](const Value& v) { return v.is_scalar(); });
  }
  static Trees children(const Trees& at, const std::string& key) {
    Trees out;
    for (const Value* v : at) out.push_back(v ? v->find(key) : nullptr);
    return out;
  }
  static std::vector<std::string> keys(const Trees& at) {
    std::vector<std::string> out;
    for (const Value* v : at) {
      for (const std::string& key : v->keys())
        if (std::find(out.begin(), out.end(), key) == out.end()) out.push_back(key);
    }
    return out;
  }
  void report(const std::string& path, const Trees& at) {
    InputDifference d{path, {}};
    for (const Value* v : at) d.values.push_back(text_of(v));
    const bool says = std::any_of(d.values.begin(), d.values.end(),
                                  [&](const std::string& x) { return x != d.values[0]; });
    if (says) out.push_back(std::move(d));
  }
};

}  // namespace

std::vector<InputDifference> differences(const Trees& plans) {
  Differences d;
  d.compare("", plans);
  return d.out;
}

}  // namespace reckon
