// Own kernels against the library: the three aims for Hopper reached, missed, absent and throttled, from files as
// reckon-bench writes them; and what a file of aims may not say.
#include "core/ceilings.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"

namespace reckon::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHopper =
    R"("devices": ["NVIDIA H100 80GB HBM3"], "runtime": "CUDA 13.0, sm_90")";

std::string in_a_file(const std::string& name, const std::string& text) {
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-" + name);
  std::ofstream(file) << text;
  return file.string();
}

std::string point(const std::string& op, const std::string& shape, double us,
                  const std::string& more) {
  return R"({"op": ")" + op + R"(", "launch": "graph", "cache": "cold", "shape": {)" + shape +
         R"(}, "median": )" + std::to_string(us) + R"(, "p10": 0.1, "p90": 1e6, "samples": 20, )" +
         more + "}";
}
std::string copy(const std::string& library, double us, const std::string& more = "") {
  return point("memory-copy", R"("bytes": 2000000000)", us,
               R"("bytes": 4000000000, "library": ")" + library + "\"" + more);
}
std::string gemm(const std::string& library, double us, const std::string& more = "") {
  return point("gemm", R"("m": 8192, "n": 8192, "k": 8192)", us,
               R"("flops": 1099511627776, "dtype": "bf16", "library": ")" + library + "\"" + more);
}
std::string read(double us, const std::string& more = "") {
  return point("memory-read", R"("bytes": 3000000000)", us,
               R"("bytes": 3000000000, "library": "own")" + more);
}
std::string decode(double us) {
  return point("attention-decode",
               R"("batch": 32, "length": 4096, "heads": 32, "kv_heads": 8, "head_width": 128)", us,
               R"("bytes": 537395200, "dtype": "bf16", "library": "own")");
}

std::vector<Comparison> judged(const std::vector<std::string>& points,
                               const std::string& left_out = "",
                               const std::string& machine = kHopper) {
  std::string all;
  for (const std::string& p : points) all += (all.empty() ? "" : ", ") + p;
  const std::string file = in_a_file(
      "points.json",
      R"({"kind": "bench", "version": 1, "units": {"time": "us", "bytes": "B", "flops": "FLOP", "clock": "MHz"}, )"
      R"("machine": {"backend": "cuda", )" +
          machine + R"(}, "points": [)" + all + R"(], "left_out": [)" + left_out + "]}");
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const std::optional<Document> document = read_document(work, file, d);
  const std::vector<Aim> aims =
      read_aims(work, RECKON_SOURCE_DIR "/microkernels/aims/cuda.yaml", d);
  fs::remove(file);
  INFO(d.render());
  REQUIRE(document.has_value());
  REQUIRE_FALSE(aims.empty());
  return held_against(*document, aims);
}

const Comparison& of(const std::vector<Comparison>& all, const std::string& op) {
  for (const Comparison& c : all)
    if (c.own.starts_with(op)) return c;
  FAIL("nothing is said of " << op);
  return all.front();
}

TEST_CASE("aims: all three are reached") {
  // 4 GB in 1.5 ms; 2^40 FLOP in 1.8 ms; 3 GB in 1 ms is 3 TB/s, and 537.4 MB in 205 µs 2.62 TB/s.
  const auto all = judged({copy("own", 1500), copy("copy engine", 1450), gemm("wgmma", 1800),
                           gemm("cuBLASLt", 1500), read(1000), decode(205)});
  CHECK(of(all, "memory-copy").ratio == Approx(1450. / 1500));
  CHECK(of(all, "gemm").ratio == Approx(1500. / 1800));
  CHECK(of(all, "gemm").rate == "610.8 TFLOP/s");
  CHECK(of(all, "attention-decode").ratio == Approx(537395200 / 205e-6 / 3e12));
  CHECK(of(all, "attention-decode").other == "best memory-read");
  REQUIRE(all.size() == 3);
  for (const Comparison& c : all) CHECK(c.verdict == Verdict::kReached);
  CHECK(all_reached(all));
}

TEST_CASE("aims: all three are missed, by little") {
  const auto all = judged({copy("own", 1500), copy("copy engine", 1424), gemm("wgmma", 1876),
                           gemm("cuBLASLt", 1500), read(1000), decode(211)});
  REQUIRE(all.size() == 3);
  for (const Comparison& c : all) CHECK(c.verdict == Verdict::kMissed);
  CHECK_FALSE(all_reached(all));
  // 94.93 % must not read as the 95 % that are asked for, nor 79.96 % as 80 %.
  const std::string table = table_of(all);
  INFO(table);
  CHECK(table.find("94.9 %") != std::string::npos);
  CHECK(table.find("79.9 %") != std::string::npos);
  CHECK(table.find("MISSED") != std::string::npos);
}

