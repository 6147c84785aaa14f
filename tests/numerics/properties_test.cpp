// What must hold for every code and any input, whatever the format; by brute force over all values a format has.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "formats.hpp"

namespace reckon {
namespace {

struct Held {
  double value;
  std::uint64_t code;
};

// All finite values, ascending; of two zeros the positive one.
std::vector<Held> values_of(const Element& e) {
  std::vector<Held> out;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << e.bits; ++code) {
    const double v = decode(e, code);
    const bool beyond = e.kind == ElementKind::kInteger && as_integer(e, code) < e.lowest;
    if (std::isfinite(v) && !beyond && !(v == 0 && std::signbit(v))) out.push_back({v, code});
  }
  std::sort(out.begin(), out.end(), [](const Held& a, const Held& b) { return a.value < b.value; });
  return out;
}

// Every value, every midpoint between two, a double either side of both, and points at random.
std::vector<double> inputs_for(const std::vector<Held>& held) {
  std::vector<double> out;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto around = [&out](double x) {
    for (const double y : {std::nextafter(x, -INFINITY), x, std::nextafter(x, INFINITY)})
      out.push_back(y);
  };
  for (std::size_t i = 0; i < held.size(); ++i) {
    around(held[i].value);
    if (i + 1 == held.size()) break;
    const double step = held[i + 1].value - held[i].value;
    around(held[i].value + step / 2);
    out.push_back(held[i].value + step * unit(random));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The nearest values: one, or the two of a tie.
std::pair<std::size_t, std::size_t> nearest(const std::vector<Held>& held, double x) {
  const auto above = std::lower_bound(held.begin(), held.end(), x,
                                      [](const Held& h, double v) { return h.value < v; });
  if (above == held.begin()) return {0, 0};
  if (above == held.end()) return {held.size() - 1, held.size() - 1};
  const auto i = static_cast<std::size_t>(above - held.begin());
  const double up = held[i].value - x, down = x - held[i - 1].value;  // exact: neighbours
  if (up == down) return {i - 1, i};
  return up < down ? std::pair{i, i} : std::pair{i - 1, i - 1};
}

// In integers a tie goes to the even number, in floats to the even code, in codebooks to the lower value.
bool tie_is_right(const Element& e, const Held& below, const Held& above, std::uint64_t got) {
  const std::uint64_t want =
      e.kind == ElementKind::kCodebook || below.code % 2 == 0 ? below.code : above.code;
  const bool zero = decode(e, got) == 0;
  return got == want || (zero && decode(e, want) == 0);
}

struct Faults {
  std::size_t far = 0, tie = 0, order = 0, codes = 0, again = 0;
  bool none() const { return far + tie + order + codes + again == 0; }
};

Faults faults_of(const Element& e, const std::vector<Held>& held) {
  Faults f;
  double last = -INFINITY;
  for (const double x : inputs_for(held)) {
    const Coded c = encode(e, x, {.saturate = true});
    const auto [below, above] = nearest(held, x);
    f.far += c.value != held[below].value && c.value != held[above].value;
    if (below != above) f.tie += !tie_is_right(e, held[below], held[above], c.code);
    f.order += c.value < last;
    last = c.value;
    f.again += encode(e, c.value).value != c.value;
    f.codes += decode(e, c.code) != c.value;
  }
  for (const Held& h : held) f.codes += encode(e, h.value).code != h.code;
  return f;
}

}  // namespace

TEST_CASE("Rounding is to the nearest value, ties to even, monotone and idempotent") {
  for (const char* id : test::kSmallFormats) {
    const Element e = test::element(id);
    const std::vector<Held> held = values_of(e);
    const Faults f = faults_of(e, held);
    CAPTURE(id, f.far, f.tie, f.order, f.codes, f.again);
    CHECK(held.size() > 10);
    CHECK(f.none());
    CHECK(largest(e) == held.back().value);
    CHECK(lowest(e) == held.front().value);
  }
}

TEST_CASE("Directed roundings bracket the input, and toward zero never leaves the range") {
  for (const char* id : test::kSmallFormats) {
    const Element e = test::element(id);
    const std::vector<Held> held = values_of(e);
    std::size_t faults = 0;
    for (const double x : inputs_for(held)) {
      if (x > largest(e) || x < lowest(e)) continue;
      const double up = encode(e, x, {.rounding = Rounding::kUp}).value;
      const double down = encode(e, x, {.rounding = Rounding::kDown}).value;
      const double in = encode(e, x, {.rounding = Rounding::kTowardZero}).value;
      faults += up < x || down > x || std::abs(in) > std::abs(x) ||
                (up != down && in != up && in != down);
      faults += up != down && (next_above(e, down) != up || next_below(e, up) != down);
    }
    CAPTURE(id);
    CHECK(faults == 0);
    if (e.kind == ElementKind::kFloat && e.sign)
      CHECK(encode(e, 1e300, {.rounding = Rounding::kTowardZero}).value == largest(e));
  }
}

TEST_CASE("Stochastic rounding goes up as often as the fraction says") {
  const Element e = test::element("bf16");
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr int kDraws = 1024;
  for (int i = 0; i < 200; ++i) {
    const double low = std::ldexp(1.0 + std::floor(unit(random) * 128) / 128, i % 60 - 30);
    const double step = spacing(e, low), fraction = std::floor(unit(random) * 4096) / 4096;
    int ups = 0;
    for (int k = 0; k < kDraws; ++k)
      ups += encode(e, low + fraction * step,
                    {.rounding = Rounding::kStochastic, .u = k / double{kDraws}})
                 .value > low;
    CHECK(ups == static_cast<int>(std::ceil(fraction * kDraws)));
  }
}

TEST_CASE("Wide formats round as the processor does") {
  const Element fp32 = test::element("fp32"), fp64 = test::element("fp64");
  std::mt19937_64 random(11);
  std::size_t faults = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double any = std::bit_cast<double>(random());
    const double near = std::ldexp(std::bit_cast<double>((random() >> 12) | 0x3FF0000000000000),
                                   static_cast<int>(random() % 300) - 170);
    for (const double x : {any, near, -near}) {
      if (std::isnan(x)) continue;
      const double rounded = static_cast<double>(static_cast<float>(x));
      faults += encode(fp32, x).value != rounded;
      faults += encode(fp64, x).code != std::bit_cast<std::uint64_t>(x);
      faults += decode(fp64, std::bit_cast<std::uint64_t>(x)) != x;
    }
  }
  CHECK(faults == 0);
}

// Where the compiler has the type (gcc 12 for x86 has _Float16, gcc 13 __bf16), it is a second opinion.
#ifdef __FLT16_MANT_DIG__
TEST_CASE("fp16 rounds as the compiler's _Float16") {
  __extension__ using Half = _Float16;
  const Element e = test::element("fp16");
  std::size_t faults = 0;
  for (const double x : inputs_for(values_of(e))) {
    const Half half = static_cast<Half>(x);
    faults += encode(e, x).code != std::bit_cast<std::uint16_t>(half);
  }
  CHECK(faults == 0);
}
#endif
#ifdef __BFLT16_MANT_DIG__
TEST_CASE("bf16 rounds as the compiler's __bf16") {
  const Element e = test::element("bf16");
  std::size_t faults = 0;
  for (const double x : inputs_for(values_of(e))) {
    const auto held = static_cast<__bf16>(static_cast<float>(x));
    const bool exact = static_cast<double>(static_cast<float>(x)) == x;
    if (exact) faults += encode(e, x).code != std::bit_cast<std::uint16_t>(held);
  }
  CHECK(faults == 0);
}
#endif

TEST_CASE("What a format's table says") {
  struct Row {
    const char* id;
    double max, min_normal, min, eps, integers;
  };
  const Row rows[] = {
      {"fp64", 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, std::ldexp(1.0, -52),
       std::ldexp(1.0, 53)},
      {"fp32", 3.4028234663852886e38, std::ldexp(1.0, -126), std::ldexp(1.0, -149),
       std::ldexp(1.0, -23), 16777216},
      {"tf32", 3.4011621342146535e38, std::ldexp(1.0, -126), std::ldexp(1.0, -136),
       std::ldexp(1.0, -10), 2048},
      {"bf16", 3.3895313892515355e38, std::ldexp(1.0, -126), std::ldexp(1.0, -133),
       std::ldexp(1.0, -7), 256},
      {"fp16", 65504, std::ldexp(1.0, -14), std::ldexp(1.0, -24), std::ldexp(1.0, -10), 2048},
      {"fp8-e5m2", 57344, std::ldexp(1.0, -14), std::ldexp(1.0, -16), 0.25, 8},
      {"fp8-e4m3", 448, std::ldexp(1.0, -6), std::ldexp(1.0, -9), 0.125, 16},
      {"fp8-e4m3-ieee", 240, std::ldexp(1.0, -6), std::ldexp(1.0, -9), 0.125, 16},
      {"fp8-e3m4-ieee", 15.5, 0.25, std::ldexp(1.0, -6), 0.0625, 15},
      {"fp8-e5m2fnuz", 57344, std::ldexp(1.0, -15), std::ldexp(1.0, -17), 0.25, 8},
      {"fp8-e4m3fnuz", 240, std::ldexp(1.0, -7), std::ldexp(1.0, -10), 0.125, 16},
      {"fp8-e4m3b11fnuz", 30, std::ldexp(1.0, -10), std::ldexp(1.0, -13), 0.125, 16},
      {"fp6-e3m2", 28, 0.25, 0.0625, 0.25, 8},
      {"fp6-e2m3", 7.5, 1, 0.125, 0.125, 7},
      {"fp4-e2m1", 6, 1, 0.5, 0.5, 4}};
  for (const Row& r : rows) {
    const Element e = test::element(r.id);
    CAPTURE(r.id);
    CHECK(largest(e) == r.max);
    CHECK(smallest_normal(e) == r.min_normal);
    CHECK(smallest(e) == r.min);
    CHECK(step_at_one(e) == r.eps);
    CHECK(integers_up_to(e) == r.integers);
  }
  const Element e8m0 = test::element("e8m0");
  CHECK(smallest(e8m0) == std::ldexp(1.0, -127));
  CHECK(integers_up_to(e8m0) == 0);
  CHECK_FALSE(encode(e8m0, 0).holds);
  CHECK(bit_fields(test::element("bf16"), 0x4380) == "0|10000111|0000000");
}

TEST_CASE("How many values a scheme's codes stand for") {
  CHECK(levels(test::element("int8")) == 255);
  CHECK(levels(test::element("uint8")) == 256);
  CHECK(levels(test::element("nf4")) == 16);
  CHECK(levels(test::element("fp4-e2m1")) == 15);
  CHECK(levels(test::element("fp8-e4m3")) == 253);
}

}  // namespace reckon
