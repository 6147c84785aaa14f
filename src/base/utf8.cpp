#include "reckon/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace reckon {
namespace {

// How many bytes a character that begins with `lead` takes; 0 if none can begin so.
std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation byte, or an overlong form of ASCII
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

bool is_encodable(char32_t value, std::size_t bytes) {
  if (bytes == 3) return value >= 0x800 && !(value >= 0xD800 && value <= 0xDFFF);
  if (bytes == 4) return value >= 0x10000 && value <= 0x10FFFF;
  return true;
}

using Range = std::pair<char32_t, char32_t>;

template <std::size_t N>
bool within(char32_t c, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](Range r) { return c >= r.first && c <= r.second; });
}

// The blocks of Unicode that matter on a terminal; not the whole of UAX #11.
constexpr std::array kCombining{
    Range{0x300, 0x36F},   Range{0x483, 0x489},   Range{0x591, 0x5BD},   Range{0x610, 0x61A},
    Range{0x64B, 0x65F},   Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}};
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

constexpr std::array kInvisible{Range{0xA0, 0xA0},     Range{0xAD, 0xAD},     Range{0x2000, 0x200F},
                                Range{0x2028, 0x202F}, Range{0x205F, 0x206F}, Range{0x3000, 0x3000},
                                Range{0xFEFF, 0xFEFF}};

}  // namespace

bool Character::is_control() const {
  return valid && (value < 0x20 || (value >= 0x7F && value < 0xA0));
}

bool Character::is_invisible() const { return valid && within(value, kInvisible); }

int Character::width() const {
  if (!valid || value < 0x300) return 1;
  if (within(value, kCombining)) return 0;
  return within(value, kWide) ? 2 : 1;
}

Character character_at(std::string_view text, std::size_t byte) {
  const auto lead = static_cast<unsigned char>(text[byte]);
  const Character stray{lead, 1, false};
  const std::size_t bytes = length_by_lead(lead);
  if (bytes == 1) return {lead, 1, true};
  if (bytes == 0 || byte + bytes > text.size()) return stray;
  char32_t value = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[byte + i]);
    if ((next & 0xC0u) != 0x80) return stray;
    value = (value << 6) | (next & 0x3Fu);
  }
  return is_encodable(value, bytes) ? Character{value, bytes, true} : stray;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += character_at(text, at).bytes;
  return count;
}

std::size_t byte_of_character(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += character_at(text, at).bytes;
  return at;
}

std::string to_utf8(char32_t value) {
  const auto continuation = [value](int shift) {
    return static_cast<char>(0x80 | ((value >> shift) & 0x3F));
  };
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) return {static_cast<char>(0xC0 | (value >> 6)), continuation(0)};
  if (value < 0x10000)
    return {static_cast<char>(0xE0 | (value >> 12)), continuation(6), continuation(0)};
  return {static_cast<char>(0xF0 | (value >> 18)), continuation(12), continuation(6),
          continuation(0)};
}

std::string shortened(std::string_view text, std::size_t most) {
  if (byte_of_character(text, most) == text.size()) return std::string(text);
  return std::string(text.substr(0, byte_of_character(text, most - 1))) + "…";
}

}  // namespace reckon
