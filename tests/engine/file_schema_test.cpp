// The schema of each kind of file accepts every file that ships and every form that reckon reads, and refuses a
// misspelt key.
#include <filesystem>
#include <map>
#include <memory>

#include "data.hpp"
#include "reckon/engine/file_kinds.hpp"
#include "schema_validator.hpp"

namespace reckon {
namespace {

// Presets that the program reads itself, and sweeps of reckon-bench, are no kinds for editors.
const char* const kNoSchema[] = {"defaults", "starting_point", "sweep"};

struct Schema {
  doc::Value document;
  testing::SchemaValidator validator;
  explicit Schema(const FileKind& kind) : document(file_schema(kind)), validator(document) {}
};

Schema& schema_of(const std::string& word) {
  static std::map<std::string, std::unique_ptr<Schema>> all;
  std::unique_ptr<Schema>& out = all[word];
  if (!out) {
    const FileKind* kind = file_kind(word);
    REQUIRE(kind != nullptr);
    out = std::make_unique<Schema>(*kind);
  }
  return *out;
}

doc::Value parsed(const std::string& text) {
  static Sources sources;
  Diagnostics diagnostics;
  doc::Value out = doc::parse_yaml(sources.add("f.yaml", text), diagnostics);
  REQUIRE(diagnostics.render() == "");
  return out;
}

std::vector<std::string> faults_of(const doc::Value& tree) {
  REQUIRE(tree.find("kind") != nullptr);
  return schema_of(tree.find("kind")->text).validator.faults(tree);
}

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = RECKON_SOURCE_DIR;
  for (const char* folder : {"plans", "hardware", "models", "laws", "formats", "optimizers",
                             "presets", "measurements", "microkernels"})
    for (const auto& e : std::filesystem::recursive_directory_iterator(root / folder))
      if (e.path().filename() == "config.json")
        continue;  // an example of what others write, to be imported
      else if (e.path().extension() == ".yaml" || e.path().extension() == ".json")
        out.push_back(e.path());
  return out;
}

TEST_CASE("Schemas accept every file that ships") {
  std::map<std::string, int> held;
  for (const auto& path : shipped()) {
    CAPTURE(path.string());
    Diagnostics diagnostics;
    const doc::Value tree = test::data().read(path.string(), {}, diagnostics);
    REQUIRE(!diagnostics.has_errors());
    const doc::Value* kind = tree.find("kind");
    REQUIRE(kind != nullptr);
    if (std::find(std::begin(kNoSchema), std::end(kNoSchema), kind->text) != std::end(kNoSchema))
      continue;
    CHECK(faults_of(tree) == std::vector<std::string>{});
    ++held[kind->text];
  }
  for (const FileKind& kind : file_kinds()) {
    CAPTURE(kind.word);
    if (kind.role != FileRole::kPart) CHECK(held[kind.word] > 0);
  }
}

TEST_CASE("Schemas refuse a misspelt key of every file that ships") {
  std::map<std::string, bool> tried;
  for (const auto& path : shipped()) {
    Diagnostics diagnostics;
    doc::Value tree = test::data().read(path.string(), {}, diagnostics);
    const doc::Value* kind = tree.find("kind");
    if (!kind || !file_kind(kind->text) || tried[kind->text]) continue;
    tried[kind->text] = true;
    for (std::size_t i = 0; i < tree.entries.size(); ++i) {
      if (tree.entries[i].key == "kind") continue;
      doc::Value wrong = tree;
      wrong.entries[i].key += "x";
      CAPTURE(path.string(), wrong.entries[i].key);
      CHECK(!faults_of(wrong).empty());
    }
  }
}

const std::string kPlan = R"(kind: training
model: {params: 7B, layers: 32, hidden: 4096, heads: 32, kv_heads: 8, mlp_width: 14336}
cluster: {node: hgx-h100, gpus: 16}
batch: {global: 8, micro: 1, sequence: 4096}
)";

TEST_CASE("Schemas accept what files say beside the fields") {
  for (const char* more : {"price: 2.50 USD/h",
                           "price: {h100-sxm: 2.50 USD/h, as_of: 2026-01}",
                           "chip: h200-sxm",
                           "chip: {power: 600 W, memory.capacity: 79 GB}",
                           "node: {gpus: 4}",
                           "fabric: none",
                           "recompute: full",
                           "recompute: [layernorm, mlp]",
                           "recompute: {modules: [layernorm]}",
                           "recompute: {modules: mlp}",
                           "offload: optimizer",
                           "offload: [optimizer, activations]",
                           "offload: {optimizer: yes, activations: 50%}",
                           "sharding: fsdp",
                           "sharding: {zero: 3, within: node}",
                           "trainable: all",
                           "assume: textbook",
                           "assume: {preset: textbook, train.mfu: 40%}",
                           "assume: {overlap: full}",
                           "assume: {overlap: 0.5}",
                           "precision: {base: bf16, master: none}",
                           "optimizer: {base: adamw}",
                           "mesh.tensor: 8",
                           "mesh: {tensor: {value: 8, source: ours}}",
                           "stack: {base: nemo-2024-h100, gemm.ceiling: 80%}",
                           "mesh:",
                           "run: {tokens: 1.4T, price:}",
                           "expect: [{id: E1, metric: fits, exact: yes}, {fits: no}]",
                           "cases: [{name: a, mesh: {tensor: 2}, expect: [{fits: yes}]}, {name: b, "
                           "mesh.tensor: 4}]"}) {
    CAPTURE(more);
    CHECK(faults_of(parsed(kPlan + more + "\n")) == std::vector<std::string>{});
  }
  CHECK(
      faults_of(
          parsed("kind: training\ncluster: 8xh100-sxm\ncases: [{name: a, model: {base: llama-3-8b, "
                 "layers: {0: {count: 3}}}, batch: {global: 8}}]\n"))
          .empty());
}

TEST_CASE("Schemas refuse what reckon refuses by its form") {
  for (const char* more :
       {"pricee: 2.50 USD/h", "recompute: {module: [mlp]}", "recompute: [mlpp]", "recompute: fulll",
        "offload: {optimizers: yes}", "offload: [optimiser]", "mesh.tensorr: 8", "mesh: {tensr: 8}",
        "mesh: {tensor: 0}", "mesh: {tensor: 1.5}", "chip: {powr: 600 W}", "chip: {power: 600}",
        "assume: {ring_factr: keep}", "sharding: [3]", "cases: [{mesh: {tensor: 2}}]",
        "cases: [{name: a, mess: {tensor: 2}}]", "cases: [{name: a, kind: training}]",
        "expect: [{metrc: fits}]", "optimizer: {base: adamw, stats: []}"}) {
    CAPTURE(more);
    CHECK(!faults_of(parsed(kPlan + more + "\n")).empty());
  }
  CHECK(!faults_of(parsed("kind: training\nmodel: llama-3-8b\n"))
             .empty());  // neither cluster nor cases
  CHECK(!schema_of("training").validator.faults(parsed("kind: trainin\n")).empty());
}

}  // namespace
}  // namespace reckon
