// Memory of each stage, and over a step as the schedule is played out: the two agree.
#include <fmt/format.h>

#include "data.hpp"
#include "reckon/engine/evaluate.hpp"

namespace reckon {
namespace {

Result run(const std::string& schedule, const std::string& more = "", int replicas = 1) {
  Diagnostics diagnostics;
  doc::Value tree = test::data().read_text(
      "plan.yaml",
      fmt::format("model: llama-3-8b\ncluster: {}xh100-sxm\nmesh: {{tensor: 8, pipeline: 8}}\n"
                  "schedule: {}\nbatch: {{global: {}, micro: 1, sequence: 8192}}\n"
                  "assume: {{preset: physical, train.mfu: 40%}}\n{}",
                  64 * replicas, schedule, 16 * replicas, more),
      diagnostics);
  doc::expand_dotted_keys(tree, diagnostics);
  const LoadedTraining loaded = load_training(test::data(), std::move(tree), diagnostics);
  INFO(diagnostics.render());
  REQUIRE_FALSE(diagnostics.has_errors());
  return evaluate(test::data(), loaded);
}

double value(const Result& r, const std::string& id) {
  INFO(id);
  REQUIRE(r.find(id));
  return r.find(id)->value;
}

double stage(const Result& r, int i, const char* what) {
  return value(r, fmt::format("memory.stage.{}.{}", i, what));
}

TEST_CASE("memory by stage: the heaviest is the plan's memory, and each is the sum of its parts") {
  for (const char* schedule :
       {"{kind: 1f1b}", "{kind: gpipe}", "{kind: interleaved, chunks: 2}", "{kind: zb-h1}",
        "{kind: zb-h2}", "{kind: zb-v}", "{kind: dualpipe}", "{kind: dualpipe-v}"}) {
    const Result r = run(schedule);
    double largest = 0;
    for (int i = 0; i < 8; ++i) {
      largest = std::max(largest, stage(r, i, "total"));
      CHECK(stage(r, i, "total") ==
            Approx(stage(r, i, "states") + stage(r, i, "activations") + stage(r, i, "logits") +
                   stage(r, i, "buffers") + stage(r, i, "reserve")));
    }
    CAPTURE(schedule);
    CHECK(largest == value(r, "memory.total"));
  }
}

TEST_CASE("memory over a step: 1F1B, GPipe and DualPipe peak at what the closed form says") {
  for (const char* schedule : {"{kind: 1f1b}", "{kind: gpipe}"}) {
    const Result r = run(schedule);
    REQUIRE(r.curves.size() == 8);
    for (int i = 0; i < 8; ++i) {
      CAPTURE(schedule, i);
      CHECK(r.curves[static_cast<std::size_t>(i)].peak == Approx(stage(r, i, "total")));
    }
  }
}

TEST_CASE("memory over a step: no schedule holds more than the estimate says") {
  for (const char* schedule :
       {"{kind: 1f1b}", "{kind: gpipe}", "{kind: interleaved, chunks: 2}",
        "{kind: interleaved, chunks: 4}", "{kind: breadth-first, chunks: 2}", "{kind: zb-h1}",
        "{kind: zb-h2}", "{kind: zb-v}", "{kind: dualpipe}", "{kind: dualpipe-v}"}) {
    for (const char* recompute : {"", "recompute: full\n"}) {
      const Result r = run(schedule, recompute);
      for (const MemoryCurve& c : r.curves) {
        CAPTURE(schedule, recompute, c.stage);
        CHECK(c.peak <= stage(r, c.stage, "total") * (1 + 1e-9));
        CHECK(*std::max_element(c.points.begin(), c.points.end()) == Approx(c.peak));
        CHECK(c.at >= 0);
        CHECK(c.at < 1);
      }
    }
  }
}

TEST_CASE("memory: pieces of the loss, and inputs of every k-th layer alone") {
  const std::string full = "recompute: full\n";
  const Result whole = run("{kind: 1f1b}", "assume.loss_chunks: 1\n"),
               pieces = run("{kind: 1f1b}", "assume.loss_chunks: 4\n");
  CHECK(stage(pieces, 7, "logits") == Approx(stage(whole, 7, "logits") / 4));
  // 4 layers a stage: inputs of all, or of one and 3 more layers alive while they are made again.
  const Result each = run("{kind: 1f1b}", full),
               fourth = run("{kind: 1f1b}", full + "recompute_every: 4\n");
  const double input = 8192.0 * 4096 * 2;
  const double live = stage(each, 7, "activations") - 4 * input;  // one in flight on the last stage
  CHECK(stage(fourth, 0, "activations") == Approx(8 * 1 * input + live / 1.6 * (1.6 + 3)));
  CHECK(stage(each, 0, "activations") == Approx(8 * 4 * input + live));
}

TEST_CASE("memory: 16, 18 and 20 bytes a parameter, and why ZeRO-3 may take more than ZeRO-2") {
  const auto per_parameter = [](const std::string& precision) {
    return value(run("{kind: 1f1b}", precision), "memory.bytes_per_param");
  };
  CHECK(per_parameter("precision: bf16\n") == Approx(16));
  CHECK(per_parameter("precision: bf16-fp32-grad\n") == Approx(18));
  CHECK(per_parameter("precision: {base: bf16, accumulation: fp32}\n") == Approx(20));
  // Gathered weights and whole gradients of the stage stay for the step, 2 B and 2 B of each parameter.
  const Result three = run("{kind: 1f1b}", "sharding: {zero: 3}\n", 8),
               two = run("{kind: 1f1b}", "sharding: {zero: 2}\n", 8);
  CHECK(value(three, "memory.total") > value(two, "memory.total"));
  REQUIRE(three.memory_notes.size() == 1);
  CHECK(three.memory_notes[0].starts_with("ZeRO-2 would hold "));
  CHECK(two.memory_notes.empty());
}

}  // namespace
}  // namespace reckon
