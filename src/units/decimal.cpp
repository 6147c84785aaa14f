#include "decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace reckon {
namespace {

constexpr int kFarExponent = 100000;  // beyond every double, far from overflow of int

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void strip_zeros(Decimal& d) {
  d.digits.erase(0, std::min(d.digits.find_first_not_of('0'), d.digits.size()));
  const std::size_t used = d.digits.find_last_not_of('0') + 1;  // npos + 1 is 0
  d.exponent += static_cast<int>(d.digits.size() - used);
  d.digits.resize(used);
  if (d.digits.empty()) d.exponent = 0;
}

// Digits and `_` between digits. Returns how many digits were added.
int take_digits(std::string_view& text, std::string& out) {
  const std::size_t before = out.size();
  while (!text.empty()) {
    const bool gap = text[0] == '_' && out.size() > before && text.size() > 1 && is_digit(text[1]);
    if (!gap && !is_digit(text[0])) break;
    if (!gap) out += text[0];
    text.remove_prefix(1);
  }
  return static_cast<int>(out.size() - before);
}

// "e24", "E-3"; "EFLOP" and "e" alone are not exponents.
int take_exponent(std::string_view& text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  std::string_view rest = text.substr(1);
  const bool minus = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  if (rest.empty() || !is_digit(rest[0])) return 0;
  int value = 0;
  for (; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1)) {
    value = std::min(kFarExponent, value * 10 + (rest[0] - '0'));
  }
  text = rest;
  return minus ? -value : value;
}

}  // namespace

std::optional<Decimal> read_decimal(std::string_view& text) {
  std::string_view rest = text;
  Decimal d;
  int taken = take_digits(rest, d.digits);
  if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    const int fraction = take_digits(rest, d.digits);
    d.exponent -= fraction;
    taken += fraction;
  }
  if (taken == 0) return std::nullopt;
  d.exponent += take_exponent(rest);
  strip_zeros(d);
  text = rest;
  return d;
}

Decimal times(Decimal d, std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::size_t i = d.digits.size(); i-- > 0;) {
    carry += static_cast<std::uint64_t>(d.digits[i] - '0') * factor;
    d.digits[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) d.digits.insert(0, std::to_string(carry));
  strip_zeros(d);
  return d;
}

Decimal divided(Decimal d, std::uint32_t divisor) {
  constexpr std::size_t kDigits = 40;
  Decimal out{{}, d.exponent};
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < d.digits.size() || (rest != 0 && out.digits.size() < kDigits); ++i) {
    if (i >= d.digits.size()) --out.exponent;
    rest = rest * 10 + static_cast<std::uint64_t>(i < d.digits.size() ? d.digits[i] - '0' : 0);
    const auto digit = static_cast<int>(rest / divisor);
    if (digit != 0 || !out.digits.empty()) out.digits += static_cast<char>('0' + digit);
    rest %= divisor;
  }
  if (rest != 0) {  // what was cut off decides a tie, however small it is
    out.digits += '1';
    --out.exponent;
  }
  strip_zeros(out);
  return out;
}

bool is_whole(const Decimal& d) { return d.exponent >= 0; }

std::optional<double> nearest(const Decimal& d) {
  if (d.is_zero()) return 0.0;
  const std::string text = fmt::format("{}e{}", d.digits, d.exponent);
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || out == 0 || !std::isfinite(out)) return std::nullopt;
  return out;
}

Decimal digits_of(double v, int count) {
  const double size = std::abs(v);
  std::string text = count > 0 ? fmt::format("{:.{}e}", size, count - 1)
                               : fmt::format("{}", size);  // the shortest that reads back
  std::string_view rest = text;
  return *read_decimal(rest);
}

int magnitude(const Decimal& d) {
  return d.is_zero() ? 0 : d.exponent + static_cast<int>(d.digits.size()) - 1;
}

std::string plain_text(const Decimal& d) {
  if (d.is_zero()) return "0";
  const int whole = magnitude(d) + 1;  // digits before the point
  if (whole <= 0) return "0." + std::string(static_cast<std::size_t>(-whole), '0') + d.digits;
  const auto point = static_cast<std::size_t>(whole);
  if (point >= d.digits.size()) return d.digits + std::string(point - d.digits.size(), '0');
  return d.digits.substr(0, point) + "." + d.digits.substr(point);
}

std::string short_text(const Decimal& d) {
  if (d.is_zero()) return "0";
  const int power = magnitude(d);
  if (std::abs(power) < 40) {
    const std::string plain = plain_text(d);
    if (plain.size() <= d.digits.size() + 4) return plain;
  }
  std::string mantissa = d.digits.substr(0, 1);
  if (d.digits.size() > 1) mantissa += "." + d.digits.substr(1);
  return fmt::format("{}e{}", mantissa, power);
}

}  // namespace reckon
