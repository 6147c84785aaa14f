// The dimension of a quantity, known at compile time: exponents of byte, second, FLOP, US dollar,
// joule and gram. Counts (GPUs, tokens, parameters) and ratios have none; a Hint says how to show them.
#pragma once

namespace reckon {

// Exponents, doubled: a square root of bytes is a dimension too (collective times have one).
struct Dim {
  int byte2 = 0, second2 = 0, flop2 = 0, usd2 = 0, joule2 = 0, gram2 = 0;
  friend constexpr bool operator==(Dim, Dim) = default;
};
constexpr Dim operator*(Dim a, Dim b) {
  return {a.byte2 + b.byte2, a.second2 + b.second2, a.flop2 + b.flop2,
          a.usd2 + b.usd2,   a.joule2 + b.joule2,   a.gram2 + b.gram2};
}
constexpr Dim operator/(Dim a, Dim b) {
  return {a.byte2 - b.byte2, a.second2 - b.second2, a.flop2 - b.flop2,
          a.usd2 - b.usd2,   a.joule2 - b.joule2,   a.gram2 - b.gram2};
}
constexpr Dim root(Dim d) {
  return {d.byte2 / 2, d.second2 / 2, d.flop2 / 2, d.usd2 / 2, d.joule2 / 2, d.gram2 / 2};
}

inline constexpr Dim kOne{}, kByte{2}, kSecond{0, 2}, kFlop{0, 0, 2}, kUsd{0, 0, 0, 2},
    kJoule{0, 0, 0, 0, 2}, kGram{0, 0, 0, 0, 0, 2};
inline constexpr Dim kByteRate = kByte / kSecond, kFlopRate = kFlop / kSecond,
                     kWatt = kJoule / kSecond, kHertz = kOne / kSecond, kUsdRate = kUsd / kSecond;

// What a number without a unit of its own counts, or how a number with one is best read.
enum class Hint {
  kNone,
  kCount,        // whole things: layers, GPUs, steps            "80"
  kParams,       // parameters                                   "7.505B params"
  kTokens,       // tokens of a run                              "1.4T tokens"
  kLength,       // tokens of a sequence                         "8,192 tokens"
  kTokenRate,    // dimension 1/s                                "12,345 tokens/s"
  kRequestRate,  // dimension 1/s                                "3.5 requests/s"
  kFraction,     // share of one                                 "40 %"
  kRatio,        // plain factor                                 "1.75"
  kDays,         // seconds read as days                         "21.5 days"
  kGpuHours,     // seconds of one GPU                           "84.3 GPU-hours"
  kUsdPerHour,   // price                                        "2.50 USD/h"
  kPerToken,     // FLOP or bytes of one token                   "42 GFLOP/token", "131.1 kB/token"
  kPerParam,     // bytes of one parameter                       "16 B/param"
  kYesNo,        // 0 or 1                                       "yes"
};

}  // namespace reckon
