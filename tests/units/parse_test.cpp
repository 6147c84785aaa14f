// What parse_quantity() reads, and every refusal with what it tells the user to write instead.
#include "reckon/units/parse.hpp"

#include "catch.hpp"

using namespace reckon;

namespace {

constexpr Hint kNone = Hint::kNone;

constexpr Dim kRootRate = kSecond / root(kByte), kEnergyPrice = kUsd / kJoule;

struct Good {
  const char* text;
  Dim dim;
  Hint hint;
  double value;
};

void check(const Good& g) {
  INFO("'" << g.text << "'");
  const auto read = parse_quantity(g.text, g.dim, g.hint);
  if (const auto* e = std::get_if<ParseError>(&read)) FAIL(e->message << " | " << e->help);
  CHECK(std::get<double>(read) == g.value);
}

struct Bad {
  const char* text;
  Dim dim;
  Hint hint;
  const char* message;
  const char* help;
};

void check(const Bad& b) {
  INFO("'" << b.text << "'");
  const auto read = parse_quantity(b.text, b.dim, b.hint);
  if (const auto* v = std::get_if<double>(&read)) FAIL("was read as " << *v);
  CHECK(std::get<ParseError>(read).message == b.message);
  CHECK(std::get<ParseError>(read).help == b.help);
}

}  // namespace

TEST_CASE("sizes say their unit; decimal and binary are apart") {
  for (const Good& g : {
           Good{"80 GB", kByte, kNone, 80e9},
           Good{"80GB", kByte, kNone, 80e9},
           Good{"80 GiB", kByte, kNone, 85899345920.0},
           Good{"80GiB", kByte, kNone, 85899345920.0},
           Good{"2 B", kByte, kNone, 2},
           Good{"0.5 B", kByte, kNone, 0.5},
           Good{"34 bytes", kByte, kNone, 34},
           Good{"1 kB", kByte, kNone, 1e3},
           Good{"1 KiB", kByte, kNone, 1024},
           Good{"50 MB", kByte, kNone, 50e6},
           Good{"1.5 MiB", kByte, kNone, 1572864},
           Good{"1 TB", kByte, kNone, 1e12},
           Good{"1 TiB", kByte, kNone, 1099511627776.0},
           Good{"2 PB", kByte, kNone, 2e15},
           Good{"1 PiB", kByte, kNone, 1125899906842624.0},
           Good{"4 bits", kByte, kNone, 0.5},
           Good{"80 Gbit", kByte, kNone, 10e9},
           Good{"0 GB", kByte, kNone, 0},
           Good{"-0 GB", kByte, kNone, 0},
           Good{"  80 GB ", kByte, kNone, 80e9},
           Good{"1_000 GB", kByte, kNone, 1e12},
           Good{"131.1 kB/token", kByte, Hint::kPerToken, 131100},
           Good{"131.1 kB", kByte, Hint::kPerToken, 131100},
           Good{"16 B/param", kByte, Hint::kPerParam, 16},
           Good{"16B/param", kByte, Hint::kPerParam, 16},
       }) {
    check(g);
  }
}

TEST_CASE("rates in bytes or bits") {
  for (const char* text : {"400Gbps", "400 Gbit/s", "400 Gb/s", "400Gb/s", "50 GB/s", "50GB/s",
                           "0.4 Tb/s", "50e9 B/s", "50_000 MB/s", "400 Gbps", "50 GB / s"}) {
    check(Good{text, kByteRate, kNone, 5e10});
  }
  check(Good{"3.35 TB/s", kByteRate, kNone, 3.35e12});
  check(Good{"1 GiB/s", kByteRate, kNone, 1073741824});
  check(Good{"60 GB/min", kByteRate, kNone, 1e9});
  check(Good{"8 kbps", kByteRate, kNone, 1e3});
}

