// The minimum of a smooth function of a few variables, by its gradient: L-BFGS with a line search.
//
//   const auto f = [](const RealVector<2>& x, RealVector<2>& gradient) { …; return value; };
//   const Minimum<2> m = minimize<2>({-1.2, 1}, f);      // m.x, m.value, m.converged
//
// The line search looks for the weak Wolfe conditions by bisection, which also works where the gradient has
// kinks (Huber's function). Plain arithmetic in a fixed order: the same bits on every run.
// Source: Nocedal & Wright 2006, algorithm 7.4; Lewis & Overton 2013 for the line search.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace reckon {

template <std::size_t N>
using RealVector = std::array<double, N>;

template <std::size_t N>
double dot(const RealVector<N>& a, const RealVector<N>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

struct StopAt {
  double gradient = 1e-9;   // largest component, over 1 + |value|
  double progress = 1e-14;  // relative fall of the value, three times in a row
  int iterations = 500;
};

template <std::size_t N>
struct Minimum {
  RealVector<N> x{};
  double value = 0;
  int iterations = 0;
  bool converged = false;
};

namespace detail {

// The last few steps: what the gradient did along them stands for the curvature.
template <std::size_t N, std::size_t kKept = N + 3>
class Curvature {
 public:
  void add(const RealVector<N>& step, const RealVector<N>& change) {
    const double sy = dot(step, change);
    if (!(sy > 1e-14 * dot(change, change))) return;  // no curvature to learn from
    const std::size_t at = count_++ % kKept;
    s_[at] = step;
    y_[at] = change;
    rho_[at] = 1 / sy;
    scale_ = sy / dot(change, change);
  }
  void clear() { count_ = 0; }

  // −H · g by the two loops.
  RealVector<N> direction(const RealVector<N>& g) const {
    RealVector<N> q = g;
    std::array<double, kKept> a{};
    const std::size_t kept = std::min(count_, kKept);
    for (std::size_t k = 0; k < kept; ++k) {
      const std::size_t i = (count_ - 1 - k) % kKept;
      a[i] = rho_[i] * dot(s_[i], q);
      for (std::size_t j = 0; j < N; ++j) q[j] -= a[i] * y_[i][j];
    }
    const double first = kept > 0 ? scale_ : 1 / (1 + std::sqrt(dot(g, g)));
    for (double& x : q) x *= first;
    for (std::size_t k = kept; k-- > 0;) {
      const std::size_t i = (count_ - 1 - k) % kKept;
      const double b = rho_[i] * dot(y_[i], q);
      for (std::size_t j = 0; j < N; ++j) q[j] += (a[i] - b) * s_[i][j];
    }
    for (double& x : q) x = -x;
    return q;
  }

 private:
  std::array<RealVector<N>, kKept> s_{}, y_{};
  std::array<double, kKept> rho_{};
  double scale_ = 1;
  std::size_t count_ = 0;
};

// Moves x, value and gradient along a direction of descent; false if no step helps.
template <std::size_t N, class F>
bool line_search(const F& f, const RealVector<N>& direction, RealVector<N>& x, double& value,
                 RealVector<N>& gradient) {
  constexpr double kArmijo = 1e-4, kWolfe = 0.9;
  constexpr int kMost = 50;
  const double slope = dot(gradient, direction);
  if (!(slope < 0)) return false;
  double low = 0, high = 0, step = 1;
  bool bounded = false;
  for (int i = 0; i < kMost; ++i) {
    RealVector<N> at = x, g{};
    for (std::size_t j = 0; j < N; ++j) at[j] += step * direction[j];
    const double v = f(at, g);
    const bool lower = v <= value + kArmijo * step * slope;  // false for NaN, too
    if (lower && dot(g, direction) >= kWolfe * slope) {
      x = at;
      value = v;
      gradient = g;
      return true;
    }
    (lower ? low : high) = step;
    bounded = bounded || !lower;
    step = bounded ? low + (high - low) / 2 : 2 * step;
    if (bounded && !(low < step && step < high)) break;
  }
  return false;
}

}  // namespace detail

template <std::size_t N, class F>
Minimum<N> minimize(const RealVector<N>& start, const F& f, const StopAt& stop = {}) {
  Minimum<N> m{start, 0, 0, false};
  RealVector<N> g{};
  m.value = f(m.x, g);
  detail::Curvature<N> curvature;
  int slow = 0;
  bool fresh = true;
  for (; m.iterations < stop.iterations && std::isfinite(m.value); ++m.iterations) {
    double largest = 0;
    for (const double x : g) largest = std::max(largest, std::abs(x));
    m.converged = largest <= stop.gradient * (1 + std::abs(m.value)) || slow >= 3;
    if (m.converged) break;
    const RealVector<N> x_old = m.x, g_old = g;
    const double before = m.value;
    if (!detail::line_search(f, curvature.direction(g), m.x, m.value, g)) {
      m.converged = fresh;  // along the gradient itself nothing falls any more
      if (fresh) break;
      curvature.clear();
      fresh = true;
      continue;
    }
    RealVector<N> s{}, y{};
    for (std::size_t j = 0; j < N; ++j) {
      s[j] = m.x[j] - x_old[j];
      y[j] = g[j] - g_old[j];
    }
    curvature.add(s, y);
    fresh = false;
    slow = before - m.value <= stop.progress * std::abs(m.value) ? slow + 1 : 0;
  }
  return m;
}

}  // namespace reckon
