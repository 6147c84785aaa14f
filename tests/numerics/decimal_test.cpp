// Numbers as typed, rounded once.
#include "reckon/numerics/decimal.hpp"

#include <cmath>

#include "formats.hpp"

namespace reckon {
namespace {

Typed typed(const char* word) {
  Typed out;
  std::string fault;
  CAPTURE(word, fault);
  REQUIRE(read_decimal(word, out, fault));
  return out;
}

std::string fault_of(const char* word) {
  Typed out;
  std::string fault;
  CHECK_FALSE(read_decimal(word, out, fault));
  return fault;
}

}  // namespace

TEST_CASE("Numbers are read as people type them") {
  CHECK(typed("-0.5").nearest == -0.5);
  CHECK(typed(".12").nearest == .12);
  CHECK(typed("-1e-3").nearest == -1e-3);
  CHECK(typed("+3.").nearest == 3);
  CHECK(typed("70_000").nearest == 70000);
  CHECK(typed("2^-25").nearest == std::ldexp(1.0, -25));
  CHECK(typed("-2^10").nearest == -1024);
  CHECK(typed("0x1.8p3").nearest == 12);
  CHECK(typed("-inf").nearest == -INFINITY);
  CHECK(std::isnan(typed("NaN").nearest));
  CHECK(std::signbit(typed("-0").nearest));
  for (const char* word :
       {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "--1", "0x", "2^", "2^5000", "_1", "1x"})
    CHECK(fault_of(word).find("is no number") != std::string::npos);
  CHECK(fault_of("70,000").find("70_000") != std::string::npos);
}

TEST_CASE("A number that no double holds is rounded once") {
  const auto rounded = [](const char* id, const char* word) {
    return encode(test::element(id), typed(word).to_round).value;
  };
  // As doubles these are the ties 1.00390625 (bf16), 65520 (fp16) and 2^-25 (fp16).
  CHECK(typed("1.00390625000000000001").nearest == 1.00390625);
  CHECK(rounded("bf16", "1.00390625000000000001") == 1.0078125);
  CHECK(rounded("bf16", "1.00390625") == 1);
  CHECK(rounded("bf16", "1.01171874999999999999") == 1.0078125);  // the tie would go up
  CHECK(rounded("fp16", "65519.9999999999999999") == 65504);
  CHECK(rounded("fp16", "65520") == INFINITY);
  CHECK(rounded("fp16", "2.98023223876953125000000001e-8") == std::ldexp(1.0, -24));
  CHECK(rounded("fp16", "2.98023223876953125e-8") == 0);
  CHECK(
      encode(test::element("fp16"), typed("1e-400").to_round, {.rounding = Rounding::kUp}).value ==
      std::ldexp(1.0, -24));
  CHECK(encode(test::element("fp16"), typed("1e400").to_round, {.rounding = Rounding::kTowardZero})
            .value == 65504);
  CHECK(typed("0.5").exact);
  CHECK_FALSE(typed("0.1").exact);
}

TEST_CASE("Sums that a double can't hold are rounded once") {
  const double half_step = std::ldexp(1.0, -24);  // of fp32 at 1
  const double above = add_to_round(1 + half_step, std::ldexp(1.0, -80));
  CHECK(encode(test::element("fp32"), above).value > 1);
  CHECK(encode(test::element("fp32"), 1 + half_step).value == 1);
  CHECK(add_to_round(1, 2) == 3);
  CHECK(std::isinf(add_to_round(1e308, 1e308)));
}

}  // namespace reckon
