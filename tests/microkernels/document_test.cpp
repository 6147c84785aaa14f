// What is written is what `reckon calibrate` reads; and one measurement from end to end, on a device that is not there.
#include "core/document.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "core/measure.hpp"
#include "reckon/engine/measured.hpp"

namespace reckon::bench {
namespace {

namespace fs = std::filesystem;

Document sample_document() {
  Document d;
  d.machine.backend = "cuda";
  d.machine.devices = {"NVIDIA H100 80GB HBM3"};
  d.machine.memory = 85e9;
  d.machine.units = 132;
  d.chip = "h100-sxm";
  d.date = "2026-11-30";
  Point p;
  p.problem = {"gemm", "bf16", "cuBLASLt", "graph", "cold", {{"m", 64}, {"n", 4096}, {"k", 4096}}};
  p.amounts = amounts_of(p.problem);
  p.seconds = {13.5e-6, 13.4e-6, 13.9e-6};
  p.samples = 40;
  p.stop = Stop::kSteady;
  p.clock = 1755e6;
  d.points.push_back(p);
  d.left_out = {"peer-copy: \"one\" GPU"};
  return d;
}

std::vector<MeasuredSet> read_back(const std::string& text, std::string& faults) {
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-bench.json");
  std::ofstream(file) << text;
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  std::vector<std::string> notes;
  auto out = read_measured(work, file.string(), {}, d, notes);
  faults = d.render();
  fs::remove(file);
  return out;
}

TEST_CASE("a document is read back with its shape, time and rates") {
  std::string faults;
  const auto sets = read_back(write(sample_document()), faults);
  INFO(faults);
  REQUIRE(sets.size() == 1);
  CHECK(sets[0].chip == "h100-sxm");
  CHECK(sets[0].launch == LaunchedBy::kGraph);
  CHECK(sets[0].machine.memory == 85e9);
  REQUIRE(sets[0].points.size() == 1);
  CHECK(sets[0].points[0].at(MeasuredColumn::kN) == 4096);
  CHECK(sets[0].points[0].seconds == Approx(13.5e-6));
  CHECK(sets[0].points[0].at(MeasuredColumn::kRate) == Approx(2. * 64 * 4096 * 4096 / 13.5e-6));
}

TEST_CASE("what is written is read back as it was") {
  Document d = sample_document();
  d.points[0].throttled = true;
  d.points[0].note = "cuBLASLt 1";
  d.machine.clock = 1980e6;
  const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-again.json");
  std::ofstream(file) << write(d);
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics faults;
  std::optional<Document> again = read_document(work, file.string(), faults);
  fs::remove(file);
  INFO(faults.render());
  REQUIRE(again.has_value());
  // A time in microseconds and back may differ in its last bit.
  CHECK(again->points[0].seconds.p90 == Approx(13.9e-6).epsilon(1e-14));
  again->points[0].seconds = d.points[0].seconds;
  CHECK(write(*again) == write(d));
}

TEST_CASE("what is no file of reckon-bench, or a wrong one, is no document") {
  const std::string good = write(sample_document());
  const std::pair<std::string, const char*> kFaults[] = {
      {"{\"kind\": \"chip\"}", "no file of kind: bench"},
      {std::string(good).replace(good.find("13.5"), 4, "-1"), "is not positive"},
      {std::string(good).replace(good.find("\"us\""), 4, "\"GB\""), "no unit of time"}};
  for (const auto& [text, words] : kFaults) {
    const fs::path file = fs::temp_directory_path() / (std::to_string(getpid()) + "-wrong.json");
    std::ofstream(file) << text;
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics faults;
    CHECK_FALSE(read_document(work, file.string(), faults).has_value());
    fs::remove(file);
    INFO(faults.render());
    CHECK(faults.render().find(words) != std::string::npos);
  }
}

// Counts, and computes rightly or wrongly.
class FakeCase final : public Case {
 public:
  FakeCase(double clock, bool right) : clock_(clock), right_(right) {}
  Check check() override {
    Check c = start_check("fp32", "fp32");
    compare(c, right_ ? 1 : 2, 1, 1);
    return c;
  }
  double run() override { return 1e-3; }
  double clock() override { return clock_; }
  std::string note() const override { return "a fake"; }

 private:
  double clock_;
  bool right_;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(double clock, bool right = true) : clock_(clock), right_(right) {
    machine_.clock = 2e9;
  }
  const Machine& machine() const override { return machine_; }
  std::unique_ptr<Case> prepare(const Problem& p, Refusal& refusal, std::string& why) override {
    if (p.op == "memory-read") return std::make_unique<FakeCase>(clock_, right_);
    refusal = p.op == "memory-copy" ? Refusal::kMemory : Refusal::kNotHere;
    why = "not here";
    return nullptr;
  }

 private:
  Machine machine_;
  double clock_;
  bool right_;
};

Measured measured(FakeBackend&& backend, const char* op = "memory-read") {
  return measure(backend, {op, "", "own", "stream", "cold", {{"bytes", 1000000}}}, StopRule{});
}

TEST_CASE("a measurement: median, rate, reason to stop, clock") {
  const Measured m = measured(FakeBackend(1.9e9));
  REQUIRE(m.ok());
  CHECK(m.point.seconds.median == Approx(1e-3));
  CHECK(m.point.stop == Stop::kSteady);
  CHECK(m.point.clock == 1.9e9);
  CHECK_FALSE(m.point.throttled);
  CHECK(m.point.note == "a fake");
  CHECK(rate_of(m.point) == "1 GB/s");
}

TEST_CASE(
    "what throttles is measured and marked; what is wrong is not measured; what is not there says "
    "why") {
  const Measured slow = measured(FakeBackend(1e9));
  REQUIRE(slow.ok());
  CHECK(slow.point.throttled);
  CHECK(slow.point.note.find("below 75 % of the stated clock") != std::string::npos);
  const Measured wrong = measured(FakeBackend(1.9e9, false));
  CHECK(wrong.outcome == Outcome::kWrong);
  CHECK(wrong.why.find("its result is wrong") != std::string::npos);
  CHECK(measured(FakeBackend(0), "memory-write").outcome == Outcome::kNotHere);
  CHECK(measured(FakeBackend(0), "memory-copy").outcome == Outcome::kMemory);
}

}  // namespace
}  // namespace reckon::bench
