// Serving plans under a rate: the closed form of the plan's own steps held to their simulation, on every way to combine
// prompts and answers; the same seed gives the same figures.
#include "data.hpp"
#include "deviation.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon {
namespace {

constexpr const char* kPlans[] = {
    "{model: llama-3.1-8b, cluster: 1xh100-sxm, engine: trtllm-1, prompt: 1024, output: 256}",
    "{model: llama-3.1-8b, cluster: 1xh100-sxm, engine: trtllm-1, prompt: 3000, output: 200, "
    "settings: {chunk: 512}}",
    "{model: llama-3.1-70b, cluster: 8xh100-sxm, engine: trtllm-1, weights: fp8-e4m3, cache: "
    "fp8-e4m3, "
    "tensor: 4, prompt: 2048, output: 512, prompt_spread: 0.7, output_spread: 0.5, tpot: 60 ms}",
    "{model: llama-3.1-8b, cluster: 2xh100-sxm, engine: trtllm-1, prompt: 2000, output: 300, "
    "settings: {prompts: first}}",
    "{model: llama-3.1-8b, cluster: 2xh100-sxm, engine: trtllm-1, prompt: 4000, output: 300, "
    "settings: {chunk: 1024, prompts: alone}}",
    "{model: llama-3.1-8b, cluster: 8xh100-sxm, engine: trtllm-1, prompt: 3000, output: 300, "
    "prefill: {workers: 2, decode_workers: 1}}"};

// The plan's figures under a rate; simulated too.
Result under(const std::string& plan, double rate, bool simulate) {
  Diagnostics d;
  doc::Value tree = test::data().read_text("plan.yaml", plan, d);
  doc::set(tree, "kind", doc::scalar("serving"));
  doc::set(tree, "assume", doc::scalar("physical"));
  doc::set(tree, "rate", doc::scalar(fmt::format("{:.9g} requests/s", rate)));
  if (simulate) doc::set(tree, "simulate", doc::scalar("yes"));
  const PlanFile file = open_plan(test::data(), "plan.yaml", std::move(tree), {}, d);
  const auto loaded = load_plan(test::data(), file, nullptr, d);
  INFO(d.render());
  REQUIRE(loaded);
  return loaded->result(test::data());
}

double value(const Result& r, const std::string& id) {
  const Metric* m = r.find(id);
  INFO(id);
  REQUIRE(m);
  REQUIRE(m->has_value());
  return m->value;
}

}  // namespace

TEST_CASE("serving plans: closed form and simulation agree", "[slow]") {
  struct Held {
    const char* name;
    const char* figure;
    bool low_only;
    test::Deviation by;
  };
  Held held[] = {{"TTFT", "ttft.mean", false, {}},    {"TTFT p50", "ttft.p50", false, {}},
                 {"TTFT p90", "ttft.p90", false, {}}, {"TTFT p99", "ttft.p99", true, {}},
                 {"TPOT", "tpot.mean", false, {}},    {"TPOT p90", "tpot.p90", false, {}},
                 {"TPOT p99", "tpot.p99", true, {}}};
  for (const char* plan : kPlans) {
    const double full = value(under(plan, 0.01, false), "serve.saturates");
    for (const double u : {0.2, 0.49, 0.8}) {
      CAPTURE(plan, u);
      const Result r = under(plan, u * full, true);
      CHECK(value(r, "serve.utilisation") == Approx(u));
      for (Held& h : held) {
        const std::string id = h.figure, part = id.substr(0, 4), rank = id.substr(5);
        const Metric* form = r.find("closed." + id);
        CHECK((form && form->has_value()) == (!h.low_only || u <= 0.5));
        if (form && form->has_value())
          h.by.add(form->value, value(r, "simulated." + id),
                   value(r, "simulated." + part + "_half." + rank));
      }
    }
  }
  for (const Held& h : held) {
    h.by.print(h.name);
    CAPTURE(h.name);
    CHECK(h.by.mean() < (h.low_only ? 0.25 : 0.10));
  }
}

TEST_CASE("serving plans: the same seed, the same figures") {
  const Result a = under(kPlans[0], 5, true), b = under(kPlans[0], 5, true);
  CHECK(value(a, "simulated.ttft.p99") == value(b, "simulated.ttft.p99"));
  CHECK(value(a, "simulated.tpot.mean") == value(b, "simulated.tpot.mean"));
}

TEST_CASE("serving plans: beyond saturation there is no figure, and no simulation") {
  const Result r = under(kPlans[0], 1e4, true);
  CHECK(!r.fits());
  CHECK(!r.find("serve.ttft")->has_value());
  CHECK(!r.find("simulated.ttft.mean"));
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings.back().find("grows without bound") != std::string::npos);
}

}  // namespace reckon
