#include "reckon/numerics/robust_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reckon {
namespace {

using Vector = std::vector<double>;

double loss_of(double e, const RobustLoss& how) {
  const double a = std::abs(e), knee = how.knee;
  if (how.smooth) return knee * knee * (std::hypot(1.0, a / knee) - 1);
  return a <= knee ? a * a / 2 : knee * (a - knee / 2);
}

// Of a row in the linearized problem: its loss over that of the square.
double weight_of(double e, const RobustLoss& how) {
  const double a = std::abs(e), knee = how.knee;
  if (how.smooth) return 1 / std::hypot(1.0, a / knee);
  return a <= knee ? 1 : knee / a;
}

double loss_of(const Vector& errors, const RobustLoss& how) {
  double sum = 0;
  for (const double e : errors) sum += std::isfinite(e) ? loss_of(e, how) : 1e6;
  return sum;
}

// The constants as the search sees them: logarithms of sizes.
class Space {
 public:
  explicit Space(const std::vector<FitParameter>& parameters) : parameters_(parameters) {}
  double inner(std::size_t i, double x) const {
    return parameters_[i].logarithmic ? std::log(x) : x;
  }
  double outer(std::size_t i, double z) const {
    return parameters_[i].logarithmic ? std::exp(z) : z;
  }
  double low(std::size_t i) const { return inner(i, parameters_[i].low); }
  double high(std::size_t i) const { return inner(i, parameters_[i].high); }
  Vector values(const Vector& z) const {
    Vector x(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) x[i] = outer(i, z[i]);
    return x;
  }
  Vector inside(Vector z) const {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = std::clamp(z[i], low(i), high(i));
    return z;
  }
  bool at_bound(std::size_t i, double z) const {
    const double near = 1e-6 * (high(i) - low(i));
    return z <= low(i) + near || z >= high(i) - near;
  }

 private:
  const std::vector<FitParameter>& parameters_;
};

// A small symmetric system A x = b by Cholesky; false if A is not positive definite.
bool solve(std::vector<Vector> a, Vector b, Vector& x) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 0)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  x = std::move(b);
  return true;
}

// Normal equations of the weighted, linearized problem.
struct Normal {
  std::vector<Vector> matrix;
  Vector slope;
};

Normal normal_equations(const Space& space, const Vector& z, const Vector& errors,
                        const LogErrors& of, const RobustLoss& how) {
  constexpr double kStep = 1e-6;
  const std::size_t n = z.size(), rows = errors.size();
  std::vector<Vector> jacobian(n);
  for (std::size_t i = 0; i < n; ++i) {
    Vector up = z;
    const double step = z[i] + kStep <= space.high(i) ? kStep : -kStep;
    up[i] += step;
    jacobian[i] = of(space.values(up));
    for (std::size_t r = 0; r < rows; ++r) jacobian[i][r] = (jacobian[i][r] - errors[r]) / step;
  }
  Normal out{std::vector<Vector>(n, Vector(n)), Vector(n)};
  for (std::size_t r = 0; r < rows; ++r) {
    const double w = weight_of(errors[r], how);
    for (std::size_t i = 0; i < n; ++i) {
      out.slope[i] += w * jacobian[i][r] * errors[r];
      for (std::size_t j = 0; j < n; ++j) out.matrix[i][j] += w * jacobian[i][r] * jacobian[j][r];
    }
  }
  return out;
}

// What is usual, as further rows.
void append_priors(const std::vector<FitParameter>& parameters, const Space& space,
                   const Vector& values, double noise, Vector& errors) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FitParameter& p = parameters[i];
    if (p.spread > 0)
      errors.push_back(noise * (space.inner(i, values[i]) - space.inner(i, p.usual)) / p.spread);
  }
}

struct Found {
  Vector z, errors;
  double loss;
};

// A constant that the step would push through its bound stays there, and the others move on.
bool damped_step(const Space& space, const Normal& normal, const Vector& z, double damping,
                 Vector& next) {
  const std::size_t n = z.size();
  std::vector<bool> held(n, false);
  for (std::size_t round = 0; round <= n; ++round) {
    auto a = normal.matrix;
    Vector b(n), step;
    for (std::size_t i = 0; i < n; ++i) {
      a[i][i] += damping * a[i][i] + 1e-12;
      b[i] = -normal.slope[i];
      if (!held[i]) continue;
      for (std::size_t j = 0; j < n; ++j) a[i][j] = a[j][i] = i == j ? 1 : 0;
      b[i] = 0;
    }
    if (!solve(a, b, step)) return false;
    bool again = false;
    next = z;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] += std::clamp(step[i], -2.0, 2.0);
      const bool leaves =
          (z[i] <= space.low(i) && step[i] < 0) || (z[i] >= space.high(i) && step[i] > 0);
      if (!leaves || held[i]) continue;
      held[i] = again = true;
    }
    if (!again) break;
  }
  next = space.inside(std::move(next));
  return true;
}

Found descend(const Space& space, Vector z, const LogErrors& of, const RobustLoss& how) {
  constexpr int kRounds = 200;
  z = space.inside(std::move(z));
  Found best{z, of(space.values(z)), 0};
  best.loss = loss_of(best.errors, how);
  double damping = 1e-3;
  Normal normal = normal_equations(space, best.z, best.errors, of, how);
  for (int round = 0; round < kRounds && damping < 1e12; ++round) {
    Vector next;
    if (!damped_step(space, normal, best.z, damping, next)) {
      damping *= 10;
      continue;
    }
    Vector errors = of(space.values(next));
    const double loss = loss_of(errors, how);
    if (!(loss < best.loss)) {
      damping *= 4;
      continue;
    }
    const bool done = best.loss - loss <= 1e-12 * best.loss;
    best = {std::move(next), std::move(errors), loss};
    if (done) break;
    damping = std::max(damping / 5, 1e-12);
    normal = normal_equations(space, best.z, best.errors, of, how);
  }
  return best;
}

