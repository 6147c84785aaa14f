#include "reckon/doc/value.hpp"

#include "sample.hpp"

using namespace reckon;
using sample::Parsed;

namespace {

std::string at(const Span& s) {
  return s ? std::to_string(s.line) + ":" + std::to_string(s.column) + "+" +
                 std::to_string(s.length)
           : "nowhere";
}

}  // namespace

TEST_CASE("a value by its path") {
  const Parsed p("mesh: {tensor: 8}\nlayers:\n- count: 3\n- count: 5\n");
  CHECK(p.tree.at("mesh.tensor")->text == "8");
  CHECK(p.tree.at("layers.1.count")->text == "5");
  CHECK(p.tree.at("layers.2.count") == nullptr);
  CHECK(p.tree.at("layers.x") == nullptr);
  CHECK(p.tree.at("mesh.tensor.x") == nullptr);
  CHECK(p.tree.at("") == nullptr);
  CHECK(p.tree.at("mesh.") == nullptr);
  CHECK(p.tree.keys() == std::vector<std::string>{"mesh", "layers"});
  CHECK(p.tree.find("nothing") == nullptr);
}

TEST_CASE("what a value is, for messages") {
  const Parsed p("[8, -1.5e3, 80 GB, '8', ~, [], {}]");
  std::vector<std::string> kinds;
  for (const doc::Value& v : p.tree.items) kinds.push_back(doc::kind_of(v));
  CHECK(kinds ==
        std::vector<std::string>{"number", "number", "text", "text", "nothing", "list", "mapping"});
}

TEST_CASE("merge: the overlay wins, and remembers what it replaced") {
  Parsed base("chip: h100\nmesh: {tensor: 1, pipeline: 2}\ntags: [a, b]\n", "base.yaml");
  const Parsed over("mesh: {tensor: 8}\ntags: [c]\nbatch: 4\n", "over.yaml");
  doc::merge(base.tree, over.tree);
  CHECK(doc::write_yaml(base.tree) ==
        "chip: h100\nmesh: {tensor: 8, pipeline: 2}\ntags: [c]\nbatch: 4\n");
  const doc::Value& tensor = *base.tree.at("mesh.tensor");
  CHECK(tensor.span.file->name == "over.yaml");
  CHECK(tensor.replaced.file->name == "base.yaml");
  CHECK(at(tensor.replaced) == "2:16+1");
  CHECK(base.tree.at("mesh")->entry("tensor")->key_span.file->name == "over.yaml");
  CHECK(at(base.tree.at("mesh.pipeline")->replaced) == "nowhere");
}

TEST_CASE("merge: a key without a value changes nothing, a mapping replaces a word") {
  Parsed base("cluster: 64xh100\nmesh: {tensor: 1}\n");
  const Parsed over("cluster: {nodes: 8}\nmesh:\n");
  doc::merge(base.tree, over.tree);
  CHECK(base.tree.at("cluster.nodes")->text == "8");
  CHECK(base.tree.at("mesh.tensor")->text == "1");
}

TEST_CASE("set_path makes what it needs") {
  Parsed p("mesh: {tensor: 1}\nlayers: [{count: 2}]\nrun:\n");
  Diagnostics d;
  Sources sources;
  const Span set{sources.add("--set", "mesh.tensor=8"), 1, 13, 1};
  CHECK(doc::set_path(p.tree, "mesh.tensor", doc::scalar("8", set), d));
  CHECK(doc::set_path(p.tree, "layers.0.count", doc::scalar("3"), d));
  CHECK(doc::set_path(p.tree, "run.tokens", doc::scalar("1T"), d));
  CHECK(doc::set_path(p.tree, "a.b.c", doc::scalar("x"), d));
  CHECK(doc::write_yaml(p.tree) ==
        "mesh: {tensor: 8}\nlayers:\n- {count: 3}\nrun: {tokens: 1T}\na:\n  b: {c: x}\n");
  CHECK(at(p.tree.at("mesh.tensor")->replaced) == "1:16+1");
  CHECK_FALSE(d.has_errors());
}

