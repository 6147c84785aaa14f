// When sampling stops and why, what is said of samples, how cold is kept cold, when a clock has fallen.
#include <cmath>

#include "catch.hpp"
#include "core/rotation.hpp"
#include "core/sampler.hpp"
#include "core/statistics.hpp"
#include "core/throttle.hpp"

namespace reckon::bench {
namespace {

// A clock that moves by `step` whenever it is asked.
struct Clock {
  double time = 0, step;
  explicit Clock(double by) : step(by) {}
  double operator()() { return time += step; }
};

TEST_CASE("sampling stops once the noise is small, after the least number of samples") {
  Clock clock(1e-6);
  int runs = 0;
  const Sampled s = sample([&] { return ++runs, 1.0; }, StopRule{}, std::ref(clock));
  CHECK(s.stop == Stop::kSteady);
  CHECK(s.seconds.size() == 10);
  CHECK(runs == 13);  // three to warm up, which don't count
}

TEST_CASE("warming up is left out of the samples") {
  Clock clock(1e-6);
  double t = 100;
  const Sampled s = sample([&] { return t = std::max(1.0, t / 10); }, StopRule{}, std::ref(clock));
  CHECK(*std::max_element(s.seconds.begin(), s.seconds.end()) == 1);
}

TEST_CASE("warming up takes its time, and no more than sampling may") {
  StopRule rule;
  rule.warm_seconds = 0.05;
  Clock clock(0.001);
  int runs = 0;
  CHECK(sample([&] { return ++runs, 1.0; }, rule, std::ref(clock)).seconds.size() == 10);
  CHECK(runs == 10 + 50);
  rule.seconds = 0.02;
  Clock short_of(0.001);
  runs = 0;
  CHECK(sample([&] { return ++runs, 1.0; }, rule, std::ref(short_of)).stop == Stop::kTime);
  CHECK(runs < 25);
}

TEST_CASE("noise that no longer falls ends it too, and a few outliers don't keep it going") {
  Clock clock(1e-6);
  int i = 0;
  const Sampled s = sample([&] { return ++i % 2 ? 1.0 : 1.2; }, StopRule{}, std::ref(clock));
  CHECK(s.stop == Stop::kStable);
  CHECK(s.seconds.size() == 40);  // noise after 16, 24, 32 and 40 samples is the same
}

TEST_CASE("time and the most samples end what never settles") {
  StopRule rule;
  rule.stable = 0;
  int i = 0;
  const auto growing = [&] { return std::pow(1.5, ++i); };
  Clock slow(0.1);
  CHECK(sample(growing, rule, std::ref(slow)).stop == Stop::kTime);
  Clock quick(1e-9);
  rule.most = 30;
  const Sampled s = sample(growing, rule, std::ref(quick));
  CHECK(s.stop == Stop::kSamples);
  CHECK(s.seconds.size() == 30);
}

TEST_CASE("one sample is taken however late it is") {
  Clock clock(100);
  CHECK(sample([] { return 1.0; }, StopRule{}, std::ref(clock)).seconds.size() == 1);
}

TEST_CASE("median, percentiles, relative deviation") {
  const Spread s = spread_of({5, 1, 2, 4, 3});
  CHECK(s.median == 3);
  CHECK(s.p10 == Approx(1.4));
  CHECK(s.p90 == Approx(4.6));
  CHECK(spread_of({7}).p90 == 7);
  CHECK(relative_deviation({1, 1.1, 0.9}) == Approx(0.1));
  CHECK(relative_deviation({3}) == 0);
}

TEST_CASE("copies keep three caches' worth between two uses of one buffer") {
  CHECK(copies_needed(64e6, 50e6, 40e9) == 4);
  CHECK(is_cold(4, 64e6, 50e6));
  CHECK_FALSE(is_cold(3, 64e6, 50e6));
  CHECK(copies_needed(1e9, 50e6, 40e9) == 2);
  CHECK(copies_needed(1e9, 50e6, 1.5e9) == 1);  // no room for a second: not cold, and seen to be
  CHECK_FALSE(is_cold(1, 1e9, 50e6));
  CHECK(copies_needed(2e9, 50e6, 1.5e9) == 0);
  CHECK(copies_needed(1e3, 0, 1e9) == 2);  // without a cache there is nothing to keep cold
  CHECK(whole_rounds(33, 6) == 36);
  CHECK(whole_rounds(36, 6) == 36);
  CHECK(whole_rounds(1, 151) == 151);
  CHECK(whole_rounds(0, 1) == 1);
}

TEST_CASE("a tenth of the samples below three quarters of the clock is throttling") {
  ThrottleWatch w(2e9);
  for (int i = 0; i < 18; ++i) w.saw(1.8e9);
  w.saw(1.4e9);
  w.saw(1.4e9);
  CHECK_FALSE(w.throttled());
  w.saw(1.4e9);
  CHECK(w.throttled());
  CHECK(w.slow() == 3);
  CHECK(w.median() == 1.8e9);
  ThrottleWatch unknown(0);
  unknown.saw(0);
  CHECK_FALSE(unknown.throttled());
  CHECK(unknown.median() == 0);
}

}  // namespace
}  // namespace reckon::bench
