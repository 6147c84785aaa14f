// A fault of syntax, in bytes of the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reckon::doc {

inline constexpr std::size_t kNowhere = std::string_view::npos;

struct SyntaxFault {
  std::size_t at = 0, length = 1;
  std::string message;
  std::string help = {};
  std::size_t note_at = kNowhere;
  std::string note = {};
};

}  // namespace reckon::doc
