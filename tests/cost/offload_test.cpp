// What lies on the host, what copying it takes and how much of that hides, worked out by hand; what is refused.
#include <fmt/format.h>

#include <algorithm>

#include "asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

// Llama-3-8B, FSDP over 8 GPUs, 4 micro-batches of 4096 tokens; PCIe at 63 GB/s each way.
Asked plan(const std::string& offload, const std::string& more = "",
           const std::string& overlap = "100%") {
  return ask(
      with(fmt::format("kind: training\nmodel: llama-3-8b\ncluster: 8xh100-sxm\nsharding: fsdp\n"
                       "batch: {{global: 32, micro: 1, sequence: 4096}}\noffload: {}\n"
                       "assume: {{preset: textbook, train.mfu: 40%{}}}\n",
                       offload, offload == "none" ? "" : ", overlap.host: " + overlap),
           more));
}

constexpr double kParams = 8030261248, kShard = kParams / 8, kLink = 63e9;
constexpr double kWork = 6 * kParams * 131072 / (8 * 989.4e12 * 0.4);  // of a step

}  // namespace

TEST_CASE("offload: weights, gradients and optimizer on the host") {
  const Asked a = plan("[optimizer, gradients, weights]");
  INFO(a.faults);
  CHECK(a.value("memory.weights") == 0);
  CHECK(a.value("memory.gradients") == 0);
  CHECK(a.value("memory.optimizer") == 0);
  CHECK(a.value("memory.host") == Approx(kShard * (2 + 2 + 12)));
  CHECK(a.value("memory.host_node") == Approx(kParams * 16));
  CHECK(a.value("step.optimizer") == 0);  // nothing has to move for it
  // Weights come up before the forward and the backward passes of 4 micro-batches; gradients go down beside the latter.
  const double pass = 4 * 2 * kShard / kLink;
  CHECK(a.value("host.copies") == Approx(2 * pass));
  CHECK(a.value("host.step_up") == Approx(2 * 4 * 2 * kShard));
  CHECK(a.value("host.step_down") == Approx(4 * 2 * kShard));
  CHECK(pass < kWork / 3);
  CHECK(a.value("step.host") == 0);
  CHECK(plan("[optimizer, gradients, weights]", "", "0%").value("step.host") == Approx(2 * pass));
  CHECK(plan("[optimizer, gradients, weights]", "", "75%").value("step.host") ==
        Approx(0.25 * 2 * pass));
  // Weights that stay after the forward pass come up once.
  CHECK(plan("[optimizer, weights]", "sharding: {zero: 3, reshard: no}").value("host.step_up") ==
        Approx(4 * 2 * kShard));
}

TEST_CASE("offload: activations, and what the passes do not hide of them") {
  // Textbook: (10 · 4096 + 4 · 14336) elements of 2 B a token, 4096 tokens, 32 layers.
  const double layer = (10 * 4096 + 4 * 14336) * 2.0 * 4096, all = 32 * layer;
  const Asked half = plan("{activations: 50%}");
  INFO(half.faults);
  CHECK(half.value("memory.host") == Approx(all / 2));
  CHECK(half.value("memory.activations") == Approx(all / 2 + 2 * layer / 2));
  const double pass = 4 * all / 2 / kLink;
  CHECK(half.value("host.copies") == Approx(2 * pass));
  // Forward they outlast the passes' compute, a third of the step's; backward they do not.
  REQUIRE(pass > kWork / 3);
  REQUIRE(pass < 2 * kWork / 3);
  CHECK(half.value("step.host") == Approx(pass - kWork / 3));
  CHECK(half.value("step.time") == Approx(plan("none").value("step.time") + pass - kWork / 3));
  CHECK(plan("activations").value("memory.host") == Approx(all));
  // Of one micro-batch no more can stay than there is.
  CHECK(plan("activations", "model: {params: 7B, layers: 1, hidden: 4096}")
            .value("memory.activations") > 0);
}

TEST_CASE("offload: less memory on the GPU, never a shorter step, as the link slows") {
  double before = 0;
  for (const char* rate : {"400 GB/s", "63 GB/s", "16 GB/s", "4 GB/s"}) {
    const Asked a =
        plan("[optimizer, activations]", fmt::format("chip: {{host.one_way: {}}}", rate));
    INFO(rate << a.faults);
    CHECK(a.value("memory.total") < plan("none").value("memory.total"));
    CHECK(a.value("step.time") >= before);
    before = a.value("step.time");
  }
}

TEST_CASE("offload: what is refused") {
  using Catch::Contains;
  CHECK_THAT(plan("[optimizer, weights]", "sharding: zero-2").faults,
             Contains("only ZeRO-3 gathers") && Contains("sharding: fsdp"));
  CHECK_THAT(plan("[optimizer, gradients]", "sharding: zero-1").faults,
             Contains("shards of them exist from ZeRO-2"));
  CHECK_THAT(plan("weights").faults, Contains("offload: [optimizer, weights]"));
  CHECK_THAT(plan("[optimizer, activation]").faults, Contains("did you mean 'activations'?"));
  CHECK_THAT(plan("activations",
                  "cluster: {gpus: 8, node: {gpus: 8, nics: 8, fabric: ib-ndr, chip: {peak.bf16: 1 "
                  "PFLOP/s, "
                  "memory: {capacity: 80 GB, bandwidth: 3 TB/s}, link.one_way: 450 GB/s}}}")
                 .faults,
             Contains("host link, which is not stated") && Contains("host.one_way: 63 GB/s"));
  CHECK_THAT(plan("activations", "model: {params: 7B}").faults,
             Contains("hidden width, which are not stated"));
  // A node with little memory: no error, a plan that does not fit.
  const Asked small = plan("activations", "node: {host_memory: 64 GB}");
  INFO(small.faults);
  CHECK(small.result.find("memory.verdict")->text == "does not fit the host");
}
