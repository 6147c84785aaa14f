#include "reckon/base/table.hpp"

#include <algorithm>
#include <stdexcept>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr std::string_view kGap = "  ";

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return '"' + replace_all(cell, "\"", "\"\"") + '"';
}

std::string markdown_cell(const std::string& cell) {
  return replace_all(replace_all(markdown_text(cell), "|", "\\|"), "\n", "<br>");
}

}  // namespace

void Table::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size())
    throw std::logic_error("a table's row has more cells than it has columns");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

bool Table::has_titles() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& c) { return !c.title.empty(); });
}

std::vector<std::string> Table::titles() const {
  std::vector<std::string> out;
  for (const Column& c : columns_) out.push_back(c.title);
  return out;
}

std::size_t Table::widest(std::size_t column) const {
  std::size_t out = reckon::columns(columns_[column].title);
  for (const auto& row : rows_) out = std::max(out, reckon::columns(row[column]));
  return out;
}

std::size_t Table::natural_width() const {
  std::size_t out = columns_.empty() ? 0 : kGap.size() * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) out += widest(i);
  return out;
}

namespace {
constexpr std::size_t kReadable = 24;  // columns of wrapped text
}

// The column whose text is worth wrapping; as many as there are columns if there is none.
std::size_t Table::longest_text() const {
  std::size_t out = columns_.size();
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].align == Align::kLeft && widest(i) > kReadable &&
        (out == columns_.size() || widest(i) > widest(out)))
      out = i;
  return out;
}

Table Table::wrapped(std::size_t width) const {
  Table out = *this;
  for (std::size_t i = out.longest_text(); i < columns_.size() && out.natural_width() > width;) {
    const std::size_t before = out.natural_width(), excess = before - width;
    const std::size_t room = std::max(kReadable, out.widest(i) - std::min(out.widest(i), excess));
    out = out.fitted(before - out.widest(i) + room, i);
    if (out.natural_width() >= before) break;  // a word as wide as that
    i = out.longest_text();
  }
  return out;
}

bool Table::says_the_same(std::size_t column) const {
  return rows_.size() > 1 && std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) {
           return row[column] == rows_[0][column];
         });
}

std::size_t Table::least_important() const {
  for (std::size_t i = columns_.size(); i-- > 1;)
    if (!columns_[i].keep && says_the_same(i)) return i;
  for (std::size_t i = columns_.size(); i-- > 1;)
    if (!columns_[i].keep) return i;
  return 0;
}

void Table::drop(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  columns_.erase(columns_.begin() + at);
  for (auto& row : rows_) row.erase(row.begin() + at);
  std::erase_if(rows_, [](const auto& row) {  // lines that a wrapped cell of it had made
    return std::all_of(row.begin(), row.end(), [](const std::string& c) { return c.empty(); });
  });
}

Table Table::narrowed(std::size_t width, std::vector<std::string>& left_out) const {
  Table out = *this;
  for (;;) {
    Table fits = out.wrapped(width);
    const std::size_t column = out.least_important();
    if (fits.natural_width() <= width || out.columns_.size() <= 2 || !has_titles() || column == 0)
      return fits;
    std::string title = out.columns_[column].title;
    if (title.empty()) title = "what stands beside " + out.columns_[column - 1].title;
    if (out.says_the_same(column))
      title += " (" + (out.rows_[0][column].empty() ? "none" : out.rows_[0][column]) + " in all)";
    left_out.insert(left_out.begin(), std::move(title));
    out.drop(column);
  }
}

Table Table::fitted(std::size_t width, std::size_t column) const {
  constexpr std::size_t kNarrowest = 16;
  std::size_t others = kGap.size() * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = i == column ? 0 : reckon::columns(columns_[i].title);
    for (const auto& row : rows_) {
      if (i != column) widest = std::max(widest, reckon::columns(row[i]));
    }
    others += widest;
  }
  const std::size_t room = std::max(width, others + kNarrowest) - others;
  Table out(columns_);
  for (const auto& row : rows_) {
    const std::string cell = wrap(row[column], room);
    for (std::size_t from = 0, end = 0; end != std::string::npos; from = end + 1) {
      end = cell.find('\n', from);
      std::vector<std::string> cells = from == 0 ? row : std::vector<std::string>(columns_.size());
      cells[column] = cell.substr(from, end - from);
      out.row(std::move(cells));
    }
  }
  return out;
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::vector<std::string>> lines = rows_;
  if (has_titles()) lines.insert(lines.begin(), titles());
  std::vector<std::size_t> widths(columns_.size());
  for (auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] = replace_all(std::move(line[i]), "\n", " ");
      widths[i] = std::max(widths[i], reckon::columns(line[i]));
    }
  }
  std::string out;
  for (const auto& cells : lines) {
    std::string line(indent);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += kGap;
      const bool right = columns_[i].align == Align::kRight;
      line += right ? pad_left(cells[i], widths[i]) : pad_right(cells[i], widths[i]);
    }
    trim_end(line);
    out += line + '\n';
  }
  return out;
}

std::string Table::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += ' ' + markdown_cell(cell) + " |";
    return out + '\n';
  };
  std::string out = line(titles()) + "|";
  for (const Column& c : columns_) out += c.align == Align::kRight ? " ---: |" : " --- |";
  out += '\n';
  for (const auto& row : rows_) out += line(row);
  return out;
}

std::string Table::json() const {
  std::string out = "[";
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out += r ? ",\n {" : "\n {";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      out += (i ? ", " : "") + json_quoted(columns_[i].title) + ": " + json_quoted(rows_[r][i]);
    }
    out += "}";
  }
  return out + (rows_.empty() ? "]\n" : "\n]\n");
}

std::string Table::csv() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::vector<std::string> quoted;
    for (const std::string& cell : cells) quoted.push_back(csv_cell(cell));
    return join(quoted, ",") + '\n';
  };
  std::string out = has_titles() ? line(titles()) : "";
  for (const auto& row : rows_) out += line(row);
  return out;
}

}  // namespace reckon
