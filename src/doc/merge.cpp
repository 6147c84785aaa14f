// Trees laid over each other: merge, set_path, keys with dots.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>

#include "reckon/doc/value.hpp"

namespace reckon::doc {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= path.size();) {
    parts.emplace_back(path.substr(from, path.find('.', from) - from));
    from += parts.back().size() + 1;
  }
  return parts;
}

// Where each key is. Files may hold very many.
using Index = std::unordered_map<std::string, std::size_t>;

Index index_of(const Value& mapping) {
  Index index;
  for (std::size_t i = 0; i < mapping.entries.size(); ++i) index.emplace(mapping.entries[i].key, i);
  return index;
}

void replace(Value& base, const Value& overlay) {
  const Span old = base.span;
  base = overlay;
  base.replaced = old;
}

}  // namespace

namespace {

// Whether each key is an item of the list: {0: …, 2: …} laid over a list changes those items.
bool names_items_of(const Value& list, const Value& overlay) {
  return list.is_sequence() && overlay.is_mapping() && !overlay.entries.empty() &&
         std::all_of(overlay.entries.begin(), overlay.entries.end(), [&](const Entry& e) {
           std::size_t i = 0;
           const char* end = e.key.data() + e.key.size();
           const auto read = std::from_chars(e.key.data(), end, i);
           return read.ec == std::errc() && read.ptr == end && i < list.items.size();
         });
}

}  // namespace

void merge(Value& base, const Value& overlay, StartsAnew starts_anew) {
  if (overlay.is_null() && !overlay.faulty) return;
  if (names_items_of(base, overlay)) {
    for (const Entry& e : overlay.entries)
      merge(base.items[std::stoul(e.key)], e.value, starts_anew);
    return;
  }
  if (!base.is_mapping() || !overlay.is_mapping()) return replace(base, overlay);
  Index index = index_of(base);
  for (const Entry& e : overlay.entries) {
    const auto [at, is_new] = index.emplace(e.key, base.entries.size());
    if (is_new) {
      base.entries.push_back(e);
    } else {
      Entry& below = base.entries[at->second];
      if (e.value.is_null() && !e.value.faulty) continue;
      below.key_span = e.key_span;
      if (starts_anew && starts_anew(e.key, below.value, e.value))
        replace(below.value, e.value);
      else
        merge(below.value, e.value, starts_anew);
    }
  }
}

// --- set_path ---

namespace {

std::string described(const Value& v) {
  return v.is_scalar() ? fmt::format("'{}'", v.text) : "a " + kind_of(v);
}

Value* step_into_list(Value& list, const std::string& part, std::string_view before, Span at,
                      Diagnostics& diagnostics) {
  std::size_t index = 0;
  const char* end = part.data() + part.size();
  const auto read = std::from_chars(part.data(), end, index);
  if (read.ec == std::errc() && read.ptr == end && index < list.items.size())
    return &list.items[index];
  const std::size_t n = list.items.size();
  const std::string has = n == 0   ? "the list is empty"
                          : n == 1 ? "the list has one item, 0"
                                   : fmt::format("the list has the items 0 to {}", n - 1);
  diagnostics.error(at, fmt::format("{} has no item '{}'", before, part)).help(has);
  return nullptr;
}

// The value under `part`, made if it isn't there.
Value* step(Value& v, const std::string& part, std::string_view before, Span at,
            Diagnostics& diagnostics) {
  if (v.is_sequence()) return step_into_list(v, part, before, at, diagnostics);
  if (v.is_null()) v = mapping(at);
  if (v.is_mapping()) {
    if (!v.find(part)) v.entries.push_back({part, at, {}});
    return v.find(part);
  }
  Diagnostic& d = diagnostics.error(
      at, fmt::format("{} is {}, which has no '{}' inside", before, described(v), part));
  if (v.span) d.note(v.span, fmt::format("{} is stated here", before));
  return nullptr;
}

}  // namespace

bool set_path(Value& root, std::string_view path, Value value, Diagnostics& diagnostics) {
  const std::vector<std::string> parts = split(path);
  const bool gap = std::find(parts.begin(), parts.end(), "") != parts.end();
  if (gap || parts.size() > kDeepest) {
    diagnostics
        .error(value.span, gap ? fmt::format("'{}' is no path: a part is empty", path)
                               : fmt::format("a path of more than {} parts", kDeepest))
        .help("a path names keys from the outside in, such as mesh.tensor or layers.0.count");
    return false;
  }
  Value* at = &root;
  std::string before = "the document";
  for (const std::string& part : parts) {
    at = step(*at, part, before, value.span, diagnostics);
    if (!at) return false;
    before = before == "the document" ? part : before + "." + part;
  }
  const bool stated = !at->is_null();
  const Span old = at->span;
  *at = std::move(value);
  if (stated) at->replaced = old;
  return true;
}

// --- keys with dots ---

namespace {

// "peak.bf16" stands for a path; "qwen2.5-7b" and "0.5" don't: each part begins with a letter.
bool is_path(std::string_view key) {
  if (key.find('.') == std::string_view::npos) return false;
  const std::vector<std::string> parts = split(key);
  return parts.size() <= kDeepest && std::all_of(parts.begin(), parts.end(), [](const auto& part) {
           const char c = part.empty() ? '0' : part[0];
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
         });
}

// `peak.bf16: 1` as `peak: {bf16: 1}`; what is deeper is still dotted.
Entry outermost(Entry e) {
  const std::size_t dot = e.key.find('.');
  Value outer = mapping(e.key_span);
  outer.entries.push_back({e.key.substr(dot + 1), e.key_span, std::move(e.value)});
  return {e.key.substr(0, dot), e.key_span, std::move(outer)};
}

// Two statements of one key: two mappings become one, in which a key may now occur twice.
void unite(Entry& first, Entry second, const std::string& path, Diagnostics& diagnostics) {
  Value &a = first.value, &b = second.value;
  if (a.is_null() && b.is_mapping()) {
    a = std::move(b);
  } else if (a.is_mapping() && b.is_mapping()) {
    std::move(b.entries.begin(), b.entries.end(), std::back_inserter(a.entries));
  } else {
    const bool partly = a.is_mapping() || b.is_mapping();
    diagnostics
        .error(second.key_span, fmt::format("{} is stated {}", path,
                                            partly ? "both as a whole and by its parts" : "twice"))
        .note(first.key_span, partly ? "stated here too" : "first stated here");
  }
}

struct Expansion {
  Diagnostics& diagnostics;
  const std::vector<std::string>& opaque;

  void run(Value& v, const std::string& path) const {
    for (Value& i : v.items) run(i, path);
    std::vector<Entry> entries;
    entries.swap(v.entries);
    Index index;
    for (Entry& e : entries) {
      Entry plain = is_path(e.key) ? outermost(std::move(e)) : std::move(e);
      const auto [at, is_new] = index.emplace(plain.key, v.entries.size());
      if (is_new) {
        v.entries.push_back(std::move(plain));
      } else {
        const std::string where = child(path, plain.key);
        unite(v.entries[at->second], std::move(plain), where, diagnostics);
      }
    }
    for (Entry& e : v.entries)
      if (std::find(opaque.begin(), opaque.end(), e.key) == opaque.end())
        run(e.value, child(path, e.key));
  }

  static std::string child(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
};

}  // namespace

void expand_dotted_keys(Value& root, Diagnostics& diagnostics,
                        const std::vector<std::string>& opaque) {
  Expansion{diagnostics, opaque}.run(root, "");
}

}  // namespace reckon::doc
