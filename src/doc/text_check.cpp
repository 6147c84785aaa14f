#include "text_check.hpp"

#include <fmt/format.h>

#include "places.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon::doc {
namespace {

bool is_utf16(std::string_view text) {
  return text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF";
}

// Line ends are "\n" or "\r\n"; a lone carriage return would hide text in a terminal.
bool is_forbidden(std::string_view text, std::size_t at, const Character& c) {
  if (c.value == '\r') return text.substr(at, 2) != "\r\n";
  return c.value == 0x7F || (c.value < 0x20 && c.value != '\t' && c.value != '\n');
}

bool report(const SourceFile* file, std::size_t at, const Character& c, Diagnostics& diagnostics) {
  const auto code = static_cast<unsigned>(c.value);
  const Span place = Places(file).at(at);
  if (c.valid && c.value == '\r')
    diagnostics.error(place, "a carriage return without a line feed")
        .help("save the file with the line ends of Unix or Windows");
  else
    diagnostics
        .error(place, c.valid ? fmt::format("control character U+{:04X}", code)
                              : fmt::format("byte 0x{:02X} is not UTF-8", code))
        .help("save the file as plain text in UTF-8");
  return false;
}

}  // namespace

bool check_text(const SourceFile* file, Diagnostics& diagnostics) {
  const std::string_view text = Places(file).text();
  if (is_utf16(text)) {
    diagnostics.error({file, 0, 0}, "the file is UTF-16").help("save it as UTF-8");
    return false;
  }
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (!c.valid || is_forbidden(text, at, c)) return report(file, at, c, diagnostics);
    at += c.bytes;
  }
  return true;
}

}  // namespace reckon::doc