TEST_CASE("aims: what was not measured says why, and is not reached") {
  const auto all = judged(
      {copy("own", 1500), gemm("cuBLASLt", 1500), decode(205)},
      R"("gemm bf16 m=8192 n=8192 k=8192 cold, graph, wgmma: its result is wrong: 7 times what rounding explains")");
  CHECK(of(all, "memory-copy").why == "copy engine was not measured");
  CHECK(of(all, "gemm").why == "its result is wrong: 7 times what rounding explains");
  CHECK(of(all, "attention-decode").why == "cold memory-read was not measured");
  for (const Comparison& c : all) CHECK(c.verdict == Verdict::kNotMeasured);
  CHECK_FALSE(all_reached(all));
  CHECK(table_of(all).find("not measured: its result is wrong") != std::string::npos);
}

TEST_CASE("aims: a throttled point judges nothing, and is no best rate where another is") {
  const std::string hot = R"(, "throttled": true)";
  const auto all = judged({copy("own", 1500, hot), copy("copy engine", 1450), gemm("wgmma", 1800),
                           gemm("cuBLASLt", 1500, hot), read(500, hot), read(1000), decode(205)});
  CHECK(of(all, "memory-copy").verdict == Verdict::kThrottled);
  CHECK(of(all, "memory-copy").ratio == Approx(1450. / 1500));
  CHECK(of(all, "gemm").verdict == Verdict::kThrottled);
  CHECK(of(all, "gemm").why == "the clock of what it is held against fell");
  CHECK(of(all, "attention-decode").verdict == Verdict::kReached);
  CHECK_FALSE(all_reached(all));
}

TEST_CASE("aims for Hopper judge no other device, which is shown the ratio") {
  const auto all = judged({copy("own", 1500), copy("copy engine", 1000)}, "",
                          R"("devices": ["NVIDIA A100"], "runtime": "CUDA 13.0, sm_80")");
  REQUIRE(all.size() == 1);
  CHECK(all[0].verdict == Verdict::kShown);
  CHECK(all[0].ratio == Approx(1000. / 1500));
  CHECK(all_reached(all));
}

TEST_CASE("only the same work is compared: shape, cold or hot, stream or graph") {
  auto hot = copy("copy engine", 1450);
  hot.replace(hot.find("cold"), 4, "hot");
  auto stream = copy("copy engine", 1450);
  stream.replace(stream.find("graph"), 5, "stream");
  CHECK(of(judged({copy("own", 1500), hot, stream}), "memory-copy").verdict ==
        Verdict::kNotMeasured);
}

TEST_CASE("what is wrong with a file of aims is said where it stands") {
  const std::pair<const char*, const char*> kFaults[] = {
      {"{op: gem, of: BLAS}", "did you mean 'gemm'"},
      {"{op: gemm, library: BLAS, of: BLAS}", "'BLAS' is held against itself"},
      {"{op: gemm, of: BLAS, at_least: 80 %}", "an aim needs its source"},
      {"{op: gemm, of: BLAS, at_least: 120 %, source: x}", "at_least"},
      {"{op: gemm, of: BLAS, sizes: {bytes: 1}}", "gemm: it has no size 'bytes'"},
      {"{op: gemm, of: BLAS, sizes: {m: 0}}", "'0' is no size"},
      {"{op: gemm, of: BLAS, sizes: [1]}", "sizes: expected numbers by name"},
      {"{op: gemm, of: BLAS, dtype: bf17}", "no number format is called 'bf17'"},
      {"{op: mla-decode, of: BLAS}", "reckon-bench has no such operation"},
      {"{op: gemm}", "of"}};
  for (const auto& [text, words] : kFaults) {
    const std::string file =
        in_a_file("aims.yaml", std::string("kind: aims\naims:\n  - ") + text + "\n");
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    CHECK(read_aims(work, file, d).empty());
    INFO(text << "\n" << d.render());
    CHECK(d.render().find(words) != std::string::npos);
    CHECK(d.render().find("aims.yaml:3:") != std::string::npos);
    fs::remove(file);
  }
}

}  // namespace
}  // namespace reckon::bench
