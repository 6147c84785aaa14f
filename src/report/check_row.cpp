#include "check_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::vector<std::pair<std::string, CheckLines>> by_file(const CheckReport& report) {
  std::vector<std::pair<std::string, CheckLines>> out;
  for (const CheckLine& line : report.lines) {
    const auto same = [&](const auto& entry) { return entry.first == line.file; };
    auto at = std::find_if(out.begin(), out.end(), same);
    if (at == out.end()) at = out.insert(at, {line.file, {}});
    at->second.push_back(&line);
  }
  return out;
}

std::size_t misses_of(const CheckLines& lines) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const CheckLine* l) { return !l->pass; }));
}

std::string name_of(const CheckLine& line) {
  std::vector<std::string> words;
  if (!line.id.empty()) words.push_back(line.id);
  words.push_back(line.metric);
  if (!line.case_name.empty()) words.push_back(fmt::format("(case {})", line.case_name));
  return join(words, " ");
}

std::string place_of(const CheckLine& line) {
  if (!line.span) return line.file;
  return fmt::format("{}:{}:{}", line.span.file->name, line.span.line, line.span.column);
}

std::string deviation_of(const CheckLine& line) {
  if (line.is_text || (!line.has_exact && !line.has_printed)) return "";
  const double d = line.has_exact ? line.exact_deviation : line.printed_deviation;
  if (!std::isfinite(d)) return "";
  if (std::abs(d) >= 10) return fmt::format("×{:.3g}", 1 + d);  // of what was expected
  return d == 0 ? "0 %" : fmt::format("{:+.3g} %", 100 * d);
}

std::string summary_of(const CheckReport& report) {
  const std::size_t missed = report.misses();
  return fmt::format("{} of {} in {}: {}", counted(report.lines.size(), "line"),
                     counted(report.plans, "plan"), counted(report.files, "file"),
                     missed == 0 ? "all hold" : fmt::format("{} missed", missed));
}

}  // namespace reckon