TEST_CASE("FLOP, and FLOP per second") {
  for (const char* text : {"989.4 TFLOP/s", "989.4 TFLOPS", "989.4 TFLOPs", "989.4TFLOPS",
                           "989.4 Tflops", "989.4 TFLOPs/s", "989.4 TOP/s", "989.4 TOPS"}) {
    check(Good{text, kFlopRate, kNone, 989.4e12});
  }
  check(Good{"1 EFLOP/s", kFlopRate, kNone, 1e18});
  check(Good{"3e24 FLOP", kFlop, kNone, 3e24});
  check(Good{"3 YFLOP", kFlop, kNone, 3e24});
  check(Good{"1.5 ZFLOP", kFlop, kNone, 1.5e21});
  check(Good{"989 TFLOPs", kFlop, kNone, 989e12});  // a plural: an amount where an amount is wanted
  check(Good{"42 GFLOP/token", kFlop, Hint::kPerToken, 42e9});
  check(Good{"42 GFLOP", kFlop, Hint::kPerToken, 42e9});
  check(Good{"295 FLOP/B", kFlop / kByte, kNone, 295});
}

TEST_CASE("time, frequency, power, energy") {
  for (const char* text : {"10 us", "10us", "10 µs", "10 μs", "0.01 ms", "10_000 ns", "1e-5 s",
                           "1e-5 seconds", ".01 ms"}) {
    check(Good{text, kSecond, kNone, 1e-5});
  }
  check(Good{"27.2222 ms", kSecond, kNone, 0.0272222});
  check(Good{"90 min", kSecond, kNone, 5400});
  check(Good{"2 h", kSecond, kNone, 7200});
  check(Good{"2 hours", kSecond, kNone, 7200});
  check(Good{"21.5 days", kSecond, Hint::kDays, 1857600});
  check(Good{"2 months", kSecond, Hint::kDays, 5256000});  // of 730 hours
  check(Good{"1 year", kSecond, Hint::kNone, 31536000});
  check(Good{"1825 USD/month", kUsdRate, Hint::kNone, 2.5 / 3600});
  check(Good{"21.5 d", kSecond, Hint::kDays, 1857600});
  check(Good{"12 h", kSecond, Hint::kDays, 43200});
  check(Good{"1000 GPU-hours", kSecond, Hint::kGpuHours, 3.6e6});
  check(Good{"2 GPU-days", kSecond, Hint::kGpuHours, 172800});
  check(Good{"1.83 GHz", kHertz, kNone, 1.83e9});
  check(Good{"1980 MHz", kHertz, kNone, 1.98e9});
  check(Good{"5 /s", kHertz, kNone, 5});
  check(Good{"700 W", kWatt, kNone, 700});
  check(Good{"10.2 kW", kWatt, kNone, 10200});
  check(Good{"1 MW", kWatt, kNone, 1e6});
  check(Good{"20 J", kJoule, kNone, 20});
  check(Good{"1 kWh", kJoule, kNone, 3.6e6});
  check(Good{"5 MWh", kJoule, kNone, 1.8e10});
  check(Good{"15 us/√B", kRootRate, kNone, 15e-6});
}

TEST_CASE("money") {
  for (const char* text : {"2.5 USD/h", "$2.50/h", "2.5 $/h", "$2.50 / h", "2.50 USD/hour",
                           "$2.5/GPU-hour", "2.5 USD/h/GPU", "60 USD/day"}) {
    check(Good{text, kUsdRate, Hint::kUsdPerHour, 2.5 / 3600});
  }
  check(Good{"1 USD/s", kUsdRate, Hint::kUsdPerHour, 1});
  check(Good{"100 USD", kUsd, kNone, 100});
  check(Good{"$100", kUsd, kNone, 100});
  check(Good{"100 $", kUsd, kNone, 100});
  check(Good{"1.2M USD", kUsd, kNone, 1.2e6});
  check(Good{"$1.2M", kUsd, kNone, 1.2e6});
  check(Good{"1.2 M USD", kUsd, kNone, 1.2e6});
  check(Good{"0.36 USD/kWh", kEnergyPrice, kNone, 1e-7});
}

