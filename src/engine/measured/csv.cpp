// CSV of one's own: each column of ours from one of theirs, as said or as its name tells.
#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/text.hpp"
#include "tables.hpp"

namespace reckon {
namespace {

struct Line {
  Span span;
  std::vector<TableCell> cells;
};

// Cells of a line; quotes may stand around a cell, doubled inside.
Line split(const SourceFile* file, int number) {
  Line out{{file, number, 1}, {}};
  const std::string_view text = file->line(number);
  std::string cell;
  bool quoted = false;
  int from = 1;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quoted && i < text.size()) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      const std::size_t first = cell.find_first_not_of(" \t"), last = cell.find_last_not_of(" \t");
      out.cells.push_back({first == cell.npos ? "" : cell.substr(first, last - first + 1),
                           {file, number, from, std::max(1, static_cast<int>(i) + 1 - from)}});
      cell.clear();
      from = static_cast<int>(i) + 2;
    } else {
      cell += c;
    }
  }
  return out;
}

// time_us, "time us", "time (us)" and time [us] -> "time us"; m -> m. Other names are not guessed at.
std::string ours_of(const std::string& name) {
  for (const char c : {'(', '['}) {
    if (const std::size_t at = name.find(c); at != name.npos && at > 0) {
      const std::size_t end = name.find_first_of(")]", at);
      std::string unit = name.substr(at + 1, end == name.npos ? end : end - at - 1);
      std::string word = name.substr(0, at);
      while (!word.empty() && word.back() == ' ') word.pop_back();
      return word + " " + unit;
    }
  }
  for (std::size_t i = 0; i < kMeasuredColumns; ++i) {
    const MeasuredColumnInfo& info = column_info(static_cast<MeasuredColumn>(i));
    if (name == info.name) return name == "bytes" ? "bytes B" : name;
    const std::size_t length = info.name.size();
    if (info.dim != kOne && name.size() > length + 1 && name.starts_with(info.name) &&
        (name[length] == '_' || name[length] == ' '))
      return std::string(info.name) + " " + name.substr(length + 1);
  }
  return "";
}

// The column of theirs behind each of ours; false after a fault.
bool map_columns(const Line& head, const FileFacts& facts, std::vector<TableColumn>& columns,
                 std::vector<std::size_t>& from, Diagnostics& d, std::vector<std::string>& notes) {
  std::vector<std::string> said;
  for (const auto& column : facts.columns) {
    const std::string &theirs = column.first, &ours = column.second;
    const auto at = std::find_if(head.cells.begin(), head.cells.end(),
                                 [&](const TableCell& c) { return c.text == theirs; });
    if (at == head.cells.end()) {
      d.error(head.span,
              fmt::format("--column {}={}: the heading has no '{}'", ours, theirs, theirs));
      return false;
    }
    if (std::find_if(at + 1, head.cells.end(),
                     [&](const TableCell& c) { return c.text == theirs; }) != head.cells.end()) {
      d.error(at->span, fmt::format("--column {}={}: '{}' stands twice in the heading", ours,
                                    theirs, theirs));
      return false;
    }
    TableColumn c{};
    if (!read_column({ours, at->span}, c, d)) return false;
    columns.push_back(c);
    from.push_back(static_cast<std::size_t>(at - head.cells.begin()));
    said.push_back(fmt::format("{} <- {}", ours, theirs));
  }
  const std::size_t mapped = columns.size();
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < head.cells.size(); ++i) {
    if (std::find(from.begin(), from.end(), i) != from.end()) continue;
    const std::string ours = ours_of(head.cells[i].text);
    if (ours.empty()) {
      unused.push_back(head.cells[i].text);
      continue;
    }
    TableColumn c{};
    if (!read_column({ours, head.cells[i].span}, c, d)) return false;
    const auto named = columns.begin() + static_cast<std::ptrdiff_t>(mapped);
    if (std::any_of(columns.begin(), named,
                    [&c](const TableColumn& m) { return m.column == c.column; })) {
      unused.push_back(head.cells[i].text);  // --column says where it is
      continue;
    }
    columns.push_back(c);
    from.push_back(i);
    said.push_back(fmt::format("{} <- {}", ours, head.cells[i].text));
  }
  std::vector<TableCell> heads;
  for (const std::size_t i : from) heads.push_back(head.cells[i]);
  if (!no_column_twice(columns, heads, d)) return false;
  notes.push_back("columns: " + join(said, ", ") +
                  (unused.empty() ? "" : "; not used: " + join(unused, ", ")));
  return true;
}

bool complete(const SourceFile* file, const FileFacts& facts, MeasuredSet& set, Diagnostics& d) {
  const Span top{file, 1, 1};
  for (const auto& [value, flag, example] : {std::tuple{&facts.chip, "--chip", "h100-sxm"},
                                             std::tuple{&facts.kernel, "--kernel", "gemm"}}) {
    if (!value->empty()) continue;
    d.error(top, fmt::format("{}: a CSV doesn't say its {}", file->name, flag + 2))
        .help(fmt::format("{} {}", flag, example));
    return false;
  }
  if (!read_kernel(facts.kernel, top, set.kernel, d)) return false;
  if (is_collective(set.kernel) && !facts.format.empty()) {
    d.error(top,
            fmt::format("--dtype {}: a collective's time is of its bytes, whatever their format",
                        facts.format))
        .help("leave it out");
    return false;
  }
  set.chip = facts.chip;
  set.library = facts.library.empty() ? "own" : facts.library;
  set.format = facts.format;
  set.source = set.file = file->name;
  set.span = top;
  if (set.format.empty() && !is_collective(set.kernel)) set.format = "bf16";
  return true;
}

}  // namespace

std::vector<MeasuredSet> read_csv(const SourceFile* file, const FileFacts& facts,
                                  Diagnostics& diagnostics, std::vector<std::string>& notes) {
  const std::size_t before = diagnostics.error_count();
  MeasuredSet set;
  if (!complete(file, facts, set, diagnostics)) return {};
  std::vector<TableColumn> columns;
  std::vector<std::size_t> from;
  const Line head = split(file, 1);
  if (!map_columns(head, facts, columns, from, diagnostics, notes)) return {};
  if (facts.format.empty() && !set.format.empty())
    notes.push_back(fmt::format("the number format is not said: {} (--dtype)", set.format));
  for (int n = 2; n <= static_cast<int>(file->line_starts.size()); ++n) {
    if (file->line(n).find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Line line = split(file, n);
    if (line.cells.size() != head.cells.size()) {
      diagnostics.error(line.span, fmt::format("a row of {} cells under a heading of {}",
                                               line.cells.size(), head.cells.size()));
      continue;
    }
    std::vector<TableCell> cells;
    for (const std::size_t i : from) cells.push_back(line.cells[i]);
    add_point(set, columns, cells, line.span, diagnostics);
  }
  check_set(set, diagnostics);
  if (set.points.empty() && diagnostics.error_count() == before)
    diagnostics.error(head.span, fmt::format("{}: a heading and no rows", file->name));
  if (diagnostics.error_count() > before) return {};
  return {std::move(set)};
}

}  // namespace reckon
