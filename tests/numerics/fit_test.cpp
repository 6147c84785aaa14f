// The optimizer on functions of known minimum, and the fit of Chinchilla's digitised runs.
#include <cmath>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "reckon/numerics/fit_isoflop.hpp"
#include "reckon/numerics/fit_loss.hpp"
#include "reckon/numerics/quantile.hpp"
#include "reckon/numerics/random.hpp"

using namespace reckon;

namespace {

// laws/data/chinchilla-245.csv without its outliers, or with.
std::vector<LossRun> chinchilla(bool all = false) {
  std::ifstream in(RECKON_SOURCE_DIR "/laws/data/chinchilla-245.csv");
  std::vector<LossRun> out;
  for (std::string line; std::getline(in, line);) {
    double N = 0, C = 0, loss = 0;
    char comma = 0;
    std::istringstream row(line);
    if (row >> N >> comma >> C >> comma >> loss) out.push_back({N, C / (6 * N), loss});
  }
  REQUIRE(out.size() == 245);
  if (all) return out;
  std::sort(out.begin(), out.end(),
            [](const LossRun& a, const LossRun& b) { return a.loss > b.loss; });
  return {out.begin() + 5, out.end()};
}

FitOptions few_starts() {
  FitOptions o;
  o.starts = 60;
  o.threads = 2;
  return o;
}

}  // namespace

TEST_CASE("minimize: functions whose minimum is known") {
  const auto rosenbrock = [](const RealVector<2>& x, RealVector<2>& g) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g = {-2 * a - 400 * x[0] * b, 200 * b};
    return a * a + 100 * b * b;
  };
  const Minimum<2> m = minimize<2>({-1.2, 1}, rosenbrock);
  CHECK(m.converged);
  CHECK(m.x[0] == Approx(1).epsilon(1e-6));
  CHECK(m.x[1] == Approx(1).epsilon(1e-6));

  const auto quadratic = [](const RealVector<4>& x, RealVector<4>& g) {
    double f = 0, scale = 1;
    for (std::size_t i = 0; i < 4; ++i, scale *= 100) {
      const double d = x[i] - static_cast<double>(i);
      g[i] = 2 * scale * d;
      f += scale * d * d;
    }
    return f;
  };
  const Minimum<4> q = minimize<4>({5, 5, 5, 5}, quadratic);
  for (std::size_t i = 0; i < 4; ++i) CHECK(q.x[i] == Approx(i).margin(1e-6));

  // A kink: |x| + |y| smoothed over 1e-3.
  const auto huber = [](const RealVector<2>& x, RealVector<2>& g) {
    double f = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double a = std::abs(x[i]);
      g[i] = a <= 1e-3 ? x[i] : std::copysign(1e-3, x[i]);
      f += a <= 1e-3 ? x[i] * x[i] / 2 : 1e-3 * (a - 5e-4);
    }
    return f;
  };
  CHECK(minimize<2>({3, -7}, huber).value == Approx(0).margin(1e-12));
}

TEST_CASE("fit: the 240 runs of Chinchilla give the published constants") {
  const std::vector<LossRun> runs = chinchilla();
  const LossFit fit = fit_loss(runs, few_starts());
  CHECK(fit.converged);
  CHECK(fit.objective <= 0.001018275);
  CHECK(fit.constants.E == Approx(1.8172).epsilon(1e-4));
  CHECK(fit.constants.A == Approx(477.8).epsilon(1e-3));
  CHECK(fit.constants.B == Approx(2143).epsilon(1e-3));
  CHECK(fit.constants.alpha == Approx(0.3473).epsilon(1e-3));
  CHECK(fit.constants.beta == Approx(0.3672).epsilon(1e-3));
  CHECK(loss_objective(runs, fit.constants, 1e-3) == Approx(fit.objective).epsilon(1e-9));
  // No better place nearby.
  for (const double factor : {0.99, 1.01}) {
    LossConstants c = fit.constants;
    c.B *= factor;
    CHECK(loss_objective(runs, c, 1e-3) > fit.objective);
    c = fit.constants;
    c.alpha *= factor;
    CHECK(loss_objective(runs, c, 1e-3) > fit.objective);
  }
}

TEST_CASE("fit: five outliers move B sixfold") {
  const LossFit fit = fit_loss(chinchilla(true), few_starts());
  CHECK(fit.constants.B == Approx(12846).epsilon(1e-3));
  CHECK(fit.constants.beta == Approx(0.453).epsilon(1e-3));
  CHECK(fit.constants.growth() == Approx(0.565).epsilon(2e-3));
}

