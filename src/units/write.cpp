// Quantities for files: every text here reads back as the same double.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "decimal.hpp"
#include "display.hpp"
#include "forms.hpp"
#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"
#include "unit.hpp"

namespace reckon {
namespace {

using P = Display::Prefixes;

// Collects ways to write one value and keeps the one with the shortest number that reads back; the
// first among equals.
class Shortest {
 public:
  Shortest(double v, Dim dim, Hint hint) : v_(v), dim_(dim), hint_(hint) {}

  bool offer(const std::string& text) {
    const std::size_t size = std::min(text.find_first_of(" KMBT%"), text.size());
    if (!best_.empty() && size >= size_) return false;
    const auto read = parse_quantity(text, dim_, hint_);
    const double* back = std::get_if<double>(&read);
    if (!back || std::bit_cast<std::uint64_t>(*back) != std::bit_cast<std::uint64_t>(v_)) {
      return false;
    }
    best_ = text;
    size_ = size;
    return true;
  }
  const std::string& best() const { return best_; }

 private:
  double v_;
  Dim dim_;
  Hint hint_;
  std::string best_;
  std::size_t size_ = 0;  // of its number
};

std::string joined(const Decimal& number, std::string_view unit) {
  const std::string text = short_text(number);
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

// Decimal prefixes only move the point, so the digits of the SI value are those of every one.
void offer_prefixes(Shortest& out, const Decimal& si, const Display& d) {
  struct Step {
    int exponent;
    std::string_view unit, letter;
  };
  constexpr Step kSteps[] = {{-12, "p", ""}, {-9, "n", ""}, {-6, "u", ""}, {-3, "m", ""},
                             {3, "k", "K"},  {6, "M", "M"}, {9, "G", "B"}, {12, "T", "T"},
                             {15, "P", ""},  {18, "E", ""}, {21, "Z", ""}};
  const bool letters = d.prefixes == P::kLetters;
  for (const Step& s : kSteps) {
    Decimal moved = si;
    moved.exponent -= s.exponent;
    const int m = magnitude(moved);
    if (si.is_zero() || m < 0 || m > 2 || (letters && s.letter.empty())) continue;
    if (letters && s.exponent < std::log10(d.letters_from)) continue;
    const std::string digits = plain_text(moved);
    if (letters) {
      out.offer(digits + std::string(s.letter) +
                (d.unit == "tokens" || d.unit == "params" ? "" : " " + d.unit));
    } else if (d.prefixes != P::kNone) {
      out.offer(fmt::format("{} {}{}", digits, s.unit, d.unit));
    }
  }
}

void offer_binary(Shortest& out, double v, std::string_view rest_of_unit) {
  constexpr std::string_view kPrefixes[] = {"Ki", "Mi", "Gi", "Ti", "Pi"};
  for (const std::string_view p : kPrefixes) {
    v /= 1024;  // exact
    if (v < 1 || v >= 1e6) continue;
    out.offer(fmt::format("{} {}B{}", short_text(digits_of(v)), p, rest_of_unit));
  }
}

// Days, hours, USD/h: as many digits as it takes.
void offer_scaled(Shortest& out, double v, const Display& d) {
  const double in_unit = d.to_unit(v);
  if (!std::isfinite(in_unit)) return;
  for (int count = 1; count <= 17; ++count) {
    if (out.offer(joined(digits_of(in_unit, count), d.unit))) return;
  }
}

void offer_percent(Shortest& out, Decimal si) {
  si.exponent += 2;
  out.offer(short_text(si) + "%");
}

}  // namespace

std::string write_quantity(double si_value, Dim dim, Hint hint) {
  hint = fitting(dim, hint);
  if (hint == Hint::kYesNo) return si_value != 0 ? "yes" : "no";
  const double size = std::abs(si_value);
  const std::string unit = dim == kOne ? "" : unit_name(dim, hint);
  if (!std::isfinite(size)) return format_quantity(si_value, dim, hint);
  if (si_value < 0) return "-" + joined(digits_of(size), unit);  // no field takes one

  const Decimal si = digits_of(size);
  const Display display = display_of(size, dim, hint);
  Shortest out(size, dim, hint);
  if (hint == Hint::kFraction) offer_percent(out, si);
  if (display.per != 1) offer_scaled(out, size, display);
  if (display.per == 1 && (dim != kOne || display.prefixes == P::kLetters))
    offer_prefixes(out, si, display);
  out.offer(joined(si, unit));
  if (dim == kByte) offer_binary(out, size, std::string_view(unit).substr(1));
  return out.best().empty() ? joined(si, unit) : out.best();
}

}  // namespace reckon
