#include "reckon/report/text.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "golden.hpp"
#include "plans.hpp"
#include "reckon/base/text.hpp"

using namespace reckon;

namespace {

std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string without_escapes(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b')
      at = text.find('m', at);
    else
      out += text[at];
  }
  return out;
}

bool contains(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

bool left_out(const std::string& id) {
  const auto& patterns = left_out_of_text();
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view p) { return matches_pattern(id, p); });
}

// The result with one metric changed to a value nothing else has.
Result with_other_value(Result r, const std::string& id) {
  for (Metric& m : r.metrics) {
    if (m.id != id) continue;
    if (m.is_text()) m.text = "another word";
    m.value = m.hint == Hint::kYesNo ? 1 - m.value : 1.3571 * m.value + 1.2345e-3;
  }
  return r;
}

}  // namespace

TEST_CASE("each kind of plan, as it is shown") {
  for (const plans::Sample& s : plans::samples())
    check_golden(s.name + ".txt", eval_text(s.result));
}

TEST_CASE("verbose text lists every metric, and every assumption with its place and source") {
  const Result& r = plans::sample("experts");
  const std::string text = eval_text(r, {.verbose = true});
  check_golden("experts_verbose.txt", text);
  for (const Assumption& a : r.assumptions) {
    CHECK(contains(text, a.path));
    CHECK(contains(text, a.place));
  }
}

TEST_CASE("text is aligned, in its width, without loose ends") {
  for (const plans::Sample& s : plans::samples()) {
    INFO(s.name);
    for (const std::size_t width : {80U, 110U}) {
      for (const std::string& line : lines_of_text(eval_text(s.result, {.width = width}))) {
        INFO(line);
        CHECK(columns(line) <= width);
        CHECK((line.empty() || line.back() != ' '));
      }
    }
  }
}

TEST_CASE("an ordinary plan takes less than a screen of 60 lines") {
  CHECK(lines_of_text(eval_text(plans::sample("dense"))).size() < 60);
  // With several axes their mesh and its picture, eleven lines more.
  CHECK(lines_of_text(eval_text(plans::sample("experts"))).size() < 75);
}

TEST_CASE("colour adds escapes and changes nothing else") {
  for (const plans::Sample& s : plans::samples()) {
    const std::string plain = eval_text(s.result), painted = eval_text(s.result, {.colour = true});
    CHECK(painted != plain);
    CHECK(without_escapes(painted) == plain);
    CHECK_FALSE(contains(plain, "\x1b"));
    for (const std::string& line : lines_of_text(painted)) {
      const std::size_t last = line.rfind("\x1b[");
      CHECK((last == line.npos || line.compare(last, 4, "\x1b[0m") == 0));  // no colour runs on
    }
  }
}

// A metric counts as shown if the text of some sample changes with its value.
TEST_CASE("a metric is shown or known to be left out") {
  std::set<std::string> ids, shown;
  for (const plans::Sample& s : plans::samples()) {
    const std::string text = eval_text(s.result);
    for (const Metric& m : s.result.metrics) {
      ids.insert(m.id);
      if (m.has_value() && eval_text(with_other_value(s.result, m.id)) != text) shown.insert(m.id);
    }
  }
  for (const std::string& id : ids) {
    INFO(id);
    CHECK((shown.contains(id) || left_out(id)));
  }
}

TEST_CASE("verbose text shows them all") {
  for (const char* name : {"dense", "pipeline"}) {
    const Result& r = plans::sample(name);
    const std::string text = eval_text(r, {.verbose = true});
    for (const Metric& m : r.metrics) {
      INFO(m.id);
      CHECK(eval_text(with_other_value(r, m.id), {.verbose = true}) != text);
    }
  }
}

TEST_CASE("a metric that no section knows is not lost") {
  Result r = plans::sample("dense");
  Metric m;
  m.id = "network.hops";
  m.title = "hops between two GPUs";
  m.value = 3;
  m.hint = Hint::kCount;
  r.metrics.push_back(m);
  const std::string text = eval_text(r);
  CHECK(contains(text, "Other\n"));
  CHECK(contains(text, "network.hops      3  hops between two GPUs"));
  CHECK_FALSE(contains(eval_text(plans::sample("dense")), "Other\n"));
}

TEST_CASE("a file's texts can't steer the terminal") {
  Result r = plans::sample("dense");
  r.name = "red \x1b[31m alert\n";
  r.headline.front().second = "model\twith a tab";
  r.warnings = {"bell \a"};
  const std::string text = eval_text(r);
  CHECK_FALSE(contains(text, "\x1b"));
  CHECK(contains(text, "red ·[31m alert· (plan.yaml)\n"));
  CHECK(contains(text, "model·with a tab\n"));
  CHECK(contains(text, "warning: bell ·\n"));
}

TEST_CASE("numbers that are none don't break the bars") {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -1.0, 0.0}) {
    Result r = plans::sample("pipeline");
    for (Metric& m : r.metrics) {
      if (!m.is_text()) m.value = odd;
    }
    const std::string text = eval_text(r);
    CHECK(columns(text) > 0);
    CHECK_FALSE(contains(text, "nan"));
    CHECK_FALSE(contains(text, "inf"));
  }
}

TEST_CASE("an empty result is a title") {
  Result r;
  r.file = "plan.yaml";
  CHECK(eval_text(r) == "plan.yaml\n\n");
  r.case_name = "zero 3";
  CHECK(eval_text(r) == "plan.yaml, case zero 3\n\n");
  r.name = "A plan";
  CHECK(eval_text(r) == "A plan (plan.yaml, case zero 3)\n\n");
}

TEST_CASE("a plan that nothing makes fit says so, and a long list of changes is cut") {
  Result r = plans::sample("does_not_fit");
  r.fixes.clear();
  CHECK(contains(eval_text(r), "Changes of one field that make it fit\n  None of those"));
  for (int i = 0; i < 9; ++i)
    r.fixes.push_back({"cluster.nodes=" + std::to_string(i), std::to_string(i) + " nodes", 1e9, 0});
  const std::string text = eval_text(r), all = eval_text(r, {.verbose = true});
  CHECK(contains(text, "cluster.nodes=5  5 nodes      1 GB     –\n"));
  CHECK_FALSE(contains(text, "cluster.nodes=6"));
  CHECK(contains(text, "  3 more: --verbose lists them.\n"));
  CHECK(contains(all, "cluster.nodes=8"));
}
