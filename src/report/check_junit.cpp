// JUnit's XML. Nothing but text may stand in it that XML 1.0 allows: control characters and stray bytes become ·.
#include <fmt/format.h>

#include <algorithm>

#include "check_row.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/check.hpp"

namespace reckon {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value));
}

std::string failure(const CheckLine& line) {
  std::string text = place_of(line) + ": " + name_of(line) + ": " + line.why;
  if (!line.source.empty()) text += " (source: " + line.source + ")";
  return fmt::format("      <failure{}>{}</failure>\n", attribute("message", line.why),
                     escaped(text));
}

std::string test_case(const CheckLine& line) {
  std::string out = "    <testcase" + attribute("classname", line.file) +
                    attribute("name", name_of(line)) + attribute("file", line.file);
  if (line.span) out += attribute("line", std::to_string(line.span.line));
  if (line.pass) return out + " time=\"0\"/>\n";
  return out + " time=\"0\">\n" + failure(line) + "    </testcase>\n";
}

std::string fault_case(const CheckReport::Fault& fault) {
  return "    <testcase" + attribute("classname", fault.file) + attribute("name", fault.place) +
         attribute("file", fault.file) + " time=\"0\">\n" +
         fmt::format("      <error{}>{}</error>\n", attribute("message", fault.message),
                     escaped(fault.place + ": " + fault.message)) +
         "    </testcase>\n";
}

// Files in the order of their lines, then those of which nothing but faults is known.
std::vector<std::pair<std::string, CheckLines>> suites_of(const CheckReport& report) {
  auto out = by_file(report);
  for (const CheckReport::Fault& fault : report.faults)
    if (std::none_of(out.begin(), out.end(),
                     [&](const auto& entry) { return entry.first == fault.file; }))
      out.push_back({fault.file, {}});
  return out;
}

std::string suite(const CheckReport& report, const std::string& file, const CheckLines& lines) {
  std::string cases;
  for (const CheckLine* line : lines) cases += test_case(*line);
  std::size_t errors = 0;
  for (const CheckReport::Fault& fault : report.faults) {
    if (fault.file != file) continue;
    ++errors;
    cases += fault_case(fault);
  }
  return fmt::format("  <testsuite{} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n{}",
                     attribute("name", file), lines.size() + errors, misses_of(lines), errors,
                     cases) +
         "  </testsuite>\n";
}

}  // namespace

std::string check_junit(const CheckReport& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<testsuites name=\"reckon check\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      report.lines.size() + report.faults.size(), report.misses(), report.faults.size());
  for (const auto& [file, lines] : suites_of(report)) out += suite(report, file, lines);
  return out + "</testsuites>\n";
}

}  // namespace reckon
