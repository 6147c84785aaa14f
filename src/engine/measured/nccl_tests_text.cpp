// nccl-tests' table: time per size, as all_reduce_perf and its like print it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "nccl_tests.hpp"

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

// "#  Rank  0 Group  0 Pid  10 on  node device  0 [0000:1b:00] NVIDIA H100 80GB HBM3"
void read_rank(std::string_view line, const std::vector<Word>& words, NcclRun& run) {
  ++run.ranks;
  const std::size_t bracket = line.find(']');
  if (bracket != line.npos && bracket + 2 < line.size())
    run.devices.emplace(line.substr(bracket + 2));
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i].text == "on") {
      run.hosts.insert(words[i + 1].text);
      break;
    }
}

// What the lines before the rows say; `time_at` is which word of a row is the out-of-place time.
void read_comment(std::string_view line, const std::vector<Word>& words, NcclRun& run,
                  std::size_t& time_at) {
  constexpr std::string_view kLibrary = "nccl-library=";
  if (words.size() > 2 && words[1].text == "Rank") read_rank(line, words, run);
  if (const std::string op = nccl_operation(line); !op.empty()) run.op = op;
  for (const Word& w : words)
    if (w.text.starts_with(kLibrary)) run.version = std::atoi(w.text.c_str() + kLibrary.size());
  int each = 1, said = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i].text == "nThread" || words[i].text == "nGpus") {
      each *= std::atoi(words[i + 1].text.c_str());
      ++said;
    }
  if (said > 0) run.each = each;
  if (words.size() > 2 && words[1].text == "size")
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].text == "time" && time_at == 0) time_at = i - 1;
}

}  // namespace

std::vector<MeasuredSet> read_nccl_tests(const SourceFile* file, const FileFacts& facts,
                                         Diagnostics& diagnostics,
                                         std::vector<std::string>& notes) {
  NcclRun run;
  std::vector<NcclRow> rows;
  std::size_t time_at = 0;
  const std::size_t before = diagnostics.error_count();
  for (int line = 1; line <= static_cast<int>(file->line_starts.size()); ++line) {
    const std::string_view text = file->line(line);
    const std::vector<Word> words = words_of(text);
    if (words.empty()) continue;
    if (words[0].text.starts_with('#')) {
      read_comment(text, words, run, time_at);
    } else if (words[0].text.find_first_not_of("0123456789") == std::string::npos) {
      const Span row{file, line, words[0].column};
      if (time_at == 0 || words.size() <= time_at) {
        diagnostics.error(row, "a row without the time column that the heading names");
        continue;
      }
      // time, algbw, busbw, #wrong
      const auto at = [&](std::size_t after) {
        return words.size() > time_at + after ? cell(file, line, words[time_at + after])
                                              : TableCell{};
      };
      rows.push_back({row, cell(file, line, words[0]), at(0), at(1), at(2), at(3).text});
    }
  }
  if (diagnostics.error_count() > before) return {};
  return nccl_set(file, facts, run, rows, diagnostics, notes);
}

}  // namespace reckon
