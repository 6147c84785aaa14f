// JUnit's XML. Nothing but text may stand in it that XML 1.0 allows: control characters and stray bytes become ·.
#include <fmt/format.h>

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

}  // namespace

std::string check_junit(const CheckReport& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"reckon check\" tests=\"{}\" failures=\"{}\">\n",
                     report.lines.size(), report.misses());
  for (const auto& [file, lines] : by_file(report)) {
    out += fmt::format("  <testsuite{} tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
                       attribute("name", file), lines.size(), misses_of(lines));
    for (const CheckLine* line : lines) out += test_case(*line);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace reckon
