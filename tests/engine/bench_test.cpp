// reckon-bench's file: what is read of it, what is wrong with one, and what is fitted, checked and written from it.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "catch.hpp"
#include "data.hpp"
#include "reckon/cost/kernels/decoder_layer.hpp"
#include "reckon/engine/calibrate.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

struct Read {
  std::shared_ptr<Workspace> work;  // holds the texts that places point into
  std::vector<MeasuredSet> sets;
  std::string faults;
  std::vector<std::string> notes;
};

Read read(const std::string& name, const std::string& text, const FileFacts& facts = {}) {
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-" + name);
  std::ofstream(file) << text;
  Diagnostics d;
  Read out;
  out.work = std::make_shared<Workspace>(std::vector<fs::path>{RECKON_SOURCE_DIR});
  out.sets = read_measured(*out.work, file.string(), facts, d, out.notes);
  out.faults = d.render();
  fs::remove(file);
  return out;
}

constexpr const char* kUnits =
    R"("units": {"time": "us", "bytes": "B", "flops": "FLOP", "clock": "MHz"})";
constexpr const char* kDevices = R"("devices": ["NVIDIA H100"])";

constexpr const char* kShape = R"("m": 64, "n": 4096, "k": 4096)";

std::string point(const std::string& median = "13.5",
                  const std::string& shape = R"("m": 64, "n": 4096, "k": 4096)",
                  const std::string& more = "") {
  return R"({"op": "gemm", "dtype": "bf16", "library": "own", "launch": "graph", "cache": "cold", "shape": {)" +
         shape + R"(}, "median": )" + median + R"(, "p10": 13, "p90": 14, "samples": 40)" + more +
         "}";
}

std::string file(const std::string& points, const std::string& units = kUnits,
                 const std::string& machine = kDevices, const std::string& more = "") {
  return R"({"kind": "bench", "version": 1, )" + units + R"(, "chip": "h100-sxm", "machine": {)" +
         machine + "}" + more + R"(, "points": [)" + points + "]}";
}

TEST_CASE("units are said once; cold and hot, graph and stream are sets of their own") {
  const Read r =
      read("b.json", file(point() + "," + point("13.1", R"("m": 128, "n": 4096, "k": 4096)") + "," +
                          point("13.2", R"("m": 64, "n": 4096, "k": 4096)", R"(, "cache": "hot")")
                              .replace(point().find(R"("cache": "cold", )"), 17, "")));
  INFO(r.faults);
  REQUIRE(r.sets.size() == 2);
  CHECK(r.sets[0].points.size() == 2);
  CHECK(r.sets[0].points[0].seconds == Approx(13.5e-6));
  CHECK_FALSE(r.sets[0].held_out);
  CHECK(r.sets[1].held_out);
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].find("hot in the cache, in a graph: 1 point") != std::string::npos);
}

