// Plans whose model is somebody's config.json.
#include "imports.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon {
namespace {

using test::Folder;

constexpr const char* kKeys =
    R"("hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
  "num_hidden_layers": 4, "vocab_size": 100, "torch_dtype": "bfloat16"})";

std::string config(const char* architecture) {
  return std::string("{\"architectures\": [\"") + architecture + "\"], " + kKeys;
}

}  // namespace

TEST_CASE("the mark of what is assumed travels with plans and questions") {
  const Folder folder;
  folder.write("strange.json", config("StrangeForCausalLM"));
  for (const char* question :
       {"kind: decode\nbatch: 1\ncontext: 128\ncluster: 1xh100-sxm\n",
        "kind: training\ncluster: 8xh100-sxm\nbatch: {global: 8, micro: 1, sequence: 128}\n"
        "assume: {train.mfu: 40%}\n"}) {
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    const std::string text =
        std::string(question) + "model: {base: ./strange.json, assumed: llama}\n";
    const std::string name = (folder.path() / "plan.yaml").string();
    const PlanFile file = open_plan(work, name, work.read_text(name, text, d), {}, d);
    const auto plan = load_plan(work, file, nullptr, d);
    INFO(d.render());
    REQUIRE(plan);
    CHECK(d.render().find("every figure of this model is assumed") != std::string::npos);
  }
}

TEST_CASE("a plan names a config beside it") {
  const Folder folder;
  folder.write("models/config.json", config("LlamaForCausalLM"));
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const std::string name = (folder.path() / "plan.yaml").string();
  const PlanFile file = open_plan(
      work, name,
      work.read_text(
          name,
          "kind: decode\nbatch: 1\ncontext: 128\ncluster: 1xh100-sxm\nmodel: models/config.json\n",
          d),
      {}, d);
  const auto plan = load_plan(work, file, nullptr, d);
  INFO(d.render());
  REQUIRE(plan);
  CHECK(d.all().empty());
}

}  // namespace reckon
