// UTF-8 text one character at a time, without trusting it.
//
//   for (std::size_t at = 0; at < text.size();) {
//     const Character c = character_at(text, at);     // c.valid is false for a stray byte
//     at += c.bytes;
//   }
//
// Overlong forms, surrogates and values past U+10FFFF are not valid; a byte that begins no valid
// character stands for itself, so every text has a definite number of characters.
#pragma once

#include <string>
#include <string_view>

namespace reckon {

struct Character {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = true;

  bool is_control() const;    // C0 (tab and line ends too), DEL, C1
  bool is_invisible() const;  // no-break and zero-width spaces, marks of text direction
  int width() const;          // columns on a terminal: 0 combining, 2 East Asian wide and emoji, 1
};

Character character_at(std::string_view text, std::size_t byte);

// Characters in a text, and the byte at which character `index` (from 0) begins.
std::size_t character_count(std::string_view text);
std::size_t byte_of_character(std::string_view text, std::size_t index);

std::string to_utf8(char32_t value);

// At most `most` characters, the last then being …: for quoting what somebody wrote.
std::string shortened(std::string_view text, std::size_t most = 60);

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace reckon
