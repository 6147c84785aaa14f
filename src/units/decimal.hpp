// A number as it was written: its decimal digits, scaled exactly and rounded to a double once.
//
//   Decimal d = *read_decimal(text);        // "27.2222 ms" -> 272222 · 10^-4, text = " ms"
//   d.exponent -= 3;                        // milli
//   nearest(d)                              // the double closest to 0.0272222
//
// Multiplying a rounded double by 1e-3 would round twice and miss it by one place in the last
// digit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reckon {

struct Decimal {
  std::string digits;  // no leading zeros; empty is zero
  int exponent = 0;    // value = digits · 10^exponent
  bool is_zero() const { return digits.empty(); }
};

// Digits, a point, `_` between digits and an exponent from the front of `text`, which is advanced
// past them. Nothing if `text` does not begin with a number.
std::optional<Decimal> read_decimal(std::string_view& text);

Decimal times(Decimal d, std::uint32_t factor);     // exact
Decimal divided(Decimal d, std::uint32_t divisor);  // exact, or to 40 digits and a mark beyond them
bool is_whole(const Decimal& d);

// Correctly rounded; nothing if it overflows, or is not zero and vanishes.
std::optional<double> nearest(const Decimal& d);

// |v| in `count` significant digits, or (count = 0) in the fewest that give v back. No trailing
// zeros. v is finite.
Decimal digits_of(double v, int count = 0);

// "1234", "12.34", "0.01234": digits and a point, no exponent.
std::string plain_text(const Decimal& d);
// The same, or "1.234e-9" where that is shorter.
std::string short_text(const Decimal& d);

// Power of ten of the leading digit: 2 for 450. Zero has 0.
int magnitude(const Decimal& d);

}  // namespace reckon
