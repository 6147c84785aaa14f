#include "keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::importing {
namespace {

bool matches_any(std::string_view key, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return matches_pattern(key, p); });
}

// null, false, 0, an empty list: by such a value a key says that it isn't there.
bool says_nothing(const doc::Value& v, const std::vector<std::string>& nothing) {
  if (v.is_null()) return true;
  if (v.is_mapping()) return v.entries.empty();
  if (v.is_sequence())
    return std::all_of(v.items.begin(), v.items.end(),
                       [&](const doc::Value& i) { return says_nothing(i, nothing); });
  return std::find(nothing.begin(), nothing.end(), v.text) != nothing.end();
}

class Sorter {
 public:
  Sorter(const std::set<std::string>& words, const Architecture& record, const ImportRules& rules)
      : words_(words), record_(record), rules_(rules) {}

  void sort(const doc::Value& part, const std::string& above, Keys& out) const {
    for (const doc::Entry& e : part.entries) {
      const std::string path = above.empty() ? e.key : above + "." + e.key;
      const std::string shown = shortened(path);
      const auto below = words_.lower_bound(path + ".");
      const bool opened = below != words_.end() && below->starts_with(path + ".");
      if (words_.contains(path))
        out.read.push_back(shown);
      else if (opened && e.value.is_mapping())
        sort(e.value, path, out);
      else if (matches_any(path, record_.ignore) || matches_any(e.key, rules_.ignore))
        out.ignored.push_back(shown);
      else if (says_nothing(e.value, rules_.nothing))
        out.ignored.push_back(shown);
      else if (matches_any(e.key, rules_.bears))
        out.bearing.push_back(&e);
      else
        out.unknown.push_back(shown);
    }
  }

 private:
  const std::set<std::string>& words_;
  const Architecture& record_;
  const ImportRules& rules_;
};

std::string value_of(const doc::Value& v) {
  return v.is_scalar() ? fmt::format(" = {}", shortened(v.text)) : "";
}

}  // namespace

Keys sort_keys(const doc::Value& part, const std::set<std::string>& words,
               const Architecture& record, const ImportRules& rules) {
  Keys out;
  Sorter(words, record, rules).sort(part, "", out);
  return out;
}

void refuse_bearing(const Keys& keys, const Record& record, Diagnostics& diagnostics) {
  for (const doc::Entry* e : keys.bearing)
    diagnostics
        .error(e->key_span,
               fmt::format("{}{} bears on what the model costs, and {} doesn't know the key",
                           shortened(e->key), value_of(e->value), record.file))
        .help(
            "a record of your own can say what it means, or list it under ignore: if it changes "
            "nothing (models/architectures/README.md)");
}

}  // namespace reckon::importing
