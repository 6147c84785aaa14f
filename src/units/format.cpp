#include "reckon/units/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decimal.hpp"
#include "display.hpp"
#include "forms.hpp"

namespace reckon {
namespace {

using P = Display::Prefixes;

constexpr double kGroupedBelow = 1e8;

std::string with_commas(std::string digits) {
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

// |v| below 1e8 with its digits: whole numbers in full, others in `count` significant digits but
// never fewer than those before the point.
std::string everyday(double v, int count) {
  if (v == std::floor(v)) return with_commas(fmt::format("{:.0f}", v));
  Decimal d = digits_of(v, count);
  if (magnitude(d) >= count) d = digits_of(std::nearbyint(v));
  const std::string text = plain_text(d);
  return text.find('.') == text.npos ? with_commas(text) : text;
}

std::string scientific(double v, int count) {
  const Decimal d = digits_of(v, count);
  std::string mantissa = d.digits.substr(0, 1);
  if (d.digits.size() > 1) mantissa += "." + d.digits.substr(1);
  return fmt::format("{}e{}", mantissa, magnitude(d));
}

std::string number(double v, int count) {
  if (v == 0) return "0";
  return v >= 1e-4 && v < kGroupedBelow ? everyday(v, count) : scientific(v, count);
}

// Cents are shown where there are any: "2.50".
std::string money(double v, int count) {
  std::string text = number(v, count);
  const std::size_t point = text.find('.');
  if (point == text.npos || text.find('e') != text.npos) return text;
  if (text.size() - point == 2) text += '0';
  return text;
}

int step_down(int exponent) { return exponent - ((exponent % 3) + 3) % 3; }

// The power of 1000 whose prefix suits a number after rounding: 999.96 is 1 k in four digits.
int prefix_exponent(double v, int count, P kind) {
  const int lowest = kind == P::kSmall || kind == P::kBoth ? -12 : 0;
  const int highest = kind == P::kSmall ? 0 : kind == P::kLetters ? 12 : 24;
  return std::clamp(step_down(magnitude(digits_of(v, count))), lowest, highest);
}

std::string_view prefix_text(int exponent, P kind) {
  constexpr std::string_view kUnits[] = {"p", "n", "µ", "m", "",  "k", "M",
                                         "G", "T", "P", "E", "Z", "Y"};
  constexpr std::string_view kLetters[] = {"", "K", "M", "B", "T"};
  if (kind == P::kLetters) return kLetters[exponent / 3];
  return kUnits[exponent / 3 + 4];
}

std::string prefixed(double v, int count, const Display& d) {
  const int exponent = prefix_exponent(v, count, d.prefixes);
  Decimal digits = digits_of(v, count);
  digits.exponent -= exponent;
  const bool ordinary = magnitude(digits) >= -4 && magnitude(digits) < 3;
  const bool letters = d.prefixes == P::kLetters;
  const std::string text =
      ordinary ? plain_text(digits) : number(v / std::pow(10, exponent), count);
  return fmt::format("{}{}{}{}", text, letters ? "" : " ", prefix_text(exponent, d.prefixes),
                     letters ? " " + d.unit : d.unit);
}

std::string unprefixed(double v, int count, const Display& d) {
  const std::string text = d.money ? money(v, count) : number(v, count);
  const std::string& unit = text == "1" && !d.singular.empty() ? d.singular : d.unit;
  return unit.empty() ? text : text + " " + unit;
}

std::string size_of(double v, int count, const Display& d) {
  if (!std::isfinite(v)) return d.unit.empty() ? "∞" : "∞ " + d.unit;
  const bool prefix = d.prefixes != P::kNone && v != 0 && v >= d.letters_from;
  return prefix ? prefixed(v, count, d) : unprefixed(v, count, d);
}

std::string percent(double v, int count) { return number(v * 100, count) + " %"; }

std::string yes_or_no(double v) { return v != 0 ? "yes" : "no"; }

}  // namespace

std::string grouped(double whole) {
  const std::string digits = with_commas(fmt::format("{:.0f}", std::abs(whole)));
  return (whole < 0 && digits != "0" ? "-" : "") + digits;
}

std::string format_quantity(double si_value, Dim dim, Hint hint, int digits) {
  hint = fitting(dim, hint);
  if (std::isnan(si_value)) return "undefined";
  if (hint == Hint::kYesNo) return yes_or_no(si_value);
  const double size = std::abs(si_value);
  const std::string sign = si_value < 0 ? "-" : "";
  if (hint == Hint::kFraction && std::isfinite(size)) {
    return sign + percent(size, digits);
  }
  const Display display = display_of(size, dim, hint);
  return sign + size_of(display.to_unit(size), digits, display);
}

std::string format_binary(double bytes, int digits) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (!std::isfinite(bytes)) return format_quantity(bytes, kByte);
  double v = std::abs(bytes);
  const auto rounded = [&] { return nearest(digits_of(v, std::max(digits, 4))).value_or(0); };
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && rounded() >= 1024; ++unit) v /= 1024;
  return fmt::format("{}{} {}", bytes < 0 ? "-" : "",
                     v == 0 ? "0" : plain_text(digits_of(v, digits)), kUnits[unit]);
}

}  // namespace reckon