// The 97.5th percentile of Student's t: exact for one and two degrees of freedom, else the expansion in 1/ν about the
// normal one (Abramowitz and Stegun 26.7.5), 0.1 % off at three and less beyond.
double student(double freedom) {
  constexpr double z = 1.959963984540054, kTail = 0.025;
  if (freedom < 1.5) return std::tan(M_PI * (0.5 - kTail));
  if (freedom < 2.5) return (1 - 2 * kTail) * std::sqrt(2 / (4 * kTail * (1 - kTail)));
  const auto power = [](int n) { return std::pow(z, n); };
  const double terms[] = {
      z, (power(3) + z) / 4, (5 * power(5) + 16 * power(3) + 3 * z) / 96,
      (3 * power(7) + 19 * power(5) + 17 * power(3) - 15 * z) / 384,
      (79 * power(9) + 776 * power(7) + 1482 * power(5) - 1920 * power(3) - 945 * z) / 92160};
  double sum = 0, scale = 1;
  for (const double term : terms) {
    sum += term * scale;
    scale /= freedom;
  }
  return sum;
}

// Half widths of 95 % intervals in inner coordinates: 0 for a constant at a bound, NaN where the rows fix nothing.
// The rows' scatter is that of the rows alone, over as many as are more than the constants; what is held for usual
// counts by its own spread, however well or ill the rows are met.
Vector half_widths(const Space& space, const std::vector<FitParameter>& parameters,
                   const Found& found, const LogErrors& of, const RobustLoss& how) {
  const std::size_t n = found.z.size();
  const Vector errors = of(space.values(found.z));
  std::size_t free = 0;
  for (std::size_t i = 0; i < n; ++i) free += space.at_bound(i, found.z[i]) ? 0 : 1;
  Vector out(n, 0);
  if (errors.size() <= free) {
    for (std::size_t i = 0; i < n; ++i)
      if (!space.at_bound(i, found.z[i])) out[i] = std::nan("");
    return out;
  }
  const double freedom = static_cast<double>(errors.size() - free);
  double variance = 0;
  for (const double e : errors) variance += weight_of(e, how) * e * e / freedom;
  Normal normal = normal_equations(space, found.z, errors, of, how);
  for (std::size_t i = 0; i < n; ++i)
    if (parameters[i].spread > 0)
      normal.matrix[i][i] += variance / (parameters[i].spread * parameters[i].spread);
  for (std::size_t j = 0; j < n; ++j) {
    if (!space.at_bound(j, found.z[j])) continue;
    for (std::size_t k = 0; k < n; ++k) normal.matrix[j][k] = normal.matrix[k][j] = j == k ? 1 : 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (space.at_bound(i, found.z[i])) continue;
    Vector unit(n, 0), column;
    unit[i] = 1;
    out[i] = solve(normal.matrix, unit, column)
                 ? student(freedom) * std::sqrt(std::max(0.0, variance * column[i]))
                 : std::nan("");
  }
  return out;
}

}  // namespace

FitOutcome fit_robustly(const std::vector<FitParameter>& parameters,
                        const std::vector<std::vector<double>>& starts, const LogErrors& errors_of,
                        const RobustLoss& how) {
  const Space space(parameters);
  const LogErrors errors = [&](const Vector& values) {
    Vector out = errors_of(values);
    append_priors(parameters, space, values, how.prior, out);
    return out;
  };
  Found best{{}, {}, 0};
  for (const Vector& start : starts) {
    Vector z(start.size());
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = space.inner(i, std::clamp(start[i], parameters[i].low, parameters[i].high));
    Found found = descend(space, std::move(z), errors, how);
    if (best.z.empty() || found.loss < best.loss) best = std::move(found);
  }
  FitOutcome out;
  const Vector half = half_widths(space, parameters, best, errors_of, how);
  out.values = space.values(best.z);
  for (std::size_t i = 0; i < best.z.size(); ++i) {
    const bool fixed = !std::isnan(half[i]);
    out.low.push_back(fixed ? space.outer(i, std::max(best.z[i] - half[i], space.low(i)))
                            : std::nan(""));
    out.high.push_back(fixed ? space.outer(i, std::min(best.z[i] + half[i], space.high(i)))
                             : std::nan(""));
    out.at_bound.push_back(space.at_bound(i, best.z[i]));
  }
  out.loss = best.loss;
  out.errors = errors_of(out.values);
  return out;
}

ErrorSummary summarize_log_errors(const std::vector<double>& log_errors) {
  ErrorSummary out;
  out.rows = log_errors.size();
  if (out.rows == 0) return out;
  Vector size;
  for (const double e : log_errors) {
    const double relative = std::expm1(e);
    out.bias += relative;
    size.push_back(std::abs(relative));
  }
  const double n = static_cast<double>(out.rows);
  out.bias /= n;
  out.mean = std::accumulate(size.begin(), size.end(), 0.0) / n;
  std::sort(size.begin(), size.end());
  const auto at = [&size](double share) {  // between neighbours
    const double place = share * static_cast<double>(size.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double rest = place - static_cast<double>(below);
    return below + 1 < size.size() ? size[below] * (1 - rest) + size[below + 1] * rest
                                   : size.back();
  };
  out.median = at(0.5);
  out.p90 = at(0.9);
  return out;
}

}  // namespace reckon
