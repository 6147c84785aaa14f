// A training plan's step beside the critical batch.
#include <cmath>

#include "data.hpp"
#include "reckon/engine/evaluate.hpp"
#include "reckon/engine/kinds.hpp"

using namespace reckon;

namespace {

struct Evaluated {
  Result result;
  std::string faults;
  double value(const char* id) const {
    const Metric* m = result.find(id);
    INFO(id << faults);
    REQUIRE(m);
    REQUIRE(m->has_value());
    return m->value;
  }
  std::string reason(const char* id) const {
    const Metric* m = result.find(id);
    REQUIRE(m);
    return m->reason;
  }
};

Evaluated evaluate_plan(const std::string& keys, const std::string& model = "llama-3-8b") {
  const std::string text = "kind: training\nmodel: " + model +
                           "\ncluster: 8xh100-sxm\nsharding: fsdp\n"
                           "batch: {global: 64, micro: 1, sequence: 8192}\n"
                           "assume: {preset: textbook, train.mfu: 40%}\n" +
                           keys + "\n";
  Diagnostics d;
  Evaluated out;
  const PlanFile file =
      open_plan(test::data(), "plan.yaml", test::data().read_text("plan.yaml", text, d), {}, d);
  if (const auto plan = load_plan(test::data(), file, nullptr, d))
    out.result = plan->result(test::data());
  out.faults = d.render();
  return out;
}

}  // namespace

TEST_CASE("critical batch: a plan's step is held against it at the loss of its run") {
  const Evaluated e = evaluate_plan("run: {tokens: 160B}");
  const double N = 8030261248, D = 160e9;
  const double loss = 1.8172 + 482.01 / std::pow(N, 0.3478) + 2085.43 / std::pow(D, 0.3658);
  CHECK(e.value("batch.target_loss") == Approx(loss).epsilon(1e-9));
  const double critical = 2e8 / std::pow(loss, 1 / 0.21), B = 64 * 8192;
  CHECK(e.value("batch.critical") == Approx(critical).epsilon(1e-9));
  CHECK(e.value("batch.over_critical") == Approx(B / critical).epsilon(1e-9));
  CHECK(e.value("batch.steps") == Approx(1 + critical / B).epsilon(1e-9));
  CHECK(e.value("batch.compute") == Approx(1 + B / critical).epsilon(1e-9));
  CHECK(e.value("batch.largest_data") == std::floor(critical / 8192));
  CHECK(e.result.find("batch.confidence")->text == "order_of_magnitude");
  CHECK(e.result.find("batch.law")->text == "kaplan_batch");
  CHECK(e.result.find("batch.loss_law")->text == "besiroglu");
}

TEST_CASE("critical batch: a stated loss, another law; and where no law speaks") {
  const Evaluated stated = evaluate_plan("run: {tokens: 160B, target_loss: 2.0}");
  CHECK(stated.value("batch.critical") == Approx(2e8 / std::pow(2.0, 1 / 0.21)).epsilon(1e-9));
  CHECK(stated.result.find("batch.loss_law")->text == "stated");
  const Evaluated other = evaluate_plan("run: {tokens: 160B}\nlaw: hoffmann_a3");
  CHECK(other.result.find("batch.loss_law")->text == "hoffmann_a3");
  CHECK(evaluate_plan("").reason("batch.critical").find("no length") != std::string::npos);
  CHECK(evaluate_plan("run: {tokens: 160B}", "mixtral-8x7b")
            .reason("batch.critical")
            .find("dense models") != std::string::npos);
  CHECK(evaluate_plan("run: {tokens: 160B}\ntrainable: {adapters: {rank: 16}}")
            .reason("batch.critical")
            .find("adapters") != std::string::npos);
}

TEST_CASE("critical batch: laws of another kind are refused") {
  CHECK(evaluate_plan("law: rule20").faults.find("'rule20' gives no loss of a size and tokens") !=
        std::string::npos);
  CHECK(evaluate_plan("batch_law: besiroglu").faults.find("is no law of the critical batch") !=
        std::string::npos);
  CHECK(evaluate_plan("law: besirolgu").faults.find("did you mean 'besiroglu'?") !=
        std::string::npos);
}
