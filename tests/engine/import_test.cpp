// Imports of published models' configs, which the test writes from facts: counts to the last digit,
// what says each field, what stops an import, and what quantization makes of it.
#include <map>

#include "imports.hpp"
#include "reckon/cost/kv.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/doc/write.hpp"
#include "reckon/engine/stored.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

using test::Folder;
using test::take;
using test::take_text;
using test::Taken;

constexpr CachedAs<double> kBf16{Bytes<double>(2.0), Bytes<double>(1.0), CachedWindows::kExact};

doc::Value facts(const char* file) {
  Diagnostics d;
  doc::Value out = test::data().read(std::string(RECKON_SOURCE_DIR "/tests/engine/") + file, {}, d);
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return out;
}

// The facts with what a real file has beside them: keys that change nothing, and what is no JSON.
std::string config_of(const doc::Value& said) {
  std::string json = doc::write_json(said);
  json.resize(json.rfind('}'));
  return json +
         R"(, "_name_or_path": "x", "transformers_version": "4.51.0", "eos_token_id": [1, 106], "bos_token_id": 1,
 "id2label": {"0": "LABEL_0"}, "time_step_limit": [0.0, Infinity], "rms_norm_eps": 1e-06, "top_k": 50,
 "rope_scaling": null, "temperature": NaN, "initializer_range": 0.02, "use_cache": true})";
}

double number(const doc::Value& entry, const char* key) {
  const doc::Value* v = entry.find(key);
  return v ? std::stod(v->text) : 0;
}

const doc::Value& entry(const doc::Value& list, const std::string& name) {
  for (const doc::Value& e : list.items)
    if (e.find("name")->text == name) return e;
  FAIL("no entry " << name);
  return list;
}

PublishedTotal explained(const Model<double>& model, const std::string& total) {
  Diagnostics d;
  PublishedTotal p = explain_published(stored_report(model), total, d);
  REQUIRE(!d.has_errors());
  return p;
}

const ImportedFact& fact(const Taken& t, const std::string& field) {
  for (const ImportedFact& f : t.imported.facts)
    if (f.field == field) return f;
  FAIL("no fact " << field);
  return t.imported.facts.front();
}

// Every field of a model as its tree says it.
std::string bound_text(Workspace& work, const doc::Value& tree) {
  Diagnostics d;
  Model<double> model;
  Origins unused;
  bind(resolve_model(work, tree, d), model, {d, unused, "model"});
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return doc::write_yaml(to_tree(model, Defaults::kWrite));
}

constexpr const char* kLlama = R"({
  "architectures": ["LlamaForCausalLM"],
  "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
  "num_hidden_layers": 4, "vocab_size": 100,
  "torch_dtype": "bfloat16")";

std::string llama(const std::string& more) {
  return kLlama + (more.empty() ? "" : ",\n  " + more) + "\n}";
}

constexpr const char* kDeepseek = R"({
  "architectures": ["DeepseekV3ForCausalLM"], "torch_dtype": "bfloat16", "vocab_size": 100,
  "hidden_size": 256, "intermediate_size": 512, "moe_intermediate_size": 128, "num_attention_heads": 4,
  "num_hidden_layers": 4, "first_k_dense_replace": 1, "n_routed_experts": 8, "n_shared_experts": 1,
  "num_experts_per_tok": 2, "q_lora_rank": 64, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
  "v_head_dim": 16)";

std::string deepseek(const std::string& more) { return std::string(kDeepseek) + ", " + more + "}"; }

}  // namespace

TEST_CASE("configs of published models give their parameters and caches to the last digit") {
  const Folder folder;
  const doc::Value configs = facts("import_configs.yaml"), counts = facts("real_models.yaml");
  REQUIRE(configs.items.size() >= 46);
  for (const doc::Value& e : configs.items) {
    const std::string name = e.find("name")->text;
    CAPTURE(name);
    const doc::Value& expected = entry(counts, name);
    const std::string published = expected.find("published")->text;
    const Taken t = take_text(folder, config_of(*e.find("config")), {.published = published});
    INFO(t.faults);
    REQUIRE(t.good);
    CHECK(t.faults.empty());
    const Parameters<double> n = parameters(t.model);
    CHECK(n.total.raw == number(expected, "total"));
    CHECK(n.active.raw == number(expected, "active"));
    CHECK(n.active_no_input.raw == number(expected, "active_no_input"));
    const KvCache<double> c = kv_cache(t.model, kBf16, Count<double>(100000.0));
    CHECK(c.per_token.raw - c.indexer.raw == number(expected, "kv"));
    CHECK(c.growing.raw - c.indexer.raw == number(expected, "growing"));
    CHECK(c.state.raw == number(expected, "state"));
    if (published.find_first_of("TBM") != std::string::npos) continue;
    const PublishedTotal p = explained(t.model, published);
    const bool kimi = name == "Kimi-K2-Instruct";
    CHECK(p.verdict == (kimi ? PublishedVerdict::kUnexplained : PublishedVerdict::kMatch));
    CHECK(p.remainder == (kimi ? 3416 : 0));
  }
}

