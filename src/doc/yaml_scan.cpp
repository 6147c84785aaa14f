#include "yaml_scan.hpp"

#include <algorithm>

namespace reckon::doc {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }
bool is_space_at(std::string_view text, std::size_t at) {
  return at >= text.size() || is_space(text[at]);
}

bool is_flow_mark(char c) { return std::string_view(",[]{}").find(c) != kNowhere; }

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::size_t skip_spaces_and_comments(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_space(text[at]) || text[at] == '#'))
    at = text[at] == '#' ? end_of_line(text, at) : at + 1;
  return at;
}

std::size_t indentation(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at);
  const std::size_t start = before == kNowhere ? 0 : before + 1;
  return std::min(text.find_first_not_of(' ', start), text.size()) - start;
}

// From the | or > of a block text to the end of its last line.
std::size_t end_of_block_text(std::string_view text, std::size_t at) {
  const std::size_t outer = indentation(text, at);
  for (at = end_of_line(text, at); at < text.size(); at = end_of_line(text, at + 1)) {
    const std::size_t next = std::min(text.find_first_not_of(" \r\n", at), text.size());
    if (next < text.size() && indentation(text, next) <= outer) break;
  }
  return at;
}

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t open) {
  const char quote = text[open];
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      const bool doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
      if (!doubled) return at + 1;
      ++at;
    }
  }
  return kNowhere;
}

Properties skip_properties(std::string_view text, std::size_t at) {
  Properties p{at};
  while (p.content < text.size() && (text[p.content] == '&' || text[p.content] == '!')) {
    if (text[p.content] == '!') p.tag = p.content;
    while (!is_space_at(text, p.content) && !is_flow_mark(text[p.content])) ++p.content;
    p.content = skip_spaces_and_comments(text, p.content);
  }
  return p;
}

std::size_t end_of_scalar(std::string_view text, std::size_t at, std::string_view value) {
  const char first = at < text.size() ? text[at] : ' ';
  if (first == '|' || first == '>') return at + 1;
  if (first == '"' || first == '\'') return end_of_quoted(text, at);
  if (text.substr(at, value.size()) == value) return at + value.size();
  std::size_t end = end_of_line(text, at);
  while (end > at && is_space(text[end - 1])) --end;
  return end;
}

// A bracket or a quote counts where a value can begin, and a bracket anywhere between brackets.
OpenAt open_at(std::string_view text, std::size_t to) {
  OpenAt open;
  bool value_begins = true;
  for (std::size_t at = 0; at < std::min(to, text.size()); ++at) {
    const char c = text[at];
    const bool in_brackets = !open.brackets.empty();
    if (c == '#' && (at == 0 || is_space(text[at - 1]))) {
      at = end_of_line(text, at) - 1;
    } else if (value_begins && (c == '"' || c == '\'')) {
      const std::size_t end = end_of_quoted(text, at);
      if (end == kNowhere || end > to) {
        open.quote = at;
        return open;
      }
      open.last_quote = at;
      at = end - 1;
      value_begins = false;
    } else if (value_begins && !in_brackets && (c == '|' || c == '>')) {
      at = end_of_block_text(text, at) - 1;
    } else if ((c == '[' || c == '{') && (value_begins || in_brackets)) {
      open.brackets.push_back(at);
      value_begins = true;
    } else if ((c == ']' || c == '}') && in_brackets) {
      open.brackets.pop_back();
      value_begins = false;
    } else if (c == '\n' || (c == ',' && in_brackets)) {
      value_begins = true;
    } else if (c == ':' && (is_space_at(text, at + 1) || in_brackets)) {
      value_begins = true;
    } else if (!is_space(c) && !((c == '-' || c == '?') && is_space_at(text, at + 1))) {
      value_begins = false;
    }
  }
  return open;
}

}  // namespace reckon::doc