TEST_CASE("counts, tokens, lengths, shares") {
  for (const Good& g : {
           Good{"7B", kOne, Hint::kParams, 7e9},
           Good{"7 B", kOne, Hint::kParams, 7e9},
           Good{"7B params", kOne, Hint::kParams, 7e9},
           Good{"7e9", kOne, Hint::kParams, 7e9},
           Good{"2.5M", kOne, Hint::kParams, 2.5e6},
           Good{"500k", kOne, Hint::kParams, 5e5},
           Good{"15T tokens", kOne, Hint::kTokens, 15e12},
           Good{"1.4T", kOne, Hint::kTokens, 1.4e12},
           Good{"161.3 tokens", kOne, Hint::kTokens, 161.3},
           Good{"4Mi tokens", kOne, Hint::kTokens, 4194304},
           Good{"8192", kOne, Hint::kLength, 8192},
           Good{"8Ki", kOne, Hint::kLength, 8192},
           Good{"8_192", kOne, Hint::kLength, 8192},
           Good{"8000", kOne, Hint::kLength, 8000},
           Good{"8e3", kOne, Hint::kLength, 8000},
           Good{"1Mi", kOne, Hint::kLength, 1048576},
           Good{"8192 tokens", kOne, Hint::kLength, 8192},
           Good{"32", kOne, Hint::kCount, 32},
           Good{"8_192", kOne, Hint::kCount, 8192},
           Good{"16Ki", kOne, Hint::kCount, 16384},
           Good{"1.5K", kOne, Hint::kCount, 1500},
           Good{"32.0", kOne, Hint::kCount, 32},
           Good{"40%", kOne, Hint::kFraction, 0.4},
           Good{"40 %", kOne, Hint::kFraction, 0.4},
           Good{"0.4", kOne, Hint::kFraction, 0.4},
           Good{"12.3456789%", kOne, Hint::kFraction, 0.123456789},
           Good{"1.75", kOne, Hint::kRatio, 1.75},
           Good{"+1.75", kOne, Hint::kRatio, 1.75},
           Good{"1.75", kOne, kNone, 1.75},
           Good{"500 tokens/s", kHertz, Hint::kTokenRate, 500},
           Good{"12K tokens/s", kHertz, Hint::kTokenRate, 12000},
           Good{"500 tok/s", kHertz, Hint::kTokenRate, 500},
           Good{"500 tokens/s/GPU", kHertz, Hint::kTokenRate, 500},
           Good{"500/s", kHertz, Hint::kTokenRate, 500},
           Good{"4 requests/s", kHertz, Hint::kRequestRate, 4},
           Good{"240 req/min", kHertz, Hint::kRequestRate, 4},
           Good{"yes", kOne, Hint::kYesNo, 1},
           Good{"False", kOne, Hint::kYesNo, 0},
       }) {
    check(g);
  }
}

TEST_CASE("numbers are rounded once") {
  // Each right-hand side is the compiler's correctly rounded reading of the whole decimal.
  check(Good{"989.4 TFLOP/s", kFlopRate, kNone, 989.4e12});
  check(Good{"0.1 ms", kSecond, kNone, 0.0001});
  check(Good{"0.3 us", kSecond, kNone, 0.0000003});
  check(Good{"1.1 us", kSecond, kNone, 0.0000011});
  check(Good{"4.35 ms", kSecond, kNone, 0.00435});
  check(Good{"70.1 ns", kSecond, kNone, 0.0000000701});
  check(Good{"2.3 PB", kByte, kNone, 2.3e15});
  check(Good{"29%", kOne, Hint::kFraction, 0.29});
  check(Good{"57%", kOne, Hint::kFraction, 0.57});
  check(Good{"0.1 h", kSecond, kNone, 360});
  check(Good{"1.1 days", kSecond, Hint::kDays, 95040});
  check(Good{"3.6 USD/h", kUsdRate, Hint::kUsdPerHour, 0.001});
  check(Good{"0.1 GiB", kByte, kNone, 107374182.4});
  // 2^53 + 1 lies between two doubles; a trailing digit far away decides.
  check(Good{"9007199254740993", kOne, Hint::kParams, 9007199254740992.0});
  check(Good{"9007199254740993.0000000000000000000000000000000000001", kOne, Hint::kParams,
             9007199254740994.0});
  // A third of the largest gap: 40 digits of the quotient and what is left over.
  check(Good{"1 USD/h", kUsdRate, Hint::kUsdPerHour, 1.0 / 3600});
}

