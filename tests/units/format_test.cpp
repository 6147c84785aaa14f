// Numbers as people read them, and as files keep them.
#include "reckon/units/format.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include "catch.hpp"
#include "reckon/units/parse.hpp"

using namespace reckon;

namespace {

constexpr Hint kNone = Hint::kNone;

struct Shown {
  double value;
  Dim dim;
  Hint hint;
  const char* text;
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("format_quantity: four digits, a prefix, the unit") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const Shown& s : {
           Shown{49e9, kByte, kNone, "49 GB"},
           Shown{85899345920.0, kByte, kNone, "85.9 GB"},
           Shown{0, kByte, kNone, "0 B"},
           Shown{0.5, kByte, kNone, "0.5 B"},
           Shown{999.95e9, kByte, kNone, "1 TB"},
           Shown{999.94e9, kByte, kNone, "999.9 GB"},
           Shown{-12.4e9, kByte, kNone, "-12.4 GB"},
           Shown{5e10, kByteRate, kNone, "50 GB/s"},
           Shown{3.35e12, kByteRate, kNone, "3.35 TB/s"},
           Shown{989.4e12, kFlopRate, kNone, "989.4 TFLOP/s"},
           Shown{5.88e23, kFlop, kNone, "588 ZFLOP"},
           Shown{3e27, kFlop, kNone, "3,000 YFLOP"},
           Shown{42e9, kFlop, Hint::kPerToken, "42 GFLOP/token"},
           Shown{131072, kByte, Hint::kPerToken, "131.1 kB/token"},
           Shown{16, kByte, Hint::kPerParam, "16 B/param"},
           Shown{0.0272222, kSecond, kNone, "27.22 ms"},
           Shown{4e-6, kSecond, kNone, "4 µs"},
           Shown{3.5e-9, kSecond, kNone, "3.5 ns"},
           Shown{14.847159842067736, kSecond, kNone, "14.85 s"},
           Shown{0.99996, kSecond, kNone, "1 s"},
           Shown{0, kSecond, kNone, "0 s"},
           Shown{86400, kSecond, kNone, "86,400 s"},
           Shown{12345.6, kSecond, kNone, "12,346 s"},
           Shown{1857937.4, kSecond, Hint::kDays, "21.5 days"},
           Shown{86400, kSecond, Hint::kDays, "1 day"},
           Shown{303336.7, kSecond, Hint::kGpuHours, "84.26 GPU-hours"},
           Shown{1826906400, kSecond, Hint::kGpuHours, "507,474 GPU-hours"},
           Shown{1.83e9, kHertz, kNone, "1.83 GHz"},
           Shown{12345.4, kHertz, Hint::kTokenRate, "12,345 tokens/s"},
           Shown{4355000, kHertz, Hint::kTokenRate, "4.355M tokens/s"},
           Shown{3.5, kHertz, Hint::kRequestRate, "3.5 requests/s"},
           Shown{700, kWatt, kNone, "700 W"},
           Shown{10200, kWatt, kNone, "10.2 kW"},
           Shown{20, kJoule, kNone, "20 J"},
           Shown{0.39, kJoule, Hint::kPerToken, "390 mJ/token"},
           Shown{1.8e10, kJoule, kNone, "5 MWh"},
           Shown{2.5 / 3600, kUsdRate, Hint::kUsdPerHour, "2.50 USD/h"},
           Shown{2.5 / 3600, kUsdRate, kNone, "2.50 USD/h"},
           Shown{100, kUsd, kNone, "100 USD"},
           Shown{84260.2, kUsd, kNone, "84,260 USD"},
           Shown{1.2e6, kUsd, kNone, "1.2M USD"},
           Shown{0.5, kUsd, kNone, "0.50 USD"},
           Shown{0.123456, kUsd, kNone, "0.1235 USD"},
           Shown{1e-7, kUsd / kJoule, kNone, "0.36 USD/kWh"},
           Shown{15e-6, kSecond / root(kByte), kNone, "15 µs/√B"},
           Shown{295.34, kFlop / kByte, kNone, "295.3 FLOP/B"},
           Shown{7e9, kOne, Hint::kParams, "7B params"},
           Shown{8030261248, kOne, Hint::kParams, "8.03B params"},
           Shown{999960000, kOne, Hint::kParams, "1B params"},
           Shown{12, kOne, Hint::kParams, "12 params"},
           Shown{1.4e12, kOne, Hint::kTokens, "1.4T tokens"},
           Shown{8192, kOne, Hint::kTokens, "8,192 tokens"},
           Shown{1e16, kOne, Hint::kTokens, "10,000T tokens"},
           Shown{8192, kOne, Hint::kLength, "8,192 tokens"},
           Shown{1, kOne, Hint::kLength, "1 token"},
           Shown{80, kOne, Hint::kCount, "80"},
           Shown{128256, kOne, Hint::kCount, "128,256"},
           Shown{0.4, kOne, Hint::kFraction, "40 %"},
           Shown{0.401234, kOne, Hint::kFraction, "40.12 %"},
           Shown{0.29, kOne, Hint::kFraction, "29 %"},
           Shown{1.75, kOne, Hint::kRatio, "1.75"},
           Shown{0.00472, kOne, kNone, "0.00472"},
           Shown{1.5e-7, kOne, kNone, "1.5e-7"},
           Shown{4.541e9, kOne, kNone, "4.541e9"},
           Shown{99999999, kOne, kNone, "99,999,999"},
           Shown{100000000, kOne, kNone, "1e8"},
           Shown{1867.93, kOne, kNone, "1,868"},
           Shown{1, kOne, Hint::kYesNo, "yes"},
           Shown{0, kOne, Hint::kYesNo, "no"},
           Shown{kInf, kByte, kNone, "∞ B"},
           Shown{-kInf, kOne, kNone, "-∞"},
           Shown{std::nan(""), kSecond, kNone, "undefined"},
       }) {
    CHECK(format_quantity(s.value, s.dim, s.hint) == s.text);
  }
  CHECK(format_quantity(14.847159842067736, kSecond, kNone, 7) == "14.84716 s");
  CHECK(format_quantity(17.5e9, kByte, kNone, 1) == "20 GB");
}

