// Reads a quantity as people write it, and says what to write instead where it can't.
//
//   parse_quantity("3.35 TB/s", kByteRate)               // 3.35e12
//   parse_quantity("400Gbps", kByteRate)                 // 5e10
//   parse_quantity("7B", kOne, Hint::kParams)            // 7e9
//   parse_quantity("80B", kByte)                         // error: 80 GB or 80 GiB?
//   parse_quantity("8k", kOne, Hint::kLength)            // error: 8000 or 8Ki (= 8192)?
//
// The number is rounded once: "27.2222 ms" gives the double closest to 0.0272222.
// - Size: B, kB, MB, GB, TB, PB (10³…) or KiB, MiB, GiB, TiB, PiB (2¹⁰…). "B" right after a number
//   counts billions, so single bytes take a space: 80 B. Alone, K, M, G, T are no units of size.
// - Rate: size/s, or bits as 400 Gb/s = 400 Gbit/s = 400Gbps. GBps, gbps, gb/s and KB are refused
//   with both readings.
// - FLOP: FLOP, kFLOP … ZFLOP, YFLOP; rates TFLOP/s = TFLOPS = TFLOPs, TOP/s = TOPS. Where
//   an amount is wanted TFLOPs is its plural, and TFLOPS is refused.
// - Time: s, ms, us = µs, ns, min, h, d and their words. Frequency: Hz, kHz, MHz, GHz, /s.
//   Power: W, kW, MW. Energy: J, kJ, MJ, Wh, kWh, MWh.
// - Money: 100 USD, $100, 1.2M USD; 2.5 USD/h, $2.50/h, 2.5 $/h; 0.12 USD/kWh.
// - Mass (of carbon dioxide): g, kg, t; per energy 400 g/kWh.
// - Counts: 7B, 1.4T, 15T tokens, 2.5M params, 7e9, 8_192; K, M, B, T are 10³ … 10¹² (k = K), Ki,
//   Mi, Gi, Ti 2¹⁰ …; 1,000 is refused. kCount and kLength take whole numbers only; kLength refuses
//   8k and 1M.
// - Shares: 40%, 40 %, 0.4 (a number without hint and a ratio may be written so too).
// - kTokenRate, kRequestRate: tokens/s, requests/s (or /s); kGpuHours: GPU-hours, GPU-days, GPU-s;
//   kPerToken, kPerParam: the unit may be followed by /token, /param; kYesNo: yes, no, true, false.
// - Units combine with / and ·: FLOP/B, us/√B, B^2/s.
// - Refused, each with what was expected and what to write: a missing, unknown or wrong unit, a
//   negative number, NaN, infinity, overflow, vanishing, empty or trailing text. -0 reads as 0. A
//   hint that doesn't belong to the dimension is ignored.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "reckon/units/dim.hpp"

namespace reckon {

struct ParseError {
  std::string message;  // "'450GB' is a size; expected a rate such as 450 GB/s"
  std::string help;     // what to write instead; may be empty
};

// Whole numbers that make sense: what is said in the place of a fraction is one of them. The caller refuses the others.
struct WholeRange {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

// SI value (bytes, seconds, FLOP, dollars, joules and their quotients).
std::variant<double, ParseError> parse_quantity(std::string_view text, Dim dim,
                                                Hint hint = Hint::kNone, WholeRange whole = {});

// "a size such as 80 GB", "a rate such as 450 GB/s", "a whole number": for messages.
std::string expected_form(Dim dim, Hint hint);

// "B", "B/s", "FLOP", "tokens/s", "USD/s", "1": the SI unit as JSON and tables print it.
std::string unit_name(Dim dim, Hint hint = Hint::kNone);

}  // namespace reckon
