#include "reckon/numerics/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "float_code.hpp"

namespace reckon {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// A whole number of quanta, kept within the codes: integers always saturate.
Coded encode_integer(const Element& e, double x, const RoundingMode& mode) {
  if (std::isnan(x)) return {0, kNan, false};
  const double scaled = std::ldexp(std::abs(x), e.point);
  const bool negative = std::signbit(x);
  const double limit = static_cast<double>(negative ? -e.lowest : e.highest);
  double n = scaled;
  if (scaled < limit + 1) {
    n = std::floor(scaled);
    const double rest = scaled - n;  // exact
    constexpr int kShift =
        60;  // next to a half the rest has 54 bits; far from it a lost bit is no matter
    if (detail::rounds_up(mode, negative, (static_cast<std::uint64_t>(n) & 1) != 0,
                          static_cast<std::uint64_t>(std::ceil(std::ldexp(rest, kShift))), kShift))
      n += 1;
  }
  Coded out;
  out.overflow = n > limit;
  n = std::min(n, limit);
  const auto q = static_cast<std::int64_t>(negative ? -n : n);
  out.code = static_cast<std::uint64_t>(q) & mask(e.bits);
  out.value = std::ldexp(static_cast<double>(q), -e.point);
  return out;
}

// The nearest entry; a tie goes to the lower one. Directed roundings take the neighbour they name.
Coded encode_codebook(const Element& e, double x, const RoundingMode& mode) {
  if (std::isnan(x)) return {0, kNan, false};
  const std::vector<double>& book = e.codebook;
  auto above = std::lower_bound(book.begin(), book.end(), x);
  Coded out;
  out.overflow = above == book.end() || x < book.front();
  if (above == book.end()) --above;
  auto below = above;
  if (*above > x && above != book.begin()) --below;
  const double up = *above - x, down = x - *below, step = *above - *below;
  bool take_above = up < down;
  if (step > 0) {
    const bool away = x > 0;  // is above the one further from zero?
    switch (mode.rounding) {
      case Rounding::kUp:
        take_above = true;
        break;
      case Rounding::kDown:
        take_above = false;
        break;
      case Rounding::kTowardZero:
        take_above = !away;
        break;
      case Rounding::kStochastic:
        take_above = down / step > mode.u;
        break;
      default:
        break;
    }
  }
  const auto at = take_above ? above : below;
  out.code = static_cast<std::uint64_t>(at - book.begin());
  out.value = *at;
  return out;
}

}  // namespace

Coded encode(const Element& e, double x, const RoundingMode& mode) {
  switch (e.kind) {
    case ElementKind::kFloat:
      return detail::encode_float(e, x, mode);
    case ElementKind::kInteger:
      return encode_integer(e, x, mode);
    case ElementKind::kCodebook:
      break;
  }
  return encode_codebook(e, x, mode);
}

double decode(const Element& e, std::uint64_t code) {
  switch (e.kind) {
    case ElementKind::kFloat:
      return detail::decode_float(e, code & mask(e.bits));
    case ElementKind::kInteger:
      return std::ldexp(static_cast<double>(as_integer(e, code)), -e.point);
    case ElementKind::kCodebook:
      break;
  }
  return code < e.codebook.size() ? e.codebook[code] : kNan;
}

std::int64_t as_integer(const Element& e, std::uint64_t code) {
  code &= mask(e.bits);
  const bool negative = e.kind == ElementKind::kInteger && e.lowest < 0 && code >> (e.bits - 1);
  return static_cast<std::int64_t>(negative ? code | ~mask(e.bits) : code);
}

double largest(const Element& e) {
  if (e.kind == ElementKind::kFloat) return detail::decode_float(e, detail::largest_code(e));
  if (e.kind == ElementKind::kInteger) return std::ldexp(static_cast<double>(e.highest), -e.point);
  return e.codebook.back();
}

double lowest(const Element& e) {
  if (e.kind == ElementKind::kFloat) return e.sign ? -largest(e) : e.subnormals ? 0 : smallest(e);
  if (e.kind == ElementKind::kInteger) return std::ldexp(static_cast<double>(e.lowest), -e.point);
  return e.codebook.front();
}

double smallest(const Element& e) {
  if (e.kind == ElementKind::kFloat && !e.subnormals) return detail::decode_float(e, 0);
  return next_above(e, 0);
}

double smallest_normal(const Element& e) {
  if (e.kind != ElementKind::kFloat) return smallest(e);
  return std::ldexp(1.0, (e.subnormals ? 1 : 0) - e.bias);
}

double step_at_one(const Element& e) { return largest(e) > 1 ? spacing(e, 1) : 0; }

double integers_up_to(const Element& e) {
  if (e.kind == ElementKind::kCodebook) return 0;
  if (e.kind == ElementKind::kInteger) return std::floor(largest(e));
  if (!e.subnormals) return 0;  // powers of two, and no zero
  return std::min(std::ldexp(1.0, e.mantissa + 1), std::floor(largest(e)));
}

int largest_exponent(const Element& e) {
  int exponent = 0;
  std::frexp(largest(e), &exponent);
  return exponent - 1;
}

double next_above(const Element& e, double x) {
  const Coded c =
      encode(e, std::nextafter(x, kInfinity), {.rounding = Rounding::kUp, .saturate = true});
  return c.value > x ? c.value : kNan;
}

double next_below(const Element& e, double x) {
  const Coded c =
      encode(e, std::nextafter(x, -kInfinity), {.rounding = Rounding::kDown, .saturate = true});
  return c.value < x ? c.value : kNan;
}

double spacing(const Element& e, double x) {
  if (!(std::abs(x) <= largest(e))) return 0;
  if (e.kind == ElementKind::kInteger) return std::ldexp(1.0, -e.point);
  if (e.kind == ElementKind::kFloat) {
    const double magnitude = std::max(std::abs(x), smallest_normal(e));
    return std::ldexp(1.0, std::ilogb(magnitude) - e.mantissa);
  }
  const double above = next_above(e, x), below = encode(e, x, {.rounding = Rounding::kDown}).value;
  return std::isnan(above) ? 0 : above - below;
}

std::string hex_code(const Element& e, std::uint64_t code) {
  return fmt::format("0x{:0{}X}", code & mask(e.bits), (e.bits + 3) / 4);
}

std::string bit_fields(const Element& e, std::uint64_t code) {
  std::string bits = fmt::format("{:0{}b}", code & mask(e.bits), e.bits);
  if (e.kind != ElementKind::kFloat) return bits;
  if (e.mantissa > 0) bits.insert(bits.size() - static_cast<std::size_t>(e.mantissa), "|");
  if (e.sign) bits.insert(1, "|");
  return bits;
}

}  // namespace reckon
