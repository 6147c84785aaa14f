// The wrong variants that the worked examples are there to catch are caught: each misses the lines it should.
#include "data.hpp"
#include "reckon/base/text.hpp"
#include "reckon/engine/check.hpp"
#include "reckon/engine/kinds.hpp"

namespace reckon {
namespace {

// Ids of the file's own lines that are missed with one field changed.
std::string missed(const std::string& file, const Sets& sets) {
  Diagnostics diagnostics;
  Workspace& work = test::data();
  const std::string path = RECKON_SOURCE_DIR "/plans/worked/" + file;
  const PlanFile plan = open_plan(work, path, work.read(path, {}, diagnostics), sets, diagnostics);
  const auto loaded = load_plan(work, plan, nullptr, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(loaded);
  std::vector<std::string> out;
  for (const CheckLine& line : check_expectations(plan.expect, loaded->result(work), diagnostics))
    if (!line.pass) out.push_back(line.id);
  return join(out, " ");
}

TEST_CASE("A worked example is missed by the wrong variant of its formula") {
  CHECK(missed("tensor.yaml", {}).empty());
  // 4·P/W for 2·P/W
  CHECK(missed("tensor.yaml", {{"sent", "fp32"}}) == "G01 G02 G03");
  // both directions of the link for one
  CHECK(missed("tensor.yaml", {{"link", "900 GB/s"}}) == "G01 G02 G04");
  // p for p − 1
  CHECK(missed("tensor.yaml", {{"assume.ring_factor", "drop"}}) == "G01 G02 G03");
  // the sparse peak
  CHECK(missed("tensor.yaml", {{"peak", "1979 TFLOP/s"}}) == "G01 G02");

  CHECK(missed("problem-4.yaml", {}).empty());
  // 2·D·F for 3·D·F
  CHECK(missed("problem-4.yaml", {{"model.layers.0.mlp.matrices", "2"}}) ==
        "P401 P403 P404 P405 P406 P407 P408 P409 P410");
  // without the shared experts
  CHECK(missed("problem-4.yaml", {{"model.layers.0.mlp.shared", "0"}}) ==
        "P403 P404 P405 P406 P407 P408 P409 P410");
  // a router
  CHECK(missed("problem-4.yaml", {{"model.layers.0.mlp.router", "yes"}}) ==
        "P403 P404 P405 P406 P407 P408 P409 P410");

  CHECK(missed("problem-5.yaml", {}).empty());
  // one copy a GPU for one an expert
  CHECK(missed("problem-5.yaml", {{"assume.dispatch", "per_gpu"}}) ==
        "P501 P502 P503 P504 P506 P507");
  // the 40 % of the other problems
  CHECK(missed("problem-5.yaml", {{"assume.train.mfu", "40%"}}) == "P505 P506 P507");
}

}  // namespace
}  // namespace reckon
