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

// "^(peak|memory)\\.": keys with dots, under the groups they lead into.
std::string dotted_keys(const Description& group) {
  std::string names;
  for (const Description& part : group.parts) {
    if (part.kind != Kind::kGroup && part.kind != Kind::kAny && part.kind != Kind::kQuantity)
      continue;
    names += (names.empty() ? "" : "|") + std::string(part.key);
  }
  return names.empty() ? "" : "^(" + names + ")\\.";
}

Value base_node() {
  Value node = doc::mapping();
  doc::set(node, "description", text("the name of what this differs from"));
  add_type(node, {"string"});
  return node;
}

Value group_node(const Description& d) {
  Value node = doc::mapping(), properties = doc::mapping();
  std::vector<std::string> required;
  if (d.by_name) doc::set(properties, "base", base_node());
  for (const Description& part : d.parts) {
    doc::set(properties, std::string(part.key), schema_node(part));
    if (part.required && !d.by_name) required.emplace_back(part.key);
  }
  const bool word = d.by_name || d.one_word;
  add_type(node, word ? std::vector<std::string>{"object", "string"}
                      : std::vector<std::string>{"object"});
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

Value list_node(const Description& d) {
  Value node = doc::mapping();
  add_type(node, {"array"});
  doc::set(node, "items", schema_node(d.parts.at(0)));
  return node;
}

Value plain_node(Kind kind) {
  Value node = doc::mapping();
  if (kind == Kind::kFlag) add_type(node, {"boolean", "string"});
  if (kind == Kind::kText) add_type(node, {"string", "number", "boolean"});
  return node;
}

Value node_of(const Description& d) {
  switch (d.kind) {
    case Kind::kQuantity:
      return quantity_node(d);
    case Kind::kList:
      return list_node(d);
    case Kind::kGroup:
      return group_node(d);
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

Value schema_node(const Description& d) {
  Value node = doc::mapping();
  if (const std::string what = described(d); !what.empty())
    doc::set(node, "description", text(what));
  for (doc::Entry& e : node_of(d).entries) node.entries.push_back(std::move(e));
  if (!d.initial.is_null() && !(d.kind == Kind::kText && d.initial.text.empty())) {
    Value initial = d.initial;
    // What is written bare in YAML is a number or a text to JSON, by its looks.
    if (d.kind == Kind::kText || d.kind == Kind::kWord) initial.quoted = true;
    doc::set(node, "default", std::move(initial));
  }
  return node;
}

Value schema_document(std::string_view title, const Description& d) {
  Value out = doc::mapping();
  doc::set(out, "$schema", text("https://json-schema.org/draft/2020-12/schema"));
  doc::set(out, "title", text(title));
  for (doc::Entry& e : schema_node(d).entries) out.entries.push_back(std::move(e));
  return out;
}

}  // namespace reckon