TEST_CASE("a number that is none") {
  for (const Bad& b : {
           Bad{"", kByteRate, kNone, "no value; expected a rate such as 450 GB/s",
               "write it like 450 GB/s"},
           Bad{"   ", kOne, Hint::kCount, "no value; expected a whole number such as 8",
               "write it like 8"},
           Bad{"fast", kByteRate, kNone, "'fast' is not a number; expected a rate such as 450 GB/s",
               "write it like 450 GB/s"},
           Bad{"GB", kByte, kNone, "'GB' is not a number; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"1.2.3 GB", kByte, kNone,
               "'1.2.3 GB' is not a number; expected a size such as 80 GB", "write it like 80 GB"},
           Bad{"8__192", kOne, Hint::kCount,
               "'8__192' is not a number; expected a whole number such as 8", "write it like 8"},
           Bad{"8_", kOne, Hint::kCount, "'8_' is not a number; expected a whole number such as 8",
               "write it like 8"},
           Bad{"_8", kOne, Hint::kCount, "'_8' is not a number; expected a whole number such as 8",
               "write it like 8"},
           Bad{"1,000", kOne, Hint::kCount,
               "'1,000' has a comma; expected a whole number such as 8",
               "write 1_000, or 1.000 for a fraction"},
           Bad{"3,35 TB/s", kByteRate, kNone,
               "'3,35 TB/s' has a comma; expected a rate such as 450 GB/s", "write 3.35 TB/s"},
           Bad{"maybe", kOne, Hint::kYesNo, "'maybe' is not a number; expected yes or no",
               "write it like yes or no"},
       }) {
    check(b);
  }
}

TEST_CASE("negative, infinite, too large, too small") {
  for (const Bad& b : {
           Bad{"-3 GB", kByte, kNone, "'-3 GB' is negative; expected a size such as 80 GB",
               "write 3 GB"},
           Bad{"−3 GB", kByte, kNone, "'−3 GB' is negative; expected a size such as 80 GB",
               "write 3 GB"},
           Bad{"-8", kOne, Hint::kCount, "'-8' is negative; expected a whole number such as 8",
               "write 8"},
           Bad{"-$2/h", kUsdRate, Hint::kUsdPerHour,
               "'-$2/h' is negative; expected a price per time such as 2.5 USD/h", "write $2/h"},
           Bad{"inf", kByteRate, kNone,
               "'inf' is not a finite number; expected a rate such as 450 GB/s",
               "write it like 450 GB/s"},
           Bad{"Infinity", kSecond, kNone,
               "'Infinity' is not a finite number; expected a time such as 10 us",
               "write it like 10 us"},
           Bad{"-.inf", kSecond, kNone,
               "'-.inf' is not a finite number; expected a time such as 10 us",
               "write it like 10 us"},
           Bad{".nan", kOne, kNone, "'.nan' is not a finite number; expected a number such as 1.5",
               "write it like 1.5"},
           Bad{"NaN GB", kByte, kNone,
               "'NaN GB' is not a finite number; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"1e400", kOne, Hint::kParams,
               "'1e400' is too large; expected a number of parameters such as 7B",
               "write it like 7B"},
           Bad{"1e300 EFLOP", kFlop, kNone,
               "'1e300 EFLOP' is too large; expected an amount of compute such as 3e24 FLOP",
               "write it like 3e24 FLOP"},
           Bad{"1e99999999999", kOne, kNone,
               "'1e99999999999' is too large; expected a number such as 1.5", "write it like 1.5"},
           Bad{"1e-400 s", kSecond, kNone,
               "'1e-400 s' is too close to zero; expected a time such as 10 us",
               "write it like 10 us"},
       }) {
    check(b);
  }
}

