#include "reckon/doc/schema.hpp"

#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

using doc::Value;
using Kind = Description::Kind;

Value text(std::string_view s) {
  Value v = doc::scalar(std::string(s));
  v.quoted = true;
  return v;
}
Value bare(std::string_view s) { return doc::scalar(std::string(s)); }  // a number, true, false

Value texts(const std::vector<std::string>& words) {
  Value list = doc::sequence();
  for (const std::string& w : words) list.items.push_back(text(w));
  return list;
}

void add_type(Value& node, const std::vector<std::string>& types) {
  doc::set(node, "type", types.size() == 1 ? text(types[0]) : texts(types));
}

// Limits hold for plain numbers; a text such as "40%" is checked when it is read.
void add_limit(Value& node, Limit limit) {
  const bool above = limit == Limit::kPositive || limit == Limit::kEfficiency;
  const bool one = limit == Limit::kAtLeastOne;
  doc::set(node, above ? "exclusiveMinimum" : "minimum", bare(one ? "1" : "0"));
  if (limit == Limit::kShare || limit == Limit::kEfficiency) doc::set(node, "maximum", bare("1"));
}

std::vector<std::string> number_types(const Description& d) {
  if (!(d.dim == kOne)) return {"string"};
  if (d.hint == Hint::kYesNo) return {"boolean", "string"};
  const bool whole = d.hint == Hint::kCount || d.hint == Hint::kLength;
  return {whole ? "integer" : "number", "string"};
}

Value number_node(const Description& d, bool with_source) {
  Value node = doc::mapping();
  std::vector<std::string> types = number_types(d);
  if (with_source) types.emplace_back("object");
  add_type(node, types);
  if (d.dim == kOne && d.hint != Hint::kYesNo) add_limit(node, d.limit);
  return node;
}

// A number, or {value: …, source: …}: what is said of objects holds for objects alone.
Value quantity_node(const Description& d) {
  Value node = number_node(d, true);
  Value source = doc::mapping();
  add_type(source, {"string"});
  Value properties = doc::mapping();
  doc::set(properties, "value", number_node(d, false));
  doc::set(properties, "source", source);
  doc::set(node, "properties", properties);
  doc::set(node, "required", texts({"value"}));
  doc::set(node, "additionalProperties", bare("false"));
  return node;
}

std::string names_below(const Description& d);

// How the keys below one may be written after a dot: "value|source", "[0-9]+…", the fields of a group.
std::string below(const Description& d) {
  switch (d.kind) {
    case Kind::kQuantity:
      return "(value|source)";
    case Kind::kGroup:
      return names_below(d);
    case Kind::kAny:
      return ".*";
    case Kind::kList:
      if (d.parts.at(0).kind == Kind::kGroup) return "[0-9]+(\\." + names_below(d.parts[0]) + ")?";
      break;
    default:
      break;
  }
  return "";
}

// "(tensor(\.(value|source))?|base)": what may follow the group's own key and a dot.
std::string names_below(const Description& d) {
  std::string names = d.by_name ? "base" : "";
  for (const Description& part : d.parts) {
    names += (names.empty() ? "" : "|") + std::string(part.key);
    if (const std::string more = below(part); !more.empty()) names += "(\\." + more + ")?";
  }
  return "(" + names + ")";
}

Value base_node() {
  Value node = doc::mapping();
  doc::set(node, "description", text("the name of what this differs from"));
  add_type(node, {"string"});
  return node;
}

// A key without a value counts as not stated.
void allow_nothing(Value& node) {
  for (doc::Entry& e : node.entries) {
    if (e.key == "type" && e.value.is_scalar()) {
      Value types = doc::sequence();
      types.items.push_back(e.value);
      e.value = std::move(types);
    }
    if (e.key == "type") e.value.items.push_back(text("null"));
    if (e.key == "enum") e.value.items.emplace_back();
  }
}

