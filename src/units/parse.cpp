#include "reckon/units/parse.hpp"

#include <array>

#include "decimal.hpp"
#include "forms.hpp"
#include "parse_errors.hpp"
#include "reckon/base/text.hpp"
#include "unit.hpp"

namespace reckon {
namespace {

using refuse::Written;
using Result = std::variant<double, ParseError>;

std::string_view stripped(std::string_view s) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = s.find_first_not_of(kSpace);
  if (begin == s.npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpace) - begin + 1);
}

bool take(std::string_view& s, std::string_view front) {
  if (!s.starts_with(front)) return false;
  s = stripped(s.substr(front.size()));
  return true;
}

bool is_not_finite(std::string_view s) {
  const std::string said = lowered(s.substr(0, s.find(' ')));
  for (const auto word : {"inf", "infinity", "nan", ".inf", ".nan", "∞", "unbounded"}) {
    if (said == word) return true;
  }
  return false;
}

// K, M, B, T and Ki, Mi, Gi, Ti directly after a number.
struct Suffix {
  std::string_view text;
  int exponent, binary;
};
constexpr std::array kSuffixes{Suffix{"Ki", 0, 1}, Suffix{"Mi", 0, 2}, Suffix{"Gi", 0, 3},
                               Suffix{"Ti", 0, 4}, Suffix{"k", 3, 0},  Suffix{"K", 3, 0},
                               Suffix{"M", 6, 0},  Suffix{"B", 9, 0},  Suffix{"T", 12, 0}};

// The suffix `rest` begins with, if it stands alone: "M USD" but not "MUSD".
const Suffix* suffix_of(std::string_view rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" /"));
  for (const Suffix& s : kSuffixes) {
    if (s.text == word) return &s;
  }
  return nullptr;
}

// Where 12K is twelve thousand: things, tokens or requests a second, dollars.
bool takes_suffix(const Written& w) {
  if (w.dim == kOne) return w.hint != Hint::kFraction && w.hint != Hint::kRatio;
  return w.dim == kUsd || w.hint == Hint::kTokenRate || w.hint == Hint::kRequestRate;
}
bool takes_percent(const Written& w) {
  return w.dim == kOne &&
         (w.hint == Hint::kFraction || w.hint == Hint::kRatio || w.hint == Hint::kNone);
}
bool is_whole_kind(const Written& w) {
  return w.dim == kOne && (w.hint == Hint::kCount || w.hint == Hint::kLength);
}

// Words a unit may, and must, have: "tokens" above or "/token" below the line.
bool words_fit(const UnitReading& r, Dim dim, Hint hint) {
  const auto only = [&r](unsigned above, unsigned below) {
    return (r.above & ~above) == 0 && (r.below & ~below) == 0;
  };
  switch (hint) {
    case Hint::kParams:
      return only(kParamWord, 0);
    case Hint::kTokens:
    case Hint::kLength:
      return only(kTokenWord, 0);
    case Hint::kTokenRate:
      return only(kTokenWord, kGpuWord);
    case Hint::kRequestRate:
      return only(kRequestWord, kGpuWord);
    case Hint::kGpuHours:
      return only(kGpuWord, 0) && r.above == kGpuWord;
    case Hint::kPerToken:
      return only(0, kTokenWord);
    case Hint::kPerParam:
      return only(0, kParamWord);
    default:
      return only(0, dim == kUsdRate ? static_cast<unsigned>(kGpuWord) : 0U);
  }
}

Result rounded(const Written& w, const Decimal& value) {
  if (is_whole_kind(w) && !is_whole(value)) return refuse::fraction(w, value);
  const auto out = nearest(value);
  if (!out) return refuse::out_of_range(w);
  return *out;
}

// TFLOPs is an amount, or a rate where a rate is wanted.
void settle_plural(UnitReading& r, std::string_view unit, Dim wanted) {
  if (wanted == kFlopRate && r.dim == kFlop && unit.ends_with('s')) r.dim = kFlopRate;
}

Result with_unit(const Written& w, std::string_view unit, const Decimal& value) {
  if (auto e = refuse::two_readings(w, unit)) return *e;
  UnitReading r = read_unit(unit);
  if (r.unknown) return refuse::unknown_unit(w, unit, *r.unknown);
  settle_plural(r, unit, w.dim);
  if (!(r.dim == w.dim) || !words_fit(r, w.dim, w.hint)) return refuse::wrong_unit(w, unit, r);
  return rounded(w, r.scale(value));
}