TEST_CASE("format_binary") {
  CHECK(format_binary(412316860416.0) == "384 GiB");
  CHECK(format_binary(80e9) == "74.51 GiB");
  CHECK(format_binary(1023) == "1023 B");
  CHECK(format_binary(1024) == "1 KiB");
  CHECK(format_binary(1048575.9) == "1 MiB");
  CHECK(format_binary(0) == "0 B");
  CHECK(format_binary(-1536) == "-1.5 KiB");
}

TEST_CASE("grouped") {
  CHECK(grouped(8030261248) == "8,030,261,248");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(0) == "0");
}

TEST_CASE("write_quantity is short and in the units people use") {
  for (const Shown& s : {
           Shown{3.35e12, kByteRate, kNone, "3.35 TB/s"},
           Shown{80e9, kByte, kNone, "80 GB"},
           Shown{85899345920.0, kByte, kNone, "80 GiB"},
           Shown{2, kByte, kNone, "2 B"},
           Shown{0.0272222, kSecond, kNone, "27.2222 ms"},
           Shown{1e-5, kSecond, kNone, "10 us"},
           Shown{0, kSecond, kNone, "0 s"},
           Shown{1857600, kSecond, Hint::kDays, "21.5 days"},
           Shown{3.6e6, kSecond, Hint::kGpuHours, "1000 GPU-hours"},
           Shown{989.4e12, kFlopRate, kNone, "989.4 TFLOP/s"},
           Shown{3e24, kFlop, kNone, "3e24 FLOP"},
           Shown{2.5 / 3600, kUsdRate, Hint::kUsdPerHour, "2.5 USD/h"},
           Shown{1.2e6, kUsd, kNone, "1.2M USD"},
           Shown{7e9, kOne, Hint::kParams, "7B"},
           Shown{8030261248, kOne, Hint::kParams, "8030261248"},
           Shown{15e12, kOne, Hint::kTokens, "15T"},
           Shown{8192, kOne, Hint::kLength, "8192"},
           Shown{128256, kOne, Hint::kCount, "128256"},
           Shown{0.4, kOne, Hint::kFraction, "40%"},
           Shown{1.75, kOne, Hint::kRatio, "1.75"},
           Shown{16, kByte, Hint::kPerParam, "16 B/param"},
           Shown{131072, kByte, Hint::kPerToken, "128 KiB/token"},
           Shown{1, kOne, Hint::kYesNo, "yes"},
       }) {
    CHECK(write_quantity(s.value, s.dim, s.hint) == s.text);
  }
}

TEST_CASE("write_quantity reads back to the same bits") {
  std::mt19937_64 rng(20240611);
  std::uniform_real_distribution<double> exponent(-12, 24), mantissa(1, 10);
  constexpr Hint kHints[] = {Hint::kNone,        Hint::kParams,   Hint::kTokens,   Hint::kTokenRate,
                             Hint::kRequestRate, Hint::kFraction, Hint::kDays,     Hint::kGpuHours,
                             Hint::kUsdPerHour,  Hint::kPerToken, Hint::kPerParam, Hint::kRatio};
  constexpr Dim kDims[] = {kOne,
                           kByte,
                           kByteRate,
                           kFlop,
                           kFlopRate,
                           kSecond,
                           kHertz,
                           kWatt,
                           kJoule,
                           kUsd,
                           kUsdRate,
                           kUsd / kJoule,
                           kSecond / root(kByte),
                           kFlop / kByte,
                           kByte * kByte / kSecond};
  int failures = 0;
  for (int i = 0; i < 10000; ++i) {
    double v = mantissa(rng) * std::pow(10, exponent(rng));
    if (i % 4 == 1) v = std::nearbyint(v);
    if (i % 4 == 2) v = std::stod(format_quantity(v, kOne, kNone, 3).substr(0, 4));
    const Dim dim = kDims[rng() % std::size(kDims)];
    const Hint hint = kHints[rng() % std::size(kHints)];
    const std::string text = write_quantity(v, dim, hint);
    const auto read = parse_quantity(text, dim, hint);
    const double* back = std::get_if<double>(&read);
    if (!back || !same_bits(*back, v)) {
      UNSCOPED_INFO(text << " " << (back ? "differs" : std::get<ParseError>(read).message));
      ++failures;
    }
  }
  CHECK(failures == 0);
}

TEST_CASE("write_quantity of whole counts and extreme doubles") {
  for (const double v : {1.0, 8192.0, 9007199254740992.0, 1e20}) {
    for (const Hint h : {Hint::kCount, Hint::kLength}) {
      CHECK(std::get<double>(parse_quantity(write_quantity(v, kOne, h), kOne, h)) == v);
    }
  }
  for (const double v : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::denorm_min(), 1 / 3.0}) {
    for (const Dim d : {kOne, kByte, kSecond, kUsdRate}) {
      CHECK(same_bits(std::get<double>(parse_quantity(write_quantity(v, d), d)), v));
    }
  }
}
