// Text in columns: UTF-8 width, padding, wrapping, joining.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon {

// Columns a UTF-8 text takes on a terminal: combining marks none, East Asian wide ones two.
std::size_t columns(std::string_view text);

// Byte offset -> 1-based column of that byte in its line, counting characters.
int column_of(std::string_view line, std::size_t byte);

std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// Breaks at spaces so that no line exceeds `width` columns where words allow; lines after the first
// begin with `indent`, which counts. Line ends of the text stay.
std::string wrap(std::string_view text, std::size_t width, std::string_view indent = "");

// Control, invisible and malformed characters (a tab, a no-break space, a stray byte) as ·.
std::string printable(std::string_view text);

// As a JSON string, quotes included; control characters escaped, malformed bytes replaced.
std::string json_quoted(std::string_view text);

// Without spaces at either end.
std::string trimmed(std::string_view text);

// A to Z as small letters; every other character as it is.
std::string lowered(std::string_view text);

// As running text of a Markdown document: signs that would be markup there, such as *, ` and <b>, stand for themselves.
// What is set between two backticks stays code.
std::string markdown_text(std::string_view text);

std::string join(const std::vector<std::string>& words, std::string_view separator);

// "a, b and c"
std::string listed(const std::vector<std::string>& words, std::string_view last = "and");

// `*` stands for any run of characters.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace reckon
