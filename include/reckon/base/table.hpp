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
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells);  // a short row is filled with empty cells
  bool empty() const { return rows_.empty(); }

  // With the cells of one column wrapped, onto lines of their own, so that text() keeps within the width.
  Table fitted(std::size_t width, std::size_t column) const;

  std::string text(std::string_view indent = "") const;  // no title line if all titles are empty
  std::string markdown() const;                          // GitHub's tables; | is escaped
  std::string json() const;                              // [{"title": "cell", …}, …]
  std::string csv() const;                               // RFC 4180 quoting, lines end in "\n"

 private:
  bool has_titles() const;
  std::vector<std::string> titles() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reckon
