// Reads a quantity as people write it, and says what to write instead where it can't.
//
//   parse_quantity("3.35 TB/s", kByteRate)          // 3.35e12
//   parse_quantity("400Gbps", kByteRate)            // 5e10
//   parse_quantity("7B", kOne, Hint::kParams)       // 7e9
//   parse_quantity("80B", kByte)                    // error: bare B counts things; 80 GB or 80
//   GiB? parse_quantity("8k", kOne, Hint::kLength)       // error: 8k is 8000 or 8192: write 8000
//   or 8Ki
//
// Rules:
// - a size says its unit: B, kB, MB, GB, TB, PB (10³…) or KiB, MiB, GiB, TiB, PiB (2¹⁰…);
// - a rate is size/s, or bits as 400 Gb/s = 400 Gbit/s = 400Gbps; GBps, gbps and gb/s are refused
// with
//   both readings (GB/s or Gb/s?);
// - FLOP: FLOP, kFLOP…EFLOP, ZFLOP, 3e24 FLOP; rates TFLOP/s = TFLOPS = TFLOPs, TOP/s = TOPS
// (int8);
// - time: s, ms, us = µs, ns, min, h = hours, d = days; clock: MHz, GHz; power: W, kW, MW; energy:
// J, kWh, MWh;
// - money: "2.5 USD/h", "$2.50/h", "2.5 $/h", "100 USD", "1.2M USD";
// - counts: 7B, 1.4T, 15T tokens, 2.5M, 7e9, 8_192, 1,000 is refused; K/M/B/T are 10³…10¹² (k = K);
//   a hint of kCount takes whole numbers only (32, 8_192, 16Ki), kLength adds 8Ki and refuses 8k
//   and 8K;
// - fractions: 40%, 40 %, 0.4;
// - with Hint::kUsdPerHour the unit USD/h, with kPerToken/kPerParam the unit may be followed by
// /token, /param;
// - a number without a unit is refused where the dimension has one (help shows the usual unit);
// - wrong dimension, negative, NaN, infinite, overflow, empty, trailing text: refused, each with
// what was
//   expected and an example. Negative zero reads as 0. Spaces between number and unit are optional.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "reckon/units/dim.hpp"

namespace reckon {

struct ParseError {
  std::string message;  // "'450GB' is a size; expected a rate such as 450 GB/s"
  std::string help;     // what to write instead; may be empty
};

// SI value (bytes, seconds, FLOP, dollars, joules and their quotients).
std::variant<double, ParseError> parse_quantity(std::string_view text, Dim dim,
                                                Hint hint = Hint::kNone);

// "a size such as 80 GB", "a rate such as 450 GB/s", "a whole number": for messages.
std::string expected_form(Dim dim, Hint hint);

// "B", "B/s", "FLOP", "tokens/s", "USD/s", "1": the SI unit as JSON and tables print it.
std::string unit_name(Dim dim, Hint hint = Hint::kNone);

}  // namespace reckon
