// What the YAML parser objects to, in words that say what is wrong on the line and what to write.
#pragma once

#include <cstddef>
#include <string_view>

#include "syntax_fault.hpp"

namespace reckon::doc {

// The parser's message and where it stood; `text` has no byte order mark.
SyntaxFault explain_syntax(std::string_view text, std::string_view parser_message, std::size_t at);

// Text after the document whose first value began at `root`.
SyntaxFault explain_second_document(std::string_view text, std::size_t root, std::size_t at);

}  // namespace reckon::doc
