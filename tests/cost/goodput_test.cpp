// Goodput against runs that fail at random, and the interval that wastes least against its neighbours.
#include "reckon/cost/goodput.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"
#include "reckon/units/formula/plain.hpp"

using namespace reckon;

namespace {

using Time = Seconds<double>;

GoodputInputs<double> run(double stall, std::optional<double> interval = {}, double restart = 0) {
  GoodputInputs<double> x;
  x.gpus = Count<double>(1000);
  x.mtbf_per_gpu = Time(1000 * 36'000.0);  // the cluster fails every ten hours
  x.saving = Saving<double>{Time(stall), Time(stall), {}, false};
  if (interval) x.saving->interval = Time(*interval);
  x.restart = Time(restart);
  return x;
}

// Trains `intervals` times t, saves after each, and starts from the last one saved at each failure.
double played(double t, double stall, double mtbf, double restart, int intervals) {
  std::mt19937 random(7);
  std::exponential_distribution<double> next(1 / mtbf);
  double elapsed = 0, failure = next(random);
  for (int done = 0; done < intervals;) {
    if (elapsed + t + stall <= failure) {
      elapsed += t + stall;
      ++done;
    } else {
      elapsed = failure + restart;
      failure = elapsed + next(random);
    }
  }
  return intervals * t / elapsed;
}

}  // namespace

TEST_CASE("goodput: as runs that fail at random have it, to the first order") {
  for (const double stall : {10.0, 60.0}) {
    for (const double restart : {0.0, 600.0}) {
      const Goodput<double> g = goodput(run(stall, {}, restart));
      INFO("stall " << stall << " restart " << restart);
      const double t = plain(*g.interval);
      // Of second order: the share lost at failures, squared.
      const double second = std::pow(plain(g.failure_share), 2);
      CHECK(plain(*g.share) ==
            Approx(played(t, stall, 36'000, restart, 300'000)).margin(second + 0.002));
    }
  }
}

TEST_CASE("goodput: no interval wastes less than the best one") {
  const Goodput<double> best = goodput(run(60));
  CHECK(plain(*best.interval) == Approx(std::sqrt(2 * 60 * 36'000.0)));
  for (const double by : {0.5, 0.8, 1.25, 2.0}) {
    const Goodput<double> other = goodput(run(60, by * plain(*best.interval)));
    CHECK(plain(*other.share) < plain(*best.share));
  }
}

TEST_CASE("goodput: without a failure rate only what is stated is subtracted") {
  GoodputInputs<double> x = run(60, 3540);
  x.mtbf_per_gpu.reset();
  x.evaluation = Ratio<double>(0.1);
  const Goodput<double> g = goodput(x);
  CHECK(!g.mtbf);
  CHECK(plain(*g.share) == Approx(0.9 * 3540 / 3600));
  x.saving.reset();
  CHECK(plain(*goodput(x).share) == Approx(0.9));
}

TEST_CASE("goodput: written beside training, a checkpoint counts once it is written") {
  GoodputInputs<double> x = run(60);
  x.saving = Saving<double>{Time(5), Time(60), {}, true};
  const Goodput<double> g = goodput(x);
  CHECK(plain(*g.interval) == Approx(std::sqrt(2 * 5 * 36'000.0)));
  CHECK(plain(*g.lost_per_failure) == Approx((plain(*g.interval) + 5) / 2 + 60));
  x.saving->write = Time(5000);  // longer than the best interval
  CHECK(plain(*goodput(x).interval) == 5000);
}

TEST_CASE("goodput: failures faster than a restart leave nothing") {
  GoodputInputs<double> x = run(60, {}, 40'000);
  const Goodput<double> g = goodput(x);
  CHECK(!g.share);
  CHECK(plain(g.failure_share) > 1);
}
