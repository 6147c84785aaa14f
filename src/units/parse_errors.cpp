#include "parse_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "forms.hpp"
#include "reckon/base/text.hpp"

namespace reckon::refuse {
namespace {

std::string expected(const Written& w) { return "expected " + expected_form(w.dim, w.hint); }

std::string example(const Written& w) {
  const Form* form = find_form(w.dim, w.hint);
  return form ? std::string(form->example) : "1 " + si_unit(w.dim);
}
std::string write_like(const Written& w) { return "write it like " + example(w); }

ParseError because(const Written& w, std::string_view what, std::string help) {
  return {fmt::format("'{}' {}; {}", w.text, what, expected(w)), std::move(help)};
}

// The hint under which words like "tokens" or "/param" would have been right.
Hint hint_of(const UnitReading& r) {
  if (r.below & kTokenWord) return Hint::kPerToken;
  if (r.below & kParamWord) return Hint::kPerParam;
  if (r.above & kTokenWord) return r.dim == kHertz ? Hint::kTokenRate : Hint::kTokens;
  if (r.above & kParamWord) return Hint::kParams;
  if (r.above & kRequestWord) return Hint::kRequestRate;
  if ((r.above & kGpuWord) && r.dim == kSecond) return Hint::kGpuHours;
  return Hint::kNone;
}

std::string kind_of(const UnitReading& r, std::string_view unit) {
  if (r.dim == kOne && (r.above & kGpuWord)) return "counts GPUs";
  const Form* form = find_form(r.dim, hint_of(r));
  const bool plain = r.dim == kOne && (!form || form->hint == Hint::kNone);
  return form && !plain ? fmt::format("is {}", form->kind) : fmt::format("is in {}", unit);
}

// "80 GB or 80 GiB" from the number and "GB or GiB".
std::string with_units(std::string_view number, std::string_view units) {
  std::string out;
  while (!units.empty()) {
    std::size_t end = std::min(units.find_first_of(", "), units.size());
    out += fmt::format("{} {}", number, units.substr(0, end));
    const std::size_t next = units.find_first_not_of(", ", end);
    if (next == units.npos) break;
    const bool last = units.substr(next).starts_with("or ");
    out += last ? " or " : ", ";
    units.remove_prefix(last ? next + 3 : next);
  }
  return out;
}

}  // namespace

ParseError nothing(const Written& w) { return {"no value; " + expected(w), write_like(w)}; }

ParseError not_a_number(const Written& w) { return because(w, "is not a number", write_like(w)); }

// 1,000 may be a thousand or one: only the digits can say.
ParseError comma(const Written& w) {
  const std::size_t at = w.text.find(',');
  std::size_t end = at + 1;
  while (end < w.text.size() && w.text[end] >= '0' && w.text[end] <= '9') ++end;
  std::string point(w.text), gap(w.text);
  point[at] = '.';
  std::replace(gap.begin(), gap.end(), ',', '_');
  std::string help = "write " + (end - at == 4 ? gap + ", or " + point + " for a fraction" : point);
  return because(w, "has a comma", std::move(help));
}

ParseError negative(const Written& w, std::string help) {
  return because(w, "is negative", help.empty() ? write_like(w) : std::move(help));
}

ParseError not_finite(const Written& w) {
  return because(w, "is not a finite number", write_like(w));
}

ParseError out_of_range(const Written& w) {
  const bool tiny = w.number.exponent + static_cast<int>(w.number.digits.size()) < 0;
  return because(w, tiny ? "is too close to zero" : "is too large", write_like(w));
}

// The whole numbers on both sides, of those that are allowed; the nearest that is where neither is.
ParseError fraction(const Written& w, const Decimal& value) {
  const std::string text = plain_text(value);
  std::string_view rest = std::string_view(text).substr(0, text.find('.'));
  const double below = nearest(read_decimal(rest).value_or(Decimal{})).value_or(0);
  const auto& [least, most] = w.whole;
  std::string help = fmt::format("write {:.0f}", std::clamp(below, least, most));
  if (below >= least && below + 1 <= most) help += fmt::format(" or {:.0f}", below + 1);
  return because(w, "is not whole", std::move(help));
}

ParseError no_unit(const Written& w) {
  const Form* form = find_form(w.dim, w.hint);
  const std::string unit = si_unit(w.dim);
  return because(w, "has no unit", "write " + with_units(w.number_text, form ? form->units : unit));
}

ParseError percent(const Written& w) { return because(w, "is a share", write_like(w)); }

ParseError bare_suffix(const Written& w, std::string_view suffix) {
  if (w.dim != kByte) {
    return because(w, fmt::format("has no unit ('{}' alone counts things)", suffix), write_like(w));
  }
  if (suffix != "B") {
    return because(w, fmt::format("has no unit ('{}' alone counts things)", suffix),
                   fmt::format("write {0} {1}B or {0} {2}iB", w.number_text,
                               suffix == "K" ? "k" : suffix, suffix == "k" ? "K" : suffix));
  }
  return because(
      w, "has no unit ('B' right after a number counts billions)",
      fmt::format("write {0} GB or {0} GiB; single bytes are written with a space, {0} B",
                  w.number_text));
}

ParseError suffix_not_allowed(const Written& w, std::string_view suffix) {
  return because(w, fmt::format("counts things ('{}')", suffix), write_like(w));
}

ParseError two_lengths(const Written& w, std::string_view suffix) {
  constexpr std::string_view kSuffixes = "KMBT";
  const char letter = suffix == "k" ? 'K' : suffix[0];
  const auto steps = static_cast<int>(kSuffixes.find(letter)) + 1;
  Decimal thousands = w.number, binary = w.number;
  thousands.exponent += 3 * steps;
  for (int i = 0; i < steps; ++i) binary = times(binary, 1024);
  const std::string a = plain_text(thousands), b = plain_text(binary);
  return {
      fmt::format("'{}' can be read as {} or {} tokens; {}", w.text, a, b, expected(w)),
      fmt::format("write {} or {}{}i (= {})", a, w.number_text, letter == 'B' ? 'G' : letter, b)};
}

ParseError unknown_unit(const Written& w, std::string_view unit, std::string_view factor) {
  const std::string what = fmt::format("has an unknown unit '{}'", factor);
  const std::string close = closest_unit(factor);
  if (!close.empty() && close != factor) {
    std::string mended(unit);
    mended.replace(mended.find(factor), factor.size(), close);
    return because(w, what, fmt::format("did you mean {} {}?", w.number_text, mended));
  }
  if (w.dim == kOne && unit == "G") {
    return because(w, what, fmt::format("did you mean {}B?", w.number_text));
  }
  return because(w, what, write_like(w));
}

ParseError wrong_unit(const Written& w, std::string_view unit, const UnitReading& r) {
  const std::string what = kind_of(r, unit);
  if (w.dim == kOne && r.dim == kOne) {
    return because(w, what, fmt::format("write {} alone, or like {}", w.number_text, example(w)));
  }
  if (w.dim == kUsdRate && r.dim == kUsd) {
    return because(w, what, fmt::format("did you mean {} USD/h?", w.number_text));
  }
  if (r.dim / kSecond == w.dim && hint_of(r) == Hint::kNone) {
    return because(w, what, fmt::format("did you mean {} {}/s?", w.number_text, unit));
  }
  if (r.dim * kSecond == w.dim && unit.ends_with("/s")) {
    unit.remove_suffix(2);
    return because(w, what, fmt::format("did you mean {} {}?", w.number_text, unit));
  }
  return because(w, what, write_like(w));
}

std::optional<ParseError> two_readings(const Written& w, std::string_view unit) {
  const std::string low = lowered(unit);
  const std::string_view prefix = std::string_view(low).substr(0, 1);
  const std::string_view rest = std::string_view(low).substr(std::min<std::size_t>(1, low.size()));
  const bool prefixed = !prefix.empty() && std::string_view("kmgtp").find(prefix) != prefix.npos;
  if (!prefixed || (rest != "b" && rest != "b/s" && rest != "bps")) return std::nullopt;

  const char p = prefix[0] == 'k' ? 'k' : static_cast<char>(prefix[0] - 'a' + 'A');
  const bool bytes = unit[1] == 'B', proper = unit[0] == p;
  const bool rate = rest != "b";
  const bool clear = proper && (rest == "bps" ? !bytes : bytes || rate) && !unit.ends_with("S");
  if (clear) return std::nullopt;
  if (unit == "KB" || unit == "KB/s") {
    return because(w, "can be read two ways",
                   fmt::format("write {0} kB{1} (1000) or {0} KiB{1} (1024)", w.number_text,
                               rate ? "/s" : ""));
  }
  std::string help = fmt::format("write {0} {1}B{2} (bytes) or {0} {1}b{2} (bits)", w.number_text,
                                 p, rate ? "/s" : "");
  if (!rate) {
    help = fmt::format("write {0} {1}B, or {2} {1}B if bits were meant", w.number_text, p,
                       plain_text(divided(w.number, 8)));
  }
  return because(w, rate ? "can be read two ways" : "can be read as bits or bytes",
                 std::move(help));
}

}  // namespace reckon::refuse
