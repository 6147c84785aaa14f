#include "unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

// One unit without prefix, under all its spellings (the first is the one reckon prints).
struct Base {
  Dim dim;
  std::string_view spellings;  // separated by spaces
  std::string_view prefixes;   // allowed decimal prefixes; u stands for µ too
  std::uint32_t times = 1, over = 1;
  bool binary = false;  // Ki, Mi … too
  unsigned word = 0;
};

constexpr std::array kBases{
    Base{kByte, "B byte bytes", "kMGTPE", 1, 1, true},
    Base{kByte, "b bit bits", "kMGTP", 1, 8},
    Base{kByteRate, "bps", "kMGTP", 1, 8},
    Base{kFlop, "FLOP FLOPs flop flops Flop Flops OP OPs", "kMGTPEZY"},
    Base{kFlopRate, "FLOPS OPS", "kMGTPEZY"},
    Base{kSecond, "s sec second seconds", "munp"},
    Base{kSecond, "min minute minutes", "", 60},
    Base{kSecond, "h hr hour hours", "", 3600},
    Base{kSecond, "d day days", "", 86400},
    // Of a year of 365 days, and its twelfth: the 730 hours that clouds bill for a month.
    Base{kSecond, "month months", "", 2628000},
    Base{kSecond, "year years", "", 31536000},
    Base{kSecond, "GPU-s GPU-seconds", "", 1, 1, false, kGpuWord},
    Base{kSecond, "GPU-hours GPU-hour GPU-h GPUh", "", 3600, 1, false, kGpuWord},
    Base{kSecond, "GPU-days GPU-day", "", 86400, 1, false, kGpuWord},
    Base{kHertz, "Hz", "kMGT"},
    Base{kWatt, "W", "mkMG"},
    Base{kJoule, "J", "pnumkMGT"},
    Base{kJoule, "Wh", "kMGT", 3600},
    Base{kUsd, "USD $", ""},
    Base{kGram, "g gram grams", "mk"},
    Base{kGram, "t tonne tonnes", "k", 1000000},
    Base{kOne, "tokens token tok", "", 1, 1, false, kTokenWord},
    Base{kOne, "params param parameters parameter", "", 1, 1, false, kParamWord},
    Base{kOne, "requests request req", "", 1, 1, false, kRequestWord},
    Base{kOne, "GPU GPUs", "", 1, 1, false, kGpuWord},
};

struct Prefix {
  std::string_view text;
  char letter;  // as in Base::prefixes
  int exponent;
};
constexpr std::array kPrefixes{Prefix{"k", 'k', 3},  Prefix{"M", 'M', 6},  Prefix{"G", 'G', 9},
                               Prefix{"T", 'T', 12}, Prefix{"P", 'P', 15}, Prefix{"E", 'E', 18},
                               Prefix{"Z", 'Z', 21}, Prefix{"Y", 'Y', 24}, Prefix{"m", 'm', -3},
                               Prefix{"u", 'u', -6}, Prefix{"µ", 'u', -6},  // U+00B5, micro sign
                               Prefix{"μ", 'u', -6},                        // U+03BC, Greek mu
                               Prefix{"n", 'n', -9}, Prefix{"p", 'p', -12}};

