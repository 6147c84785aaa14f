// What is wrong where a JSON parser gave up, and what to write.
#pragma once

#include <cstddef>
#include <string_view>

#include "syntax_fault.hpp"

namespace reckon::doc {

// What the parser had read last.
enum class JsonState { kStart, kOpened, kKey, kValue, kEnd };

// `at` is the byte after what was read; `bracket` the innermost open one, or kNowhere.
SyntaxFault explain_json(std::string_view text, std::size_t at, JsonState state,
                         std::size_t bracket);

}  // namespace reckon::doc
