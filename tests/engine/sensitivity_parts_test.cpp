// The parts of a step time add up to it, whatever hides behind what: also where a schedule is played out, where copies
// to the host wait for compute, where a pipeline has one micro-batch.
#include <fmt/format.h>

#include "data.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/engine/sensitivity.hpp"

namespace reckon {
namespace {

void adds_up(const std::string& text) {
  Diagnostics d;
  const PlanFile file =
      open_plan(test::data(), "plan.yaml", test::data().read_text("plan.yaml", text, d), {}, d);
  const auto plan = d.has_errors() ? nullptr : load_plan(test::data(), file, nullptr, d);
  INFO(text << d.render());
  REQUIRE(plan);
  const Sensitivity s = sensitivities(*plan, "step.time", d);
  double sum = 0;
  for (const LeafShare& leaf : s.leaves) {
    UNSCOPED_INFO(leaf.title << " " << leaf.share);
    sum += leaf.share;
  }
  CHECK(s.leaves.size() > 1);
  CHECK(sum == Approx(1).epsilon(1e-9));
}

std::string plan(const std::string& gpus, const std::string& rest) {
  return "kind: training\nmodel: llama-3-8b\ncluster: " + gpus +
         "xh100-sxm\nbatch: {global: 64, micro: 1, sequence: 8192}\n" + rest;
}

TEST_CASE("The parts of a step time add up to it") {
  for (const char* how : {"assume: physical\nstack: generic-h100\n",
                          "assume: {preset: physical, train.mfu: 40%}\n"}) {
    adds_up(plan("8", fmt::format("sharding: fsdp\n{}", how)));
    adds_up(plan("8", fmt::format("sharding: fsdp\noffload: activations\n{}", how)));
    adds_up(plan("8", fmt::format("sharding: fsdp\noffload: optimizer\n{}", how)));
    adds_up(plan(
        "32",
        fmt::format(
            "mesh: {{pipeline: 4}}\nsharding: zero-1\nschedule: {{kind: interleaved, chunks: 4, "
            "played: yes}}\n{}",
            how)));
    adds_up(plan(
        "32", fmt::format("mesh: {{pipeline: 4}}\nsharding: zero-1\nschedule: {{kind: zb-h1}}\n{}",
                          how)));
    adds_up(plan("32", fmt::format("mesh: {{tensor: 2, sequence: yes, pipeline: 4}}\nsharding: "
                                   "zero-1\nrecompute: norms\n{}",
                                   how)));
    adds_up(
        "kind: training\nmodel: llama-3-8b\ncluster: 8xh100-sxm\nmesh: {pipeline: 8}\nsharding: "
        "zero-1\nbatch: "
        "{global: 1, micro: 1, sequence: 8192}\n" +
        std::string(how));
  }
}

}  // namespace
}  // namespace reckon
