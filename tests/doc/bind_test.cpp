#include "sample.hpp"

using namespace reckon;
using sample::Bound;

namespace {

const std::string kMemory = "memory: {capacity: 80 GB}\n";

std::string faults(const std::string& text) { return Bound(kMemory + text).diagnostics.render(); }
std::string first_fault(const std::string& text) {
  const std::string all = faults(text);
  return all.substr(0, all.find('\n'));
}

}  // namespace

TEST_CASE("every kind of member is read") {
  const Bound b(
      "name: test\n"
      "memory: {capacity: {value: 80 GB, source: data sheet}, bandwidth: 3.35 TB/s}\n"
      "mesh: {tensor: 8}\n"
      "overlap: full\n"
      "recompute: selective\n"
      "mfu: \"40%\"\n"
      "second_mesh.pipeline: 4\n"
      "fused: yes\n"
      "tags: [a, 'b']\n"
      "layers: [{count: 3}, {count: 2, kind: moe}]\n"
      "sizes: [1 MB, 2 MiB]\n"
      "expect: {memory.total: 4}\n");
  CHECK(b.diagnostics.render() == "");
  CHECK(b.plan.name == "test");
  CHECK(b.plan.memory.capacity.raw == 80e9);
  CHECK(b.plan.memory.bandwidth.raw == 3.35e12);
  CHECK(b.plan.mesh.tensor.raw == 8);
  CHECK(b.plan.mesh.pipeline.raw == 1);
  CHECK_FALSE(b.plan.mesh.expert);
  CHECK(b.plan.overlap.data.raw == 1);
  CHECK(b.plan.recompute == sample::Recompute::kSelective);
  CHECK(b.plan.mfu->raw == 0.4);
  CHECK(b.plan.second_mesh->pipeline.raw == 4);
  CHECK(b.plan.fused);
  CHECK(b.plan.tags == std::vector<std::string>{"a", "b"});
  CHECK(b.plan.layers.at(1).count.raw == 2);
  CHECK(b.plan.layers.at(1).kind == "moe");
  CHECK(b.plan.sizes.at(1).raw == 2.0 * (1 << 20));
  CHECK(b.plan.expect.find("memory.total")->text == "4");
}

TEST_CASE("where a value was stated") {
  const Bound b(
      "memory:\n  capacity: {value: 80 GB, source: data sheet}\nmesh.tensor: 8\n"
      "layers: [{count: 3}]\noverlap: full\n");
  CHECK(b.diagnostics.render() == "");
  const Stated& capacity = b.origins.at("memory.capacity");
  CHECK(capacity.source == "data sheet");
  CHECK(capacity.span.line == 2);
  CHECK(capacity.span.column == 21);
  CHECK(b.origins.at("mesh.tensor").span.line == 3);
  CHECK(b.origins.at("layers.0.count").span.line == 4);
  CHECK(b.origins.at("overlap").span.line == 5);
  CHECK(b.origins.count("mesh.pipeline") == 0);
  CHECK(b.origins.count("") == 0);
}

TEST_CASE("what a value replaced is known where it is stated") {
  Bound base("memory: {capacity: 80 GB}\n");
  const sample::Parsed over("memory: {capacity: 40 GB}\n", "over.yaml");
  doc::merge(base.tree, over.tree);
  Origins origins;
  bind(base.tree, base.plan, {base.diagnostics, origins});
  CHECK(base.plan.memory.capacity.raw == 40e9);
  CHECK(origins.at("memory.capacity").span.file->name == "over.yaml");
  CHECK(origins.at("memory.capacity").replaced.file->name == "f.yaml");
}

TEST_CASE("words for yes and no") {
  for (const char* yes : {"true", "True", "yes", "on", "'true'"})
    CHECK(Bound(kMemory + "fused: " + yes + "\n").plan.fused);
  for (const char* no : {"false", "No", "off"}) {
    const Bound b(kMemory + "fused: " + no + "\n");
    CHECK(b.diagnostics.render() == "");
    CHECK_FALSE(b.plan.fused);
  }
  CHECK(first_fault("fused: 1\n") == "f.yaml:2:8: error: fused: expected true or false, found '1'");
}

TEST_CASE("a value that can't be read is named, and left as it was") {
  const Bound b(kMemory + "mesh: {tensor: eight}\n");
  CHECK(b.plan.mesh.tensor.raw == 1);
  CHECK(first_fault("mesh: {tensor: eight}\n") ==
        "f.yaml:2:16: error: tensor: 'eight' is not a number; expected a whole number such as 8");
  CHECK(first_fault("mesh: {tensor: [8]}\n") ==
        "f.yaml:2:16: error: tensor: expected a whole number such as 8, found a list");
  CHECK(first_fault("name: {a: 1}\n") ==
        "f.yaml:2:7: error: name: expected a text, found a mapping");
  CHECK(first_fault("tags: a\n") == "f.yaml:2:7: error: tags: expected a list, found 'a'");
  CHECK(first_fault("mesh: 8\n") == "f.yaml:2:7: error: mesh: expected a mapping, found '8'");
  CHECK(first_fault("recompute: fulll\n") ==
        "f.yaml:2:12: error: recompute: expected one of none, selective, full, found 'fulll'");
  CHECK(first_fault("sizes: [1 MB, ~]\n") ==
        "f.yaml:2:15: error: sizes: expected a size such as 80 GB, found nothing");
}

