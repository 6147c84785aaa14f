// One stored number: which values its codes stand for, and which code a value gets.
//
//   const Element fp8 = …;                              // E4M3: 448 is the largest, one NaN, no infinity
//   encode(fp8, 67).value                               // 64: ties and nearest, to even
//   encode(fp8, 500, {.saturate = true}).code           // 0x7E = 448
//   decode(fp8, 0x7F)                                   // NaN
//
// A double holds every value of every format here, so it is what values are given and returned as. A number typed in
// decimals should come through read_decimal (decimal.hpp), which keeps a later rounding from being the second one.
//
// Overflow is decided after rounding, as if exponents had no end: 464 in E4M3 is a tie and goes down to 448, above it
// the code would be the NaN. Then: the largest value where `saturate` says so or the format has neither infinity nor
// NaN, else infinity, else NaN. Toward zero never leaves the finite range. Infinities follow the same rule. Negative
// numbers in a format without sign become 0. A format without a code for NaN, or for zero (E8M0), says so in `holds`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reckon {

enum class Rounding { kNearestEven, kNearestAway, kTowardZero, kUp, kDown, kStochastic };

struct RoundingMode {
  Rounding rounding = Rounding::kNearestEven;
  double u = 0;  // stochastic: up in magnitude if the fraction exceeds u, drawn from [0, 1)
  bool saturate = false;
};

enum class ElementKind { kFloat, kInteger, kCodebook };
enum class NanCode {
  kNone,
  kIeee,         // top exponent, mantissa not 0
  kAllOnes,      // that one code
  kNegativeZero  // the code that would be -0
};

struct Element {
  ElementKind kind = ElementKind::kFloat;
  int bits = 0;
  // floats
  int exponent = 0, mantissa = 0, bias = 0;
  bool sign = true, subnormals = true, infinity = false;
  NanCode nan = NanCode::kNone;
  // integers: two's complement unless `lowest` is 0; the value of a code is code / 2^point
  std::int64_t lowest = 0, highest = 0;
  int point = 0;
  // codebooks: ascending
  std::vector<double> codebook = {};

  bool signed_zero() const {
    return kind == ElementKind::kFloat && sign && nan != NanCode::kNegativeZero;
  }
};

struct Coded {
  std::uint64_t code = 0;
  double value = 0;
  bool holds = true;      // false: no code stands for this input, and `code` is a stand-in
  bool overflow = false;  // beyond the finite range before the overflow rule
};

Coded encode(const Element& e, double x, const RoundingMode& mode = {});
double decode(const Element& e, std::uint64_t code);

// A code as the integer it is: two's complement where there are negative ones.
std::int64_t as_integer(const Element& e, std::uint64_t code);

double largest(const Element& e);
double lowest(const Element& e);    // 0 without sign
double smallest(const Element& e);  // the smallest positive value
double smallest_normal(const Element& e);
double step_at_one(const Element& e);     // epsilon: from 1 to the next value; 0 if there is none
double integers_up_to(const Element& e);  // every whole number up to this one is held
int largest_exponent(const Element& e);   // of the largest value: 8 for E4M3

// The next value above or below; NaN if there is none.
double next_above(const Element& e, double x);
double next_below(const Element& e, double x);
// Spacing of the values around x; 0 outside the range.
double spacing(const Element& e, double x);

// 0x7E; 0b0.1111.110 as sign.exponent.mantissa.
std::string hex_code(const Element& e, std::uint64_t code);
std::string bit_fields(const Element& e, std::uint64_t code);

}  // namespace reckon
