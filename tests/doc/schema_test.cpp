#include "reckon/doc/schema.hpp"

#include "reckon/doc/reference.hpp"
#include "sample.hpp"

using namespace reckon;

namespace {

struct Cluster {
  sample::Memory memory;
  sample::Mesh mesh;
  Frequency<double> clock;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("memory", "", "a file, or what differs").by_name().required(), s.memory...);
    v(Field("mesh", "", "degrees"), s.mesh...);
    v(Field("clock", "f", "of the chip").limit(Limit::kPositive), s.clock...);
  }
};

doc::Value node(std::string_view path) {
  const doc::Value all = schema_node(describe<sample::Plan>());
  const doc::Value* at = all.at(path);
  REQUIRE(at != nullptr);
  return *at;
}

}  // namespace

TEST_CASE("a description is the fields as data") {
  const Description plan = describe<sample::Plan>();
  CHECK(plan.parts.size() == 12);
  const Description& mesh = plan.parts.at(2);
  CHECK(mesh.key == "mesh");
  CHECK(mesh.parts.at(0).symbol == "p_t");
  CHECK(mesh.parts.at(0).initial.text == "1");
  CHECK(plan.parts.at(3).one_word);
  CHECK(plan.parts.at(4).words == std::vector<std::string>{"none", "selective", "full"});
  CHECK(plan.parts.at(1).parts.at(0).required);
  CHECK(plan.parts.at(1).parts.at(0).initial.is_null());
  CHECK(plan.parts.at(9).parts.at(0).parts.at(0).key == "count");
}

TEST_CASE("schema of each kind of field") {
  CHECK(doc::write_json(node("properties.mesh.properties.tensor")) ==
        R"({
  "description": "ranks that split each layer; a whole number such as 8",
  "type": ["integer", "string", "object", "null"],
  "minimum": 1,
  "properties": {
    "value": {
      "type": ["integer", "string"],
      "minimum": 1
    },
    "source": {"type": "string"}
  },
  "required": ["value"],
  "additionalProperties": false,
  "default": 1
}
)");
  CHECK(doc::write_json(node("properties.recompute")) ==
        R"({
  "description": "activations computed again",
  "enum": ["none", "selective", "full", null],
  "default": "none"
}
)");
  CHECK(node("properties.memory.properties.capacity.type").items.at(0).text == "string");
  CHECK(node("properties.memory.required").items.at(0).text == "capacity");
  CHECK(node("properties.memory.additionalProperties").text == "false");
  CHECK(node("properties.mfu.exclusiveMinimum").text == "0");
  CHECK(node("properties.mfu.maximum").text == "1");
  CHECK(node("properties.fused.default").text == "false");
  CHECK(node("properties.tags.items.type").items.at(0).text == "string");
  CHECK(node("properties.layers.items.required").items.at(0).text == "count");
  CHECK(node("properties.overlap.type").items.at(1).text == "string");
  CHECK(node("properties.expect").keys() == std::vector<std::string>{"description"});
  CHECK(node("required").items.at(0).text == "memory");
  CHECK(
      node("patternProperties").keys().at(0) ==
      "^(memory\\.(capacity(\\.(value|source))?|bandwidth(\\.(value|source))?)|"
      "mesh\\.(tensor(\\.(value|source))?|pipeline(\\.(value|source))?|expert(\\.(value|source))?)|"
      "overlap\\.(data(\\.(value|source))?)|mfu\\.(value|source)|"
      "second_mesh\\.(tensor(\\.(value|source))?|pipeline(\\.(value|source))?|"
      "expert(\\.(value|source))?)|layers\\.[0-9]+(\\.(count(\\.(value|source))?|kind))?|expect\\.."
      "*)$");
}

TEST_CASE("what a name may stand for needs no fields") {
  const doc::Value schema = schema_node(describe<Cluster>());
  const doc::Value& memory = *schema.at("properties.memory");
  CHECK(memory.find("required") == nullptr);
  CHECK(memory.at("properties.base") != nullptr);
  CHECK(memory.at("type")->items.at(1).text == "string");
  CHECK(schema.at("required")->items.at(0).text == "memory");
}

TEST_CASE("a schema is JSON that reads back") {
  const doc::Value schema = schema_node(describe<sample::Plan>());
  const sample::Parsed p(doc::write_json(schema), "schema.json");
  CHECK(p.diagnostics.render() == "");
  CHECK(doc::write_json(p.tree) == doc::write_json(schema));
}

TEST_CASE("the reference of a struct") {
  CHECK(reference_table(describe<Cluster>()) ==
        "| key | meaning | form | default | limits |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| `memory` | a file, or what differs | a name, or a mapping | required |  |\n"
        "| `mesh` | degrees | a mapping |  |  |\n"
        "| `mesh.tensor` | ranks that split each layer (p_t) | a whole number such as 8 | `1` | at "
        "least 1 |\n"
        "| `mesh.pipeline` | stages (p_p) | a whole number such as 8 | `1` | at least 1 |\n"
        "| `mesh.expert` | ranks that share the experts (p_e) | a whole number such as 8 |  | at "
        "least 1 |\n"
        "| `clock` | of the chip (f) | a frequency such as 1.83 GHz |  | more than 0 |\n");
  const std::string plan = reference_table(describe<sample::Plan>());
  CHECK(plan.find("| `layers[].count` | how many (n) | a whole number such as 8 | required | at "
                  "least 1 |\n") != std::string::npos);
  CHECK(plan.find("| `recompute` | activations computed again | `none`, `selective` or `full` | "
                  "`none` |  |\n") != std::string::npos);
  CHECK(plan.find("| `sizes` | message sizes (S) | a list, each a size such as 80 GB |  |  |\n") !=
        std::string::npos);
}
