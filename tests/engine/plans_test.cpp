// Every plan in plans/ meets its expectations (`reckon check plans/` without the program).
#include "data.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/evaluate.hpp"

namespace reckon {
namespace {

TEST_CASE("Plans meet their expectations", "[many]") {
  Diagnostics diagnostics;
  const std::vector<std::string> files = plan_files(RECKON_SOURCE_DIR "/plans", diagnostics);
  REQUIRE(files.size() >= 10);
  for (const std::string& file : files) {
    CAPTURE(file);
    // They expect nothing: spaces are searched, measured runs are held to budgets by `validate`.
    if (file.find("/plans/spaces/") != std::string::npos) continue;
    if (file.find("/plans/measured/") != std::string::npos) continue;
    const CheckReport report = check_file(test::data(), file, diagnostics);
    CHECK(!report.lines.empty());
    for (const CheckLine& line : report.lines) {
      CAPTURE(line.case_name, line.id, line.metric, line.why);
      CHECK(line.pass);
    }
  }
  INFO(diagnostics.render());
  CHECK(!diagnostics.has_errors());  // a warning is part of an answer: kernels that nobody measured
}

TEST_CASE("An expectation that is off by more than its tolerance is missed") {
  const std::string text = R"(kind: training
model: {params: 7B}
cluster: {node: week14-h100, nodes: 1}
batch: {tokens_per_gpu: 16384}
assume: textbook
expect:
  - {metric: memory.states, exact: 112 GB}
  - {metric: memory.states, exact: 112.002 GB}
  - {metric: memory.states, printed: 110 GB, within: 2%}
  - {metric: memory.states, printed: 110 GB, within: 1%}
  - {metric: mesh.data, exact: 9}
  - {fits: yes}
  - {fits: no}
)";
  Diagnostics diagnostics;
  const PlanFile file =
      open_plan(test::data(), "plan.yaml", test::data().read_text("plan.yaml", text, diagnostics),
                {}, diagnostics);
  const LoadedTraining loaded =
      load_training(test::data(), case_tree(file, nullptr, diagnostics), diagnostics);
  const auto lines = check_expectations(file.expect, evaluate(test::data(), loaded), diagnostics);
  INFO(diagnostics.render());
  REQUIRE(diagnostics.all().empty());
  std::string passes;
  for (const CheckLine& line : lines) passes += line.pass ? 'y' : 'n';
  CHECK(passes == "ynynnny");
}

}  // namespace
}  // namespace reckon
