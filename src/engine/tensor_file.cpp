#include "reckon/engine/tensor_file.hpp"

#include <fmt/format.h>

#include "npy.hpp"
#include "reckon/numerics/decimal.hpp"

namespace reckon {
namespace {

// Rows of numbers from a text, with faults at their place.
class Rows {
 public:
  Rows(const SourceFile* file, char row_end, Diagnostics& diagnostics)
      : file_(file),
        row_end_(row_end),
        diagnostics_(diagnostics),
        before_(diagnostics.error_count()) {}

  std::unique_ptr<Source> read() {
    for (int line = 1; line <= static_cast<int>(file_->line_starts.size()) && !hopeless(); ++line) {
      std::string_view text = file_->line(line);
      text = text.substr(0, text.find('#'));
      read_line(line, text);
      end_row(line);
    }
    if (diagnostics_.error_count() > before_) return nullptr;
    return std::make_unique<HeldMatrix>(Shape{rows_, columns_}, std::move(values_));
  }

 private:
  // A file of something else has a fault a word; a few are enough.
  bool hopeless() const { return diagnostics_.error_count() >= before_ + 5; }

  void read_line(int line, std::string_view text) {
    constexpr std::string_view kBetween = ", \t;|";
    for (std::size_t at = 0; at < text.size() && !hopeless();) {
      if (text[at] == row_end_) end_row(line);
      if (kBetween.find(text[at]) != kBetween.npos) {
        ++at;
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
      number(line, static_cast<int>(at), text.substr(at, end - at));
      at = end;
    }
  }

  void number(int line, int at, std::string_view word) {
    Typed typed;
    std::string fault;
    if (!read_decimal(word, typed, fault))
      diagnostics_.error({file_, line, at + 1, static_cast<int>(word.size())}, fault);
    values_.push_back(typed.nearest);
    ++in_row_;
  }

  void end_row(int line) {
    if (in_row_ == 0) return;
    if (rows_ > 0 && in_row_ != columns_)
      diagnostics_
          .error({file_, line, 1, 1},
                 fmt::format("this row has {} values, and the first has {}", in_row_, columns_))
          .help("all rows are of one length");
    if (rows_ == 0) columns_ = in_row_;
    ++rows_;
    in_row_ = 0;
  }

  const SourceFile* file_;
  char row_end_;
  Diagnostics& diagnostics_;
  std::size_t before_;
  std::vector<double> values_;
  std::uint64_t rows_ = 0, columns_ = 0, in_row_ = 0;
};

}  // namespace

std::unique_ptr<Source> tensor_of_text(Workspace& work, const std::string& name,
                                       const std::string& text, Diagnostics& diagnostics) {
  return Rows(work.sources().add(name, text), ';', diagnostics).read();
}

std::unique_ptr<Source> open_tensor(Workspace& work, const std::string& file,
                                    Diagnostics& diagnostics) {
  if (is_npy(file) || file.ends_with(".npy")) {
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return open_npy(file, diagnostics);
    diagnostics.error({}, fmt::format("{} can't be read", file));
    return nullptr;
  }
  std::error_code error;
  if (std::filesystem::is_character_file(file, error) && file != "/dev/stdin") {
    diagnostics.error({}, fmt::format("{} can't be read: it is a device", file))
        .help("give a .npy or CSV file of numbers");
    return nullptr;
  }
  std::string text;
  if (!read_file(file, text)) {
    diagnostics.error({}, fmt::format("{} can't be read", file))
        .help("give a .npy or CSV file of numbers");
    return nullptr;
  }
  return Rows(work.sources().add(file, std::move(text)), '\n', diagnostics).read();
}

}  // namespace reckon
