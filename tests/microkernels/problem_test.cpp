// What a problem's run must move and do, and the lists of shapes.
#include "core/problem.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "core/sweep.hpp"

namespace reckon::bench {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::pair<std::string, std::int64_t>>;

Amounts of(const std::string& op, const std::string& dtype, Shape shape) {
  return amounts_of({op, dtype, "own", "stream", "cold", std::move(shape)});
}

TEST_CASE("bytes and FLOP of each operation, by hand") {
  const Amounts gemm = of("gemm", "bf16", {{"m", 2}, {"n", 3}, {"k", 5}});
  CHECK(gemm.flops == 60);
  CHECK(gemm.bytes == 2 * (3 * 5 + 2 * 5 + 2 * 3));
  CHECK(of("gemm", "fp8", {{"m", 2}, {"n", 3}, {"k", 5}}).bytes == 15 + 10 + 2 * 6);
  CHECK(of("gemm", "tf32", {{"m", 2}, {"n", 3}, {"k", 5}}).bytes == 4 * 31);
  const Amounts grouped = of("grouped-gemm", "bf16", {{"groups", 4}, {"m", 2}, {"n", 3}, {"k", 5}});
  CHECK(grouped.flops == 240);
  CHECK(grouped.bytes == 4 * gemm.bytes);
  CHECK(of("memory-read", "", {{"bytes", 64}}).bytes == 64);
  CHECK(of("memory-copy", "", {{"bytes", 64}}).bytes == 128);
  CHECK(of("memory-triad", "", {{"bytes", 64}}).bytes == 192);
  CHECK(of("norm", "bf16", {{"tokens", 3}, {"hidden", 8}}).bytes == 4 * 24 * 2);
  CHECK(of("swiglu", "bf16", {{"tokens", 3}, {"hidden", 8}}).bytes == 3 * 24 * 2);
  CHECK(of("quantize", "bf16", {{"tokens", 3}, {"hidden", 8}}).bytes == 24 * (2 + 1));
}

TEST_CASE(
    "attention: a cache is read once for the heads that share it, a prompt counts its causal "
    "half") {
  const Shape shape{
      {"batch", 2}, {"length", 16}, {"heads", 8}, {"kv_heads", 2}, {"head_width", 64}};
  const Amounts decode = of("attention-decode", "bf16", shape);
  CHECK(decode.bytes ==
        2 * (2 * 16 * 2 * 2 * 64) + 2 * 2 * (2 * 8 * 64));  // cache; queries, output
  CHECK(decode.flops == 4. * 2 * 8 * 64 * 16);
  const Amounts prompt = of("attention-prefill", "bf16", shape);
  CHECK(prompt.flops == 2. * 2 * 8 * 64 * 16 * 16);
  CHECK(prompt.bytes == 2. * 16 * 2 * 64 * (2 * 8 + 2 * 2));
}

TEST_CASE("a layer is the sum of its kernels") {
  const Shape shape{{"batch", 3}, {"length", 16},  {"hidden", 128},   {"inner", 256},
                    {"heads", 4}, {"kv_heads", 2}, {"head_width", 32}};
  Amounts sum;
  const auto add = [&sum](const Amounts& x) {
    sum.bytes += x.bytes;
    sum.flops += x.flops;
  };
  for (const auto& [n, k] :
       {std::pair<std::int64_t, std::int64_t>{256, 128}, {128, 128}, {512, 128}, {128, 256}})
    add(of("gemm", "bf16", {{"m", 3}, {"n", n}, {"k", k}}));
  add(of("attention-decode", "bf16", shape));
  for (int i = 0; i < 2; ++i) add(of("norm", "bf16", {{"tokens", 3}, {"hidden", 128}}));
  add(of("swiglu", "bf16", {{"tokens", 3}, {"hidden", 256}}));
  const Amounts layer = of("layer-decode", "bf16", shape);
  CHECK(layer.bytes == sum.bytes);
  CHECK(layer.flops == sum.flops);
}

TEST_CASE("what is wrong with a problem is said") {
  const std::pair<Problem, const char*> kFaults[] = {
      {{"gem", "bf16", "own", "stream", "cold", {}}, "did you mean 'gemm'?"},
      {{"gemm", "bf16", "own", "stream", "cold", {{"m", 1}, {"n", 1}}}, "size 'k' is missing"},
      {{"norm", "bf16", "own", "stream", "cold", {{"tokens", 1}, {"hidden", 1}, {"m", 1}}},
       "it has no size 'm'"},
      {{"launch", "bf17", "own", "stream", "cold", {}}, "no number format is called 'bf17'"},
      {{"launch", "", "own", "graf", "cold", {}}, "launch 'graf'"},
      {{"launch", "", "own", "graph", "warm", {}}, "cache 'warm'"}};
  for (const auto& [problem, fault] : kFaults) {
    INFO(fault_of(problem));
    CHECK(fault_of(problem).find(fault) != std::string::npos);
  }
}

std::vector<Problem> read(const std::string& text, std::string& faults) {
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-sweep.yaml");
  std::ofstream(file) << text;
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  std::vector<Problem> out = read_sweep(work, file.string(), d);
  faults = d.render();
  fs::remove(file);
  return out;
}

TEST_CASE("a sweep is the product of its lists") {
  std::string faults;
  const auto all = read(
      "kind: sweep\ncases:\n  - {op: gemm, libraries: [a, b], dtypes: [bf16], caches: [cold, "
      "hot],\n"
      "     sizes: {m: [1, 64], n: 4096, k: 4096}}\n  - {op: memory-read, sizes: {bytes: 1 MiB}}\n",
      faults);
  INFO(faults);
  REQUIRE(all.size() == 9);
  CHECK(name_of(all[0]) == "gemm bf16 m=1 n=4096 k=4096 cold, a");
  CHECK(name_of(all[7]) == "gemm bf16 m=64 n=4096 k=4096 hot, b");
  CHECK(all[8].size("bytes") == 1048576);
  CHECK(wanted(all[0], "memory,gemm m=1 "));
  CHECK_FALSE(wanted(all[4], "memory-read,fma"));
}

TEST_CASE("faults of a sweep have their place") {
  const std::pair<const char*, const char*> kFaults[] = {
      {"kind: sweep\ncases:\n  - {op: gemm, sizes: {m: 1, n: 2}}\n",
       "3:5: error: gemm: size 'k' is missing"},
      {"kind: sweep\ncases:\n  - {op: memory-read, sizes: {bytes: 0}}\n", "'0' is no size"},
      {"kind: sweep\ncases:\n  - {op: memory-read, sizes: {bytes: 1.5}}\n", "'1.5' is no size"},
      {"kind: sweep\ncases:\n  - {op: launch, cache: [hot]}\n", "cache"},
      {"kind: chip\n", "no file of kind: sweep"}};
  for (const auto& [text, fault] : kFaults) {
    std::string faults;
    CHECK(read(text, faults).empty());
    INFO(faults);
    CHECK(faults.find(fault) != std::string::npos);
  }
}

TEST_CASE("the sweeps that ship have no fault") {
  for (const char* name : {"cpu", "cpu-quick", "cuda"}) {
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    const auto all = read_sweep(
        work, std::string(RECKON_SOURCE_DIR) + "/microkernels/sweeps/" + name + ".yaml", d);
    INFO(d.render());
    CHECK(all.size() > 20);
  }
}

}  // namespace
}  // namespace reckon::bench
