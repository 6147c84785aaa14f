// A report as sections: a title, a table, notes under it. One list of sections gives text and Markdown.
//
//   Memory per GPU                                 ## Memory per GPU
//     weights    2.008 GB  2.5 %                   | part | size | share |
//     …                                            …
//     Training state 16.06 GB: 2 B/param here.     Training state 16.06 GB: 2 B/param here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/base/table.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

struct Section {
  std::string title = {};  // may be empty
  Table table{{}};
  std::vector<std::string> notes = {};     // a paragraph each, wrapped to the width
  std::vector<std::string> warnings = {};  // after them, each marked as one

  bool empty() const { return table.empty() && notes.empty() && warnings.empty(); }
};

// A table to be read at a terminal of that width: narrowed if it must be, with a line that says what was left out.
std::string table_text(const Table& table, const TextStyle& style, std::string_view indent = "");

// Notes stand under their title, or at the margin if there is none, warnings always there. Empty sections are left out;
// an empty line stands between two.
std::string sections_text(const std::vector<Section>& sections, const TextStyle& style);
// What is said is text (markdown_text): names and notes come from files, and say nothing of how a page looks.
std::string sections_markdown(const std::vector<Section>& sections);

}  // namespace reckon