Decimal scaled(Decimal d, const Suffix& s) {
  d.exponent += s.exponent;
  for (int i = 0; i < s.binary; ++i) d = times(d, 1024);
  return d;
}

// "B", "M USD", "K tokens/s" after a number that may be counted in thousands.
Result with_suffix(const Written& w, const Suffix& s, std::string_view rest, bool dollar) {
  if (w.hint == Hint::kLength && s.exponent > 0) return refuse::two_lengths(w, s.text);
  const Decimal value = scaled(w.number, s);
  const std::string_view unit = stripped(rest.substr(s.text.size()));
  if (dollar) return with_unit(w, "USD" + std::string(unit), value);
  if (!unit.empty()) return with_unit(w, unit, value);
  return w.dim == kOne ? rounded(w, value) : Result(refuse::bare_suffix(w, s.text));
}

bool is_bare_suffix(std::string_view rest, bool spaced) {
  const bool byte = rest == "B" && spaced;  // "80 B" is 80 bytes, "80B" eighty billion of something
  return !byte && (suffix_of(rest) || rest == "G") && rest.find_first_of(" /") == rest.npos;
}

Result after_number(const Written& w, std::string_view rest, bool dollar) {
  const bool spaced = rest.starts_with(' ');
  rest = stripped(rest);
  if (rest == "%") {
    Decimal value = w.number;
    value.exponent -= 2;
    return takes_percent(w) ? rounded(w, value) : Result(refuse::percent(w));
  }
  const Suffix* suffix = suffix_of(rest);
  if (suffix && takes_suffix(w)) return with_suffix(w, *suffix, rest, dollar);
  if (dollar) return with_unit(w, "USD" + std::string(rest), w.number);
  if (suffix && w.dim == kOne) return refuse::suffix_not_allowed(w, suffix->text);
  if (w.dim != kOne && is_bare_suffix(rest, spaced)) return refuse::bare_suffix(w, rest);
  if (!rest.empty()) return with_unit(w, rest, w.number);
  return w.dim == kOne ? rounded(w, w.number) : Result(refuse::no_unit(w));
}

std::optional<double> yes_or_no(std::string_view text) {
  const std::string said = lowered(text);
  for (const auto word : {"yes", "true", "1"}) {
    if (said == word) return 1.0;
  }
  for (const auto word : {"no", "false", "0"}) {
    if (said == word) return 0.0;
  }
  return std::nullopt;
}

}  // namespace

Result parse_quantity(std::string_view text, Dim dim, Hint hint, WholeRange whole) {
  hint = fitting(dim, hint);
  std::string_view rest = stripped(text);
  Written w{rest, dim, hint, whole};
  if (rest.empty()) return refuse::nothing(w);
  if (hint == Hint::kYesNo) {
    const auto answer = yes_or_no(rest);
    return answer ? Result(*answer) : Result(refuse::not_a_number(w));
  }
  bool dollar = take(rest, "$");
  const bool minus = take(rest, "-") || take(rest, "−");
  if (!minus) take(rest, "+");
  dollar = take(rest, "$") || dollar;
  if (is_not_finite(rest)) return refuse::not_finite(w);

  const std::string_view positive = rest;
  const auto number = read_decimal(rest);
  if (!number) return refuse::not_a_number(w);
  w.number = *number;
  w.number_text = positive.substr(0, positive.size() - rest.size());
  if (rest.starts_with(',')) return refuse::comma(w);
  if (!rest.empty() && std::string_view("._0123456789").find(rest[0]) != rest.npos) {
    return refuse::not_a_number(w);
  }
  if (minus && !w.number.is_zero()) {
    const std::string without = (dollar ? "$" : "") + std::string(positive);
    // What the hint says must read: 1 of '-1' has no unit either.
    const Result reads = after_number(w, rest, dollar);
    const auto* other = std::get_if<ParseError>(&reads);
    const bool share = hint == Hint::kFraction && !other && std::get<double>(reads) >= 1;
    if (share) return refuse::negative(w, {});
    return refuse::negative(w, other ? other->help : "write " + without);
  }
  return after_number(w, rest, dollar);
}

}  // namespace reckon
