// Measured points: our own tables, other tools' outputs, and what is wrong with a file of them.
#include "reckon/engine/measured.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "data.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;

// A file that is gone after the test.
class Scratch {
 public:
  Scratch(const std::string& name, const std::string& text)
      : file_(fs::temp_directory_path() / (std::to_string(getpid()) + "-" + name)) {
    std::ofstream(file_, std::ios::binary) << text;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove(file_); }
  std::string name() const { return file_.string(); }

 private:
  fs::path file_;
};

struct Read {
  std::vector<MeasuredSet> sets;
  std::string faults;
  std::vector<std::string> notes;
};

Read read(const std::string& name, const std::string& text, const FileFacts& facts = {}) {
  const Scratch file(name, text);
  Diagnostics d;
  Read out;
  Workspace work({RECKON_SOURCE_DIR});
  out.sets = read_measured(work, file.name(), facts, d, out.notes);
  out.faults = d.render();
  return out;
}

std::string table(const std::string& columns, const std::string& rows,
                  const std::string& more = "") {
  return "kind: measurements\nchip: h100-sxm\ngroups:\n  - kernel: gemm\n    library: own\n" +
         more + "    format: bf16\n    source: here\n    columns: [" + columns + "]\n    rows: [" +
         rows + "]\n";
}

using C = MeasuredColumn;

TEST_CASE("our own tables: units become SI, rates become times") {
  const Read r =
      read("a.yaml", table("m, n, k, time us", "[1, 4096, 4096, 13.5], [2, 4096, 4096, 14]"));
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].points.size() == 2);
  CHECK(r.sets[0].points[0].seconds == Approx(13.5e-6));
  CHECK(r.sets[0].points[0].at(C::kN) == 4096);
  const Read rate = read("b.yaml", table("m, n, k, rate TFLOP/s", "[1000, 1000, 1000, 2]"));
  REQUIRE(rate.sets.size() == 1);
  CHECK(rate.sets[0].points[0].seconds == Approx(1e-3));
}

TEST_CASE("the same table as JSON") {
  const Read r =
      read("a.json",
           R"({"kind": "measurements", "chip": "h100-sxm", "groups": [{"kernel": "all-reduce",
 "library": "NCCL", "source": "here", "columns": ["ranks", "bytes B", "busbw GB/s"], "rows": [[8, 1e9, 350]]}]})");
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].points[0].seconds == Approx(1.75 * 1e9 / 350e9));
}

TEST_CASE("what is wrong with a table is said where it stands") {
  const std::pair<std::string, const char*> kFaults[] = {
      {table("m, n, k, time", "[1, 2, 3, 4]"), "column 'time' states no unit"},
      {table("m, n, k, time GB", "[1, 2, 3, 4]"), "'GB' is no unit of the column 'time'"},
      {table("m, n, kk, time us", "[1, 2, 3, 4]"), "no column is called 'kk'"},
      {table("m, n, k, time us", "[1, 2, 3, 0]"), "time: 0 is not positive"},
      {table("m, n, k, time us", "[1, 2, 3, -4]"), "time: -4 is not positive"},
      {table("m, n, k, time us", "[1, 2, 3, nan]"), "time: 'nan' is no measured value"},
      {table("m, n, k, time us", "[1, 2, 3, .inf]"), "is not a number"},
      {table("m, n, k, time us", "[1, 2.5, 3, 4]"), "n: 2.5 is not a whole number"},
      {table("m, n, k, time us", "[1, 2, 3]"), "a row of 3 numbers, and 4 columns are named"},
      {table("m, n, k, time us", "[1, 2, 3, 4], [1, 2, 3, 5]"),
       "the point m=1 n=2 k=3 stands twice"},
      {table("m, n, time us", "[1, 2, 4]"), "gemm: column 'k' is missing"},
      {table("m, n, k", "[1, 2, 3]"), "no column says what was measured"},
      {table("m, n, k, time us", "[1, 2, 3, 4]", "    chip: b200\n"),
       "a point of chip 'b200' in a file of 'h100-sxm'"},
      {"kind: measurements\ngroups:\n  - {kernel: gemm, library: own, source: here, columns: [m, "
       "n, k, time "
       "us], rows: [[1, 2, 3, 4]]}\n",
       "neither the file nor the group says which chip was measured"},
      {"kind: chip\n", "expected a file of kind measurements, found kind chip"},
      {"{\"a\": 1}", "this file holds no measurements"},
      {"[1, 2]\n", "holds list, not measurements"},
  };
  for (const auto& [text, fault] : kFaults) {
    const Read r = read("f.yaml", text);
    INFO(text << "\n" << r.faults);
    CHECK(r.faults.find(fault) != std::string::npos);
    CHECK(r.sets.empty());
  }
}

constexpr const char* kNccl = R"(# nccl-tests version 2.17.6 nccl-headers=22902 nccl-library=22902
# Collective test starting: all_reduce_perf
# Using devices
#  Rank  0 Group  0 Pid  10 on  node device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  10 on  node device  1 [0000:43:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1     8.31    0.12    0.12      0     8.20    0.12    0.12      0
     1048576        262144     float     sum      -1    19.50   53.77   53.77      0    19.40   54.05   54.05      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 26.9
)";

