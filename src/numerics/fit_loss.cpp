#include "reckon/numerics/fit_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reckon/numerics/parallel.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon {
namespace {

// a, b, e, α, β with ln N and ln D centred.
using Theta = RealVector<5>;

// From wide to narrow: a wide δ has one valley, a narrow one many.
constexpr double kWidest = 1e-1, kNarrowing = 10;

struct Centred {
  std::vector<double> x, y, l;  // ln N and ln D about their means, ln loss
  double mean_x = 0, mean_y = 0;

  explicit Centred(const std::vector<LossRun>& runs) {
    for (const LossRun& r : runs) {
      x.push_back(std::log(r.N));
      y.push_back(std::log(r.D));
      l.push_back(std::log(r.loss));
      mean_x += x.back();
      mean_y += y.back();
    }
    const auto n = static_cast<double>(runs.size());
    mean_x /= n;
    mean_y /= n;
    for (double& v : x) v -= mean_x;
    for (double& v : y) v -= mean_y;
  }

  Theta centred(double a, double b, double e, double alpha, double beta) const {
    return {a - alpha * mean_x, b - beta * mean_y, e, alpha, beta};
  }
  LossConstants constants(const Theta& t) const {
    return {std::exp(t[2]), std::exp(t[0] + t[3] * mean_x), std::exp(t[1] + t[4] * mean_y), t[3],
            t[4]};
  }
};

// Σ Huber and its gradient. `weight` counts how often each run was drawn; empty: once each.
class Objective {
 public:
  Objective(const Centred& runs, double delta, const std::vector<double>& weight)
      : runs_(runs), delta_(delta), weight_(weight) {}

  double operator()(const Theta& t, Theta& gradient) const {
    gradient = {};
    double sum = 0;
    for (std::size_t i = 0; i < runs_.x.size(); ++i) {
      const double w = weight_.empty() ? 1 : weight_[i];
      if (w > 0) sum += w * add(t, i, w, gradient);
    }
    return sum;
  }

 private:
  double add(const Theta& t, std::size_t i, double w, Theta& gradient) const {
    const double x = runs_.x[i], y = runs_.y[i];
    const double n = t[0] - t[3] * x, d = t[1] - t[4] * y, e = t[2];
    const double top = std::max({n, d, e});
    const double en = std::exp(n - top), ed = std::exp(d - top), ee = std::exp(e - top);
    const double total = en + ed + ee;
    const double r = top + std::log(total) - runs_.l[i];
    const bool small = std::abs(r) <= delta_;
    const double slope = w * (small ? r : std::copysign(delta_, r)) / total;
    gradient[0] += slope * en;
    gradient[1] += slope * ed;
    gradient[2] += slope * ee;
    gradient[3] -= slope * en * x;
    gradient[4] -= slope * ed * y;
    return small ? r * r / 2 : delta_ * (std::abs(r) - delta_ / 2);
  }

  const Centred& runs_;
  double delta_;
  const std::vector<double>& weight_;
};

Minimum<5> descend(const Centred& runs, Theta at, double delta, const std::vector<double>& weight) {
  StopAt rough;
  rough.gradient = 1e-7;
  rough.progress = 1e-6;
  rough.iterations = 60;
  for (double wide = kWidest; wide > delta * 1.001; wide /= kNarrowing)
    at = minimize<5>(at, Objective(runs, wide, weight), rough).x;
  StopAt stop;
  stop.gradient = 1e-10;
  stop.progress = 1e-10;
  return minimize<5>(at, Objective(runs, delta, weight), stop);
}

// Hoffmann's grid: α and β 0 to 2, e −1 to 1, a and b 0 to 25.
class Grid {
 public:
  static constexpr std::size_t kAll = 5 * 5 * 5 * 6 * 6;
  static Theta start(std::size_t i, const Centred& runs) {
    const auto take = [&i](std::size_t n) {
      const std::size_t k = i % n;
      i /= n;
      return static_cast<double>(k);
    };
    const double alpha = 0.5 * take(5), beta = 0.5 * take(5), e = 0.5 * take(5) - 1,
                 a = 5 * take(6), b = 5 * take(6);
    return runs.centred(a, b, e, alpha, beta);
  }
};

}  // namespace

double LossConstants::at(double N, double D) const {
  return E + A / std::pow(N, alpha) + B / std::pow(D, beta);
}

double loss_objective(const std::vector<LossRun>& runs, const LossConstants& c, double delta) {
  double sum = 0;
  for (const LossRun& run : runs) {
    const double r = std::abs(std::log(c.at(run.N, run.D)) - std::log(run.loss));
    sum += r <= delta ? r * r / 2 : delta * (r - delta / 2);
  }
  return sum;
}

LossFit fit_loss(const std::vector<LossRun>& runs, const FitOptions& options) {
  const Centred centred(runs);
  const std::vector<double> once;
  const std::size_t count = std::min(options.starts, Grid::kAll);
  std::vector<Minimum<5>> ends(count);
  parallel_for(
      count, options.threads,
      [&](std::size_t i) {
        const std::size_t which = i * Grid::kAll / count;
        ends[i] = descend(centred, Grid::start(which, centred), options.delta, once);
      },
      options.progress);
  LossFit out;
  out.starts = count;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(ends[i].value < best)) continue;
    best = ends[i].value;
    out.start = i;
  }
  if (count == 0 || !std::isfinite(best)) return out;
  StopAt polish;
  polish.gradient = 1e-14;
  polish.progress = 0;
  polish.iterations = 2000;
  const Minimum<5> last =
      minimize<5>(ends[out.start].x, Objective(centred, options.delta, once), polish);
  for (const Minimum<5>& end : ends)
    if (end.value <= last.value * (1 + 1e-6)) ++out.agreeing;
  out.constants = centred.constants(last.x);
  out.objective = last.value;
  out.converged = true;
  return out;
}

std::vector<LossConstants> bootstrap_loss(const std::vector<LossRun>& runs, const LossFit& full,
                                          std::size_t count, std::uint64_t seed,
                                          const FitOptions& options) {
  const Centred centred(runs);
  const LossConstants& c = full.constants;
  const Theta start = centred.centred(std::log(c.A), std::log(c.B), std::log(c.E), c.alpha, c.beta);
  std::vector<LossConstants> out(count);
  parallel_for(
      count, options.threads,
      [&](std::size_t i) {
        Random random(seed * 0x9E3779B97F4A7C15 + i);
        std::vector<double> weight(runs.size());
        for (std::size_t k = 0; k < runs.size(); ++k)
          weight[static_cast<std::size_t>(random.unit() * static_cast<double>(runs.size()))] += 1;
        out[i] = centred.constants(descend(centred, start, options.delta, weight).x);
      },
      options.progress);
  return out;
}

}  // namespace reckon
