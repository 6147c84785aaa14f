#include "float_code.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace reckon::detail {
namespace {

constexpr int kDoubleMantissa = 52, kDoubleBias = 1023;

// ldexp without its call where the power is a normal double: most codes are decoded here.
double scaled(std::uint64_t n, int exponent) {
  if (exponent <= -kDoubleBias || exponent > kDoubleBias)
    return std::ldexp(static_cast<double>(n), exponent);
  const auto power = static_cast<std::uint64_t>(exponent + kDoubleBias) << kDoubleMantissa;
  return static_cast<double>(n) * std::bit_cast<double>(power);
}

int first_exponent(const Element& e) { return e.subnormals ? 1 : 0; }  // biased, of a normal value

std::uint64_t sign_bit(const Element& e) {
  return e.sign ? std::uint64_t{1} << (e.exponent + e.mantissa) : 0;
}

std::uint64_t infinity_code(const Element& e) {
  return ((std::uint64_t{1} << e.exponent) - 1) << e.mantissa;
}

Coded coded(const Element& e, std::uint64_t code) { return {code, decode_float(e, code)}; }

Coded nan_of(const Element& e, bool negative) {
  const std::uint64_t sign = negative ? sign_bit(e) : 0;
  switch (e.nan) {
    case NanCode::kIeee:  // quiet: the mantissa's first bit
      return coded(e, sign | infinity_code(e) | std::uint64_t{1} << (e.mantissa - 1));
    case NanCode::kAllOnes:
      return coded(e, sign | ((std::uint64_t{1} << (e.exponent + e.mantissa)) - 1));
    case NanCode::kNegativeZero:
      return coded(e, sign_bit(e));
    case NanCode::kNone:
      break;
  }
  return {0, std::numeric_limits<double>::quiet_NaN(), false};
}

Coded beyond(const Element& e, bool negative, const RoundingMode& mode) {
  const std::uint64_t sign = negative ? sign_bit(e) : 0;
  Coded out;
  if (mode.saturate || (!e.infinity && e.nan == NanCode::kNone))
    out = coded(e, sign | largest_code(e));
  else
    out = e.infinity ? coded(e, sign | infinity_code(e)) : nan_of(e, negative);
  out.overflow = true;
  return out;
}

// Rounding that stops at the largest value instead of leaving the range.
bool stops(const RoundingMode& mode, bool negative) {
  return mode.rounding == Rounding::kTowardZero ||
         mode.rounding == (negative ? Rounding::kUp : Rounding::kDown);
}

// |x| = significand · 2^exponent, the significand with its 53 bits.
struct Split {
  std::uint64_t significand;
  int exponent;
};
Split split(double magnitude) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  constexpr std::uint64_t kHidden = std::uint64_t{1} << kDoubleMantissa;
  if (const auto biased = static_cast<int>(bits >> kDoubleMantissa); biased > 0)
    return {(bits & (kHidden - 1)) | kHidden, biased - kDoubleBias - kDoubleMantissa};
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // [0.5, 1)
  return {static_cast<std::uint64_t>(std::ldexp(fraction, kDoubleMantissa + 1)),
          exponent - kDoubleMantissa - 1};
}

// The code of a finite magnitude as if exponents had no end.
std::uint64_t unbounded(const Element& e, double magnitude, bool negative,
                        const RoundingMode& mode) {
  if (magnitude == 0) return 0;
  const Split s = split(magnitude);
  const int biased =
      std::max(s.exponent + kDoubleMantissa + e.bias, first_exponent(e));  // of floor(log2 |x|)
  const int shift = biased - e.bias - e.mantissa - s.exponent;  // quanta are 2^shift units
  std::uint64_t n = shift > kDoubleMantissa ? 0 : s.significand >> shift;
  const std::uint64_t remainder =
      shift > kDoubleMantissa ? s.significand : s.significand - (n << shift);
  // n counts quanta with the hidden bit in it; a carry walks into the next binade by itself.
  const std::uint64_t base = static_cast<std::uint64_t>(biased - first_exponent(e)) << e.mantissa;
  const std::uint64_t hidden = e.subnormals ? 0 : std::uint64_t{1} << e.mantissa;
  const bool odd =
      (base + n + hidden) % 2 == 1;  // of the code: without mantissa bits n is always 1
  if (rounds_up(mode, negative, odd, remainder, shift)) ++n;
  return n < hidden ? 0 : base + n - hidden;  // without a zero, what is too small is the smallest
}

}  // namespace

bool rounds_up(const RoundingMode& mode, bool negative, bool odd, std::uint64_t remainder,
               int shift) {
  if (remainder == 0) return false;
  // Remainders have at most 61 bits: past that they are below half a quantum anyhow.
  const std::uint64_t half = std::uint64_t{1} << (shift > 63 ? 63 : shift - 1);
  switch (mode.rounding) {
    case Rounding::kNearestEven:
      return remainder > half || (remainder == half && odd);
    case Rounding::kNearestAway:
      return remainder >= half;
    case Rounding::kTowardZero:
      return false;
    case Rounding::kUp:
      return !negative;
    case Rounding::kDown:
      return negative;
    case Rounding::kStochastic:
      return std::ldexp(static_cast<double>(remainder), -shift) > mode.u;
  }
  return false;
}

std::uint64_t largest_code(const Element& e) {
  const std::uint64_t codes = std::uint64_t{1} << (e.exponent + e.mantissa);  // of one sign
  if (e.infinity) return infinity_code(e) - 1;
  return e.nan == NanCode::kAllOnes ? codes - 2 : codes - 1;
}

Coded encode_float(const Element& e, double x, const RoundingMode& mode) {
  if (std::isnan(x)) return nan_of(e, std::signbit(x));
  const bool negative = std::signbit(x);
  if (negative && !e.sign) {
    Coded out = coded(e, 0);
    out.holds = x == 0 && e.subnormals;
    return out;
  }
  if (std::isinf(x)) return beyond(e, negative, mode);
  const std::uint64_t code = unbounded(e, std::abs(x), negative, mode);
  if (code > largest_code(e)) {
    if (!stops(mode, negative)) return beyond(e, negative, mode);
    Coded out = coded(e, largest_code(e) | (negative ? sign_bit(e) : 0));
    out.overflow = true;
    return out;
  }
  const bool plain_zero = code == 0 && !e.signed_zero();
  Coded out = coded(e, code | (negative && !plain_zero ? sign_bit(e) : 0));
  out.holds = e.subnormals || x != 0;
  return out;
}

double decode_float(const Element& e, std::uint64_t code) {
  const bool negative = (code & sign_bit(e)) != 0;
  const std::uint64_t magnitude = code & ((std::uint64_t{1} << (e.exponent + e.mantissa)) - 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (e.nan == NanCode::kNegativeZero && negative && magnitude == 0) return nan;
  if (magnitude > largest_code(e)) {
    if (e.infinity && magnitude == infinity_code(e))
      return negative ? -std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::infinity();
    return nan;
  }
  const auto biased = static_cast<int>(magnitude >> e.mantissa);
  const bool hidden = biased >= first_exponent(e);
  const std::uint64_t n = (magnitude & ((std::uint64_t{1} << e.mantissa) - 1)) |
                          (hidden ? std::uint64_t{1} << e.mantissa : 0);
  const double value = scaled(n, std::max(biased, first_exponent(e)) - e.bias - e.mantissa);
  return negative ? -value : value;
}

}  // namespace reckon::detail
