#include "reckon/engine/runs_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/cost/scaling.hpp"
#include "reckon/numerics/decimal.hpp"

namespace reckon {
namespace {

constexpr std::size_t kMostFaults = 8;

enum Column { kParams, kTokens, kFlops, kLoss, kQuantities };
constexpr std::array<const char*, kQuantities> kNames{"params", "tokens", "flops", "loss"};
// In small letters, without spaces and underscores.
const std::array<std::vector<std::string>, kQuantities> kCalled{
    std::vector<std::string>{"params", "n", "parameters", "modelsize", "nparams"},
    std::vector<std::string>{"tokens", "d", "trainingtokens", "dtokens"},
    std::vector<std::string>{"flops", "flop", "c", "compute", "trainingflop", "trainingflops",
                             "cflop"},
    std::vector<std::string>{"loss", "l", "finalloss", "validationloss"}};

std::string plain(std::string_view name) {
  std::string out = lowered(name);
  std::erase_if(out, [](char c) { return c == ' ' || c == '_' || c == '-'; });
  return out;
}

struct Cell {
  std::string text;
  int column;  // 1-based place in the line
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> out;
  std::size_t at = 0;
  while (true) {
    const bool quoted = at < line.size() && line[at] == '"';
    const std::size_t close = quoted ? line.find('"', at + 1) : line.npos;
    const std::size_t end = std::min(line.find(',', close == line.npos ? at : close), line.size());
    std::string_view text = line.substr(at, end - at);
    int column = static_cast<int>(at) + 1;
    while (!text.empty() && (text.front() == ' ' || text.front() == '"')) {
      text.remove_prefix(1);
      ++column;
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\r'))
      text.remove_suffix(1);
    out.push_back({std::string(text), column});
    if (end == line.size()) return out;
    at = end + 1;
  }
}

class Reader {
 public:
  Reader(const SourceFile* file, const std::map<std::string, std::string>& columns,
         Diagnostics& diagnostics)
      : file_(file),
        said_(columns),
        diagnostics_(diagnostics),
        before_(diagnostics.error_count()) {}

  std::optional<RunsFile> read() {
    RunsFile out;
    out.source = file_;
    const int lines = static_cast<int>(file_->line_starts.size());
    for (int line = 1; line <= lines && !hopeless(); ++line) {
      const std::string_view text = file_->line(line);
      const std::size_t first = text.find_first_not_of(" \t\r");
      if (first == text.npos || text[first] == '#') continue;
      if (heads_.empty()) {
        header(line, cells_of(text), out);
        if (failed()) return std::nullopt;
      } else {
        row(line, cells_of(text), out);
      }
    }
    if (heads_.empty())
      diagnostics_
          .error({file_, 1, 1, 0}, fmt::format("{} holds no header and no runs", file_->name))
          .help("a header such as params,flops,loss, and a run on every line");
    if (failed()) return std::nullopt;
    return out;
  }

 private:
  bool failed() const { return diagnostics_.error_count() > before_; }
  bool hopeless() const { return diagnostics_.error_count() >= before_ + kMostFaults; }

  void header(int line, const std::vector<Cell>& cells, RunsFile& out) {
    for (const Cell& c : cells) heads_.push_back(c.text);
    for (std::size_t q = 0; q < kQuantities; ++q) find_column(q, line, out);
    if (failed()) return;
    const auto missing = [&](const char* what, const char* help) {
      diagnostics_
          .error({file_, line, 1, static_cast<int>(file_->line(line).size())},
                 fmt::format("no column of {}: the columns are {}", what, join(heads_, ", ")))
          .help(help);
    };
    if (!at_[kParams]) missing("parameters", "name it: --columns params=NAME");
    if (!at_[kLoss]) missing("losses", "name it: --columns loss=NAME");
    if (!at_[kTokens] && !at_[kFlops])
      missing("tokens or FLOP", "name one: --columns tokens=NAME or flops=NAME");
  }

