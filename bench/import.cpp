// A config.json read, its record found, the model built: once for each program that is started.
#include "reckon/engine/import.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>

namespace {

constexpr const char* kConfig = R"({"architectures": ["Qwen3MoeForCausalLM"], "vocab_size": 151936,
 "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
 "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
 "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [], "torch_dtype": "bfloat16",
 "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})";

void import_config(benchmark::State& state) {
  const auto file = std::filesystem::temp_directory_path() / "reckon-bench-config.json";
  std::ofstream(file) << kConfig;
  for (auto _ : state) {
    reckon::Workspace work({RECKON_SOURCE_DIR});
    reckon::Diagnostics d;
    const reckon::Imported in = reckon::import_model(work, file.string(), {}, {}, d);
    if (d.has_errors()) state.SkipWithError("the import failed");
    benchmark::DoNotOptimize(in.facts.size());
  }
  std::filesystem::remove(file);
}
BENCHMARK(import_config)->Unit(benchmark::kMillisecond);

}  // namespace
