// What is written in a YAML text around a byte: how far a scalar reaches, which brackets and quotes
// are open. The parser knows where values begin and not where they end; and when it gives up, it
// stands at the end of the file rather than at the quote that was never closed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "syntax_fault.hpp"

namespace reckon::doc {

// The byte after the quote that closes the one at `open`, or kNowhere.
std::size_t end_of_quoted(std::string_view text, std::size_t open);

// Skips `&anchor` and `!tag` before a value; `tag` is where a tag is written, or kNowhere.
struct Properties {
  std::size_t content, tag = kNowhere;
};
Properties skip_properties(std::string_view text, std::size_t at);

// The end of the scalar that begins at `at` and means `value`: of what is on its first line, if it
// has several. kNowhere if it is quoted and never closed.
std::size_t end_of_scalar(std::string_view text, std::size_t at, std::string_view value);

// What is open at a place, as far as can be said without parsing: for messages.
struct OpenAt {
  std::vector<std::size_t> brackets;  // of [ and {, outermost first
  std::size_t quote = kNowhere;       // of a quoted text that reaches past the place
  std::size_t last_quote = kNowhere;  // of the last quoted text that ends before it
};
OpenAt open_at(std::string_view text, std::size_t to);

}  // namespace reckon::doc
