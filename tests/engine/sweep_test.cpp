// Sweeps, targets and comparisons: the same numbers as plans that are loaded one by one, ranges that end, targets
// that can and can't be met.
#include "reckon/engine/sweep.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "data.hpp"
#include "reckon/engine/compare.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/sensitivity.hpp"
#include "reckon/engine/solve.hpp"

namespace reckon {
namespace {

PlanFile open_text(const std::string& text) {
  Diagnostics d;
  PlanFile f =
      open_plan(test::data(), "plan.yaml", test::data().read_text("plan.yaml", text, d), {}, d);
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return f;
}

PlanFile starter(const char* name) {
  Diagnostics d;
  const std::string path = std::string(RECKON_SOURCE_DIR "/plans/starters/") + name;
  return open_plan(test::data(), path, test::data().read(path, {}, d), {}, d);
}

std::vector<std::string> values(const std::string& text) {
  Diagnostics d;
  auto out = read_values(text, {}, d);
  INFO(d.render());
  CHECK(!d.has_errors());
  return out;
}

std::string refusal(const std::string& text) {
  Diagnostics d;
  CHECK(read_values(text, {}, d).empty());
  REQUIRE(d.error_count() == 1);
  return d.all().front().message;
}

TEST_CASE("ranges: lists, steps, factors, units") {
  using Words = std::vector<std::string>;
  CHECK(values("1,2,4") == Words{"1", "2", "4"});
  CHECK(values("1..4") == Words{"1", "2", "3", "4"});
  CHECK(values("4..1") == Words{"4", "3", "2", "1"});
  CHECK(values("1..64:x2") == Words{"1", "2", "4", "8", "16", "32", "64"});
  CHECK(values("0.1..0.5:+0.1") == Words{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(values("100..300 GB/s:+100") == Words{"100 GB/s", "200 GB/s", "300 GB/s"});
  CHECK(values("100 GB/s..400 GB/s:x2") == Words{"100 GB/s", "200 GB/s", "400 GB/s"});
  CHECK(values("8Ki..32Ki:x2") == Words{"8Ki", "16Ki", "32Ki"});
  CHECK(values("64..1:x0.25") == Words{"64", "16", "4", "1"});
  CHECK(values("none,full") == Words{"none", "full"});
  CHECK(values("1,8..10") == Words{"1", "8", "9", "10"});
  CHECK(values("5..5:x1") == Words{"5"});
}

TEST_CASE("ranges: those that never end, or don't say how they go on, are refused") {
  CHECK(refusal("1..64:x1") == "'1..64:x1' never ends");
  CHECK(refusal("1..64:x0.5") == "'1..64:x0.5' never ends");
  CHECK(refusal("0..64:x2") == "'0..64:x2' never ends");
  CHECK(refusal("1..64:+0") == "'1..64:+0' never ends");
  CHECK(refusal("64..1:+1") == "'64..1:+1' never ends");
  CHECK(refusal("1..:x2") == "'1..' is no range of numbers");
  CHECK(refusal("1..2.5") == "'1..2.5' doesn't say how it goes on");
  CHECK(refusal("1..1e9") == "'1..1e9:+1' has more than 1000000 values");
  CHECK(refusal("1 GB..2 TB:x2") == "the ends of '1 GB..2 TB' have two units");
  CHECK(refusal("1..64:2") == "'2' is no step of a range");
  CHECK(refusal("1,,2") == "an empty value in a list");
}

// Every point against the plan as it is loaded with these values set.
void held_to_loading(const PlanFile& file, const std::vector<Axis>& axes) {
  Diagnostics d;
  std::vector<std::string> paths;
  for (const Axis& a : axes) paths.push_back(a.path);
  PlanPoints points(test::data(), file, nullptr, paths);
  for (std::size_t i = 0; i < points_of(axes); ++i) {
    const auto at = point(axes, i);
    const PlanPoint fast = points.at(at);
    const auto plan = points.load(at, d);
    CAPTURE(at);
    REQUIRE(fast.legal() == (plan != nullptr));
    if (!plan) continue;
    const std::vector<Metric> slow = plan->result(test::data()).metrics;
    REQUIRE(slow.size() == fast.metrics.size());
    for (std::size_t k = 0; k < slow.size(); ++k) {
      CAPTURE(slow[k].id);
      CHECK(std::bit_cast<std::uint64_t>(slow[k].value) ==
            std::bit_cast<std::uint64_t>(fast.metrics[k].value));
      CHECK(slow[k].text == fast.metrics[k].text);
      CHECK(slow[k].reason == fast.metrics[k].reason);
    }
  }
}

TEST_CASE("sweep: a point is the plan that is loaded with its values") {
  held_to_loading(starter("7b-512xh100.yaml"), {{"cluster.nodes", values("1..64:x2"), {}},
                                                {"sharding.zero", values("0..3"), {}}});
  held_to_loading(
      starter("405b-16384xh100.yaml"),
      {{"mesh.pipeline", values("1..16"), {}}, {"recompute", {"none", "selective", "full"}, {}}});
  held_to_loading(starter("llama-3-8b-8xh100.yaml"),
                  {{"chip.memory.bandwidth", values("1..4 TB/s:+1"), {}},
                   {"assume.train.mfu", values("0.2..0.8:+0.2"), {}}});
  held_to_loading(starter("7b-8xh100.yaml"),
                  {{"node.gpus", values("1,2,4,8"), {}},
                   {"batch.tokens_per_gpu", values("1024..8192:x2"), {}}});
  held_to_loading(starter("7b-8xh100.yaml"), {{"precision", {"bf16", "fp8", "fp16"}, {}},
                                              {"optimizer", {"adamw", "adafactor"}, {}}});
  held_to_loading(
      open_text("kind: decode\nmodel: llama-3-8b\ncluster: 8xh100-sxm\nbatch: 8\ncontext: 4096\n"),
      {{"batch", values("1..256:x4"), {}}, {"context", values("1024,8192"), {}}});
  held_to_loading(open_text("kind: gemm\nchip: h100-sxm\nm: 4096\nn: 4096\nk: 4096\n"),
                  {{"m", values("256..8192:x2"), {}}});
}

Solution solved(const PlanFile& file, const std::string& path, const std::string& target,
                std::optional<std::string> from = {}, std::optional<std::string> to = {}) {
  Diagnostics d;
  SolveRequest r{file, nullptr, path, std::move(from), std::move(to), {}, {}};
  REQUIRE(read_goal(target, "--for", test::data().sources(), d, r.target));
  Solution s = solve(test::data(), r, d);
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return s;
}

const std::string kSmall = R"(kind: training
model: llama-3-8b
cluster: 8xh100-sxm
sharding: fsdp
batch: {global: 64, micro: 1, sequence: 4096}
assume: {preset: textbook, train.mfu: 40%}
run: {tokens: 100B}
)";

TEST_CASE("solve: a real is found to the last digits, and proportionally") {
  const Solution s = solved(open_text(kSmall), "assume.train.mfu", "step.compute=3 s");
  REQUIRE(s.outcome == Outcome::kMet);
  CHECK(std::abs(s.answer->metric.value - 3) < 3e-9);
  CHECK(s.monotone);
  CHECK(!s.climbs);
  // compute · mfu stays
  REQUIRE(s.now);
  CHECK(std::abs(3 * s.answer->x - 0.4 * s.now->metric.value) < 1e-9);
}

TEST_CASE("solve: an answer on one side of its target is written in five digits that meet it") {
  for (const char* target : {"step.compute<=3 s", "step.compute>=3 s"}) {
    const PlanFile file = open_text(kSmall);
    const Solution s = solved(file, "assume.train.mfu", target);
    REQUIRE(s.outcome == Outcome::kMet);
    CHECK(s.answer->text.size() <= std::string("35.571%").size());
    CHECK(s.answer->meets);
    const Solution again = solved(file, "assume.train.mfu", target, s.answer->text, s.answer->text);
    CHECK(again.outcome == Outcome::kAlways);
    CHECK(std::abs(s.answer->metric.value / 3 - 1) < 1e-4);
  }
}

TEST_CASE("solve: the largest whole number that fits, and the next one doesn't") {
  const PlanFile file = open_text(kSmall);
  const Solution s = solved(file, "batch.micro", "memory.headroom>=0 B", "1", "64");
  REQUIRE(s.outcome == Outcome::kMet);
  REQUIRE(s.beyond);
  CHECK(s.answer->metric.value >= 0);
  CHECK(s.beyond->metric.value < 0);
  CHECK(s.answer->x < s.beyond->x);
  // 8 data ranks and 64 sequences: 1, 2, 4 and 8 are all there is
  for (double b = s.answer->x + 1; b < s.beyond->x; ++b) CHECK(std::fmod(64.0, 8 * b) != 0);
}

TEST_CASE("solve: longest context that fits is the edge") {
  const Solution s = solved(open_text(kSmall), "batch.sequence", "memory.headroom>=0 B");
  REQUIRE(s.outcome == Outcome::kMet);
  REQUIRE(s.beyond);
  CHECK(s.beyond->x == s.answer->x + 1);
}

TEST_CASE("solve: a target out of reach names the bound") {
  const Solution s = solved(open_text(kSmall), "assume.train.mfu", "step.time<=1 ms", "0.1", "1");
  CHECK(s.outcome == Outcome::kNever);
  REQUIRE(s.beyond);
  CHECK(s.beyond->x == 1);
}

TEST_CASE("solve: a target that always holds says so") {
  CHECK(solved(open_text(kSmall), "assume.train.mfu", "step.time<=1000000 s", "0.1", "1").outcome ==
        Outcome::kAlways);
}

TEST_CASE("solve: between two whole numbers there is no exact answer") {
  const Solution s = solved(open_text(kSmall), "cluster.nodes", "run.days=5 days");
  CHECK(s.outcome == Outcome::kBetween);
  REQUIRE(s.answer);
  REQUIRE(s.beyond);
  const double target = 5.0 * 86400;
  CHECK((s.answer->metric.value - target) * (s.beyond->metric.value - target) < 0);
}

TEST_CASE("compare: inputs that differ, and parts that add up to the difference") {
  Diagnostics d;
  const PlanFile file = starter("405b-16384xh100.yaml");
  const auto a = load_plan(test::data(), file, nullptr, d),
             b = load_plan(test::data(), file, &file.cases[1], d);
  REQUIRE(a);
  REQUIRE(b);
  const Comparison c = compare(test::data(), {a.get(), b.get()}, "training", {}, d);
  std::string inputs;
  for (const InputDifference& x : c.inputs)
    inputs += x.path + ": " + x.values[0] + " -> " + x.values[1] + "\n";
  CHECK(inputs == "schedule.kind: interleaved -> 1f1b\nschedule.chunks: 8 -> 1\n");
  REQUIRE(!c.explained.empty());
  for (const ExplainedDifference& e : c.explained) {
    double sum = 0;
    for (const PartDifference& p : e.parts) sum += p.difference();
    CAPTURE(e.first.id);
    CHECK(std::abs(sum - (e.other.value - e.first.value)) < 1e-9 * std::abs(e.other.value));
  }
  const auto step = std::find_if(c.explained.begin(), c.explained.end(),
                                 [](const auto& e) { return e.first.id == "step.time"; });
  REQUIRE(step != c.explained.end());
  CHECK(step->parts.front().label == "bubble");
}

TEST_CASE(
    "sensitivity: 10 % more is the plan with 10 % more, and whole numbers are legal neighbours") {
  Diagnostics d;
  const PlanFile file = open_text(kSmall);
  const auto plan = load_plan(test::data(), file, nullptr, d);
  const Sensitivity s = sensitivities(*plan, "step.time", d);
  REQUIRE(!d.has_errors());
  const auto mfu = std::find_if(s.inputs.begin(), s.inputs.end(),
                                [](const auto& w) { return w.path == "assume.train.mfu"; });
  REQUIRE(mfu != s.inputs.end());
  REQUIRE(mfu->tenth);
  PlanPoints points(test::data(), file, nullptr, {"assume.train.mfu"});
  CHECK(std::abs(points.at({"0.44"}).number("step.time")->value / s.metric.value - 1 -
                 *mfu->tenth) < 1e-12);
  const auto micro = std::find_if(s.whole.begin(), s.whole.end(),
                                  [](const auto& w) { return w.path == "batch.global"; });
  REQUIRE(micro != s.whole.end());
  CHECK(micro->down->value == "56");
  CHECK(micro->up->value == "72");
}

TEST_CASE("sensitivity: moving an input past its kink changes the slope") {
  Diagnostics d;
  const PlanFile file = starter("7b-512xh100.yaml");
  const auto plan = load_plan(test::data(), file, nullptr, d);
  const Sensitivity s = sensitivities(*plan, "step.time", d);
  for (const Kink& k : s.kinks) {
    CHECK(std::abs(k.change) <= 0.5);
    CHECK(!k.path.empty());
    CHECK(!k.formula.empty());
  }
}

TEST_CASE("sensitivity: constants of a law that carry intervals give the answer's range") {
  Diagnostics d;
  const PlanFile file = open_text(kSmall);
  const auto plan = load_plan(test::data(), file, nullptr, d);
  const Sensitivity s = sensitivities(*plan, "batch.target_loss", d);
  REQUIRE(s.ranges.size() == 5);
  CHECK(s.ranges.front().path == "law.loss.E");
  // the loss climbs with its floor, one for one
  CHECK(std::abs((s.ranges.front().at_high - s.ranges.front().at_low) - (1.871 - 1.769)) < 1e-12);
}

}  // namespace
}  // namespace reckon