TEST_CASE("configs that the rules were not made from") {
  const Folder folder;
  const doc::Value configs = facts("import_more.yaml");
  REQUIRE(configs.items.size() >= 60);
  for (const doc::Value& e : configs.items) {
    CAPTURE(e.find("name")->text);
    const std::string published = e.find("published")->text;
    const Taken t = take_text(folder, config_of(*e.find("config")), {.published = published});
    INFO(t.faults);
    REQUIRE(t.good);
    CHECK(explained(t.model, published).verdict == PublishedVerdict::kMatch);
  }
}

TEST_CASE("files of published models to the byte") {
  const Folder folder;
  const doc::Value configs = facts("import_configs.yaml");
  const auto bytes = [&](const char* name) {
    return stored_report(take_text(folder, config_of(*entry(configs, name).find("config"))).model)
        .bytes;
  };
  CHECK(bytes("DeepSeek-V3") == 688574839360);
  CHECK(bytes("gpt-oss-20b") == 13761264768);
}

TEST_CASE("the file that an import writes says the same") {
  const Folder folder;
  for (const char* name :
       {"Gemma-3-27b", "DeepSeek-V3", "Nemotron-H-8B", "Pythia-6.9b", "Qwen3-0.6B"}) {
    CAPTURE(name);
    const doc::Value configs = facts("import_configs.yaml");
    const std::string published = entry(facts("real_models.yaml"), name).find("published")->text;
    const std::string file =
        folder.write("config.json", config_of(*entry(configs, name).find("config")));
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    const Imported in = import_model(work, file, {}, {.published = published}, d);
    doc::Value again = work.read_text("model.yaml", model_file_text(in), d);
    CHECK(doc::take(again, "kind").text == "model");
    INFO(d.render());
    REQUIRE(!d.has_errors());
    CHECK(bound_text(work, again) == bound_text(work, in.model));
  }
}

TEST_CASE("each field says what it comes from, and where that stands") {
  const Folder folder;
  const Taken t = take_text(folder, llama("\"num_key_value_heads\": 2"));
  INFO(t.faults);
  REQUIRE(t.good);
  CHECK(fact(t, "hidden").from == "stated");
  CHECK(fact(t, "hidden").how == "hidden_size");
  CHECK(fact(t, "hidden").place == "config.json:3");
  CHECK(fact(t, "tied").from == "class default");
  CHECK(fact(t, "mixer full.head_width").from == "derived");
  CHECK(fact(t, "mixer full.head_width").how == "hidden_size / num_attention_heads");
  CHECK(fact(t, "mixer full.kv_heads").place == "config.json:6");
  CHECK(fact(t, "layers: mixers").value == "4 × full");
}

TEST_CASE("an unknown architecture is refused, or its facts are assumed and every result says so") {
  const Folder folder;
  const std::string config =
      std::string(kLlama).replace(std::string(kLlama).find("Llama"), 5, "Strange") +
      ",\n  \"flux_capacity\": 3, \"moe_flux\": 7\n}";
  const Taken refused = take_text(folder, config);
  CHECK_FALSE(refused.good);
  CHECK(refused.faults.find("no record of the architecture 'StrangeForCausalLM'") !=
        std::string::npos);
  CHECK(refused.faults.find("keys that none does: flux_capacity, moe_flux") != std::string::npos);
  CHECK(refused.faults.find("--assume FAMILY") != std::string::npos);
  CHECK(take_text(folder, config, {.assume = "llama"}).faults.find("moe_flux = 7 bears on") !=
        std::string::npos);
  const std::string plain = config.substr(0, config.find(", \"moe_flux")) + "}";
  const Taken assumed = take_text(folder, plain, {.assume = "llama"});
  INFO(assumed.faults);
  REQUIRE(assumed.good);
  CHECK(assumed.model.assumed == "llama");
  CHECK(fact(assumed, "tied").from == "assumed");
  CHECK(fact(assumed, "hidden").from == "stated");
  CHECK(assumed.faults.find("every figure of this model is assumed") != std::string::npos);
  CHECK(assumed.faults.find("flux_capacity") != std::string::npos);  // named, since nobody knows it
  CHECK(take_text(folder, llama(""), {.assume = "gemma"}).faults.find("nothing need be assumed") !=
        std::string::npos);
}

