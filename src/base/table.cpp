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
  return replace_all(replace_all(cell, "|", "\\|"), "\n", "<br>");
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