  void find_column(std::size_t q, int line, RunsFile& out) {
    const auto said = said_.find(kNames[q]);
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const std::string name = plain(heads_[i]);
      const bool is = said != said_.end() ? heads_[i] == said->second
                                          : std::find(kCalled[q].begin(), kCalled[q].end(), name) !=
                                                kCalled[q].end();
      if (!is) continue;
      if (at_[q]) {
        diagnostics_
            .error({file_, line, 1, static_cast<int>(file_->line(line).size())},
                   fmt::format("two columns could be the {}: {} and {}", kNames[q], heads_[*at_[q]],
                               heads_[i]))
            .help(fmt::format("say which: --columns {}={}", kNames[q], heads_[i]));
        return;
      }
      at_[q] = i;
      out.columns[kNames[q]] = heads_[i];
    }
    if (at_[q] || said == said_.end()) return;
    auto& fault = diagnostics_.error({file_, line, 1, static_cast<int>(file_->line(line).size())},
                                     fmt::format("no column is called '{}'", said->second));
    const std::string near = closest(said->second, heads_);
    fault.help(near.empty() ? "the columns are " + join(heads_, ", ")
                            : fmt::format("did you mean '{}'?", near));
  }

  void row(int line, const std::vector<Cell>& cells, RunsFile& out) {
    if (cells.size() != heads_.size()) {
      diagnostics_
          .error(
              {file_, line, 1, static_cast<int>(file_->line(line).size())},
              fmt::format("this row has {} cells, and the header {}", cells.size(), heads_.size()))
          .help("every row states every column");
      return;
    }
    RunRow r;
    r.line = line;
    std::array<double*, kQuantities> to{&r.params, &r.tokens, &r.flops, &r.loss};
    const std::size_t errors = diagnostics_.error_count();
    for (std::size_t q = 0; q < kQuantities; ++q)
      if (at_[q]) *to[q] = number(line, cells[*at_[q]], kNames[q]);
    if (diagnostics_.error_count() > errors) return;
    const double k = flops_per_param_token<double>().raw;
    if (!at_[kTokens]) r.tokens = r.flops / (k * r.params);
    if (!at_[kFlops]) r.flops = k * r.params * r.tokens;
    out.rows.push_back(r);
  }

  double number(int line, const Cell& cell, const char* what) {
    const Span at{file_, line, cell.column, std::max<int>(1, static_cast<int>(cell.text.size()))};
    Typed typed;
    std::string fault;
    if (cell.text.empty()) {
      diagnostics_.error(at, fmt::format("{}: an empty cell", what)).help("leave the row out");
      return 0;
    }
    if (!read_decimal(cell.text, typed, fault)) {
      diagnostics_.error(at, fmt::format("{}: {}", what, fault))
          .help("correct it, or leave the row out");
      return 0;
    }
    const double x = typed.nearest;
    if (std::isfinite(x) && x > 0) return x;
    diagnostics_
        .error(at, fmt::format("{}: {} is {}, and a logarithm is taken of it", what, cell.text,
                               std::isfinite(x) ? "not above 0" : "not finite"))
        .help("correct it, or leave the row out");
    return 0;
  }

  const SourceFile* file_;
  const std::map<std::string, std::string>& said_;
  Diagnostics& diagnostics_;
  std::size_t before_;
  std::vector<std::string> heads_;
  std::array<std::optional<std::size_t>, kQuantities> at_{};
};

}  // namespace

std::optional<RunsFile> read_runs(Workspace& work, const std::string& file,
                                  const std::map<std::string, std::string>& columns,
                                  Diagnostics& diagnostics) {
  std::string text;
  if (!read_file(file, text)) {
    diagnostics.error({}, fmt::format("{} can't be read", file))
        .help("give a CSV file of runs: params, flops or tokens, loss");
    return std::nullopt;
  }
  return Reader(work.sources().add(file, std::move(text)), columns, diagnostics).read();
}

}  // namespace reckon
