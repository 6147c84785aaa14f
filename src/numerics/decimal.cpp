#include "reckon/numerics/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_odd(double x) { return (std::bit_cast<std::uint64_t>(x) & 1) != 0; }

// Digits and a power of ten, compared as numbers are: 0.12 = {12, -2}.
struct Digits {
  std::string digits;  // no zeros at either end
  long exponent = 0;   // of the digit after the last
};

Digits digits_of(std::string_view text) {
  Digits out;
  bool point = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      point = true;
    } else {
      out.digits += text[i];
      if (point) --out.exponent;
    }
  }
  if (i < text.size()) {
    const long long e = std::strtoll(std::string(text.substr(i + 1)).c_str(), nullptr, 10);
    out.exponent += static_cast<long>(std::clamp(e, -1'000'000LL, 1'000'000LL));
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  while (!out.digits.empty() && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  return out;
}

// -1, 0, 1 as the typed magnitude is below, at or above the double.
int compare(const Digits& typed, double magnitude) {
  if (std::isinf(magnitude)) return -1;
  char exact[1100];  // a double has at most 767 digits
  const int length = std::snprintf(exact, sizeof exact, "%.800e", magnitude);
  const Digits held = digits_of(std::string_view(exact, static_cast<std::size_t>(length)));
  if (typed.digits.empty() || held.digits.empty())
    return static_cast<int>(!typed.digits.empty()) - static_cast<int>(!held.digits.empty());
  const long typed_top = static_cast<long>(typed.digits.size()) + typed.exponent;
  const long held_top = static_cast<long>(held.digits.size()) + held.exponent;
  if (typed_top != held_top) return typed_top < held_top ? -1 : 1;
  return typed.digits.compare(held.digits) < 0 ? -1 : typed.digits != held.digits;
}

bool is_decimal(std::string_view text) {
  std::size_t digits = 0, i = 0;
  const auto run = [&] {
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) ++digits;
  };
  run();
  if (i < text.size() && text[i] == '.') ++i;
  run();
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    digits = 0;
    run();
    if (digits == 0) return false;
  }
  return i == text.size();
}

bool read_power(std::string_view text, double& out) {
  if (!text.starts_with("2^")) return false;
  text.remove_prefix(2);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (exponent < -1074 || exponent > 1023) return false;
  out = std::ldexp(1.0, exponent);
  return true;
}

bool read_hex(std::string_view text, double& out) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
  text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out, std::chars_format::hex);
  return error == std::errc() && end == text.data() + text.size() && !text.starts_with("-");
}

void round_to_odd(const std::string& typed, Typed& out) {
  const int side = compare(digits_of(typed), out.nearest);
  out.exact = side == 0;
  out.to_round = out.nearest;
  if (out.exact || is_odd(out.nearest)) return;
  if (std::isinf(out.nearest))
    out.to_round = std::numeric_limits<double>::max();  // its last bit is 1
  else
    out.to_round = std::nextafter(out.nearest, side < 0 ? -kInfinity : kInfinity);
}

}  // namespace

bool read_decimal(std::string_view word, Typed& out, std::string& fault) {
  out = {};
  std::string_view text = word;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string small = lowered(text);
  std::string digits(text);
  std::erase(digits, '_');
  if (small == "inf" || small == "infinity") {
    out.nearest = out.to_round = kInfinity;
  } else if (small == "nan") {
    out.nearest = out.to_round = std::numeric_limits<double>::quiet_NaN();
  } else if (read_power(text, out.nearest) || read_hex(text, out.nearest)) {
    out.to_round = out.nearest;
  } else if (is_decimal(digits) && !text.starts_with('_') && !text.ends_with('_')) {
    out.nearest = std::strtod(digits.c_str(), nullptr);
    round_to_odd(digits, out);
  } else {
    fault = text.find(',') != text.npos && is_decimal(std::string(1, text.front()))
                ? fmt::format("'{}' may be one number or several: write 70000 or 70_000", word)
                : fmt::format("'{}' is no number", word);
    return false;
  }
  if (negative) {
    out.nearest = -out.nearest;
    out.to_round = -out.to_round;
  }
  return true;
}

double add_to_round(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_seen = sum - a, a_seen = sum - b_seen;
  const double error = (a - a_seen) + (b - b_seen);  // exact: Knuth's two-sum
  if (error == 0 || is_odd(sum)) return sum;
  return std::nextafter(sum, error < 0 ? -kInfinity : kInfinity);
}

}  // namespace reckon
