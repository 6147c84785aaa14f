// nccl-tests' table: time per size, as all_reduce_perf and its like print it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "reckon/base/text.hpp"
#include "tables.hpp"

namespace reckon {
namespace {

struct Word {
  std::string text;
  int column;  // from 1
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    const std::size_t from = at;
    while (at < line.size() && line[at] != ' ' && line[at] != '\t') ++at;
    out.push_back({std::string(line.substr(from, at - from)), static_cast<int>(from) + 1});
  }
  return out;
}

TableCell cell(const SourceFile* file, int line, const Word& w) {
  return {w.text, {file, line, w.column, static_cast<int>(w.text.size())}};
}

// What the header's lines say.
struct Header {
  std::set<std::string> devices;
  int ranks = 0;
  std::string op;           // of "# Collective test starting: all_reduce_perf"
  std::size_t time_at = 0;  // which word of a row is the out-of-place time; 0: none seen
};

void read_comment(std::string_view line, const std::vector<Word>& words, Header& h) {
  if (words.size() > 2 && words[1].text == "Rank") {
    ++h.ranks;
    const std::size_t bracket = line.find(']');
    if (bracket != line.npos && bracket + 2 < line.size())
      h.devices.emplace(line.substr(bracket + 2));
  }
  for (const auto& [name, op] :
       {std::pair{"all_reduce_perf", "all-reduce"}, std::pair{"all_gather_perf", "all-gather"},
        std::pair{"reduce_scatter_perf", "reduce-scatter"},
        std::pair{"alltoall_perf", "all-to-all"}})
    if (line.find(name) != line.npos) h.op = op;
  if (words.size() > 2 && words[1].text == "size")
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].text == "time" && h.time_at == 0) h.time_at = i - 1;
}

bool complete(const SourceFile* file, const FileFacts& facts, const Header& h, MeasuredSet& set,
              Diagnostics& d, std::vector<std::string>& notes) {
  if (h.devices.size() > 1) {
    d.error({file, 1, 1}, fmt::format("{}: ranks on different GPUs: {}", file->name,
                                      listed({h.devices.begin(), h.devices.end()})))
        .help("constants belong to one chip: measure on one kind");
    return false;
  }
  if (facts.chip.empty()) {
    d.error({file, 1, 1}, fmt::format("{}: which chip this is must be said", file->name))
        .help("--chip h100-sxm");
    return false;
  }
  const std::string op = facts.kernel.empty() ? h.op : facts.kernel;
  if (op.empty()) {
    d.error({file, 1, 1},
            fmt::format("{}: the table doesn't say which operation was run", file->name))
        .help("--kernel all-reduce");
    return false;
  }
  if (!read_kernel(op, {file, 1, 1}, set.kernel, d)) return false;
  if (h.ranks < 2) {
    d.error({file, 1, 1}, fmt::format("{}: {} ranks are listed, and a collective needs two",
                                      file->name, h.ranks));
    return false;
  }
  set.chip = facts.chip;
  set.library = facts.library.empty() ? "NCCL" : facts.library;
  set.source = file->name;
  set.file = file->name;
  set.span = {file, 1, 1};
  set.conditions = "nccl-tests, out of place";
  notes.push_back(fmt::format("{}: {} over {} ranks of {}, out-of-place times in us", file->name,
                              op, h.ranks, h.devices.empty() ? facts.chip : *h.devices.begin()));
  return true;
}

}  // namespace

std::vector<MeasuredSet> read_nccl_tests(const SourceFile* file, const FileFacts& facts,
                                         Diagnostics& diagnostics,
                                         std::vector<std::string>& notes) {
  MeasuredSet set;
  Header header;
  const std::size_t before = diagnostics.error_count();
  std::vector<std::pair<int, std::vector<Word>>> rows;
  for (int line = 1; line <= static_cast<int>(file->line_starts.size()); ++line) {
    const std::string_view text = file->line(line);
    const std::vector<Word> words = words_of(text);
    if (words.empty()) continue;
    if (words[0].text.starts_with('#')) {
      read_comment(text, words, header);
    } else if (words[0].text.find_first_not_of("0123456789") == std::string::npos) {
      rows.emplace_back(line, words);
    }
  }
  if (!complete(file, facts, header, set, diagnostics, notes)) return {};
  const std::vector<TableColumn> columns{
      {MeasuredColumn::kRanks, 1}, {MeasuredColumn::kBytes, 1}, {MeasuredColumn::kTime, 1e-6}};
  for (const auto& [line, words] : rows) {
    const Span row{file, line, words[0].column};
    if (header.time_at == 0 || words.size() <= header.time_at) {
      diagnostics.error(row, "a row without the time column that the heading names");
      continue;
    }
    if (words[0].text == "0") continue;  // an empty array: nothing to fit
    add_point(set, columns,
              {{std::to_string(header.ranks), row},
               cell(file, line, words[0]),
               cell(file, line, words[header.time_at])},
              row, diagnostics);
  }
  check_set(set, diagnostics);
  if (rows.empty() && diagnostics.error_count() == before)
    diagnostics.error({file, 1, 1}, fmt::format("{}: no row of sizes and times", file->name));
  if (diagnostics.error_count() > before) return {};
  return {std::move(set)};
}

}  // namespace reckon