TEST_CASE("bare K, M, B, T count things") {
  for (const Bad& b : {
           Bad{"80B", kByte, kNone,
               "'80B' has no unit ('B' right after a number counts billions); expected a size such "
               "as 80 GB",
               "write 80 GB or 80 GiB; single bytes are written with a space, 80 B"},
           Bad{"80G", kByte, kNone,
               "'80G' has no unit ('G' alone counts things); expected a size such as 80 GB",
               "write 80 GB or 80 GiB"},
           Bad{"512K", kByte, kNone,
               "'512K' has no unit ('K' alone counts things); expected a size such as 80 GB",
               "write 512 kB or 512 KiB"},
           Bad{"3T", kByteRate, kNone,
               "'3T' has no unit ('T' alone counts things); expected a rate such as 450 GB/s",
               "write it like 450 GB/s"},
           Bad{"7B", kOne, Hint::kFraction,
               "'7B' counts things ('B'); expected a share such as 40% or 0.4",
               "write it like 40% or 0.4"},
           Bad{"7K", kOne, Hint::kRatio, "'7K' counts things ('K'); expected a factor such as 1.75",
               "write it like 1.75"},
           Bad{"7G", kOne, Hint::kParams,
               "'7G' has an unknown unit 'G'; expected a number of parameters such as 7B",
               "did you mean 7B?"},
           Bad{"40%", kOne, Hint::kCount, "'40%' is a share; expected a whole number such as 8",
               "write it like 8"},
           Bad{"40%", kSecond, kNone, "'40%' is a share; expected a time such as 10 us",
               "write it like 10 us"},
       }) {
    check(b);
  }
}

TEST_CASE("8k tokens are 8000 or 8192") {
  for (const Bad& b : {
           Bad{"8k", kOne, Hint::kLength,
               "'8k' can be read as 8000 or 8192 tokens; expected a number of tokens such as 8192 "
               "or 8Ki",
               "write 8000 or 8Ki (= 8192)"},
           Bad{"128K", kOne, Hint::kLength,
               "'128K' can be read as 128000 or 131072 tokens; expected a number of tokens such as "
               "8192 or 8Ki",
               "write 128000 or 128Ki (= 131072)"},
           Bad{"1M tokens", kOne, Hint::kLength,
               "'1M tokens' can be read as 1000000 or 1048576 tokens; expected a number of tokens "
               "such as 8192 or 8Ki",
               "write 1000000 or 1Mi (= 1048576)"},
           Bad{"8192.5", kOne, Hint::kLength,
               "'8192.5' is not whole; expected a number of tokens such as 8192 or 8Ki",
               "write 8192 or 8193"},
           Bad{"1.5", kOne, Hint::kCount, "'1.5' is not whole; expected a whole number such as 8",
               "write 1 or 2"},
           Bad{"0.5", kOne, Hint::kCount, "'0.5' is not whole; expected a whole number such as 8",
               "write 0 or 1"},
       }) {
    check(b);
  }
}

TEST_CASE("of whole numbers those are offered that are allowed") {
  const auto help = [](const char* text, WholeRange whole) {
    const auto read = parse_quantity(text, kOne, Hint::kCount, whole);
    return std::get<ParseError>(read).help;
  };
  CHECK(help("0.5", {.least = 1}) == "write 1");
  CHECK(help("1.5", {.least = 1}) == "write 1 or 2");
  CHECK(help("7.5", {.least = 1, .most = 8}) == "write 7 or 8");
  CHECK(help("8.5", {.least = 1, .most = 8}) == "write 8");
  CHECK(help("-0.5", {.least = 1}) == "write 1");
}

