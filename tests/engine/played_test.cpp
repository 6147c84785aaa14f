// Pipelines of plans that are played out: agreement with the closed forms, transfers on the way, uneven stages.
#include <fmt/format.h>

#include "../cost/asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

Asked plan(const std::string& schedule, const std::string& assume, const std::string& more = "") {
  return ask(fmt::format(
      "kind: training\nmodel: {{params: 8B, layers: 32, hidden: 4096}}\ncluster: 32xh100-sxm\n"
      "mesh: {{pipeline: 4, data: 8}}\nbatch: {{global: 128, micro: 1, sequence: 4096}}\n"
      "schedule: {}\nassume: {{preset: textbook, train.mfu: 40%, {}}}\n{}\n",
      schedule, assume, more));
}
// The model's layers alone: no head that makes a stage heavier.
Asked gpt(const std::string& schedule, const std::string& overlap) {
  return ask(fmt::format(
      "kind: training\nmodel: {{base: megatron-22b, vocab: 0}}\ncluster: 64xa100-sxm\n"
      "mesh: {{pipeline: 8, tensor: 8}}\nbatch: {{global: 32, micro: 1, sequence: 2048}}\n"
      "schedule: {}\nassume: {{preset: textbook, train.mfu: 40%, overlap.pipeline: {}}}\n",
      schedule, overlap));
}

}  // namespace

TEST_CASE("played: equal stages without transfers take what the closed form says") {
  for (const char* kind : {"1f1b", "gpipe", "interleaved, chunks: 3"}) {
    const Asked played = gpt(fmt::format("{{kind: {}, played: yes}}", kind), "100%");
    const Asked closed = gpt(fmt::format("{{kind: {}}}", kind), "100%");
    INFO(kind << played.faults << closed.faults);
    CHECK(played.value("step.bubble") == Approx(closed.value("step.bubble")).epsilon(1e-9));
    CHECK(played.value("step.time") == Approx(closed.value("step.time")).epsilon(1e-9));
    CHECK(played.value("comm.pipeline.exposed") == 0);
    CHECK(played.value("pipeline.bubble_share") ==
          Approx(closed.value("pipeline.bubble_share")).epsilon(1e-9));
  }
}

// 1F1B with transfers that hold the stage: every micro-batch is received and sent on by the stages between, and the
// first one's way down and up is paid as well. The closed form counts n + p - 1 there and back.
TEST_CASE("played: transfers delay the next stage by what overlap does not hide") {
  const Asked none = gpt("{kind: 1f1b, played: yes}", "100%"),
              all = gpt("{kind: 1f1b, played: yes}", "0%"),
              half = gpt("{kind: 1f1b, played: yes}", "50%"), closed = gpt("{kind: 1f1b}", "0%");
  INFO(all.faults);
  const double n = 32, p = 8, hop = closed.value("comm.pipeline.time");
  CHECK(closed.value("comm.pipeline.exposed") == Approx(2 * (n + p - 1) * hop));
  CHECK(all.value("step.time") > none.value("step.time"));
  CHECK(all.value("comm.pipeline.exposed") >= 2 * (n - 1) * hop * (1 - 1e-9));
  CHECK(all.value("comm.pipeline.exposed") <= 2 * (n + p - 1) * hop * (1 + 1e-9));
  CHECK(half.value("comm.pipeline.exposed") == Approx(all.value("comm.pipeline.exposed") / 2));
  CHECK(all.value("pipeline.path.transfers") == Approx(all.value("comm.pipeline.exposed") / hop));
  CHECK(all.value("step.time") - none.value("step.time") ==
        Approx(all.value("comm.pipeline.exposed")));
}

TEST_CASE("played: the head makes the last stage slower, and the others wait for it") {
  const Asked a =
      ask("kind: training\nmodel: llama-3-8b\ncluster: 32xh100-sxm\nmesh: {pipeline: 4}\n"
          "batch: {global: 128, micro: 1, sequence: 4096}\nschedule: {kind: 1f1b, played: yes}\n"
          "assume: {preset: textbook, train.mfu: 40%}\n");
  INFO(a.faults);
  CHECK(a.value("pipeline.stage.3.forward") > a.value("pipeline.stage.0.forward"));
  CHECK(a.value("pipeline.stage.3.waits") < a.value("pipeline.stage.0.waits"));
  // Never below the work of the busiest stage.
  const double busiest = a.value("pipeline.stage.3.forward") +
                         a.value("pipeline.stage.3.backward") + a.value("pipeline.stage.3.weights");
  CHECK(a.value("pipeline.path.time") >= 16 * busiest);
}

TEST_CASE("played: what is refused") {
  using Catch::Contains;
  CHECK_THAT(ask("kind: training\nmodel: llama-3-8b\ncluster: 8xh100-sxm\nschedule: {played: yes}\n"
                 "batch: {global: 32, micro: 1, sequence: 4096}\n")
                 .faults,
             Contains("there is no pipeline to play"));
  CHECK(plan("{kind: 1f1b}", "overlap.pipeline: 0%").faults.empty());
}

// 61 layers in 32 pieces: 29 of two and three of one. DeepSeek-V3's 16 stages of two pieces in a V.
TEST_CASE("played: chunks of unequal length, where a schedule is played") {
  const auto v3 = [](const std::string& schedule) {
    return ask(
        fmt::format("kind: training\nmodel: deepseek-v3\ncluster: 256xh800-sxm\n"
                    "mesh: {{pipeline: 16, expert: 16}}\nsharding: zero-1\n"
                    "batch: {{global: 1024, micro: 1, sequence: 4096}}\nschedule: {}\n"
                    "assume: {{preset: textbook, train.mfu: 40%}}\n",
                    schedule));
  };
  using Catch::Contains;
  CHECK_THAT(v3("{kind: dualpipe-v}").faults,
             Contains("16 stages · 2 chunks do not divide 61 layers") &&
                 Contains("schedule: {played: yes}"));
  const Asked a = v3("{kind: dualpipe-v, played: yes}");
  INFO(a.faults);
  double layers = 0;
  for (int i = 0; i < 16; ++i) layers += a.value(fmt::format("memory.stage.{}.layers", i));
  CHECK(layers == 61);
  CHECK(a.value("step.time") > 0);
  // More pieces than layers stay refused.
  CHECK_THAT(v3("{kind: interleaved, chunks: 4, played: yes}").faults,
             Contains("do not divide 61 layers"));
}

// Each rank of DualPipe holds a stage of either copy and runs half of the micro-batches through each: nobody's work
// is counted twice.
TEST_CASE(
    "played: under a stack the waits of DualPipe, ZB and V schedules are none that gives time "
    "back") {
  for (const char* kind : {"dualpipe", "dualpipe-v", "zb-v", "zb-h1", "1f1b, played: yes"}) {
    const Asked a =
        ask(fmt::format("kind: training\nmodel: megatron-22b\ncluster: 64xa100-sxm\nmesh: "
                        "{{pipeline: 8, tensor: 8}}\n"
                        "batch: {{global: 32, micro: 1, sequence: 2048}}\nschedule: {{kind: "
                        "{}}}\nstack: generic-a100\n",
                        kind));
    INFO(kind << a.faults);
    CHECK(a.value("step.imbalance") >= 0);
    CHECK(a.value("step.bubble") >= 0);
    CHECK(a.value("step.time") > a.value("step.compute"));
    CHECK(a.value("step.time") < 2 * a.value("step.compute"));
  }
}
