// Constants from points: found again where they are known, with the intervals they deserve; outliers and priors.
#include "reckon/numerics/robust_fit.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace reckon;

namespace {

// t = a + b·x, measured at some x, off by a lognormal factor.
struct Line {
  std::vector<double> x, t;
  Line(double a, double b, double noise, int n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> off(0, 1);
    for (int i = 0; i < n; ++i) {
      x.push_back(std::exp2(i % 16));
      t.push_back((a + b * x.back()) * std::exp(noise * off(random)));
    }
  }
  LogErrors errors() const {
    return [this](const std::vector<double>& v) {
      std::vector<double> out;
      for (std::size_t i = 0; i < x.size(); ++i)
        out.push_back(std::log((v[0] + v[1] * x[i]) / t[i]));
      return out;
    };
  }
};

const std::vector<FitParameter> kLine{{"a", 1e-3, 1e6}, {"b", 1e-6, 1e3}};

}  // namespace

TEST_CASE("exact points give the constants back") {
  const Line line(40, 0.03, 0, 16, 1);
  const FitOutcome f = fit_robustly(kLine, {{1, 1}}, line.errors());
  CHECK(f.values[0] == Approx(40).epsilon(1e-6));
  CHECK(f.values[1] == Approx(0.03).epsilon(1e-6));
  CHECK(f.loss < 1e-12);
  CHECK(f.errors.size() == 16);
}

TEST_CASE("a few wild points hardly move the constants, and a least-squares fit would be moved") {
  Line line(40, 0.03, 0.02, 64, 2);
  for (const std::size_t i : {3U, 20U, 41U, 60U}) line.t[i] *= 5;
  const FitOutcome robust = fit_robustly(kLine, {{10, 0.1}}, line.errors());
  CHECK(robust.values[0] == Approx(40).epsilon(0.06));
  CHECK(robust.values[1] == Approx(0.03).epsilon(0.06));
  const FitOutcome squares = fit_robustly(kLine, {{10, 0.1}}, line.errors(), RobustLoss{1e3});
  CHECK(std::abs(squares.values[0] / 40 - 1) > 0.06);
}

TEST_CASE("95 % intervals hold the truth about that often") {
  int held = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    const Line line(40, 0.03, 0.05, 32, 100U + static_cast<unsigned>(run));
    const FitOutcome f = fit_robustly(kLine, {{10, 0.1}}, line.errors());
    held += f.low[0] <= 40 && 40 <= f.high[0];
    CHECK(f.low[0] < f.values[0]);
    CHECK(f.values[0] < f.high[0]);
  }
  // Binomial(200, 0.95) has a standard deviation of 3: four of them on either side.
  CHECK(held >= 178);
  CHECK(held <= 200);
}

TEST_CASE(
    "with few rows the interval is Student's: 95 % hold the truth with one degree of freedom too") {
  // ln t = ln a + noise: the interval of a mean, t(n - 1)·s/√n in the logarithm.
  const auto fit = [](const std::vector<double>& y) {
    return fit_robustly({{"a", 1e-3, 1e3}}, {{1}}, [&y](const std::vector<double>& v) {
      std::vector<double> out;
      for (const double place : y) out.push_back(std::log(v[0]) - place);
      return out;
    });
  };
  // Two rows at ±0.01: s = 0.01·√2, so that t(1)·s/√2 = 12.706·0.01.
  const FitOutcome two = fit({-0.01, 0.01});
  CHECK(std::log(two.high[0]) == Approx(0.12706).epsilon(1e-3));
  CHECK(std::log(two.low[0]) == Approx(-0.12706).epsilon(1e-3));
  // Four at ±0.01: s² = 4·1e-4/3, t(3) = 3.1824, so that t·s/√4 = 0.018374.
  CHECK(std::log(fit({-0.01, 0.01, -0.01, 0.01}).high[0]) == Approx(0.018374).epsilon(2e-3));
}

