// Files that are no config, and configs that mean nothing: each file of tests/golden/imports, with what is said of it
// beside it. RECKON_BLESS=1 writes that anew.
#include <algorithm>
#include <cstdlib>

#include "imports.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& file) {
  std::string text;
  read_file(file, text);
  return text;
}

// What an import says of a file of the golden folder, its place left out.
std::string said_of(const fs::path& file) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  Imported in = import_model(work, file.string(), {}, {}, d);
  if (in.model.is_mapping()) {
    Model<double> model;
    Origins origins;
    const doc::Value tree = resolve_model(work, in.model, d);
    if (!d.has_errors()) bind(tree, model, {d, origins, "model"});
    doc::Value plan = doc::mapping();
    doc::set(plan, "model", tree);
    if (!d.has_errors()) check_model(model, "model", origins, plan, d);
  }
  CHECK(d.has_errors());
  return test::without(d.render(), file.parent_path().string() + "/");
}

TEST_CASE("what is said of bad configs") {
  std::vector<fs::path> files;
  for (const auto& e : fs::directory_iterator(RECKON_SOURCE_DIR "/tests/golden/imports"))
    if (e.path().extension() != ".txt") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 30);
  for (const fs::path& file : files) {
    INFO(file.string());
    const fs::path expected = file.string() + ".txt";
    const std::string said = said_of(file);
    if (std::getenv("RECKON_BLESS")) std::ofstream(expected, std::ios::binary) << said;
    CHECK(said == slurp(expected));
  }
}

TEST_CASE("a config that breaks off anywhere is a fault, or says the same") {
  const test::Folder folder;
  const std::string whole =
      slurp(RECKON_SOURCE_DIR "/tests/golden/imports/heads-do-not-divide.json");
  for (std::size_t length = 0; length < whole.size(); length += 7)
    CHECK_FALSE(test::take_text(folder, whole.substr(0, length)).good);
}

TEST_CASE("configs with a value replaced are refused or imported, and never a crash") {
  const test::Folder folder;
  const std::string keys[] = {"hidden_size",    "num_attention_heads", "num_hidden_layers",
                              "vocab_size",     "intermediate_size",   "num_key_value_heads",
                              "head_dim",       "kv_lora_rank",        "n_routed_experts",
                              "moe_layer_freq", "architectures",       "model_type",
                              "torch_dtype",    "quantization_config"};
  const std::string values[] = {
      "-1", "0",    "1.5",  "1e400", "9223372036854775808", "\"7\"",         "[]",         "[1]",
      "{}", "true", "null", "NaN",   "-Infinity",           "{\"a\": [[]]}", "\"\\u0000\""};
  for (const std::string& key : keys)
    for (const std::string& value : values) {
      CAPTURE(key, value);
      std::string config = "{\"architectures\": [\"DeepseekV3ForCausalLM\"]";
      for (const std::string& k : keys)
        if (k != "architectures" && k != key && k != "quantization_config" && k != "model_type" &&
            k != "torch_dtype")
          config += ", \"" + k + "\": " + (k == "moe_layer_freq" ? "1" : "8");
      for (const char* k : {"moe_intermediate_size", "qk_nope_head_dim", "qk_rope_head_dim",
                            "v_head_dim", "num_experts_per_tok"})
        config += std::string(", \"") + k + "\": 4";
      if (key == "architectures") config = "{\"x\": 1" + config.substr(config.find(']') + 1);
      const test::Taken t = test::take_text(folder, config + ", \"" + key + "\": " + value + "}");
      if (!t.good) CHECK(t.faults.find("error: ") != std::string::npos);
    }
}

}  // namespace
}  // namespace reckon