template <class F>
void for_each_spelling(const Base& base, F f) {
  std::string_view rest = base.spellings;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    f(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::optional<int> decimal_prefix(std::string_view text, std::string_view allowed) {
  for (const Prefix& p : kPrefixes) {
    if (p.text == text && allowed.find(p.letter) != allowed.npos) return p.exponent;
  }
  return std::nullopt;
}
// Powers of 1024 of "Ki", "Mi" …; 0 if it is none.
int binary_prefix(std::string_view text) {
  constexpr std::string_view kLetters = "KMGTPE";
  if (text.size() != 2 || text[1] != 'i') return 0;
  return static_cast<int>(kLetters.find(text[0]) + 1);  // npos + 1 is 0
}

struct Factor {
  const Base* base;
  int exponent = 0, binary = 0;
};

std::optional<Factor> read_factor(std::string_view text) {
  std::optional<Factor> found;
  for (const Base& base : kBases) {
    for_each_spelling(base, [&](std::string_view name) {
      if (found || !text.ends_with(name)) return;
      const std::string_view prefix = text.substr(0, text.size() - name.size());
      if (prefix.empty()) found = Factor{&base};
      if (const auto e = decimal_prefix(prefix, base.prefixes)) found = Factor{&base, *e};
      if (const int n = binary_prefix(prefix); n > 0 && base.binary) found = Factor{&base, 0, n};
    });
  }
  return found;
}

Dim power(Dim d, int halves) {
  return {d.byte2 * halves / 2, d.second2 * halves / 2, d.flop2 * halves / 2,
          d.usd2 * halves / 2,  d.joule2 * halves / 2,  d.gram2 * halves / 2};
}

// Multiplies `out` by factor^(halves / 2); negative for a denominator. A half power of a prefix
// would be irrational, so only plain units take one.
bool apply(const Factor& f, int halves, UnitReading& out) {
  const bool scaled = f.exponent != 0 || f.binary != 0 || f.base->times != 1 || f.base->over != 1;
  if (halves % 2 != 0 && scaled) return false;
  out.dim = out.dim * power(f.base->dim, halves);
  out.exponent += f.exponent * halves / 2;
  for (int i = 0; i < std::abs(halves) / 2; ++i) {
    auto& multiply = halves > 0 ? out.times : out.over;
    auto& divide = halves > 0 ? out.over : out.times;
    multiply.insert(multiply.end(), static_cast<std::size_t>(f.binary), 1024);
    if (f.base->times != 1) multiply.push_back(f.base->times);
    if (f.base->over != 1) divide.push_back(f.base->over);
  }
  (halves > 0 ? out.above : out.below) |= f.base->word;
  return true;
}

// "B^2", "B^1.5", "√B": the unit, and twice its exponent. Exponents up to 4.
std::optional<int> take_power(std::string_view& text) {
  constexpr std::string_view kRoot = "√";
  if (text.starts_with(kRoot)) {
    text.remove_prefix(kRoot.size());
    return 1;
  }
  const std::size_t caret = text.find('^');
  if (caret == text.npos) return 2;
  const std::string_view exponent = text.substr(caret + 1);
  text = text.substr(0, caret);
  constexpr std::array<std::string_view, 6> kExponents{"1.5", "2", "2.5", "3", "3.5", "4"};
  const auto* at = std::find(kExponents.begin(), kExponents.end(), exponent);
  if (at == kExponents.end()) return std::nullopt;
  return static_cast<int>(at - kExponents.begin()) + 3;
}

bool read_one(std::string_view text, int sign, UnitReading& out) {
  if (text == "1") return true;
  const auto halves = take_power(text);
  const auto factor = read_factor(text);
  return halves && factor && apply(*factor, sign * *halves, out);
}

std::string with_exponent(std::string_view unit, int halves) {
  if (halves == 1) return fmt::format("√{}", unit);
  if (halves == 2) return std::string(unit);
  return fmt::format("{}^{:g}", unit, halves / 2.0);
}

// Every unit with every prefix.
const std::vector<std::string>& all_units() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> out;
    for (const Base& base : kBases) {
      for_each_spelling(base, [&](std::string_view name) {
        out.emplace_back(name);
        for (const char p : base.prefixes) out.push_back(p + std::string(name));
        if (!base.binary) return;
        for (const char p : std::string_view("KMGTP")) out.push_back(fmt::format("{}i{}", p, name));
      });
    }
    return out;
  }();
  return kAll;
}

}  // namespace

Decimal UnitReading::scale(Decimal d) const {
  d.exponent += exponent;
  for (const std::uint32_t f : times) d = reckon::times(std::move(d), f);
  for (const std::uint32_t f : over) d = divided(std::move(d), f);
  return d;
}

UnitReading read_unit(std::string_view text) {
  UnitReading out;
  int sign = 1;
  constexpr std::string_view kDot = "·";
  for (bool first = true;; first = false) {
    const std::size_t end = std::min({text.find('/'), text.find(kDot), text.size()});
    const std::string one = trimmed(text.substr(0, end));
    const bool empty_numerator = first && one.empty() && end < text.size();  // "/s"
    if (!empty_numerator && !read_one(one, sign, out)) {
      out.unknown = one;
      return out;
    }
    if (end == text.size()) return out;
    sign = text[end] == '/' ? -1 : 1;
    text.remove_prefix(end + (text[end] == '/' ? 1 : kDot.size()));
  }
}

std::string closest_unit(std::string_view unknown) {
  const std::string wanted = lowered(unknown);
  std::vector<std::string> words;
  for (const std::string& unit : all_units()) {
    if (unit == "g" || unit == "t") continue;  // G and T are letters of counts and sizes first
    if (lowered(unit) == wanted) return unit;
    if (unit.size() >= 3) words.push_back(unit);  // of "h" or "GB" any change is another unit
  }
  return unknown.size() < 4 ? "" : closest(unknown, words);
}

std::string si_unit(Dim d) {
  struct Part {
    std::string_view unit;
    int halves;
  };
  Part parts[] = {{"FLOP", d.flop2}, {"USD", d.usd2}, {"J", d.joule2},
                  {"g", d.gram2},    {"B", d.byte2},  {"s", d.second2}};
  const auto joule = &parts[2], second = &parts[5];
  if (joule->halves == 2 && second->halves == -2) *joule = {"W", 2}, second->halves = 0;
  std::string above, below;
  for (const Part& p : parts) {
    if (p.halves > 0) above += (above.empty() ? "" : "·") + with_exponent(p.unit, p.halves);
    if (p.halves < 0) below += "/" + with_exponent(p.unit, -p.halves);
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace reckon
