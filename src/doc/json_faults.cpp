#include "json_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reckon/base/utf8.hpp"

namespace reckon::doc {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlank, at), text.size());
}

char character(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

std::string_view word_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find_first_of(" \t\r\n,:[]{}\"", at), text.size()) - at);
}

bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != kNowhere; }

SyntaxFault unclosed(std::string_view text, std::size_t bracket) {
  if (bracket == kNowhere) return {text.size(), 1, "the file holds no value"};
  const char open = text[bracket];
  return {bracket, 1, fmt::format("this '{}' is never closed", open),
          fmt::format("add a '{}'", open == '[' ? ']' : '}')};
}

// The text that begins at a quote: a bad escape, a line end, or no end at all.
SyntaxFault bad_text(std::string_view text, std::size_t quote) {
  std::size_t at = quote + 1;
  for (; at < text.size() && !is_one_of(text[at], "\r\n\""); ++at) {
    if (text[at] == '\t') return {at, 1, "a tab inside a text", "write \\t"};
    if (text[at] != '\\') continue;
    const char escape = character(text, at + 1);
    const std::size_t length = escape == 'u' ? 6 : 1 + character_at(text, at + 1).bytes;
    const std::string_view written = text.substr(at, length);
    const bool hex = escape == 'u' && written.size() == 6 &&
                     written.find_first_not_of("0123456789abcdefABCDEF", 2) == kNowhere;
    const bool half = hex && is_one_of(written[2], "dD") && written[3] >= '8';
    if ((!is_one_of(escape, "\"\\/bfnrt") && !hex) || half)
      return {at, length, fmt::format("'{}' is no {}", written, half ? "character" : "escape"),
              half ? "" : "write \\\\ for a backslash"};
    ++at;
  }
  return {quote, at - quote, "this quote is never closed in its line",
          "end the text with \"; write a line end inside it as \\n"};
}

SyntaxFault bad_word(std::string_view text, std::size_t at) {
  const std::string_view word = word_at(text, at);
  const std::string shown = shortened(word);
  SyntaxFault f{at, std::max<std::size_t>(word.size(), 1), ""};
  if (text[at] == '\'') {
    f.message = "a text is written between double quotes";
  } else if (text[at] == '/' || text[at] == '#') {
    f.message = "JSON has no comments";
  } else if (is_one_of(text[at], "+-.0123456789")) {
    f.message = fmt::format("'{}' is no number that JSON can hold", shown);
    f.help = "a number is written 8, -0.5 or 1.5e-3";
  } else {
    f.message = fmt::format("'{}' is no value", shown);
    f.help = "JSON has true, false, null, numbers, and texts between double quotes";
  }
  return f;
}

SyntaxFault bad_value(std::string_view text, std::size_t at, std::size_t bracket) {
  if (at >= text.size()) return unclosed(text, bracket);
  if (text[at] == '"') return bad_text(text, at);
  if (is_one_of(text[at], ",:]}"))
    return {at, 1, fmt::format("a value is missing before this '{}'", text[at])};
  return bad_word(text, at);
}

SyntaxFault bad_key(std::string_view text, std::size_t at, std::size_t bracket) {
  if (at >= text.size()) return unclosed(text, bracket);
  if (text[at] == '"') return bad_text(text, at);
  if (text[at] == '/' || text[at] == '#') return bad_word(text, at);
  if (is_one_of(text[at], ",:]}[{"))
    return {at, 1, fmt::format("a key is missing before this '{}'", text[at])};
  const std::string_view word = word_at(text, at);
  std::string name(word);
  std::erase(name, '\'');
  return {at, word.size(), "a key is written between double quotes",
          fmt::format("write \"{}\"", shortened(name))};
}

SyntaxFault after_value(std::string_view text, std::size_t at, std::size_t bracket) {
  if (at >= text.size()) return unclosed(text, bracket);
  const bool list = text[bracket] == '[';
  const char close = list ? ']' : '}', found = text[at];
  if (found == ',') {
    const std::size_t next = skip_blanks(text, at + 1);
    if (is_one_of(character(text, next), "]}"))
      return {at, 1, fmt::format("a ',' with nothing between it and '{}'", text[next]),
              "leave it out"};
    return list ? bad_value(text, next, bracket) : bad_key(text, next, bracket);
  }
  if (found == '/' || found == '#') return bad_word(text, at);
  SyntaxFault f{at, 1, fmt::format("a ',' or '{}' is missing before here", close)};
  if (is_one_of(found, "]}"))
    f.message = fmt::format("'{}' where '{}' should close the '{}'", found, close, text[bracket]);
  f.note_at = bracket;
  f.note = fmt::format("the '{}' is here", text[bracket]);
  return f;
}

}  // namespace

SyntaxFault explain_json(std::string_view text, std::size_t at, JsonState state,
                         std::size_t bracket) {
  at = skip_blanks(text, at);
  switch (state) {
    case JsonState::kStart:
      return bad_value(text, at, bracket);
    case JsonState::kOpened:
      return text[bracket] == '[' ? bad_value(text, at, bracket) : bad_key(text, at, bracket);
    case JsonState::kKey:
      if (at >= text.size()) return unclosed(text, bracket);
      if (text[at] != ':') return {at, 1, "a ':' is missing before here", "write \"key\": value"};
      return bad_value(text, skip_blanks(text, at + 1), bracket);
    case JsonState::kValue:
      return after_value(text, at, bracket);
    case JsonState::kEnd:
      break;
  }
  return {at, 1, "text after the end of the document", "a file holds one document"};
}

}  // namespace reckon::doc