TEST_CASE("what is wrong with a bench file is said where it stands") {
  const std::string two = R"("devices": ["NVIDIA H100", "NVIDIA H200"])";
  const std::pair<std::string, const char*> kFaults[] = {
      {file(point("0")), "time: 0 is not positive"},
      {file(point("-3")), "time: -3 is not positive"},
      {file(point("\"nan\"")), "time: 'nan' is no measured value"},
      {file(point("null")), "median"},
      {file(point("20")), "the median 20 does not lie between p10 13 and p90 14"},
      {file(point("13.5", R"("m": 64, "n": 4096)")), "gemm: column 'k' is missing"},
      {file(point("13.5", R"("m": 64, "n": 4096, "kk": 1)")), "no column is called 'kk'"},
      {file(point() + "," + point()), "the point m=64 n=4096 k=4096 stands twice"},
      {file(point(), R"("units": {"time": "us", "bytes": "B", "flops": "FLOP"})"), "clock"},
      {file(point(), R"("units": {"time": "GB", "bytes": "B", "flops": "FLOP", "clock": "MHz"})"),
       "units: 'GB' is no unit of time"},
      {R"({"kind": "bench", "version": 1, "machine": {"devices": ["x"]}, "points": []})", "units"},
      {file(point(), kUnits, two), "points of different devices in one file"},
      {file(point(), kUnits, R"("devices": [])"), "which device was measured"},
      {file(""), "no point was measured"},
      {file(point("13.5", R"("m": 64, "n": 4096, "k": 4096)", R"(, "speed": 3)")), "speed"},
      {file(point().replace(2, 2, "no")), "no"},
      {R"({"kind": "bench", "version": 2, )" + std::string(kUnits) +
           R"(, "machine": {"devices": ["x"]}, "points": []})",
       "version 2 of reckon-bench's file: this reckon reads version 1"},
      {R"({"kind": "bench", "version": 1, )" + std::string(kUnits) +
           R"(, "machine": {"devices": ["x"]}, "points": []})",
       "which chip 'x' is must be said"},
      {file(point("13.5", kShape, R"(, "flops": 1)")),
       "flops 1: the shape m=64 n=4096 k=4096 has 2147483648"},
      {file(point("13.5", kShape, R"(, "bytes": 1)")),
       "bytes 1: no kernel of the shape m=64 n=4096 k=4096 moves that"},
      {file(point("13.5", kShape, R"(, "check": 1000)")),
       "check 1000: the result is off by more than rounding explains"},
      {file(point() + "," + point("13.5", R"("m": 128, "n": 4096)")), "this point states no k"},
      {file(point() + "," + point("13.5", R"("n": 4096, "k": 4096)")), "this point states no m"},
      {file(point()).substr(0, 200), "bench.json:1:"},
      {R"({"results": [1, 2]})", "this file holds no measurements"}};
  for (const auto& [text, fault] : kFaults) {
    const Read r = read("bench.json", text);
    INFO(text << "\n" << r.faults);
    CHECK(r.faults.find(fault) != std::string::npos);
    CHECK(r.sets.empty());
  }
}

TEST_CASE("what a file says itself may not be said beside it") {
  for (const FileFacts& facts :
       {FileFacts{"", "", "Foo", "", {}}, FileFacts{"", "", "", "fp8", {}},
        FileFacts{"", "gemm", "", "", {}}, FileFacts{"", "", "", "", {{"x", "time us"}}}}) {
    const Read r = read("bench.json", file(point()), facts);
    INFO(r.faults);
    CHECK(r.faults.find("says it itself") != std::string::npos);
    CHECK(r.sets.empty());
  }
}

TEST_CASE("nvbandwidth's text gives what its JSON gives") {
  const Read r = read("nvb.txt",
                      "nvbandwidth Version: v0.8\n\nRunning host_to_device_memcpy_ce.\n"
                      "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n"
                      " 0     55.63     55.64\n\nSUM host_to_device_memcpy_ce 111.27\n\n"
                      "Running device_to_device_memcpy_read_ce.\n           0         1\n"
                      " 0       N/A    371.10\n 1    370.20       N/A\n\n",
                      {"h100-sxm", "", "", "", {}});
  INFO(r.faults);
  REQUIRE(r.sets.size() == 2);
  CHECK(r.sets[0].points[0].at(MeasuredColumn::kBandwidth) == Approx(55.64e9));
  CHECK(r.sets[1].kernel == MeasuredKernel::kPeerCopy);
}

TEST_CASE("CSV: a unit after a space is a unit") {
  const Read r =
      read("g.csv", "m,n,k,time us\n1,4096,4096,13.5\n", {"h100-sxm", "gemm", "", "", {}});
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].points[0].seconds == Approx(13.5e-6));
}

