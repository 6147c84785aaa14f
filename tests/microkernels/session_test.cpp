// A sweep that meets a kernel that fails, one that takes the device along, one that hangs, and the end of its time; and
// how it goes on from what was kept.
#include "core/session.hpp"

#include <atomic>
#include <thread>

#include "catch.hpp"
#include "core/watchdog.hpp"

namespace reckon::bench {
namespace {

class Fine final : public Case {
 public:
  Check check() override {
    Check c = start_check("fp32", "fp32");
    compare(c, 1, 1, 1);
    return c;
  }
  double run() override { return 1e-3; }
};

// norm fails, swiglu takes the device with it, quantize sleeps.
class Moody final : public Backend {
 public:
  const Machine& machine() const override { return machine_; }
  std::unique_ptr<Case> prepare(const Problem& p, Refusal&, std::string&) override {
    if (p.op == "norm" || p.op == "swiglu") throw std::runtime_error("unspecified launch failure");
    if (p.op == "quantize") std::this_thread::sleep_for(std::chrono::milliseconds(200));
    lost_ = false;
    return std::make_unique<Fine>();
  }
  bool answers() override { return !lost_; }
  bool lost_ = false;

 private:
  Machine machine_;
};

Problem of(const std::string& op) {
  return {op, "bf16", "own", "stream", "cold", {{"tokens", 16}, {"hidden", 64}}};
}

struct Kept {
  std::size_t times = 0;
  std::vector<std::string> said;
  SessionHooks hooks() {
    return {[this](std::size_t, std::size_t, const std::string& text, bool done) {
              if (done) said.push_back(text);
            },
            [this](const Document&) { ++times; }, [] {}};
  }
};

TEST_CASE("a kernel that fails costs its own point") {
  Moody backend;
  Document d;
  Kept kept;
  const Tally t = run_session(backend, {of("norm"), of("gemm")}, d, {}, kept.hooks());
  CHECK_FALSE(t.lost);
  REQUIRE(d.points.size() == 1);
  REQUIRE(d.left_out.size() == 1);
  CHECK(d.left_out[0] ==
        "norm bf16 tokens=16 hidden=64 cold, own: it failed: unspecified launch failure");
  CHECK(kept.times == 2);
  CHECK(kept.said.size() == 2);
}

TEST_CASE("one that takes the device along ends the session, and the next goes on behind it") {
  Moody backend;
  backend.lost_ = true;
  Document d;
  Kept kept;
  const std::vector<Problem> all{of("swiglu"), of("gemm"), of("launch")};
  CHECK(run_session(backend, all, d, {}, kept.hooks()).lost);
  CHECK(d.points.empty());
  REQUIRE(d.left_out.size() == 1);
  const std::vector<Problem> rest = left_to_do(all, d);
  REQUIRE(rest.size() == 2);
  CHECK_FALSE(run_session(backend, rest, d, {}, kept.hooks()).lost);
  CHECK(d.points.size() == 2);
  CHECK(left_to_do(all, d).empty());
}

TEST_CASE("what there was no time for is left out, and is done when it goes on") {
  Moody backend;
  Document d;
  Kept kept;
  SessionRules rules;
  rules.within = 0.1;
  const std::vector<Problem> all{of("quantize"), of("gemm")};
  CHECK(run_session(backend, all, d, rules, kept.hooks()).not_begun == 1);
  REQUIRE(d.left_out.size() == 1);
  CHECK(d.left_out[0] == "gemm bf16 tokens=16 hidden=64 cold, own: not begun: the time was up");
  const std::vector<Problem> rest = left_to_do(all, d);
  CHECK(d.left_out.empty());
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].op == "gemm");
}

TEST_CASE("what hangs is left out and kept before the process is to end") {
  Moody backend;
  Document d;
  SessionRules rules;
  rules.patience = 0.05;
  std::atomic<bool> hung = false;
  std::size_t kept_then = 0;
  SessionHooks hooks{[](std::size_t, std::size_t, const std::string&, bool) {},
                     [&](const Document& so_far) {
                       if (kept_then == 0) kept_then = so_far.left_out.size();
                     },
                     [&] { hung = true; }};
  run_session(backend, {of("quantize")}, d, rules, hooks);
  CHECK(hung);
  CHECK(kept_then == 1);
  REQUIRE_FALSE(d.left_out.empty());
  CHECK(d.left_out[0].find("no answer in 0 s") != std::string::npos);
}

TEST_CASE("a watchdog that is stopped in time, or never set, stays quiet") {
  std::atomic<int> times = 0;
  {
    Watchdog dog([&] { ++times; });
    dog.start(0.05);
    dog.stop();
    dog.start(HUGE_VAL);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  CHECK(times == 0);
}

TEST_CASE("one sample has no deviation to show") {
  Measured m;
  m.point.problem = of("norm");
  m.point.seconds = {12e-6, 12e-6, 12e-6};
  m.point.samples = 1;
  m.point.stop = Stop::kTime;
  CHECK(summary(m) == "norm bf16 tokens=16 hidden=64 cold, own: 12 µs    (1 sample, out of time)");
  m.point.seconds = {12e-6, 11.9e-6, 12.1e-6};
  m.point.samples = 10;
  CHECK(summary(m) ==
        "norm bf16 tokens=16 hidden=64 cold, own: 12 µs ±0.8 %    (10 samples, out of time)");
}

}  // namespace
}  // namespace reckon::bench