TEST_CASE("nccl-tests' table: the operation, ranks and out-of-place times") {
  const Read r = read("nccl.txt", kNccl, {"h100-sxm", "", "", "", {}});
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].kernel == MeasuredKernel::kAllReduce);
  REQUIRE(r.sets[0].points.size() == 2);
  CHECK(r.sets[0].points[1].at(C::kRanks) == 2);
  CHECK(r.sets[0].points[1].at(C::kBytes) == 1048576);
  CHECK(r.sets[0].points[1].seconds == Approx(19.5e-6));
  CHECK(read("nccl.txt", kNccl).faults.find("which chip this is must be said") !=
        std::string::npos);
  std::string mixed = kNccl;
  mixed.replace(mixed.rfind("H100"), 4, "H200");
  CHECK(read("nccl.txt", mixed, {"h100-sxm", "", "", "", {}})
            .faults.find("ranks on different GPUs") != std::string::npos);
}

constexpr const char* kNcclJson = R"({"version": 2, "start_time": "2026-01-01 00:00:00",
 "args": ["build/all_gather_perf", "-J", "out.json"], "env": [], "nccl_version": 22902,
 "config": {"nthreads": 1, "ngpus": 4, "devices": [
   {"rank": 0, "hostname": "a", "device_info": "NVIDIA H100 80GB HBM3"},
   {"rank": 4, "hostname": "b", "device_info": "NVIDIA H100 80GB HBM3"}]},
 "results": [
  {"size": 0, "out_of_place": {"time": 3.0, "nwrong": 0.0}},
  {"size": 1048576, "type": "float", "out_of_place": {"time": 25.5, "alg_bw": 41.1, "bus_bw": 36.0, "nwrong": 0.0}}]})";

TEST_CASE("nccl-tests' JSON: a process's GPUs are ranks, its hosts are nodes") {
  const FileFacts h100{"h100-sxm", "", "", "", {}};
  const Read r = read("nccl.json", kNcclJson, h100);
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].kernel == MeasuredKernel::kAllGather);
  CHECK(r.sets[0].library == "NCCL 2.29.2");
  REQUIRE(r.sets[0].points.size() == 1);  // none of 0 bytes
  CHECK(r.sets[0].points[0].at(C::kRanks) == 8);
  CHECK(r.sets[0].points[0].at(C::kNodes) == 2);
  CHECK(r.sets[0].points[0].seconds == Approx(25.5e-6));
  const std::string good = kNcclJson;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.rfind(from), from.size(), to);
    return read("nccl.json", text, h100).faults;
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  holds(with("\"nwrong\": 0.0", "\"nwrong\": 7.0"), "7.0 wrong elements at 1048576 bytes");
  holds(with("\"time\"", "\"cpu_time\""), "the host's time");
  holds(with("25.5", "\"nan\""), "time: 'nan' is no measured value");
  holds(with("25.5", "-1"), "-1 is not positive");
  holds(with("\"results\"", "\"resul\""), "no list of results");
}

TEST_CASE("nvbandwidth's JSON: the median of each case it knows") {
  const Read r = read("nvb.json",
                      R"({"nvbandwidth": {"testcases": [
 {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["55.1", "55.5", "54.9"]]},
 {"name": "device_to_device_memcpy_read_ce", "status": "Passed", "bandwidth_matrix": [["N/A", "370"], ["368", "N/A"]]},
 {"name": "all_to_host_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["50"]]}]}})",
                      {"h200-sxm", "", "", "", {}});
  INFO(r.faults);
  REQUIRE(r.sets.size() == 2);
  CHECK(r.sets[0].kernel == MeasuredKernel::kHostToDevice);
  CHECK(r.sets[0].points[0].at(C::kBandwidth) == Approx(55.1e9));
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0] == "left out: all_to_host_memcpy_ce");
}

TEST_CASE("CSV: columns by name or as mapped, and shown") {
  const FileFacts facts{"h100-sxm", "gemm", "", "fp8", {{"latency", "time ms"}}};
  const Read r = read(
      "g.csv", "m,n,k,latency,\"who, when\"\n1,4096,4096,0.0135,x\n2,4096,4096,0.014,y\n", facts);
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].points[1].seconds == Approx(14e-6));
  CHECK(r.notes[0] == "columns: time ms <- latency, m <- m, n <- n, k <- k; not used: who, when");
  const Read named =
      read("g.csv", "m,n,k,time_us\n1,4096,4096,13.5\n", {"h100-sxm", "gemm", "", "", {}});
  REQUIRE(named.sets.size() == 1);
  CHECK(named.sets[0].points[0].seconds == Approx(13.5e-6));
  const std::pair<std::string, const char*> kFaults[] = {
      {"m,n,k,time_us\n1,2,3\n", "a row of 3 cells under a heading of 4"},
      {"m,n,k,time\n1,2,3,4\n", "column 'time' states no unit"},
      {"m,n,k,time_us\n1,2,3,x\n", "time: 'x' is not a number"},
      {"m,n,k,time_us\n", "a heading and no rows"}};
  for (const auto& [text, fault] : kFaults) {
    const Read bad = read("g.csv", text, {"h100-sxm", "gemm", "", "", {}});
    INFO(bad.faults);
    CHECK(bad.faults.find(fault) != std::string::npos);
  }
  CHECK(read("g.csv", "m\n1\n", {"", "gemm", "", "", {}}).faults.find("doesn't say its chip") !=
        std::string::npos);
}

TEST_CASE("the bundled points are all there and without a fault") {
  Diagnostics d;
  const auto sets = bundled_measurements(test::data(), d);
  INFO(d.render());
  CHECK(d.all().empty());
  std::size_t points = 0;
  for (const MeasuredSet& s : sets) points += s.points.size();
  CHECK(points == 1998);
}

}  // namespace
}  // namespace reckon
