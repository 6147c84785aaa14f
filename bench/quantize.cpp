// Quantizing a weight file: how many bytes of it a core goes through a second, error statistics included.
//
//   reckon_bench --benchmark_filter=quantize            # RECKON_BENCH_VALUES=100000000 for the full size
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "reckon/engine/number_format.hpp"
#include "reckon/engine/tensor_file.hpp"
#include "reckon/numerics/random.hpp"

namespace {

using namespace reckon;

std::uint64_t values() {
  const char* said = std::getenv("RECKON_BENCH_VALUES");
  return said ? std::strtoull(said, nullptr, 10) / 4096 * 4096 : std::uint64_t{1} << 24;
}

// A float32 file of normal numbers in rows of 4096.
const std::string& file() {
  static const std::string path = [] {
    const auto p = std::filesystem::temp_directory_path() / "reckon-bench-weights.npy";
    std::ofstream out(p, std::ios::binary);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                         std::to_string(values() / 4096) + ", 4096), }";
    header.resize(117, ' ');
    out << "\x93NUMPY" << '\1' << '\0' << 'v' << '\0' << header << '\n';
    Random random(1);
    std::vector<float> row(4096);
    for (float& x : row) x = static_cast<float>(random.draw(Distribution::kNormal));
    for (std::uint64_t r = 0; r < values() / 4096; ++r) {
      row[r % 4096] = static_cast<float>(random.draw(Distribution::kNormal));
      out.write(reinterpret_cast<const char*>(row.data()),
                static_cast<std::streamsize>(row.size() * sizeof(float)));
    }
    return p.string();
  }();
  return path;
}

void quantize_file(benchmark::State& state, const char* format, Grouping grouping) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const auto f = load_number_format(work, format, {}, d);
  const auto source = open_tensor(work, file(), d);
  if (!f || !source) return state.SkipWithError(d.render().c_str());
  for (auto _ : state)
    benchmark::DoNotOptimize(quantize_tensor(*source, f->scheme, grouping).error.squares);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * values() * 4));
}

BENCHMARK_CAPTURE(quantize_file, int8_block32, "int8", {.share = Share::kBlock, .block = 32});
BENCHMARK_CAPTURE(quantize_file, int8_block128, "int8", {.share = Share::kBlock, .block = 128});
BENCHMARK_CAPTURE(quantize_file, int8_row, "int8", {.share = Share::kRow});
BENCHMARK_CAPTURE(quantize_file, int8_tensor, "int8", {});
BENCHMARK_CAPTURE(quantize_file, int8_tensor_clipped, "int8", {.clip = 0.999});
BENCHMARK_CAPTURE(quantize_file, int8_row_clipped, "int8", {.share = Share::kRow, .clip = 0.999});
BENCHMARK_CAPTURE(quantize_file, int4_g128, "int4-g128", {.share = Share::kBlock, .block = 128});
BENCHMARK_CAPTURE(quantize_file, mxfp4, "mxfp4", {.share = Share::kBlock, .block = 32});
BENCHMARK_CAPTURE(quantize_file, q4_0, "q4_0", {.share = Share::kBlock, .block = 32});

}  // namespace
