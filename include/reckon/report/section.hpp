// A report as sections: a title, a table, notes under it. One list of sections gives text and Markdown.
//
//   Memory per GPU                                 ## Memory per GPU
//     weights    2.008 GB  2.5 %                   | part | size | share |
//     …                                            …
//     Training state 16.06 GB: 2 B/param here.     Training state 16.06 GB: 2 B/param here.
#pragma once

#include <string>
#include <vector>

#include "reckon/base/table.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

struct Section {
  std::string title = {};  // may be empty
  Table table{{}};
  std::vector<std::string> notes = {};  // a paragraph each, wrapped to the width

  bool empty() const { return table.empty() && notes.empty(); }
};

// Notes stand under their title, or at the margin if there is none. Empty sections are left out; an
// empty line stands between two.
std::string sections_text(const std::vector<Section>& sections, const TextStyle& style);
std::string sections_markdown(const std::vector<Section>& sections);

}  // namespace reckon
