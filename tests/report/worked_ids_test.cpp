// Every worked example of tests/worked-ids.txt is held by a line of plans/worked, to the value and unit that the list
// gives; and a wrong variant of a formula is missed.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/report/check.hpp"

using namespace reckon;

namespace {

CheckReport worked() {
  Workspace work({std::filesystem::path(RECKON_SOURCE_DIR)});
  CheckReport all;
  Diagnostics d;
  for (const std::string& file : plan_files(RECKON_SOURCE_DIR "/plans/worked", d)) {
    CheckReport one = check_file(work, file, d);
    for (CheckLine& line : one.lines) {
      line.span = {};  // points into `work`
      all.lines.push_back(std::move(line));
    }
  }
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return all;
}

double number(const doc::Value* v) { return v && v->is_scalar() ? std::stod(v->text) : NAN; }

// Units that count the same thing.
std::string plain_unit(const std::string& unit) {
  static const std::map<std::string, std::string> same{
      {"params", "1"}, {"tokens", "1"}, {"B/token", "B"}, {"FLOP/token", "FLOP"}, {"B/param", "B"}};
  const auto at = same.find(unit);
  return at == same.end() ? unit : at->second;
}

}  // namespace

TEST_CASE("the checks of plans/worked hold every worked example there is") {
  Sources sources;
  Diagnostics d;
  const doc::Value json = doc::parse_json(sources.add("check.json", check_json(worked())), d);
  REQUIRE(!d.has_errors());
  std::map<std::string, std::vector<const doc::Value*>> by_id;
  for (const doc::Value& line : json.find("checks")->items) {
    const doc::Value* id = line.find("id");
    if (id && id->is_scalar()) by_id[id->text].push_back(&line);
  }
  std::ifstream list(RECKON_SOURCE_DIR "/tests/worked-ids.txt");
  int held = 0;
  for (std::string row; std::getline(list, row);) {
    if (row.empty() || row[0] == '#') continue;
    std::istringstream words(row);
    std::string id, exact, unit;
    words >> id >> exact >> unit;
    INFO(row);
    REQUIRE(by_id[id].size() == 1);  // one line holds it, and one only
    const doc::Value& line = *by_id[id][0];
    CHECK(line.find("pass")->text == "true");
    CHECK(plain_unit(line.find("unit")->text) == unit);
    CHECK(number(line.find("value")) == Approx(std::stod(exact)).epsilon(1e-5));
    CHECK(number(line.find("expected")) == Approx(std::stod(exact)).epsilon(1e-5));
    ++held;
  }
  CHECK(held >= 143);
}

namespace {

// The line of one worked example, judged on a result in which its metric is off by a factor.
bool passes_when_off_by(const std::string& wanted, double factor) {
  Workspace work({std::filesystem::path(RECKON_SOURCE_DIR)});
  Diagnostics d;
  for (const std::string& name : plan_files(RECKON_SOURCE_DIR "/plans/worked", d)) {
    const PlanFile file = open_plan(work, name, work.read(name, {}, d), {}, d);
    const auto judge = [&](const PlanFile::Case* which,
                           const std::vector<Expectation>& lines) -> std::optional<bool> {
      for (const Expectation& e : lines) {
        if (e.id != wanted) continue;
        Result r = load_plan(work, file, which, d)->result(work);
        for (Metric& m : r.metrics)
          if (m.id == e.metric) m.value *= factor;
        return check_expectations({e}, r, d).at(0).pass;
      }
      return {};
    };
    if (const auto pass = judge(nullptr, file.expect)) return *pass;
    for (const PlanFile::Case& c : file.cases)
      if (const auto pass = judge(&c, c.expect)) return *pass;
  }
  FAIL("no line holds " << wanted);
  return false;
}

}  // namespace

TEST_CASE("wrong variants of a formula are missed") {
  struct Mutant {
    const char *id, *what;
    double factor;
  };
  const Mutant mutants[] = {{"D08", "p for p − 1", 8.0 / 7},
                            {"D10", "p for p − 1", 8.0 / 7},
                            {"P102", "p for p − 1", 8.0 / 7},
                            {"F01", "p for p − 1", (4.0 / 12) / (3.0 / 11)},
                            {"P504", "p for p − 1", 8.0 / 7},
                            {"P401", "2·D·F for 3·D·F", 2.0 / 3},
                            {"G01", "4·P/W for 2·P/W", 2},
                            {"G05", "4·P/W for 2·P/W", 2},
                            {"H01", "attention over all pairs", 3.21158 / 3.10672},
                            {"I01", "34 B for 48 B", 34.0 / 48},
                            {"E05", "p for p − 1", 4.0 / 3}};
  for (const Mutant& m : mutants) {
    INFO(m.id << ": " << m.what);
    CHECK(passes_when_off_by(m.id, 1));
    CHECK_FALSE(passes_when_off_by(m.id, m.factor));
  }
}