TEST_CASE("bits or bytes, 1000 or 1024: never guessed") {
  const char* rate = "; expected a rate such as 450 GB/s";
  for (const char* unit : {"GBps", "gbps", "gb/s", "gB/s", "GB/S"}) {
    const std::string text = std::string("400 ") + unit;
    check(Bad{text.c_str(), kByteRate, kNone,
              ("'" + text + "' can be read two ways" + rate).c_str(),
              "write 400 GB/s (bytes) or 400 Gb/s (bits)"});
  }
  check(Bad{"5KB/s", kByteRate, kNone,
            "'5KB/s' can be read two ways; expected a rate such as 450 GB/s",
            "write 5 kB/s (1000) or 5 KiB/s (1024)"});
  check(Bad{"64 KB", kByte, kNone, "'64 KB' can be read two ways; expected a size such as 80 GB",
            "write 64 kB (1000) or 64 KiB (1024)"});
  check(Bad{"80 gb", kByte, kNone,
            "'80 gb' can be read as bits or bytes; expected a size such as 80 GB",
            "write 80 GB, or 10 GB if bits were meant"});
  check(Bad{"80Gb", kByte, kNone,
            "'80Gb' can be read as bits or bytes; expected a size such as 80 GB",
            "write 80 GB, or 10 GB if bits were meant"});
}

TEST_CASE("no unit, the wrong unit, an unknown unit") {
  for (const Bad& b : {
           Bad{"80", kByte, kNone, "'80' has no unit; expected a size such as 80 GB",
               "write 80 GB or 80 GiB"},
           Bad{"450", kByteRate, kNone, "'450' has no unit; expected a rate such as 450 GB/s",
               "write 450 GB/s or 450 Gb/s"},
           Bad{"0", kSecond, kNone, "'0' has no unit; expected a time such as 10 us",
               "write 0 s, 0 ms or 0 us"},
           Bad{"2.5", kUsdRate, Hint::kUsdPerHour,
               "'2.5' has no unit; expected a price per time such as 2.5 USD/h", "write 2.5 USD/h"},
           Bad{"5", kFlop / kByte, kNone, "'5' has no unit; expected a quantity in FLOP/B",
               "write 5 FLOP/B"},
           Bad{"450GB", kByteRate, kNone, "'450GB' is a size; expected a rate such as 450 GB/s",
               "did you mean 450 GB/s?"},
           Bad{"450 GB/s", kByte, kNone, "'450 GB/s' is a rate; expected a size such as 80 GB",
               "did you mean 450 GB?"},
           Bad{"989 TFLOP", kFlopRate, kNone,
               "'989 TFLOP' is an amount of compute; expected a compute rate such as 989.4 TFLOP/s",
               "did you mean 989 TFLOP/s?"},
           Bad{"989 TFLOPS", kFlop, kNone,
               "'989 TFLOPS' is a compute rate; expected an amount of compute such as 3e24 FLOP",
               "write it like 3e24 FLOP"},
           Bad{"80 GB", kSecond, kNone, "'80 GB' is a size; expected a time such as 10 us",
               "write it like 10 us"},
           Bad{"$2", kUsdRate, Hint::kUsdPerHour,
               "'$2' is an amount of money; expected a price per time such as 2.5 USD/h",
               "did you mean 2 USD/h?"},
           Bad{"2 USD/h", kUsd, kNone,
               "'2 USD/h' is a price per time; expected an amount of money such as 100 USD",
               "write it like 100 USD"},
           Bad{"8 GB", kOne, Hint::kCount, "'8 GB' is a size; expected a whole number such as 8",
               "write it like 8"},
           Bad{"8 tokens", kOne, Hint::kParams,
               "'8 tokens' is a number of tokens; expected a number of parameters such as 7B",
               "write 8 alone, or like 7B"},
           Bad{"8 GPUs", kOne, Hint::kCount,
               "'8 GPUs' counts GPUs; expected a whole number such as 8",
               "write 8 alone, or like 8"},
           Bad{"5 h", kSecond, Hint::kGpuHours,
               "'5 h' is a time; expected GPU time such as 1000 GPU-hours",
               "write it like 1000 GPU-hours"},
           Bad{"5 GPU-hours", kSecond, kNone,
               "'5 GPU-hours' is GPU time; expected a time such as 10 us", "write it like 10 us"},
           Bad{"16 B/param", kByte, kNone,
               "'16 B/param' is a size per parameter; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"5 B/FLOP", kByte, kNone, "'5 B/FLOP' is in B/FLOP; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"3 furlongs", kByte, kNone,
               "'3 furlongs' has an unknown unit 'furlongs'; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"3 tb/S", kByteRate, kNone,
               "'3 tb/S' can be read two ways; expected a rate such as 450 GB/s",
               "write 3 TB/s (bytes) or 3 Tb/s (bits)"},
           Bad{"3 gib", kByte, kNone,
               "'3 gib' has an unknown unit 'gib'; expected a size such as 80 GB",
               "did you mean 3 GiB?"},
           Bad{"3 ghz", kHertz, kNone,
               "'3 ghz' has an unknown unit 'ghz'; expected a frequency such as 1.83 GHz",
               "did you mean 3 GHz?"},
           Bad{"3 secnds", kSecond, kNone,
               "'3 secnds' has an unknown unit 'secnds'; expected a time such as 10 us",
               "did you mean 3 seconds?"},
           Bad{"900 TFLPO/s", kFlopRate, kNone,
               "'900 TFLPO/s' has an unknown unit 'TFLPO'; expected a compute rate such as 989.4 "
               "TFLOP/s",
               "did you mean 900 TFLOP/s?"},
           Bad{"80 GB of memory", kByte, kNone,
               "'80 GB of memory' has an unknown unit 'GB of memory'; expected a size such as 80 "
               "GB",
               "write it like 80 GB"},
           Bad{"1 m", kSecond, kNone,
               "'1 m' has an unknown unit 'm'; expected a time such as 10 us",
               "write it like 10 us"},
           Bad{"80 GB/", kByte, kNone,
               "'80 GB/' has an unknown unit ''; expected a size such as 80 GB",
               "write it like 80 GB"},
           Bad{"7B x", kOne, Hint::kParams,
               "'7B x' has an unknown unit 'x'; expected a number of parameters such as 7B",
               "write it like 7B"},
       }) {
    check(b);
  }
}

