// A text table with aligned columns.
//
//   Table t({{"operation", Align::kLeft}, {"bytes", Align::kRight}});
//   t.row({"all-gather", "12.25 GB"});
//   t.text("  ")                       // every line indented by two spaces
//
// Widths count characters. The last left-aligned column is not padded, so no line ends in spaces.
#pragma once

#include <string>
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
  void row(std::vector<std::string> cells);  // short rows are filled with empty cells
  bool empty() const { return rows_.empty(); }

  std::string text(std::string_view indent = "") const;  // no title line if all titles are empty
  std::string markdown() const;                          // | and : escaped as GitHub wants it
  std::string csv() const;                               // RFC 4180 quoting

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reckon
