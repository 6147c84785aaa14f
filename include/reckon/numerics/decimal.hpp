// Numbers as people type them, ready to be rounded once.
//
//   read_decimal("-1e-3"), (".12"), ("70_000"), ("2^-25"), ("0x1.8p3"), ("-inf"), ("nan"), ("-0")
//
// Rounding 1.00390625000000000001 to a double first and to bf16 then would round twice: the double is a tie that the
// number is not. So where no double is the number, `to_round` is the neighbour whose last bit is 1: below 52 bits of
// mantissa every rounding of it is the rounding of the number itself.
#pragma once

#include <string>
#include <string_view>

namespace reckon {

struct Typed {
  double nearest = 0;   // as any program would read it
  double to_round = 0;  // for formats narrower than a double
  bool exact = true;    // both are the number
};

// False with a reason if the word is no number.
bool read_decimal(std::string_view word, Typed& out, std::string& fault);

// The sum of two doubles to be rounded once more: exact, or with the last bit 1 as above.
double add_to_round(double a, double b);

}  // namespace reckon