TEST_CASE("as few rows as constants fix nothing: no interval, however small the error") {
  const Line line(1, 1, 0.02, 2, 5);
  const FitOutcome f = fit_robustly(kLine, {{10, 0.1}}, line.errors());
  REQUIRE(!f.at_bound[0]);
  REQUIRE(!f.at_bound[1]);
  CHECK(std::isnan(f.low[0]));
  CHECK(std::isnan(f.high[1]));
  // What is held for usual is no row: it narrows an interval by its own spread, and makes none.
  const std::vector<FitParameter> usual{{"a", 1e-3, 1e6, true, 1, 0.5},
                                        {"b", 1e-6, 1e3, true, 1, 0.5}};
  CHECK(std::isnan(fit_robustly(usual, {{10, 0.1}}, line.errors()).low[0]));
  // Rows that say nothing of b leave it to its spread, whatever scatter the rows have.
  const LogErrors of_a = [](const std::vector<double>& v) {
    return std::vector<double>{std::log(v[0]) - 0.001, std::log(v[0]) + 0.001, std::log(v[0]),
                               std::log(v[0])};
  };
  const FitOutcome g =
      fit_robustly({{"a", 1e-3, 1e6}, {"b", 1e-6, 1e3, true, 0.03, 0.5}}, {{1, 0.03}}, of_a);
  CHECK(std::log(g.high[1] / 0.03) == Approx(4.3027 * 0.5).epsilon(1e-3));  // t(2)·spread
}

TEST_CASE("a constant that the points push over its bound stays at it, and says so") {
  const Line line(40, 0.03, 0, 16, 3);
  const std::vector<FitParameter> tight{{"a", 1e-3, 20}, {"b", 1e-6, 1e3}};
  const FitOutcome f = fit_robustly(tight, {{1, 1}}, line.errors());
  CHECK(f.values[0] == Approx(20));
  CHECK(f.at_bound[0]);
  CHECK(!f.at_bound[1]);
  CHECK(f.high[0] == Approx(f.values[0]));
}

TEST_CASE("what is usual decides where points say nothing, and yields where they do") {
  Line flat(40, 0, 0, 4, 4);  // b has no influence but through points at x = 1 … 8
  std::vector<FitParameter> p = kLine;
  p[0] = {"a", 1e-3, 1e6, true, 10, 0.5};
  const FitOutcome f = fit_robustly(p, {{1, 1e-6}}, flat.errors());
  CHECK(f.values[0] == Approx(40).epsilon(0.05));
  const LogErrors silent = [](const std::vector<double>&) { return std::vector<double>(3, 0.0); };
  const FitOutcome g = fit_robustly({{"a", 1e-3, 1e6, true, 10, 0.5}}, {{500}}, silent);
  CHECK(g.values[0] == Approx(10).epsilon(1e-3));
}

TEST_CASE(
    "the smooth loss is least where a search of the pseudo-Huber sum finds it, and the prior "
    "weighs as said") {
  const std::vector<double> y{0, 0.01, 0.02, 0.5};
  const LogErrors errors = [&y](const std::vector<double>& v) {
    std::vector<double> out;
    for (const double place : y) out.push_back(std::log(v[0]) - place);
    return out;
  };
  constexpr double kKnee = 0.05, kPrior = 0.01, kSpread = 0.1;  // of ln 0.9
  const auto sum = [&](double z) {
    const auto rho = [](double e) { return std::sqrt(1 + e * e / (kKnee * kKnee)) - 1; };
    double total = rho(kPrior * (z - std::log(0.9)) / kSpread);
    for (const double place : y) total += rho(z - place);
    return total;
  };
  double best = -0.2;
  for (double z = -0.2; z < 0.6; z += 1e-5)
    if (sum(z) < sum(best)) best = z;
  const FitOutcome f =
      fit_robustly({{"a", 0.1, 10, true, 0.9, kSpread}}, {{1}}, errors, {kKnee, true, kPrior});
  CHECK(std::log(f.values[0]) == Approx(best).margin(2e-5));
}

TEST_CASE("summaries of errors") {
  const ErrorSummary s = summarize_log_errors({std::log(1.1), std::log(0.8), 0});
  CHECK(s.rows == 3);
  CHECK(s.mean == Approx(0.1));
  CHECK(s.median == Approx(0.1));
  CHECK(s.bias == Approx((0.1 - 0.2) / 3));
  CHECK(s.p90 == Approx(0.18));
  CHECK(summarize_log_errors({}).rows == 0);
}
