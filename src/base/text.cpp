#include "reckon/base/text.hpp"

#include <algorithm>

#include "reckon/base/utf8.hpp"

namespace reckon {

std::size_t columns(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    width += static_cast<std::size_t>(c.width());
    at += c.bytes;
  }
  return width;
}

int column_of(std::string_view line, std::size_t byte) {
  return 1 + static_cast<int>(character_count(line.substr(0, std::min(byte, line.size()))));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

namespace {

// One paragraph (no line ends in it), appended to `out`, whose last line already holds `used`
// columns of indentation.
void wrap_paragraph(std::string_view text, std::size_t width, std::string_view indent,
                    std::size_t used, std::string& out) {
  bool first_on_line = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (!first_on_line && used + 1 + columns(word) > width) {
      out += '\n';
      out += indent;
      used = columns(indent);
      first_on_line = true;
    }
    if (!first_on_line) out += ' ';
    used += columns(word) + (first_on_line ? 0 : 1);
    out += word;
    first_on_line = false;
  }
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  for (bool first = true;; first = false) {
    const std::string_view paragraph = text.substr(0, text.find('\n'));
    if (!first && !paragraph.empty()) out += indent;
    wrap_paragraph(paragraph, width, indent, first ? 0 : columns(indent), out);
    if (paragraph.size() == text.size()) return out;
    out += '\n';
    text.remove_prefix(paragraph.size() + 1);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (!c.valid || c.is_control() || c.is_invisible())
      out += "·";
    else
      out += text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

std::string json_quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";  // the replacement character
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value < 0x20) {
      out += "\\u00";
      out += kHex[c.value >> 4];
      out += kHex[c.value & 0xF];
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out + '"';
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

namespace {

bool is_letter(std::string_view text, std::size_t at) {
  const char c = at < text.size() ? text[at] : ' ';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// Or a digit, or a part of a character beyond ASCII.
bool is_word(std::string_view text, std::size_t at) {
  const char c = at < text.size() ? text[at] : ' ';
  return is_letter(text, at) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 0x7F;
}

// Whether Markdown may take the sign for its own: a < b, 2 * 3 and ring_factor read as they are written.
bool is_markup(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  const std::size_t before = at == 0 ? text.size() : at - 1;  // beyond the text: no word
  switch (text[at]) {
    case '\\':
    case '`':
    case '~':
      return true;
    case '*':
      return next != ' ' || (at > 0 && text[before] != ' ');
    case '_':
      return !is_word(text, before) || !is_word(text, at + 1);
    case '<':
      return is_letter(text, at + 1) || next == '/' || next == '!' || next == '?';
    case '&':
      return is_letter(text, at + 1) || next == '#';
    case ']':
      return next == '(' || next == '[' || next == ':';
    default:
      return false;
  }
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '`' ? text.find('`', at + 1) : text.npos;
    if (end != text.npos) {
      out += text.substr(at, end + 1 - at);
      at = end;
      continue;
    }
    if (is_markup(text, at)) out += '\\';
    out += text[at];
  }
  return out;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += separator;
    out += words[i];
  }
  return out;
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  if (words.size() < 2) return join(words, "");
  const std::vector<std::string> head(words.begin(), words.end() - 1);
  return join(head, ", ") + " " + std::string(last) + " " + words.back();
}

// On a mismatch only the latest `*` can help, by taking one character more: no recursion.
bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, taken_to = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken_to = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken_to;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace reckon
