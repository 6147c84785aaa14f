// Inputs that formats hold exactly, references in double precision, and what passes for right.
#include "core/check.hpp"

#include <limits>
#include <set>

#include "catch.hpp"
#include "core/reference.hpp"

namespace reckon::bench {
namespace {

// Whether x survives with so many significant bits.
bool exact(float x, int bits) {
  int e = 0;
  const float m = std::ldexp(std::frexp(x, &e), bits);
  return m == std::floor(m);
}

TEST_CASE("values lie on the grid of their format, on all of it, around zero") {
  for (const auto& [format, bits] :
       {std::pair{'8', 4}, {'b', 8}, {'h', 11}, {'t', 11}, {'s', 24}}) {
    const int steps = grid_of(format);
    double sum = 0, squares = 0;
    std::set<float> seen;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const float x = random_on_grid(7, i, steps);
      REQUIRE(exact(x, bits));
      REQUIRE(std::abs(x) <= 1);
      sum += static_cast<double>(x);
      squares += static_cast<double>(x * x);
      seen.insert(x);
    }
    CHECK(std::abs(sum / 20000) < 0.02);  // four deviations of the mean of 20,000
    CHECK(squares / 20000 == Approx(1. / 3 * (1 + 1. / steps)).epsilon(0.03));
    CHECK(seen.size() >= std::min<std::size_t>(2 * static_cast<std::size_t>(steps) + 1, 2000));
  }
  CHECK(random_on_grid(7, 3, 128) == random_on_grid(7, 3, 128));
  CHECK(random_on_grid(7, 3, 1 << 20) != random_on_grid(8, 3, 1 << 20));
}

TEST_CASE("a rounding passes, a wrong number, a poisoned one and none do not") {
  Check c = start_check("bf16", "bf16");
  CHECK(c.wrong());  // nothing was compared
  compare(c, 1.0 + 1. / 300, 1.0, 10);
  CHECK_FALSE(c.wrong());
  compare(c, 1.0 + 1. / 100, 1.0, 10);
  CHECK(c.wrong());
  Check poisoned = start_check("fp32", "fp32");
  compare(poisoned, std::numeric_limits<double>::quiet_NaN(), 1, 1);
  compare(poisoned, 1, 1, 1);
  CHECK(poisoned.wrong());
}

TEST_CASE("attention of equal scores is the mean of the values; of one position, its value") {
  const auto same = [](std::int64_t, std::int64_t) { return 1.0; };
  const auto values = [](std::int64_t t, std::int64_t j) {
    return static_cast<double>(10 * t + j);
  };
  const auto mean = attend({1, 2}, 3, same, values);
  CHECK(mean[0] == Approx(10));
  CHECK(mean[1] == Approx(11));
  CHECK(attend({1, 2}, 1, same, values)[1] == Approx(1));
  // A score of ln 3 against 0: three quarters and one.
  const double ln3 = std::log(3.) * std::sqrt(1.);
  const auto keys = [ln3](std::int64_t t, std::int64_t) { return t == 1 ? ln3 : 0; };
  CHECK(attend({1}, 2, keys, values)[0] == Approx(7.5));
}

TEST_CASE("weights of the layer keep the size of what passes through") {
  CHECK(weight_scale(1) == 1);
  CHECK(weight_scale(1024) == Approx(1. / 32));
  CHECK(weight_scale(4096) == Approx(1. / 64));
  const LayerSizes l{2, 4, 64, 96, 4, 2, 16, true};
  const auto out = layer_outputs(l, grid_of('b'), 2);
  REQUIRE(out.size() == 128);
  double largest = 0;
  for (const double x : out) largest = std::max(largest, std::abs(x));
  CHECK(largest > 1e-3);
  CHECK(largest < 10);
  // The first token of a prompt sees itself alone: more tokens don't change it.
  CHECK(layer_outputs(l, grid_of('b'), 1)[5] == Approx(out[5]));
}

TEST_CASE("sampled outputs reach the first, the last and every column of a tile") {
  const auto few = sampled(5, 10);
  CHECK(few == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  const auto many = sampled(4096 * 4096, 512);
  CHECK(many.front() == 0);
  CHECK(many.back() == 4096 * 4096 - 1);
  std::set<std::int64_t> columns;
  for (const std::int64_t i : many) columns.insert(i % 128);
  CHECK(columns.size() == 128);
}

}  // namespace
}  // namespace reckon::bench
