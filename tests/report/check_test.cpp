#include "reckon/report/check.hpp"

#include <limits>

#include "golden.hpp"

using namespace reckon;

namespace {

// One line of each outcome: a hit, a miss of the exact value, a miss of the printed one, words, a metric without a
// value, yes and no; texts with what XML, CSV and Markdown must escape.
CheckReport report(Sources& sources) {
  const SourceFile* file = sources.add("plans/week-14.yaml", "one\ntwo\nthree\n");
  const std::string other = "plans/a & \"b\".yaml";
  CheckReport out;
  out.files = 2;
  out.plans = 3;
  CheckLine hit;
  hit.id = "P303";
  hit.file = file->name;
  hit.metric = "memory.states";
  hit.source = "week-14 notes, problem 3";
  hit.span = {file, 2, 5, 1};
  hit.value = "17.5 GB";
  hit.number = 17.5e9;
  hit.unit = "B";
  hit.exact = hit.printed = "17.5 GB";
  hit.exact_number = hit.printed_number = 17.5e9;
  hit.has_exact = hit.has_printed = hit.pass = true;
  out.lines.push_back(hit);

  CheckLine exact = hit;
  exact.id = "P304";
  exact.case_name = "zero 1";
  exact.value = "17.51 GB";
  exact.number = 17.51e9;
  exact.exact_deviation = (17.51 - 17.5) / 17.5;
  exact.pass = false;
  exact.why = "17.51 GB is not 17.5 GB (+0.0571 %)";
  out.lines.push_back(exact);

  CheckLine printed = hit;
  printed.file = other;
  printed.id = "";
  printed.span = {};
  printed.metric = "comm.all_gather.time";
  printed.exact.clear();
  printed.has_exact = false;
  printed.printed = "27 ms";
  printed.printed_number = 0.027;
  printed.number = 0.0281;
  printed.value = "28.1 ms";
  printed.unit = "s";
  printed.within = 0.01;
  printed.printed_deviation = (28.1 - 27) / 27;
  printed.pass = false;
  printed.why = "28.1 ms is not within 1 % of the printed 27 ms";
  printed.source = "a <book>, \"page\" 3 | 4";
  out.lines.push_back(printed);

  CheckLine word;
  word.id = "P305";
  word.file = other;
  word.metric = "memory.verdict";
  word.value = "fits";
  word.unit = "1";
  word.exact = "tight";
  word.has_exact = word.is_text = true;
  word.why = "'fits' is not 'tight'";
  out.lines.push_back(word);

  CheckLine none;
  none.id = "P306";
  none.file = other;
  none.metric = "run.cost";
  none.value = "none";
  none.number = std::numeric_limits<double>::quiet_NaN();
  none.unit = "USD";
  none.exact = "5 USD";
  none.why = "no value: add price: to get dollars";
  out.lines.push_back(none);

  CheckLine yes;
  yes.id = "P307";
  yes.file = other;
  yes.metric = "fits";
  yes.value = "yes";
  yes.number = yes.exact_number = 1;
  yes.unit = "1";
  yes.exact = "yes";
  yes.has_exact = yes.pass = true;
  out.lines.push_back(yes);
  return out;
}

}  // namespace

TEST_CASE("the outcome of a check, in each format") {
  Sources sources;
  const CheckReport r = report(sources);
  check_golden("check.txt", check_text(r));
  check_golden("check.json", check_json(r));
  check_golden("check.csv", check_csv(r));
  check_golden("check.md", check_markdown(r));
  check_golden("check.xml", check_junit(r));
}

TEST_CASE("when all hold, the text is a line per file and a summary") {
  Sources sources;
  CheckReport r = report(sources);
  r.lines.resize(1);
  r.files = r.plans = 1;
  CHECK(check_text(r) ==
        "plans/week-14.yaml  1 of 1 hold\n"
        "\n"
        "1 line of 1 plan in 1 file: all hold\n");
  CHECK(check_text(r, {.colour = true}).find("\x1b[32m1 line of") != std::string::npos);
}

TEST_CASE("nothing checked is nothing found") {
  CHECK(check_text({}) == "0 lines of 0 plans in 0 files: all hold\n");
  CHECK(check_junit({}) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"reckon check\" tests=\"0\" failures=\"0\" errors=\"0\">\n"
        "</testsuites>\n");
}

TEST_CASE("no byte that XML refuses gets into it") {
  Sources sources;
  CheckReport r = report(sources);
  r.lines[1].why = std::string("bell \a, stray \xff, zero ") + '\0' + ", <&>\"";
  const std::string xml = check_junit(r);
  CHECK(xml.find("bell ·, stray ·, zero ·, &lt;&amp;&gt;&quot;") != std::string::npos);
  for (const char c : xml) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
}
