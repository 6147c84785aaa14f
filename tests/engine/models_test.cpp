// Every file in models/: its dimensions are possible, and give the counts that its source prints.
#include "data.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/stored.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

TEST_CASE("A printed count is met to its last digit") {
  CHECK(rounds_to(8030261248, "8030261248"));
  CHECK_FALSE(rounds_to(8030261248, "8030261249"));
  CHECK(rounds_to(8030261248, "8.03B"));
  CHECK_FALSE(rounds_to(8030261248, "8.04B"));
  CHECK(rounds_to(174.56e9, "174.6B"));
  CHECK_FALSE(rounds_to(174.54e9, "174.6B"));
}

// What is printed are the parameters, or what the file says is stored. Kimi-K2's count is more than any rule explains.
void check_published(const std::string& id, const Model<double>& model) {
  Diagnostics d;
  const PublishedTotal p = explain_published(stored_report(model), model.parameters.published, d);
  REQUIRE_FALSE(d.has_errors());
  const bool kimi = id == "kimi-k2";
  CHECK(p.verdict == (kimi ? PublishedVerdict::kUnexplained : PublishedVerdict::kMatch));
  CHECK(p.remainder == (kimi ? 3416 : 0));
}

TEST_CASE("Models have the parameters that their sources print") {
  const std::vector<std::string> ids = test::data().ids(Shelf::kModels);
  REQUIRE(ids.size() >= 60);
  for (const std::string& id : ids) {
    CAPTURE(id);
    const auto model = test::bound<Model<double>>(resolve_model, id);
    const Parameters<double> n = parameters(model);
    if (model.abstract()) {
      CHECK(n.total.raw == model.params->raw);
      continue;
    }
    const PublishedCount& printed = model.parameters;
    REQUIRE(printed.published.empty() == !printed.rounded.empty());  // one of the two
    CHECK_FALSE(printed.source.empty());
    CHECK_FALSE(model.source.empty());
    CAPTURE(n.total.raw);
    if (!printed.published.empty()) check_published(id, model);
    if (!printed.rounded.empty()) CHECK(rounds_to(n.total.raw, printed.rounded));
    if (printed.active.empty()) continue;
    // Sources differ in whether embeddings are active, and do not say it.
    CAPTURE(n.active.raw, n.active_no_input.raw, n.active_no_embeddings.raw);
    CHECK((rounds_to(n.active.raw, printed.active) ||
           rounds_to(n.active_no_input.raw, printed.active) ||
           rounds_to(n.active_no_embeddings.raw, printed.active)));
  }
}

TEST_CASE("Models have dimensions that fit together") {
  for (const std::string& id : test::data().ids(Shelf::kModels)) {
    CAPTURE(id);
    Diagnostics diagnostics;
    const doc::Value tree = resolve_model(test::data(), doc::scalar(id), diagnostics);
    doc::Value plan = doc::mapping();
    doc::set(plan, "model", tree);
    Model<double> model;
    Origins origins;
    bind(tree, model, {diagnostics, origins, "model"});
    check_model(model, "model", origins, plan, diagnostics);
    INFO(diagnostics.render());
    CHECK(diagnostics.all().empty());
  }
}

}  // namespace
}  // namespace reckon