TEST_CASE("a key that bears on cost stops the import; one that says nothing does not") {
  const Folder folder;
  for (const char* key :
       {"\"kv_lora_rank\": 512", "\"moe_intermediate_size\": 64", "\"sliding_window\": 128",
        "\"num_nextn_predict_layers\": 1", "\"block_configs\": [{\"a\": 1}]", "\"index_topk\": 8",
        "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", "
        "\"mamba\"]",
        "\"num_experts\": 8", "\"attention_k_eq_v\": true", "\"compress_ratios\": [4, 4]"}) {
    CAPTURE(key);
    const Taken t = take_text(folder, llama(key));
    CHECK_FALSE(t.good);
    CHECK(t.faults.find("bears on what the model costs") != std::string::npos);
    CHECK(t.faults.find("config.json:6:") != std::string::npos);
  }
  for (const char* key :
       {"\"kv_lora_rank\": null", "\"moe_intermediate_size\": 0", "\"sliding_window\": null",
        "\"num_experts\": 0", "\"block_configs\": []", "\"use_sliding_window\": false",
        "\"layer_types\": [\"full_attention\", \"full_attention\"]"}) {
    CAPTURE(key);
    const Taken t = take_text(folder, llama(key));
    CHECK(t.faults == "");
  }
}

TEST_CASE("which layers have which mixer and MLP") {
  const Folder folder;
  const auto kinds = [&](const std::string& config, const char* what) {
    const Taken t = take_text(folder, config);
    INFO(t.faults);
    REQUIRE(t.good);
    return fact(t, what).value;
  };
  std::string qwen =
      llama(R"("sliding_window": 32, "use_sliding_window": true, "max_window_layers": 3)");
  qwen.replace(qwen.find("Llama"), 5, "Qwen2");
  CHECK(kinds(qwen, "layers: mixers") == "3 × full, 1 × local");
  qwen.replace(qwen.find("true"), 4, "false");
  CHECK(kinds(qwen, "layers: mixers") == "4 × full");
  std::string moe =
      llama(R"("num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
    "decoder_sparse_step": 2, "mlp_only_layers": [3], "head_dim": 16)");
  moe.replace(moe.find("Llama"), 5, "Qwen3Moe");
  CHECK(kinds(moe, "layers: mlps") == "3 × dense, 1 × moe");
  CHECK(kinds(deepseek("\"moe_layer_freq\": 1"), "layers: mlps") == "1 × dense, 3 × moe");
  CHECK(kinds(deepseek("\"moe_layer_freq\": 2"), "layers: mlps") == "3 × dense, 1 × moe");
  CHECK(kinds(deepseek("\"moe_layer_freq\": [0, 1, 0, 1]"), "layers: mlps") ==
        "2 × dense, 2 × moe");
  CHECK(take_text(folder, deepseek("\"moe_layer_freq\": [0, 1]"))
            .faults.find("has 2 entries, and the model 4 layers") != std::string::npos);
  CHECK(take_text(folder, deepseek("\"moe_layer_freq\": [0, 1, 2, 1]"))
            .faults.find("'2' is no kind of layer") != std::string::npos);
}

TEST_CASE("a text model inside a wrapper that nobody knows") {
  const Folder folder;
  std::string text = llama("");
  text.replace(text.find("  \"architectures\": [\"LlamaForCausalLM\"],"), 41,
               "  \"model_type\": \"llama\",");
  const Taken t = take_text(
      folder, "{\"architectures\": [\"EyesForConditionalGeneration\"], \"text_config\": " + text +
                  ", \"vision_config\": {\"hidden_size\": 32}}");
  INFO(t.faults);
  REQUIRE(t.good);
  REQUIRE(t.imported.notes.size() == 2);
  CHECK(t.imported.notes[0].find("EyesForConditionalGeneration is not known as a whole") == 0);
  CHECK(t.imported.notes[1].find("left out") != std::string::npos);
}

namespace {

// "attention=fp8-e4m3 mlp=…" of `files`, then what groups say otherwise.
std::string formats_of(const Taken& t) {
  std::string out;
  const auto add = [&](const std::string& lead,
                       const std::optional<TensorFormats<double>>& formats) {
    if (!formats) return;
    TensorFormats<double>::fields(
        [&](const Field& f, const auto& x) {
          if (x) out += (out.empty() ? "" : " ") + lead + std::string(f.name) + "=" + x->name;
        },
        *formats);
  };
  if (t.model.files) add("", t.model.files->formats);
  int first = 0;
  for (const LayerGroup<double>& g : t.model.layers) {
    const int count = static_cast<int>(g.count.raw);
    add(std::to_string(first) + "+" + std::to_string(count) + ":", g.stored);
    first += count;
  }
  return out;
}

}  // namespace

