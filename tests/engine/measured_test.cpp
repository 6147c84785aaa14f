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

TEST_CASE("nccl-tests: a row or a heading that contradicts itself is a fault") {
  const FileFacts h100{"h100-sxm", "", "", "", {}};
  const auto with = [&](const std::string& good, const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.rfind(from) != std::string::npos);
    text.replace(text.rfind(from), from.size(), to);
    return read(text[0] == '{' ? "nccl.json" : "nccl.txt", text, h100).faults;
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  // 1 MiB in 85 us is 12.34 GB/s.
  holds(with(kNccl, "19.50", "85.00"), "algbw 53.77: 1048576 bytes in 85.00 us make it 12.34");
  holds(with(kNccl, "53.77   53.77", "53.77   94.10"),
        "busbw 94.10: 1048576 bytes in 19.50 us over 2 ranks make it 53.77");
  const std::string heading = "# Collective test starting: all_reduce_perf\n";
  holds(with(kNccl, heading, heading + "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728\n"),
        "2 ranks are listed, and its heading says 8 a process");
  CHECK(with(kNccl, heading, heading + "# nThread 1 nGpus 2 minBytes 8\n").empty());
  holds(with(kNcclJson, "\"alg_bw\": 41.1", "\"alg_bw\": 51.1"), "algbw 51.1: 1048576 bytes");
  holds(with(kNcclJson, "\"ngpus\": 4", "\"ngpus\": 1"), "over 2 ranks make it 20.56");
  holds(read("nccl.txt", kNccl, {"h100-sxm", "all-gather", "", "", {}}).faults,
        "all-reduce was run, and --kernel says all-gather");
}

TEST_CASE("CSV: a row that says two times, and a column that stands twice, are faults") {
  const auto faults = [](const std::string& text, const FileFacts& facts) {
    return read("g.csv", text, facts).faults;
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const FileFacts reduce{"h100-sxm", "all-reduce", "", "", {}};
  // 1 MiB over 8 ranks: 7/4 MiB in 30 us is 61.17 GB/s on the bus; 400 GB/s would take 4.588 us.
  holds(faults("ranks,bytes,time_us,busbw_GB/s\n8,1048576,30,400\n", reduce),
        "busbw: 400 means 4.588 µs");
  CHECK(faults("ranks,bytes,time_us,busbw_GB/s\n8,1048576,30,61.2\n", reduce).empty());
  const FileFacts gemm{"h100-sxm", "gemm", "", "", {}};
  holds(faults("m,n,k,time_us,rate_TFLOP/s\n4096,4096,4096,200,100\n", gemm), "rate: 100 means");
  CHECK(faults("m,n,k,time_us,rate_TFLOP/s\n4096,4096,4096,200,687\n", gemm).empty());
  holds(faults("m,m,n,k,time_us\n64,65,4096,4096,13\n", gemm), "column 'm' stands twice");
  const Read mapped = read("g.csv", "m,M,n,k,time_us\n64,65,4096,4096,13\n",
                           {"h100-sxm", "gemm", "", "", {{"M", "m"}}});
  REQUIRE(mapped.sets.size() == 1);
  CHECK(mapped.sets[0].points[0].at(C::kM) == 65);  // as --column says
  CHECK(mapped.notes[0].find("not used: m") != std::string::npos);
  holds(
      read("t.yaml",
           "kind: measurements\nchip: h100-sxm\ngroups:\n  - {kernel: gemm, library: own, format: "
           "bf16, source: x, columns: [m, n, k, m, time us], rows: [[1, 2, 3, 4, 5]]}\n")
          .faults,
      "column 'm' stands twice");
}

std::string nvbandwidth(const std::string& cells, const std::string& sum = "1570.0",
                        const std::string& unit = "GB/s",
                        const std::string& other = "H100 80GB HBM3") {
  return "nvbandwidth Version: v0.8\n\nDevice 0: NVIDIA H100 80GB HBM3 (00000000:1b:00)\n"
         "Device 1: NVIDIA " +
         other +
         " (00000000:43:00)\n\n"
         "Running device_to_device_memcpy_read_ce.\n"
         "memcpy CE GPU(row) -> GPU(column) bandwidth (" +
         unit + ")\n           0         1\n" + cells + "\nSUM device_to_device_memcpy_read_ce " +
         sum + "\n";
}

TEST_CASE("nvbandwidth: units, sums, devices and every figure are read, not only the median") {
  const FileFacts h100{"h100-sxm", "", "", "", {}};
  const std::string good = " 0       N/A    390.10\n 1    396.20       N/A\n";
  const auto faults = [&](const std::string& text) { return read("nvb.txt", text, h100).faults; };
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const Read r = read("nvb.txt", nvbandwidth(good, "786.30"), h100);
  INFO(r.faults);
  REQUIRE(r.sets.size() == 1);
  CHECK(r.sets[0].points[0].at(C::kBandwidth) == Approx(396.2e9));
  CHECK(r.sets[0].machine.name == "NVIDIA H100 80GB HBM3");
  // Older versions print 0.00 between a GPU and itself.
  CHECK(faults(nvbandwidth(" 0      0.00    390.10\n 1    396.20      0.00\n", "786.30")).empty());
  const Read slow = read("nvb.txt", nvbandwidth(good, "786.30", "MB/s"), h100);
  REQUIRE(slow.sets.size() == 1);
  CHECK(slow.sets[0].points[0].at(C::kBandwidth) == Approx(396.2e6));  // as it says
  holds(faults(nvbandwidth(good, "786.30", "ns")), "'ns' is no unit of the column 'bandwidth'");
  holds(faults(nvbandwidth(" 0       N/A   -396.10\n 1    396.20       N/A\n", "0.10")),
        "bandwidth: -396.10 is not positive");
  holds(faults(nvbandwidth(" 0       N/A       nan\n 1    396.20       N/A\n", "396.20")),
        "bandwidth: 'nan' is no measured value");
  holds(faults(nvbandwidth(good, "900.00")),
        "the sum is said to be 900.00, and the figures make 786.30");
  holds(faults(nvbandwidth(good, "786.30", "GB/s", "L40S")), "different GPUs in one run");
  holds(read("nvb.txt", nvbandwidth(good, "786.30"), {"b200", "", "", "", {}}).faults,
        "NVIDIA H100 80GB HBM3 was measured, and the chip is said to be b200");
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