Value group_node(const Description& d, Stating stating) {
  Value node = doc::mapping(), properties = doc::mapping();
  std::vector<std::string> required;
  if (d.by_name) doc::set(properties, "base", base_node());
  const Stating inside = d.by_name ? Stating::kWhatDiffers : stating;
  for (const Description& part : d.parts) {
    Value field = schema_node(part, inside);
    if (part.required && inside == Stating::kWhole)
      required.emplace_back(part.key);
    else
      allow_nothing(field);
    doc::set(properties, std::string(part.key), std::move(field));
  }
  std::vector<std::string> types{"object"};
  if (d.by_name || d.one_word) types.emplace_back("string");
  if (d.one_word && !d.by_name) types.emplace_back("number");
  add_type(node, types);
  doc::set(node, "properties", properties);
  if (const std::string pattern = dotted_keys(d); !pattern.empty()) {
    Value patterns = doc::mapping();
    doc::set(patterns, pattern, bare("true"));
    doc::set(node, "patternProperties", patterns);
  }
  if (!required.empty()) doc::set(node, "required", texts(required));
  doc::set(node, "additionalProperties", bare("false"));
  return node;
}

// Where a file states what differs, {0: …, 2: …} changes items of the list below.
Value list_node(const Description& d, Stating stating) {
  Value node = doc::mapping();
  const Description& item = d.parts.at(0);
  const bool by_index = stating == Stating::kWhatDiffers && item.kind == Kind::kGroup;
  std::vector<std::string> types{"array"};
  if (d.one_word) types.insert(types.end(), {"string", "number"});
  if (by_index) types.emplace_back("object");
  add_type(node, types);
  doc::set(node, "items", schema_node(item, stating));
  if (!by_index) return node;
  Value patterns = doc::mapping();
  doc::set(patterns, "^[0-9]+$", schema_node(item, stating));
  doc::set(patterns, "^[0-9]+\\." + names_below(item) + "$", bare("true"));
  doc::set(node, "patternProperties", patterns);
  doc::set(node, "additionalProperties", bare("false"));
  return node;
}

Value plain_node(Kind kind) {
  Value node = doc::mapping();
  if (kind == Kind::kFlag) add_type(node, {"boolean", "string"});
  if (kind == Kind::kText) add_type(node, {"string", "number", "boolean"});
  return node;
}

Value node_of(const Description& d, Stating stating) {
  switch (d.kind) {
    case Kind::kQuantity:
      return quantity_node(d);
    case Kind::kList:
      return list_node(d, stating);
    case Kind::kGroup:
      return group_node(d, stating);
    case Kind::kWord: {
      Value node = doc::mapping();
      doc::set(node, "enum", texts(d.words));
      return node;
    }
    case Kind::kFlag:
    case Kind::kText:
    case Kind::kAny:
      break;
  }
  return plain_node(d.kind);
}

std::string described(const Description& d) {
  std::string out(d.meaning);
  if (d.kind == Kind::kQuantity) out += (out.empty() ? "" : "; ") + expected_form(d.dim, d.hint);
  return out;
}

}  // namespace

// "^(peak\.(bf16|…)|memory\.(…))$": keys with dots, to the end of each.
std::string dotted_keys(const Description& group) {
  std::string names;
  for (const Description& part : group.parts)
    if (const std::string more = below(part); !more.empty())
      names += (names.empty() ? "" : "|") + std::string(part.key) + "\\." + more;
  return names.empty() ? "" : "^(" + names + ")$";
}

Value schema_node(const Description& d, Stating stating) {
  Value node = doc::mapping();
  if (const std::string what = described(d); !what.empty())
    doc::set(node, "description", text(what));
  for (doc::Entry& e : node_of(d, stating).entries) node.entries.push_back(std::move(e));
  if (!d.initial.is_null() && !(d.kind == Kind::kText && d.initial.text.empty())) {
    Value initial = d.initial;
    // What is written bare in YAML is a number or a text to JSON, by its looks.
    if (d.kind == Kind::kText || d.kind == Kind::kWord) initial.quoted = true;
    doc::set(node, "default", std::move(initial));
  }
  return node;
}

}  // namespace reckon
