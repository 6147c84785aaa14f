// A text table with aligned columns.
//
//   Table t({{"operation", Align::kLeft}, {"bytes", Align::kRight}});
//   t.row({"all-gather", "12.25 GB"});
//   t.text("  ")                       // every line indented by two spaces
//
// Widths count terminal columns. No line ends in spaces. A line end inside a cell becomes a space
// in text() and <br> in markdown().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    bool keep = false;  // a narrow table has it too
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells);  // a short row is filled with empty cells
  bool empty() const { return rows_.empty(); }

  // With the cells of one column wrapped, onto lines of their own, so that text() keeps within the width.
  Table fitted(std::size_t width, std::size_t column) const;

  // Within a width: long texts wrapped, then columns left out until it fits: first those that say the same in every
  // row, then from the right; the first one stays, and what is to be kept. `left_out`: their titles, "zero (1 in all)".
  // A table of two columns, or without titles, is only wrapped.
  Table narrowed(std::size_t width, std::vector<std::string>& left_out) const;

  std::string text(std::string_view indent = "") const;  // no title line if all titles are empty
  std::string markdown() const;  // GitHub's tables; cells are text, not markup
  std::string json() const;      // [{"title": "cell", …}, …]
  std::string csv() const;       // RFC 4180 quoting, lines end in "\n"

 private:
  bool has_titles() const;
  std::vector<std::string> titles() const;
  std::size_t widest(std::size_t column) const;
  std::size_t natural_width() const;
  std::size_t longest_text() const;
  Table wrapped(std::size_t width) const;
  bool says_the_same(std::size_t column) const;
  std::size_t least_important() const;
  void drop(std::size_t column);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reckon