TEST_CASE("fit: the same bits for any number of threads, and for any seed its own") {
  const std::vector<LossRun> runs = chinchilla();
  FitOptions one = few_starts(), many = few_starts();
  one.threads = 1;
  many.threads = 7;
  const LossFit a = fit_loss(runs, one), b = fit_loss(runs, many);
  CHECK(a.constants.B == b.constants.B);
  CHECK(a.objective == b.objective);
  CHECK(a.start == b.start);
  const auto x = bootstrap_loss(runs, a, 20, 1, one), y = bootstrap_loss(runs, a, 20, 1, many),
             z = bootstrap_loss(runs, a, 20, 2, many);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i].B == y[i].B);
    CHECK(x[i].B != z[i].B);
  }
}

TEST_CASE("fit: intervals are those that others found") {
  const std::vector<LossRun> runs = chinchilla();
  const LossFit fit = fit_loss(runs, few_starts());
  const auto again = bootstrap_loss(runs, fit, 1000, 1, few_starts());
  std::vector<double> E, beta;
  for (const LossConstants& c : again) {
    E.push_back(c.E);
    beta.push_back(c.beta);
  }
  const Interval95 e = interval_95(E), b = interval_95(beta);
  CHECK(e.low == Approx(1.769).epsilon(5e-3));  // Besiroglu 2024: 1.769 to 1.871
  CHECK(e.high == Approx(1.871).epsilon(5e-3));
  CHECK(b.low == Approx(0.331).epsilon(2e-2));  // 0.331 to 0.415
  CHECK(b.high == Approx(0.415).epsilon(2e-2));
}

TEST_CASE("fit: noise-free runs give their constants back") {
  const LossConstants truth{1.7, 400, 900, 0.33, 0.3};
  std::vector<LossRun> runs;
  for (double N = 1e8; N < 2e10; N *= 2)
    for (double D = 1e9; D < 1e12; D *= 3) runs.push_back({N, D, truth.at(N, D)});
  const LossFit fit = fit_loss(runs, few_starts());
  CHECK(fit.constants.E == Approx(truth.E).epsilon(1e-4));
  CHECK(fit.constants.alpha == Approx(truth.alpha).epsilon(1e-4));
  CHECK(fit.constants.beta == Approx(truth.beta).epsilon(1e-4));
}

TEST_CASE("isoflop: the parabola's known bias, and a power that comes back") {
  struct Known {
    LossConstants law;
    double range, bias;
  };
  // Measured on noise-free runs elsewhere: none where α = β, else 0.5 to 3.4 %.
  const Known known[] = {{{1.69, 406.4, 410.7, 0.34, 0.28}, 4, 1.015},
                         {{1.69, 406.4, 410.7, 0.34, 0.28}, 8, 1.034},
                         {{1.8172, 482.01, 2085.43, 0.3478, 0.3658}, 4, 0.9955},
                         {{1.8172, 482.01, 2085.43, 0.3478, 0.3658}, 8, 0.990},
                         {{1.8, 500, 500, 0.35, 0.35}, 4, 1.000}};
  for (const Known& k : known) {
    const double s = k.law.alpha + k.law.beta;
    const double G = std::pow(k.law.alpha * k.law.A / (k.law.beta * k.law.B), 1 / s);
    std::vector<LossRun> runs;
    std::vector<double> flops;
    for (const double C : {1e20, 1e21}) {
      const double best = G * std::pow(C / 6, k.law.beta / s);
      for (int i = -3; i <= 3; ++i) {
        const double N = best * std::pow(k.range, i / 3.0), D = C / (6 * N);
        runs.push_back({N, D, k.law.at(N, D)});
        flops.push_back(C);
      }
    }
    const IsoflopFit fit = fit_isoflops(runs, flops);
    REQUIRE(fit.used == 2);
    CHECK(fit.groups[0].best_N / (G * std::pow(1e20 / 6, k.law.beta / s)) ==
          Approx(k.bias).epsilon(1e-3));
    CHECK(fit.exponent == Approx(k.law.beta / s).epsilon(1e-6));
  }
}

TEST_CASE("quantiles of the normal distribution") {
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-14));
  CHECK(normal_quantile(0.995) == Approx(2.5758293035489004).epsilon(1e-14));
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-15));
  for (const double p : {1e-12, 1e-6, 0.01, 0.2, 0.49, 0.51, 0.9, 0.999999})
    CHECK(normal_share(normal_quantile(p)) == Approx(p).epsilon(1e-10));
}
