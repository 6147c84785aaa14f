#include <fmt/format.h>

#include "check_row.hpp"
#include "paint.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"
#include "reckon/report/check.hpp"

namespace reckon {
namespace {

std::string files_text(const CheckReport& report) {
  Table out({{""}, {"", Align::kRight}});
  for (const auto& [file, lines] : by_file(report))
    out.row({printable(file),
             fmt::format("{} of {} hold", lines.size() - misses_of(lines), lines.size())});
  return out.text();
}

std::string miss_text(const CheckLine& line, const TextStyle& style) {
  const std::size_t width = style.usable_width() - 2;
  const auto indented = [&](const std::string& text) {
    return "  " + wrap(printable(text), width, "  ") + '\n';
  };
  std::string out = Paint{style.colour}.bold(printable(place_of(line))) + ": " +
                    printable(name_of(line)) + '\n' + indented(line.why);
  if (!line.source.empty()) out += indented("source: " + line.source);
  return out;
}

std::string bounds_of(const CheckLine& l) {
  std::vector<std::string> out;
  if (!l.at_least.empty()) out.push_back("≥ " + l.at_least);
  if (!l.at_most.empty()) out.push_back("≤ " + l.at_most);
  return join(out, ", ");
}

}  // namespace

std::string check_text(const CheckReport& report, const TextStyle& style) {
  const Paint paint{style.colour};
  std::string out = files_text(report);
  for (const CheckLine& line : report.lines) {
    if (!line.pass) out += '\n' + miss_text(line, style);
  }
  const std::string summary = summary_of(report);
  if (!out.empty()) out += '\n';
  return out + (report.misses() == 0 ? paint.good(summary) : paint.bad(summary)) + '\n';
}

std::string check_markdown(const CheckReport& report) {
  Table table({{"line"},
               {"case"},
               {"metric"},
               {"value", Align::kRight},
               {"exact", Align::kRight},
               {"printed", Align::kRight},
               {"bounds", Align::kRight},
               {"deviation", Align::kRight},
               {"place"},
               {"outcome"}});
  for (const CheckLine& l : report.lines)
    table.row({l.id, l.case_name, l.metric, l.value, l.exact, l.printed, bounds_of(l),
               deviation_of(l), place_of(l), l.pass ? "holds" : "missed: " + l.why});
  return markdown_text(summary_of(report)) + "\n" + (table.empty() ? "" : "\n" + table.markdown());
}

}  // namespace reckon
