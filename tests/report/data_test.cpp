// Results as JSON, CSV and Markdown: nothing is lost, and a program can read it.
#include <charconv>
#include <cmath>
#include <limits>

#include "golden.hpp"
#include "plans.hpp"
#include "reckon/base/text.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/report/csv.hpp"
#include "reckon/report/json.hpp"
#include "reckon/report/markdown.hpp"
#include "reckon/units/parse.hpp"

using namespace reckon;

namespace {

doc::Value parsed(const std::string& json, Sources& sources) {
  Diagnostics faults;
  doc::Value tree = doc::parse_json(sources.add("out.json", json), faults);
  INFO(faults.render());
  REQUIRE_FALSE(faults.has_errors());
  return tree;
}

double number(const std::string& text) {
  double out = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The cell says what the metric says, to the last bit.
void check_cell(const doc::Value& cell, const Metric& m) {
  INFO(m.id);
  const doc::Value *value = cell.find("value"), *unit = cell.find("unit");
  REQUIRE(value);
  REQUIRE(unit);
  if (!m.has_value()) {
    CHECK(value->is_null());
    REQUIRE(cell.find("reason"));
    CHECK(cell.find("reason")->text == m.reason);
    return;
  }
  CHECK_FALSE(cell.find("reason"));
  if (m.is_text()) {
    CHECK(value->text == m.text);
    CHECK(unit->is_null());
  } else if (m.hint == Hint::kYesNo) {
    CHECK(value->text == (m.value != 0 ? "true" : "false"));
    CHECK_FALSE(value->quoted);
    CHECK(unit->is_null());
  } else {
    CHECK(number(value->text) == m.value);
    CHECK_FALSE(value->quoted);
    CHECK(unit->text == unit_name(m.dim, m.hint));
  }
}

Metric metric(const char* id, double value) {
  Metric m;
  m.id = id;
  m.title = "a \"title\", with a comma";
  m.value = value;
  m.dim = kByte;
  return m;
}

}  // namespace

TEST_CASE("JSON holds every metric exactly") {
  for (const plans::Sample& s : plans::samples()) {
    INFO(s.name);
    Sources sources;
    const doc::Value tree = parsed(eval_json({s.result}), sources);
    CHECK(tree.find("schema_version")->text == "1");
    const doc::Value& cells = *tree.find("results");
    REQUIRE(cells.entries.size() == s.result.metrics.size());
    for (std::size_t i = 0; i < cells.entries.size(); ++i) {
      CHECK(cells.entries[i].key == s.result.metrics[i].id);
      check_cell(cells.entries[i].value, s.result.metrics[i]);
    }
    CHECK(tree.find("assumptions")->items.size() == s.result.assumptions.size());
    CHECK(tree.find("not_modelled")->items.size() == s.result.not_modelled.size());
    CHECK(tree.find("fixes")->items.size() == s.result.fixes.size());
  }
}

TEST_CASE("JSON as it is written") {
  check_golden("pipeline.json", eval_json({plans::sample("pipeline")}));
}

TEST_CASE("one plan is an object, several are an array, none is an empty one") {
  Sources sources;
  CHECK(parsed(eval_json({plans::sample("dense")}), sources).is_mapping());
  const auto two = parsed(eval_json({plans::sample("dense"), plans::sample("no_mfu")}), sources);
  REQUIRE(two.items.size() == 2);
  CHECK(two.items[0].find("name")->text == "Llama 3 8B on one node");
  CHECK(two.items[1].find("name")->is_null());
  CHECK(eval_json({}) == "[]\n");
}

TEST_CASE("what is no number is null with a reason") {
  Result r;
  r.metrics = {metric("a", std::numeric_limits<double>::quiet_NaN()),
               metric("b", std::numeric_limits<double>::infinity())};
  r.fixes = {{"x=1", "one", 5e9, 0}};
  Sources sources;
  const doc::Value tree = parsed(eval_json({r}), sources);
  CHECK(tree.at("results.a.value")->is_null());
  CHECK(tree.at("results.a.reason")->text == "undefined");
  CHECK(tree.at("results.b.reason")->text == "unbounded");
  CHECK(tree.at("fixes.0.step_time.value")->is_null());
  CHECK(tree.at("fixes.0.headroom.value")->text == "5000000000");
  CHECK(eval_csv({r}) ==
        "file,case,metric,value,unit,title,reason\n"
        ",,a,,B,\"a \"\"title\"\", with a comma\",undefined\n"
        ",,b,,B,\"a \"\"title\"\", with a comma\",unbounded\n");
}

// Rows, median and 90th percentile of each prediction.
std::size_t lines_of_accuracy(const Result& r) { return 3 * r.accuracy.size(); }

TEST_CASE("CSV has a line per metric, of how good it was, and plan") {
  const Result &a = plans::sample("dense"), &b = plans::sample("abstract");
  const std::string csv = eval_csv({a, b});
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) ==
        1 + a.metrics.size() + b.metrics.size() + lines_of_accuracy(a) + lines_of_accuracy(b));
  for (const Metric& m : b.metrics) CHECK(csv.find("plan.yaml,," + m.id + ",") != csv.npos);
  check_golden("abstract.csv", eval_csv({b}));
}

TEST_CASE("Markdown lists every metric and assumption") {
  const Result& r = plans::sample("does_not_fit");
  const std::string text = eval_markdown({r});
  check_golden("does_not_fit.md", text);
  for (const Metric& m : r.metrics) CHECK(text.find("\n| " + m.id + " | ") != text.npos);
  for (const Assumption& a : r.assumptions)
    CHECK(text.find("\n| " + a.path + " | " + a.value + " | " + a.place) != text.npos);
}