TEST_CASE("limits") {
  CHECK(first_fault("mesh: {tensor: 0}\n") == "f.yaml:2:16: error: tensor: '0' must be at least 1");
  CHECK(first_fault("mfu: 140%\n") ==
        "f.yaml:2:6: error: mfu: '140%' must be more than 0 and at most 1");
  CHECK(first_fault("mfu: 0\n") == "f.yaml:2:6: error: mfu: '0' must be more than 0 and at most 1");
  CHECK(first_fault("overlap: {data: 2}\n") == "f.yaml:2:17: error: data: '2' must be from 0 to 1");
  CHECK(Bound("memory: {capacity: 1 GB, bandwidth: 0 GB/s}\n").diagnostics.render() ==
        "f.yaml:1:37: error: bandwidth: '0 GB/s' must be more than 0\n"
        "    1 | memory: {capacity: 1 GB, bandwidth: 0 GB/s}\n"
        "      |                                     ^~~~~~\n");
}

TEST_CASE("figures that would leave what a double holds") {
  CHECK(first_fault("mfu: 1e-300\n") ==
        "f.yaml:2:6: error: mfu: '1e-300' is too close to zero to be meant");
  CHECK(Bound("memory: {capacity: 1e100 B, bandwidth: 1e-300 B/s}\n").diagnostics.error_count() ==
        2);
}

TEST_CASE("a value with its source") {
  const auto fault = [](const std::string& capacity) {
    const std::string all = Bound("memory: {capacity: " + capacity + "}\n").diagnostics.render();
    return all.substr(0, all.find('\n'));
  };
  CHECK(fault("{value: 80 GB, source: x}") == "");
  CHECK(fault("{value: 80 GB, sorce: x}") ==
        "f.yaml:1:35: error: unknown key 'sorce' in memory.capacity");
  CHECK(fault("{source: x}") ==
        "f.yaml:1:20: error: 'value' (the number itself) is missing in memory.capacity");
  CHECK(fault("{vaule: 80 GB}") == "f.yaml:1:21: error: unknown key 'vaule' in memory.capacity");
  CHECK(fault("{value: [1], source: x}") ==
        "f.yaml:1:28: error: capacity: expected a size such as 80 GB, found a list");
  CHECK(fault("{value: 80 GB, source: [x]}") ==
        "f.yaml:1:43: error: source: expected a text, found a list");
  CHECK(fault("{value: {value: 80 GB}}") ==
        "f.yaml:1:28: error: capacity: expected a size such as 80 GB, found a mapping");
}

TEST_CASE("unknown and missing keys, and no second fault for a misspelt one") {
  CHECK(faults("mesh: {tenser: 8}\n") ==
        "f.yaml:2:8: error: unknown key 'tenser' in mesh\n"
        "    2 | mesh: {tenser: 8}\n"
        "      |        ^~~~~~\n"
        "help: did you mean 'tensor'?\n");
  CHECK(faults("mesh: {zzz: 8}\n") ==
        "f.yaml:2:8: error: unknown key 'zzz' in mesh\n"
        "    2 | mesh: {zzz: 8}\n"
        "      |        ^~~\n"
        "help: known keys: tensor, pipeline, expert\n");
  CHECK(Bound("memory: {capcity: 80 GB}\n").diagnostics.error_count() == 1);
  CHECK(Bound("memroy: {capacity: 80 GB}\n").diagnostics.error_count() == 1);
  CHECK(Bound("name: x\n").diagnostics.render() ==
        "f.yaml:1:1: error: 'memory' (of one chip) is missing here\n"
        "    1 | name: x\n"
        "      | ^\n"
        "help: write 'memory: …', a mapping\n");
  CHECK(Bound("memory: {bandwidth: 1 TB/s}\n").diagnostics.render() ==
        "f.yaml:1:9: error: 'capacity' (as the vendor prints it) is missing in memory\n"
        "    1 | memory: {bandwidth: 1 TB/s}\n"
        "      |         ^\n"
        "help: write 'capacity: …', a size such as 80 GB\n");
  CHECK(Bound("memory: {capacity: }\n").diagnostics.render() ==
        "f.yaml:1:10: error: 'capacity' (as the vendor prints it) has no value\n"
        "    1 | memory: {capacity: }\n"
        "      |          ^~~~~~~~\n"
        "help: write 'capacity: …', a size such as 80 GB\n");
}

TEST_CASE("a document that is no mapping") {
  const auto fault = [](const std::string& text) { return Bound(text).diagnostics.render(); };
  CHECK(fault("") ==
        "f.yaml: error: the document: expected a mapping, found nothing\n"
        "help: write keys, each on a line of its own: name: …, memory: …, mesh: …, …\n");
  CHECK(fault("name:test\n") ==
        "f.yaml:1:1: error: the document: expected a mapping, found 'name:test'\n"
        "    1 | name:test\n"
        "      | ^~~~~~~~~\n"
        "help: write 'name: test', with a space after the ':'\n");
  CHECK(Bound("- a\n").diagnostics.error_count() == 1);
}

TEST_CASE("a one-word form that isn't one") {
  CHECK(first_fault("overlap: ful\n") ==
        "f.yaml:2:10: error: overlap: expected a mapping, found 'ful'");
  CHECK(faults("overlap: half\n") ==
        "f.yaml:2:10: error: 'half' is not offered\n"
        "    2 | overlap: half\n"
        "      |          ^~~~\n"
        "help: write {data: 50%}\n");
}

TEST_CASE("very long values don't fill the screen") {
  const std::string text = faults("mesh: {tensor: " + std::string(5000, 'x') + "}\n");
  CHECK(text.size() < 500);
  CHECK(faults(std::string(900, 'k') + ": 1\n").size() < 600);
}