TEST_CASE("a time that the chip's peak does not allow is a fault; hot in a cache it may be") {
  Workspace work({RECKON_SOURCE_DIR});
  std::string points;
  for (const char* m : {"8192", "4096", "2048", "1024"})
    points += (points.empty() ? "" : ",") +
              point("13.5", R"("m": )" + std::string(m) + R"(, "n": 8192, "k": 8192)");
  const Read r = read("fast.json", file(points));
  Diagnostics d;
  const Calibration c = calibrate(work, r.sets, CalibrateWhat::kKernels, {}, d);
  INFO(d.render());
  CHECK(d.error_count() == 4);
  CHECK(d.render().find("the printed peak and bandwidth of NVIDIA H100 SXM5 80 GB need 1.111 ms") !=
        std::string::npos);
  CHECK(c.sets.empty());
}

// Every bundled point is possible by its chip's file: what calibrate demands of a user's.
TEST_CASE("no bundled point is faster than its chip's peak") {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const auto sets = bundled_measurements(work, d);
  const auto generic = load_kernels(work, "generic", {}, d);
  REQUIRE(generic);
  for (const MeasuredSet& s : sets) {
    if (s.chip.empty() || s.held_out) continue;
    const auto chip = load_chip(work, s.chip, s.span, d);
    REQUIRE(chip);
    std::string why;
    const auto model = model_of(s, *chip, *generic, CurveForm::kRamp, why);
    if (!model) continue;
    for (const MeasuredPoint* p : timed_points(s)) {
      INFO(name_of(s) << " " << shape_of(s, *p) << " " << p->seconds << " " << model->peak(*p));
      CHECK(p->seconds * 1.1 >= model->peak(*p));
    }
  }
}

// A CPU whose kernels are what the formulas say, measured kernel by kernel and as a layer.
struct Made {
  Chip<double> chip;
  LayerKernels<double> kernels;
  std::string points;

  Made() {
    chip.peak.fp32 = FlopRate<double>(1e11);
    chip.memory.bandwidth = ByteRate<double>(1e10);
    kernels.element = Bytes<double>(4);
    GemmKernel<double>& g = kernels.gemm;
    g.weight = g.activation = g.output = Bytes<double>(4);
    g.fixed = Seconds<double>(2e-6);
    g.compute = Ratio<double>(0.6);
    g.memory = Ratio<double>(0.9);
    kernels.decode.kv_size = Bytes<double>(4);
    kernels.decode.fixed = Seconds<double>(3e-6);
    kernels.decode.memory = Ratio<double>(0.8);
    kernels.norm.fixed = kernels.swiglu.fixed = Seconds<double>(1e-6);
    kernels.norm.memory = kernels.swiglu.memory = Ratio<double>(0.7);
  }

  void add(const std::string& op, const std::string& shape, Seconds<double> time) {
    const double us = time.raw * 1e6;
    points += fmt_point(op, shape, us);
  }
  std::string fmt_point(const std::string& op, const std::string& shape, double us) const {
    return std::string(points.empty() ? "" : ",") + R"({"op": ")" + op +
           R"(", "dtype": "fp32", "library": "own", "cache": "cold", "shape": {)" + shape +
           R"(}, "median": )" + std::to_string(us) + R"(, "p10": )" + std::to_string(us) +
           R"(, "p90": )" + std::to_string(us) + R"(, "samples": 10})";
  }
};

std::string sizes(std::initializer_list<std::pair<const char*, int>> all) {
  std::string out;
  for (const auto& [name, x] : all)
    out += std::string(out.empty() ? "" : ", ") + "\"" + name + "\": " + std::to_string(x);
  return out;
}