TEST_CASE("quantization goes to the classes of tensors it covers, layer by layer") {
  const Folder folder;
  const auto formats = [&](const std::string& config) {
    const Taken t = take_text(folder, config);
    INFO(t.faults);
    REQUIRE(t.good);
    return formats_of(t);
  };
  const auto q = [](const std::string& inside) {
    return "\"quantization_config\": {" + inside + "}";
  };
  const std::string fp8 = "\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]";
  CHECK(formats(llama(q(fp8))) == "attention=fp8-e4m3-128x128 mlp=fp8-e4m3-128x128");
  CHECK(formats(llama(q(
            fp8 +
            ", \"modules_to_not_convert\": [\"lm_head\", \"model.layers.0\", \"model.norm\"]"))) ==
        "attention=fp8-e4m3-128x128 mlp=fp8-e4m3-128x128 0+1:attention=bf16 0+1:mlp=bf16");
  CHECK(formats(llama(q(fp8 + ", \"modules_to_not_convert\": [\"self_attn\"]"))) ==
        "mlp=fp8-e4m3-128x128");
  CHECK(formats(llama(q("\"quant_method\": \"fbgemm_fp8\", \"modules_to_not_convert\": "
                        "[\"model.layers.*.self_attn\", \"model.layers.3.mlp\"]"))) ==
        "mlp=fp8-e4m3 3+1:mlp=bf16");
  CHECK(formats(llama(q(
            "\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128, \"desc_act\": true"))) ==
        "attention=int4-g128-zp4 mlp=int4-g128-zp4");
  CHECK(
      formats(llama(q(
          "\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128, \"zero_point\": true"))) ==
      "attention=int4-g128-zp4 mlp=int4-g128-zp4");
  const std::string groups =
      "\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"targets\": "
      "[\"Linear\"], "
      "\"weights\": {\"type\": \"int\", \"num_bits\": 4, \"group_size\": 32, \"symmetric\": true, "
      "\"strategy\": "
      "\"group\"}}}, ";
  CHECK(formats(deepseek(
            q(groups + "\"ignore\": [\"lm_head\", \"re:.*self_attn.*\", \"re:.*shared_experts.*\", "
                       "\"re:.*mlp\\\\.(gate|up|gate_up|down)_proj.*\"]"))) ==
        "experts=int4-g32 router_bias=fp32");
  CHECK(formats(deepseek(
            q("\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"group_size\": 16, "
              "\"exclude_modules\": [\"*self_attn*\", \"model.layers.4*\"]"))) ==
        "mlp=nvfp4 experts=nvfp4 shared=nvfp4 router_bias=fp32");
}

TEST_CASE("ModelOpt's file beside the config") {
  const Folder folder;
  folder.write(
      "hf_quant_config.json",
      "{\"producer\": {\"name\": \"modelopt\"}, \"quantization\": {\"quant_algo\": \"FP8\", "
      "\"kv_cache_quant_algo\": \"FP8\", \"exclude_modules\": [\"lm_head\"]}}");
  const Taken t = take_text(folder, llama(""));
  INFO(t.faults);
  REQUIRE(t.good);
  CHECK(formats_of(t) == "attention=fp8-e4m3 mlp=fp8-e4m3");
  REQUIRE(t.imported.notes.size() == 1);
  CHECK(t.imported.notes[0] == "the cache is meant to be kept in FP8");
}

TEST_CASE("quantization that can't be said by class is refused or told, never guessed") {
  const Folder folder;
  const auto faults = [&](const std::string& inside) {
    return take_text(folder, llama("\"quantization_config\": {" + inside + "}")).faults;
  };
  const auto says = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  const std::string fp8 = "\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128], ";
  CHECK(says(faults("\"quant_method\": \"hqq\""), "quantization 'hqq' is not known"));
  CHECK(says(faults("\"bits\": 4"), "states no quant_method"));
  CHECK(says(faults("\"quant_method\": \"gptq\", \"bits\": 3, \"group_size\": 128"),
             "has no format here"));
  CHECK(says(faults("\"quant_method\": \"fp8\", \"weight_block_size\": [64, 64]"),
             "has no format here"));
  CHECK(says(faults(fp8 + "\"modules_to_not_convert\": [\"o_proj\"]"),
             "formats go by class of tensor ('attention')"));
  CHECK(says(faults(fp8 + "\"ignore\": [\"re:(?<=a)b\"]"), "is no pattern that can be read"));
  CHECK(
      says(faults(fp8 + "\"modules_to_not_convert\": \"lm_head\""), "expected a list of modules"));
  CHECK(says(faults(fp8 + "\"modules_to_not_convert\": [\"model.layers.1.mlp.experts.17\"]"),
             "name no module that"));
  CHECK(says(faults("\"quant_method\": \"compressed-tensors\""), "states no config_groups"));
}

}  // namespace reckon
