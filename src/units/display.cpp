#include "display.hpp"

#include <cmath>

#include "reckon/units/parse.hpp"
#include "unit.hpp"

namespace reckon {
namespace {

using P = Display::Prefixes;

constexpr double kMinute = 60, kHour = 3600, kDay = 86400, kKilowattHour = 3.6e6;

Display of_number(Hint hint) {
  switch (hint) {
    case Hint::kParams:
      return {.unit = "params", .prefixes = P::kLetters, .letters_from = 1e3};
    case Hint::kTokens:
      return {.unit = "tokens", .prefixes = P::kLetters, .singular = "token", .letters_from = 1e6};
    case Hint::kLength:
      return {.unit = "tokens", .singular = "token"};
    default:
      return {};
  }
}

// A run of less than a day is one of hours, or of minutes.
Display of_run(double seconds) {
  if (seconds >= kDay || seconds == 0) return {.unit = "days", .per = kDay, .singular = "day"};
  if (seconds >= kHour) return {.unit = "h", .per = kHour};
  if (seconds >= kMinute) return {.unit = "min", .per = kMinute};
  return {.unit = "s", .prefixes = P::kSmall};
}

Display of_time(double seconds, Hint hint) {
  if (hint == Hint::kDays) return of_run(std::abs(seconds));
  if (hint == Hint::kGpuHours) {
    return {.unit = "GPU-hours", .per = kHour, .singular = "GPU-hour"};
  }
  return {.unit = "s", .prefixes = P::kSmall};
}

Display of_frequency(Hint hint) {
  if (hint == Hint::kTokenRate) {
    return {.unit = "tokens/s", .prefixes = P::kLetters, .letters_from = 1e6};
  }
  if (hint == Hint::kRequestRate) {
    return {.unit = "requests/s", .prefixes = P::kLetters, .letters_from = 1e6};
  }
  return {.unit = "Hz", .prefixes = P::kLarge};
}

// Joules up to a kilowatt hour, then what electricity is sold in.
Display of_energy(double joules, Hint hint) {
  if (std::abs(joules) < kKilowattHour || hint == Hint::kPerToken) {
    return {.unit = "J", .prefixes = P::kBoth};
  }
  return {.unit = "Wh", .prefixes = P::kLarge, .per = kHour};
}

Display of_money() {
  return {.unit = "USD", .prefixes = P::kLetters, .letters_from = 1e6, .money = true};
}

// Carbon dioxide: grams, kilograms, and tonnes from a thousand of those on.
Display of_mass(double grams) {
  constexpr double kTonne = 1e6;
  if (std::abs(grams) < kTonne) return {.unit = "g", .prefixes = P::kLarge};
  return {.unit = "t", .per = kTonne};
}

Display of_other(Dim dim) {
  if (dim == kUsdRate) return {.unit = "USD/h", .per = kHour, .divide = true, .money = true};
  if (dim == kUsd / kJoule) return {.unit = "USD/kWh", .per = kKilowattHour, .divide = true};
  if (dim == kGram / kJoule) return {.unit = "g/kWh", .per = kKilowattHour, .divide = true};
  if (dim == kSecond / root(kByte)) return {.unit = "s/√B", .prefixes = P::kSmall};
  if (dim == kSecond / kByte) return {.unit = "s/B", .prefixes = P::kSmall};
  if (dim == kJoule / kFlop) return {.unit = "J/FLOP", .prefixes = P::kBoth};
  return {.unit = si_unit(dim)};
}

Display without_words(double v, Dim dim, Hint hint) {
  if (dim == kOne) return of_number(hint);
  if (dim == kSecond) return of_time(v, hint);
  if (dim == kHertz) return of_frequency(hint);
  if (dim == kJoule) return of_energy(v, hint);
  if (dim == kUsd) return of_money();
  if (dim == kGram) return of_mass(v);
  for (const Dim d : {kByte, kByteRate, kFlop, kFlopRate}) {
    if (dim == d) return {.unit = si_unit(d), .prefixes = P::kLarge};
  }
  if (dim == kWatt) return {.unit = "W", .prefixes = P::kLarge};
  return of_other(dim);
}

}  // namespace

Display display_of(double si_value, Dim dim, Hint hint) {
  Display d = without_words(si_value, dim, hint);
  if (hint == Hint::kPerToken && !d.unit.empty()) d.unit += "/token";
  if (hint == Hint::kPerParam && !d.unit.empty()) d.unit += "/param";
  return d;
}

}  // namespace reckon