TEST_CASE("constants of single kernels predict the layer that they make up") {
  Made made;
  const Peaks<double> peaks{*made.chip.peak.fp32, made.chip.memory.bandwidth};
  const auto of = [](int x) { return Count<double>(x); };
  for (const int m : {1, 8, 64, 512})
    for (const int n : {512, 4096})
      for (const int k : {512, 2048})
        made.add("gemm", sizes({{"m", m}, {"n", n}, {"k", k}}),
                 gemm_cost({of(m), of(n), of(k)}, made.kernels.gemm, peaks).time);
  for (const int length : {256, 1024, 4096})
    for (const int batch : {1, 8})
      made.add("attention-decode",
               sizes({{"batch", batch},
                      {"length", length},
                      {"heads", 8},
                      {"kv_heads", 2},
                      {"head_width", 64}}),
               decode_attention_cost({of(batch), of(length), of(8), of(2), of(64)},
                                     made.kernels.decode, peaks.W)
                   .time);
  for (const int tokens : {1, 64, 512}) {
    made.add("norm", sizes({{"tokens", tokens}, {"hidden", 1024}}),
             stream_time(4 * of(tokens * 1024) * made.kernels.element, made.kernels.norm, peaks.W));
    made.add(
        "swiglu", sizes({{"tokens", tokens}, {"hidden", 1024}}),
        stream_time(3 * of(tokens * 1024) * made.kernels.element, made.kernels.swiglu, peaks.W));
  }
  const auto layer = [&](int batch) {
    return DecoderLayer<double>{of(batch), of(1024), of(1024), of(2048),
                                of(8),     of(2),    of(64),   false};
  };
  const std::string rest = sizes({{"length", 1024},
                                  {"hidden", 1024},
                                  {"inner", 2048},
                                  {"heads", 8},
                                  {"kv_heads", 2},
                                  {"head_width", 64}});
  made.add("layer-decode", "\"batch\": 8, " + rest,
           decoder_layer_time(layer(8), made.kernels, peaks));
  made.add("layer-decode", "\"batch\": 600, " + rest,
           decoder_layer_time(layer(600), made.kernels, peaks));
  made.points +=
      R"(,{"op": "fma", "dtype": "fp32", "library": "own", "cache": "hot", "shape": {}, "flops": 1e8,
    "median": 1000, "p10": 1000, "p90": 1000, "samples": 10},
   {"op": "memory-read", "library": "own", "cache": "cold", "shape": {"bytes": 1e8}, "bytes": 1e8,
    "median": 10000, "p10": 10000, "p90": 10000, "samples": 10})";

  const std::string text =
      file(made.points, kUnits, R"("devices": ["a CPU"], "memory": 16e9, "units": 4)");
  const Read r = read("made.json", text, {"measured", "", "", "", {}});
  INFO(r.faults);
  REQUIRE(!r.sets.empty());
  Diagnostics d;
  const auto chip = calibrate_chip(r.sets, {}, d);
  REQUIRE(chip);
  CHECK(chip->peak.fp32->raw == Approx(1e11));
  CHECK(chip->memory.bandwidth.raw == Approx(1e10));
  CHECK(chip->memory.capacity.raw == Approx(16e9));
  const fs::path chip_file = fs::temp_directory_path() / (std::to_string(getpid()) + "-chip.yaml");
  std::ofstream(chip_file) << chip_text(*chip);
  const Read again = read("made.json", text, {chip_file.string(), "", "", "", {}});
  Workspace work({RECKON_SOURCE_DIR});
  const Calibration c = calibrate(work, again.sets, CalibrateWhat::kKernels, {}, d);
  fs::remove(chip_file);
  INFO(d.render());
  REQUIRE(c.kernels.streams.size() == 2);
  CHECK(c.kernels.streams[0].memory.raw == Approx(0.7).epsilon(0.01));
  REQUIRE(c.layers.size() == 2);
  CHECK(c.layers[0].predicted == Approx(c.layers[0].measured).epsilon(0.01));
  CHECK(c.layers[0].outside.empty());
  // 600 rows, and a cache of 600 sequences, were not measured kernel by kernel: that is said.
  REQUIRE(c.layers[1].outside.size() >= 2);
  CHECK(c.layers[1].outside[0] == "m = 600 (1 … 512)");
  CHECK(c.ceilings.size() == 2);
}

}  // namespace
}  // namespace reckon
