// A kind of file as a JSON Schema: the description of its struct, and the keys that belong to files.
#include <algorithm>

#include "reckon/doc/schema.hpp"
#include "reckon/engine/file_kinds.hpp"
#include "reckon/engine/plan_file.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/measured_run.hpp"
#include "reckon/spec/training.hpp"
#include "share_nodes.hpp"

namespace reckon {
namespace {

using doc::Value;

Value text(std::string_view s) {
  Value v = doc::scalar(std::string(s));
  v.quoted = true;
  return v;
}

Value made(std::initializer_list<std::pair<std::string, Value>> entries) {
  Value out = doc::mapping();
  for (const auto& [key, value] : entries) doc::set(out, key, value);
  return out;
}

Value list_of(std::vector<Value> items) {
  Value out = doc::sequence();
  out.items = std::move(items);
  return out;
}

Value texts(const std::vector<std::string>& words) {
  Value out = doc::sequence();
  for (const std::string& w : words) out.items.push_back(text(w));
  return out;
}

Value of_type(const std::vector<std::string>& types) { return made({{"type", texts(types)}}); }
Value reference(std::string_view name) {
  return made({{"$ref", text("#/$defs/" + std::string(name))}});
}
Value requires_keys(const std::vector<std::string>& keys) {
  return made({{"required", texts(keys)}});
}

const Value kRefused = doc::scalar("false");

// A field of this struct by its key, in place of the plan's own where it has one.
template <class T>
Description named_part(const std::string_view key, const std::string_view meaning) {
  Description d = describe<T>();
  d.key = key;
  d.meaning = meaning;
  d.by_name = true;
  return d;
}

// chip:, node: and fabric: beside a cluster change parts of it.
void add_hardware(Description& plan) {
  const auto has = [&plan](std::string_view key) {
    return std::any_of(plan.parts.begin(), plan.parts.end(),
                       [key](const Description& d) { return d.key == key; });
  };
  if (!has("cluster")) return;
  if (!has("node"))
    plan.parts.push_back(
        named_part<Node<double>>("node", "in place of the cluster's, or what differs"));
  if (!has("chip"))
    plan.parts.push_back(
        named_part<Chip<double>>("chip", "in place of the node's, or what differs"));
  if (!has("fabric"))
    plan.parts.push_back(
        named_part<Fabric<double>>("fabric", "in place of the node's, or what differs"));
}

// price: 2.50 USD/h, or {h100-sxm: 2.50 USD/h, as_of: 2026-01}, or a file that says so.
Value price_node() {
  return made({{"description",
                text("of one GPU for an hour, or by chip: {h100-sxm: 2.50 USD/h}, or a file")},
               {"type", texts({"string", "object", "null"})},
               {"additionalProperties", of_type({"string", "number", "object"})}});
}

// recompute: a word, a list of modules, or {modules: …}, of one module or several.
Value recompute_node(const Value& word, const Value& modules) {
  const Value one_or_more = made({{"anyOf", list_of({modules, *modules.find("items")})}});
  const Value named = made({{"type", texts({"object"})},
                            {"properties", made({{"modules", one_or_more}})},
                            {"additionalProperties", kRefused}});
  return made({{"anyOf", list_of({word, modules, named})}});
}

// offload: a word, a list of what goes to the host, or {optimizer: yes, activations: 50%, …}.
Value offload_node(const Value& word, Value offloaded) {
  Value& fields = *offloaded.find("properties");
  doc::set(fields, "optimizer", of_type({"boolean", "string", "number"}));
  doc::set(*fields.find("activations"), "type", texts({"number", "string", "boolean", "object"}));
  const Value what = made({{"enum", texts(fields.keys())}});
  const Value list = made({{"type", texts({"array"})}, {"items", what}});
  return made({{"anyOf", list_of({word, what, list, offloaded})}});
}

// The fields of a plan under "$defs", since a plan and each of its cases have them.
Value fields_of(const FileKind& kind, Description plan) {
  add_hardware(plan);
  Value out = doc::mapping();
  for (const Description& field : plan.parts)
    doc::set(out, std::string(field.key), schema_node(field, Stating::kWhatDiffers));
  if (kind.word != "training") return out;
  doc::set(out, "price", price_node());
  doc::set(out, "recompute",
           recompute_node(*out.find("recompute"), *out.find("recompute_modules")));
  doc::set(out, "offload", offload_node(*out.find("offload"), *out.find("offloaded")));
  Value& trainable = *out.find("trainable");
  doc::set(trainable, "type", texts({"object", "string"}));
  return out;
}

Value expect_node() {
  return made({{"description", text("what `reckon check` holds it to")},
               {"type", texts({"array", "null"})},
               {"items", schema_node(describe<Expectation>())}});
}

// Keys with a dot, and `fits`, are metrics; numbers are held against those of the plan.
Value measured_node() {
  Value node = schema_node(describe<MeasuredFacts>(), Stating::kWhatDiffers);
  doc::set(node, "description", text("what its run measured, for `reckon validate`"));
  doc::set(node, "type", texts({"object", "array", "null"}));
  doc::set(node, "additionalProperties", doc::scalar("true"));
  return node;
}

// A mapping of the plan's fields, by reference, with `own` before them.
Value with_fields(Value own, const Description& plan, const Value& fields) {
  for (const doc::Entry& e : fields.entries)
    if (!own.find(e.key))
      doc::set(own, e.key, made({{"anyOf", list_of({reference(e.key), of_type({"null"})})}}));
  Value out = made({{"type", texts({"object"})}, {"properties", own}});
  if (const std::string dotted = dotted_keys(plan); !dotted.empty())
    doc::set(out, "patternProperties", made({{dotted, doc::scalar("true")}}));
  doc::set(out, "additionalProperties", kRefused);
  return out;
}

std::vector<std::string> required_of(const Description& d) {
  std::vector<std::string> out;
  for (const Description& part : d.parts)
    if (part.required) out.emplace_back(part.key);
  return out;
}

Value kind_node(const FileKind& kind) { return made({{"const", text(kind.word)}}); }

// What `other` names may state what is required: cases, or the file it is based on.
void require(Value& node, const std::vector<std::string>& keys, const std::string& other) {
  doc::set(node, "required", texts({"kind"}));
  if (keys.empty()) return;
  if (other.empty()) {
    for (const std::string& key : keys) node.find("required")->items.push_back(text(key));
  } else {
    doc::set(node, "anyOf", list_of({requires_keys({other}), requires_keys(keys)}));
  }
}

Value plan_schema(const FileKind& kind) {
  Description plan = in_files(kind);
  const std::vector<std::string> required = required_of(plan);
  Value defs = fields_of(kind, plan);
  add_hardware(plan);
  const Value beside = made({{"expect", expect_node()}, {"measured", measured_node()}});
  Value in_case = with_fields(beside, plan, defs), own = made({{"kind", kind_node(kind)}});
  doc::set(in_case, "required", texts({"name"}));
  for (const doc::Entry& e : beside.entries) doc::set(own, e.key, e.value);
  doc::set(own, "cases", made({{"type", texts({"array", "null"})}, {"items", reference("case")}}));
  Value out = with_fields(own, plan, defs);
  require(out, required, "cases");
  doc::set(defs, "case", in_case);
  doc::set(out, "$defs", defs);
  return out;
}

Value data_schema(const FileKind& kind) {
  const Description file = in_files(kind);
  Value out = schema_node(file, kind.based ? Stating::kWhatDiffers : Stating::kWhole);
  Value properties = made({{"kind", kind_node(kind)}});
  for (const doc::Entry& e : out.find("properties")->entries) doc::set(properties, e.key, e.value);
  if (kind.based && !properties.find("base")) doc::set(properties, "base", of_type({"string"}));
  if (!properties.find("name")) doc::set(properties, "name", of_type({"string"}));
  doc::set(out, "properties", std::move(properties));
  require(out, required_of(file), kind.based ? "base" : "");
  return out;
}

}  // namespace

Value file_schema(const FileKind& kind) {
  Value out = made({{"$schema", text("https://json-schema.org/draft/2020-12/schema")},
                    {"title", text(kind.word)},
                    {"description", text(kind.what)}});
  const Value body = kind.role == FileRole::kPlan   ? plan_schema(kind)
                     : kind.role == FileRole::kData ? data_schema(kind)
                                                    : measured_node();
  for (const doc::Entry& e : body.entries)
    if (e.key != "description") out.entries.push_back(e);
  share_nodes(out);
  return out;
}

}  // namespace reckon