TEST_CASE("the example in every message is accepted") {
  for (const Dim dim : {kOne, kByte, kByteRate, kFlop, kFlopRate, kSecond, kHertz, kWatt, kJoule,
                        kUsd, kUsdRate, kEnergyPrice}) {
    for (int h = 0; h <= static_cast<int>(Hint::kYesNo); ++h) {
      const auto hint = static_cast<Hint>(h);
      const std::string form = expected_form(dim, hint);
      std::string example = form.substr(std::min(form.find(" such as "), form.size() - 9) + 9);
      if (dim == kOne && hint == Hint::kYesNo) example = "yes";
      example = example.substr(0, example.find(" or "));
      INFO(form);
      CHECK(std::holds_alternative<double>(parse_quantity(example, dim, hint)));
    }
  }
}

TEST_CASE("SI units as JSON prints them") {
  CHECK(unit_name(kOne) == "1");
  CHECK(unit_name(kOne, Hint::kFraction) == "1");
  CHECK(unit_name(kOne, Hint::kParams) == "params");
  CHECK(unit_name(kByte) == "B");
  CHECK(unit_name(kByte, Hint::kPerToken) == "B/token");
  CHECK(unit_name(kByteRate) == "B/s");
  CHECK(unit_name(kFlopRate) == "FLOP/s");
  CHECK(unit_name(kFlop / kByte) == "FLOP/B");
  CHECK(unit_name(kHertz) == "Hz");
  CHECK(unit_name(kHertz, Hint::kTokenRate) == "tokens/s");
  CHECK(unit_name(kUsdRate, Hint::kUsdPerHour) == "USD/s");
  CHECK(unit_name(kSecond, Hint::kDays) == "s");
  CHECK(unit_name(kSecond, Hint::kGpuHours) == "GPU-s");
  CHECK(unit_name(kWatt) == "W");
  CHECK(unit_name(kSecond / root(kByte)) == "s/√B");
  CHECK(unit_name(kUsd / kJoule) == "USD/J");
  CHECK(unit_name(kOne / kByte) == "1/B");
  CHECK(unit_name(kByte * kByte * kSecond) == "B^2·s");
}
