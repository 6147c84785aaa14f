// What the YAML parser objects to, in words that say what is wrong on the line and what to write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "yaml_scan.hpp"

namespace reckon::doc {

struct SyntaxFault {
  std::size_t at = 0, length = 1;  // bytes of the text
  std::string message;
  std::string help = {};
  std::size_t note_at = kNowhere;
  std::string note = {};
};

// The parser's message and where it stood; `text` has no byte order mark.
SyntaxFault explain_syntax(std::string_view text, std::string_view parser_message, std::size_t at);

// Text after the document whose first value began at `root`.
SyntaxFault explain_second_document(std::string_view text, std::size_t root, std::size_t at);

}  // namespace reckon::doc