TEST_CASE("set_path refuses what isn't there") {
  Parsed p("chip: h100\nlayers: [1, 2]\n");
  const auto fails = [&](std::string_view path) {
    Sources sources;
    Diagnostics d;
    const Span at{sources.add("--set", std::string(path)), 1, 1, 1};
    CHECK_FALSE(doc::set_path(p.tree, path, doc::scalar("x", at), d));
    const std::string text = d.render();
    return text.substr(0, text.find('\n'));
  };
  CHECK(fails("chip.sms") == "--set:1:1: error: chip is 'h100', which has no 'sms' inside");
  CHECK(fails("layers.2") == "--set:1:1: error: layers has no item '2'");
  CHECK(fails("layers.first") == "--set:1:1: error: layers has no item 'first'");
  CHECK(fails("a..b") == "--set:1:1: error: 'a..b' is no path: a part is empty");
  CHECK(fails("") == "--set:1:1: error: '' is no path: a part is empty");
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += ".a";
  CHECK(fails(deep) == "--set:1:1: error: a path of more than 64 parts");
  CHECK(doc::write_yaml(p.tree) == "chip: h100\nlayers: [1, 2]\n");
}

TEST_CASE("keys with dots stand for mappings") {
  Parsed p(
      "peak.bf16: 1\nsms: 132\npeak: {fp8: 2}\npeak.int8: 3\nassume: {train.mfu: 40%}\n"
      "cases: [{mesh.tensor: 8}]\nempty:\nempty.x: 1\n");
  doc::expand_dotted_keys(p.tree, p.diagnostics);
  CHECK(p.diagnostics.render() == "");
  CHECK(doc::write_yaml(p.tree) ==
        "peak: {bf16: 1, fp8: 2, int8: 3}\nsms: 132\nassume:\n  train: {mfu: 40%}\n"
        "cases:\n- mesh: {tensor: 8}\nempty: {x: 1}\n");
  CHECK(at(p.tree.at("peak")->entry("int8")->key_span) == "4:1+9");
}

TEST_CASE("names, numbers and what is opaque keep their dots") {
  const std::string text =
      "qwen2.5-7b: 1\n0.5: 2\na..b: 3\n.a: 4\na.: 5\nexpect: {memory.total: 6}\n";
  Parsed p(text);
  doc::expand_dotted_keys(p.tree, p.diagnostics, {"expect"});
  CHECK(p.tree.keys() ==
        std::vector<std::string>{"qwen2.5-7b", "0.5", "a..b", ".a", "a.", "expect"});
  CHECK(p.tree.find("expect")->keys() == std::vector<std::string>{"memory.total"});
}

TEST_CASE("a key stated both ways is a fault") {
  Parsed p("peak: {bf16: 1}\npeak.bf16: 2\nchip: h100\nchip.sms: 3\n");
  doc::expand_dotted_keys(p.tree, p.diagnostics);
  CHECK(p.diagnostics.render() ==
        "f.yaml:2:1: error: peak.bf16 is stated twice\n"
        "    2 | peak.bf16: 2\n"
        "      | ^~~~~~~~~\n"
        "f.yaml:1:8: note: first stated here\n"
        "    1 | peak: {bf16: 1}\n"
        "      |        ^~~~\n"
        "f.yaml:4:1: error: chip is stated both as a whole and by its parts\n"
        "    4 | chip.sms: 3\n"
        "      | ^~~~~~~~\n"
        "f.yaml:3:1: note: stated here too\n"
        "    3 | chip: h100\n"
        "      | ^~~~\n");
}

TEST_CASE("trees made by the program") {
  doc::Value m = doc::mapping();
  doc::set(m, "a", doc::scalar("1"));
  doc::set(m, "b", doc::sequence());
  doc::set(m, "a", doc::scalar("2"));
  CHECK(doc::write_yaml(m) == "a: 2\nb: []\n");
  CHECK(doc::same(m, m));
  CHECK_FALSE(doc::same(m, doc::mapping()));
}
