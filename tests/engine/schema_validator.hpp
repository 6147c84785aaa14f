// A tree held to a JSON Schema: the keywords that reckon writes, and no others (one it does not know is a fault).
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "reckon/doc/value.hpp"

namespace reckon::testing {

class SchemaValidator {
 public:
  explicit SchemaValidator(const doc::Value& schema) : root_(schema) {}

  // What the schema says against the tree: "mesh.tensor: …".
  std::vector<std::string> faults(const doc::Value& v) {
    faults_.clear();
    hold(v, root_, "");
    return faults_;
  }

 private:
  using Value = doc::Value;

  // As YAML 1.2 and JSON type a scalar.
  static std::string type_of(const Value& v) {
    if (v.is_null()) return "null";
    if (v.is_mapping()) return "object";
    if (v.is_sequence()) return "array";
    if (v.quoted) return "string";
    if (v.text == "true" || v.text == "false") return "boolean";
    static const std::regex number("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?");
    if (!std::regex_match(v.text, number)) return "string";
    const double x = number_of(v);
    return x == std::trunc(x) ? "integer" : "number";
  }

  static double number_of(const Value& v) { return std::strtod(v.text.c_str(), nullptr); }

  static bool has_type(const Value& v, const Value& types) {
    const std::string type = type_of(v);
    const auto fits = [&](const Value& t) {
      return t.text == type || (t.text == "number" && type == "integer");
    };
    if (types.is_scalar()) return fits(types);
    for (const Value& t : types.items)
      if (fits(t)) return true;
    return false;
  }

  static bool is_same(const Value& v, const Value& word) {
    return v.kind == word.kind && v.text == word.text;
  }

  void fault(const std::string& path, const std::string& what) {
    faults_.push_back((path.empty() ? "the whole" : path) + ": " + what);
  }

  bool accepts(const Value& v, const Value& schema) {
    const std::size_t before = faults_.size();
    hold(v, schema, "");
    const bool yes = faults_.size() == before;
    faults_.resize(before);
    return yes;
  }

  bool matches(const std::string& pattern, const std::string& key) {
    const auto [at, is_new] = patterns_.try_emplace(pattern);
    if (is_new) at->second = std::regex(pattern, std::regex::optimize);
    return std::regex_search(key, at->second);
  }

  void hold_limit(const Value& v, const std::string& keyword, double limit,
                  const std::string& path) {
    const std::string type = type_of(v);
    if (type != "number" && type != "integer") return;
    const double x = number_of(v);
    const bool ok = keyword == "minimum"   ? x >= limit
                    : keyword == "maximum" ? x <= limit
                                           : x > limit;
    if (!ok) fault(path, v.text + " against " + keyword);
  }

  void hold_keys(const Value& v, const Value& schema, const std::string& path) {
    const Value* fields = schema.find("properties");
    const Value* patterns = schema.find("patternProperties");
    const Value* more = schema.find("additionalProperties");
    for (const doc::Entry& e : v.entries) {
      const std::string at = path.empty() ? e.key : path + "." + e.key;
      bool known = false;
      if (const Value* field = fields ? fields->find(e.key) : nullptr) {
        known = true;
        hold(e.value, *field, at);
      }
      const bool dotted = e.key.find('.') != std::string::npos ||
                          e.key.find_first_not_of("0123456789") == std::string::npos;
      for (std::size_t i = 0; patterns && dotted && i < patterns->entries.size(); ++i) {
        if (!matches(patterns->entries[i].key, e.key)) continue;
        known = true;
        hold(e.value, patterns->entries[i].value, at);
      }
      if (known || !more) continue;
      if (more->is_scalar() && more->text == "false")
        fault(at, "no such key");
      else
        hold(e.value, *more, at);
    }
  }

  void hold(const Value& v, const Value& schema, const std::string& path) {
    if (schema.is_scalar()) {  // true or false
      if (schema.text == "false") fault(path, "refused");
      return;
    }
    for (const doc::Entry& e : schema.entries) {
      const std::string& word = e.key;
      if (word == "$ref") {
        const std::string name = e.value.text.substr(std::string("#/$defs/").size());
        const Value* node = root_.find("$defs")->find(name);
        if (node)
          hold(v, *node, path);
        else
          fault(path, "no $defs for " + e.value.text);
      } else if (word == "type") {
        if (!has_type(v, e.value)) fault(path, "is a " + type_of(v));
      } else if (word == "const") {
        if (!is_same(v, e.value)) fault(path, "is not " + e.value.text);
      } else if (word == "enum") {
        bool any = false;
        for (const Value& w : e.value.items) any = any || is_same(v, w);
        if (!any) fault(path, "'" + v.text + "' is not in the enumeration");
      } else if (word == "anyOf") {
        bool any = false;
        for (const Value& s : e.value.items) any = any || accepts(v, s);
        if (!any) fault(path, "no form of it fits");
      } else if (word == "required") {
        for (const Value& key : e.value.items)
          if (v.is_mapping() && !v.find(key.text)) fault(path, key.text + " is missing");
      } else if (word == "items") {
        for (std::size_t i = 0; i < v.items.size(); ++i)
          hold(v.items[i], e.value, path + "." + std::to_string(i));
      } else if (word == "minimum" || word == "maximum" || word == "exclusiveMinimum") {
        hold_limit(v, word, number_of(e.value), path);
      } else if (!is_beside(word)) {
        fault(path, "the validator does not know the keyword " + word);
      }
    }
    if (v.is_mapping()) hold_keys(v, schema, path);
  }

  static bool is_beside(const std::string& word) {
    for (const char* known : {"$schema", "$defs", "title", "description", "default", "properties",
                              "patternProperties", "additionalProperties"})
      if (word == known) return true;
    return false;
  }

  const Value& root_;
  std::vector<std::string> faults_;
  std::map<std::string, std::regex> patterns_;
};

}  // namespace reckon::testing
