#include "forms.hpp"

#include <array>

#include "reckon/units/parse.hpp"
#include "unit.hpp"

namespace reckon {
namespace {

constexpr std::array kForms{
    Form{kByte, Hint::kNone, "a size", "80 GB", "GB or GiB"},
    Form{kByte, Hint::kPerToken, "a size per token", "131.1 kB/token", "kB/token"},
    Form{kByte, Hint::kPerParam, "a size per parameter", "16 B/param", "B/param"},
    Form{kByteRate, Hint::kNone, "a rate", "450 GB/s", "GB/s or Gb/s"},
    Form{kFlop, Hint::kNone, "an amount of compute", "3e24 FLOP", "FLOP"},
    Form{kFlop, Hint::kPerToken, "compute per token", "42 GFLOP/token", "GFLOP/token"},
    Form{kFlopRate, Hint::kNone, "a compute rate", "989.4 TFLOP/s", "TFLOP/s"},
    Form{kSecond, Hint::kNone, "a time", "10 us", "s, ms or us"},
    Form{kSecond, Hint::kDays, "a time", "21.5 days", "days or h"},
    Form{kSecond, Hint::kGpuHours, "GPU time", "1000 GPU-hours", "GPU-hours"},
    Form{kHertz, Hint::kNone, "a frequency", "1.83 GHz", "GHz"},
    Form{kHertz, Hint::kTokenRate, "a token rate", "500 tokens/s", "tokens/s"},
    Form{kHertz, Hint::kRequestRate, "a request rate", "4 requests/s", "requests/s"},
    Form{kWatt, Hint::kNone, "a power", "700 W", "W"},
    Form{kJoule, Hint::kNone, "an energy", "5 MWh", "J or kWh"},
    Form{kUsd, Hint::kNone, "an amount of money", "100 USD", "USD"},
    Form{kUsdRate, Hint::kNone, "a price per time", "2.5 USD/h", "USD/h"},
    Form{kUsd / kJoule, Hint::kNone, "a price of energy", "0.12 USD/kWh", "USD/kWh"},
    Form{kGram, Hint::kNone, "a mass", "12 kg", "kg or t"},
    Form{kGram / kJoule, Hint::kNone, "a mass per energy", "400 g/kWh", "g/kWh"},
    Form{kOne, Hint::kNone, "a number", "1.5", ""},
    Form{kOne, Hint::kCount, "a whole number", "8", ""},
    Form{kOne, Hint::kParams, "a number of parameters", "7B", ""},
    Form{kOne, Hint::kTokens, "a number of tokens", "15T", ""},
    Form{kOne, Hint::kLength, "a number of tokens", "8192 or 8Ki", ""},
    Form{kOne, Hint::kFraction, "a share", "40% or 0.4", ""},
    Form{kOne, Hint::kRatio, "a factor", "1.75", ""},
    Form{kOne, Hint::kYesNo, "an answer", "yes or no", ""},
};

}  // namespace

Hint fitting(Dim dim, Hint hint) {
  switch (hint) {
    case Hint::kTokenRate:
    case Hint::kRequestRate:
      return dim == kHertz ? hint : Hint::kNone;
    case Hint::kDays:
    case Hint::kGpuHours:
      return dim == kSecond ? hint : Hint::kNone;
    case Hint::kUsdPerHour:
      return dim == kUsdRate ? hint : Hint::kNone;
    case Hint::kPerToken:
    case Hint::kPerParam:
      return dim == kOne ? Hint::kNone : hint;
    default:
      return dim == kOne ? hint : Hint::kNone;
  }
}

const Form* find_form(Dim dim, Hint hint) {
  const Form* found = nullptr;
  for (const Form& f : kForms) {
    if (f.dim == dim && f.hint == hint) return &f;
    if (f.dim == dim && f.hint == Hint::kNone) found = &f;
  }
  return found;
}

std::string expected_form(Dim dim, Hint hint) {
  hint = fitting(dim, hint);
  const Form* form = find_form(dim, hint);
  if (!form) return "a quantity in " + si_unit(dim);
  if (hint == Hint::kYesNo) return std::string(form->example);
  return std::string(form->kind) + " such as " + std::string(form->example);
}

std::string unit_name(Dim dim, Hint hint) {
  switch (fitting(dim, hint)) {
    case Hint::kParams:
      return "params";
    case Hint::kTokens:
    case Hint::kLength:
      return "tokens";
    case Hint::kTokenRate:
      return "tokens/s";
    case Hint::kRequestRate:
      return "requests/s";
    case Hint::kGpuHours:
      return "GPU-s";
    case Hint::kPerToken:
      return si_unit(dim) + "/token";
    case Hint::kPerParam:
      return si_unit(dim) + "/param";
    default:
      return dim == kHertz ? "Hz" : si_unit(dim);
  }
}

}  // namespace reckon
