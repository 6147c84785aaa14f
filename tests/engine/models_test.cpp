// Every file in models/: its dimensions are possible, and give the counts that its source prints.
#include <cmath>

#include "data.hpp"
#include "reckon/cost/parameters.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

double count(const std::string& text) {
  const auto parsed = parse_quantity(text, kOne, Hint::kParams);
  INFO(text);
  REQUIRE(std::holds_alternative<double>(parsed));
  return std::get<double>(parsed);
}

// "174.6B" -> 0.1B: what its last digit counts.
double last_digit(const std::string& printed) {
  const std::size_t end = std::min(printed.find_first_not_of("0123456789."), printed.size());
  const std::size_t point = std::min(printed.find('.'), end);
  const std::size_t decimals = point < end ? end - point - 1 : 0;
  return count("1" + printed.substr(end)) * std::pow(10, -static_cast<double>(decimals));
}

bool rounds_to(double exact, const std::string& printed) {
  return std::abs(exact - count(printed)) <= 0.5 * last_digit(printed);
}

TEST_CASE("A printed count is met to its last digit") {
  CHECK(rounds_to(8030261248, "8030261248"));
  CHECK_FALSE(rounds_to(8030261248, "8030261249"));
  CHECK(rounds_to(8030261248, "8.03B"));
  CHECK_FALSE(rounds_to(8030261248, "8.04B"));
  CHECK(rounds_to(174.56e9, "174.6B"));
  CHECK_FALSE(rounds_to(174.54e9, "174.6B"));
}

TEST_CASE("Models have the parameters that their sources print") {
  const std::vector<std::string> ids = test::data().ids(Shelf::kModels);
  REQUIRE(ids.size() >= 15);
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
    CAPTURE(n.total.raw);
    if (!printed.published.empty()) CHECK(n.total.raw == count(printed.published));
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
