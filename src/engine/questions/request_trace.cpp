#include "request_trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::array kColumns{"arrival", "prompt", "output"};
constexpr std::size_t kShownFaults = 8;
constexpr double kMostTokens = 1e8;

struct Cell {
  std::string_view text;
  Span span;
};

std::vector<Cell> cells_of(const SourceFile* file, int number) {
  std::vector<Cell> out;
  const std::string_view line = file->line(number);
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    std::size_t first = from, last = comma;
    const auto blank = [&](std::size_t i) {
      return line[i] == ' ' || line[i] == '\t' || line[i] == '\r';
    };
    while (first < last && blank(first)) ++first;
    while (last > first && blank(last - 1)) --last;
    const auto length = std::max<std::size_t>(1, last - first);
    out.push_back({line.substr(first, last - first),
                   {file, number, static_cast<int>(first) + 1, static_cast<int>(length)}});
    if (comma == line.size()) return out;
    from = comma + 1;
  }
}

class Reader {
 public:
  Reader(const SourceFile* file, double longest, Diagnostics& d)
      : file_(file), longest_(longest), d_(d) {}

  std::vector<load::Request> requests() {
    if (!heading()) return {};
    for (int n = 2; n <= static_cast<int>(file_->line_starts.size()); ++n) {
      if (file_->line(n).find_first_not_of(" \t\r") != std::string_view::npos) row(n);
      if (faults_ >= kShownFaults) break;
    }
    if (faults_ == 0 && out_.size() < 2)
      fault({file_, 1, 1}, fmt::format("{}: a load needs at least two requests", file_->name));
    if (faults_ > 0) return {};
    const double begin = out_.front().arrival;
    for (load::Request& r : out_) r.arrival -= begin;
    return std::move(out_);
  }

 private:
  bool heading() {
    const std::vector<Cell> head = cells_of(file_, 1);
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      for (std::size_t i = 0; i < head.size(); ++i)
        if (head[i].text == kColumns[c]) at_[c] = i;
      if (at_[c]) continue;
      d_.error({file_, 1, 1}, fmt::format("{}: no column '{}'", file_->name, kColumns[c]))
          .help(
              "the first line names the columns: arrival,prompt,output (seconds, tokens, tokens)");
      return false;
    }
    width_ = head.size();
    return true;
  }

  Diagnostic& fault(Span at, std::string message) {
    ++faults_;
    return d_.error(at, std::move(message));
  }

  void row(int n) {
    const std::vector<Cell> cells = cells_of(file_, n);
    if (cells.size() != width_) {
      fault({file_, n, 1},
            fmt::format("a row of {} cells under a heading of {}", cells.size(), width_))
          .help("one request a line");
      return;
    }
    const auto arrival = number(cells[*at_[0]], "arrival");
    const auto prompt = tokens(cells[*at_[1]], "prompt");
    const auto output = tokens(cells[*at_[2]], "output");
    if (!arrival || !prompt || !output) return;
    if (!out_.empty() && *arrival < out_.back().arrival) {
      fault(cells[*at_[0]].span, fmt::format("arrival {} is before that of the row above, {}",
                                             cells[*at_[0]].text, out_.back().arrival))
          .help("sort the file by arrival");
      return;
    }
    if (longest_ > 0 && *prompt + *output > longest_) {
      fault(cells[*at_[1]].span,
            fmt::format("prompt and answer of {:.0f} tokens, and the longest is {:.0f}",
                        *prompt + *output, longest_))
          .help("leave the request out, or state longest:");
      return;
    }
    out_.push_back(
        {*arrival, static_cast<std::int32_t>(*prompt), static_cast<std::int32_t>(*output)});
  }

  std::optional<double> number(const Cell& cell, const char* column) {
    const std::string word(cell.text);
    char* end = nullptr;
    const double x = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !std::isfinite(x)) {
      fault(cell.span, fmt::format("{}: '{}' is not a number", column, word))
          .help("arrival in seconds, prompt and output in tokens, without units");
      return {};
    }
    if (x < 0) {
      fault(cell.span, fmt::format("{}: {} is negative", column, word));
      return {};
    }
    return x;
  }

  std::optional<double> tokens(const Cell& cell, const char* column) {
    const auto x = number(cell, column);
    if (!x) return {};
    if (*x >= 1 && *x <= kMostTokens && *x == std::floor(*x)) return x;
    fault(cell.span, *x < 1 ? fmt::format("{}: a request of {} tokens", column, cell.text)
                            : fmt::format("{}: {} is not a count of tokens", column, cell.text))
        .help(*x < 1 ? "leave it out: a prompt and an answer have at least one token"
                     : "whole tokens, at most 100,000,000");
    return {};
  }

  const SourceFile* file_;
  double longest_;
  Diagnostics& d_;
  std::array<std::optional<std::size_t>, kColumns.size()> at_;
  std::size_t width_ = 0, faults_ = 0;
  std::vector<load::Request> out_;
};

struct Spread {
  double mean = 0, spread = 0;
};
template <class F>
Spread spread_of(std::size_t n, F value) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) sum += value(i);
  const double mean = sum / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) squares += std::pow(value(i) - mean, 2);
  return {mean, mean > 0 ? std::sqrt(squares / static_cast<double>(n)) / mean : 0};
}

}  // namespace

RequestTrace read_requests(Workspace& work, const std::string& file, Span said, double longest,
                           Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  fs::path path = file;
  if (said && path.is_relative()) {
    const fs::path beside = fs::path(said.file->name).parent_path() / path;
    if (fs::exists(beside)) path = beside;
  }
  std::string text;
  RequestTrace out;
  if (!read_file(path, text)) {
    diagnostics.error(said, fmt::format("trace: cannot read {}", file))
        .help("a CSV file: arrival,prompt,output");
    return out;
  }
  const SourceFile* source = work.sources().add(path.string(), std::move(text));
  out.requests = Reader(source, longest, diagnostics).requests();
  const auto& r = out.requests;
  if (r.empty()) return out;
  const Spread gaps =
      spread_of(r.size() - 1, [&](std::size_t i) { return r[i + 1].arrival - r[i].arrival; });
  const Spread prompt = spread_of(r.size(), [&](std::size_t i) { return 1.0 * r[i].prompt; });
  const Spread output = spread_of(r.size(), [&](std::size_t i) { return 1.0 * r[i].output; });
  if (!(gaps.mean > 0)) {
    diagnostics
        .error({source, 2, 1},
               fmt::format("{}: all requests arrive at once: that is no rate", file))
        .help("arrivals in seconds; for users who wait for their answers: users: 64");
    out.requests.clear();
    return out;
  }
  out.rate = 1 / gaps.mean;
  out.burstiness = gaps.spread;
  out.prompt = prompt.mean;
  out.prompt_spread = prompt.spread;
  out.output = output.mean;
  out.output_spread = output.spread;
  return out;
}

}  // namespace reckon
