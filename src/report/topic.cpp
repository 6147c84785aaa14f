#include "reckon/report/topic.hpp"

#include <algorithm>

#include "paint.hpp"
#include "reckon/base/table.hpp"
#include "reckon/base/text.hpp"

namespace reckon {

std::string topic_text(const TopicPage& page, const TextStyle& style) {
  const std::size_t width = style.usable_width();
  const Paint paint{style.colour};
  std::size_t key = 0;
  for (const std::string& c : page.columns) key = std::max(key, columns(c));
  const std::string hang(key + 4, ' ');
  std::string out = paint.bold(page.title) + '\n';
  for (const std::string& line : page.intro) out += "  " + wrap(line, width - 2, "  ") + '\n';
  for (const TopicPage::Row& row : page.rows) {
    out += '\n' + paint.bold(row.name) + (row.marked ? " ◂ the plan's own" : "") + '\n';
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].empty()) continue;
      out += "  " + pad_right(page.columns[i], key) + "  " +
             wrap(row.cells[i], width - key - 4, hang) + '\n';
    }
  }
  for (const std::string& note : page.notes) out += '\n' + wrap(note, width) + '\n';
  return out;
}

std::string topic_markdown(const TopicPage& page) {
  std::string out = "# " + markdown_text(page.title) + '\n';
  for (const std::string& line : page.intro) out += '\n' + markdown_text(line) + '\n';
  std::vector<Table::Column> heads{{page.corner}};
  for (const std::string& c : page.columns) heads.push_back({c});
  Table table(heads);
  for (const TopicPage::Row& row : page.rows) {
    std::vector<std::string> cells{row.marked ? row.name + " ◂ the plan's own" : row.name};
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    table.row(std::move(cells));
  }
  out += '\n' + table.markdown();
  for (const std::string& note : page.notes) out += '\n' + markdown_text(note) + '\n';
  return out;
}

}  // namespace reckon
