#include "reckon/numerics/fit_isoflop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "reckon/numerics/parallel.hpp"
#include "reckon/numerics/random.hpp"

namespace reckon {
namespace {

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// A 3 × 3 system by elimination, largest pivot first.
std::array<double, 3> solve(std::array<std::array<double, 4>, 3> m) {
  for (std::size_t c = 0; c < 3; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < 3; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    std::swap(m[c], m[pivot]);
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (std::size_t k = c; k < 4; ++k) m[r][k] -= f * m[c][k];
    }
  }
  return {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

// The window that holds most runs of those left, from its first run; the lowest of equals.
std::pair<std::size_t, std::size_t> fullest(const std::vector<double>& x) {
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (std::size_t from = 0, to = 0; from < x.size(); ++from) {
    while (to < x.size() && x[to] - x[from] <= kSameCompute) ++to;
    if (to - from > best.second - best.first) best = {from, to};
  }
  return best;
}

std::vector<IsoflopGroup> groups_of(const std::vector<double>& flops) {
  std::vector<std::size_t> left(flops.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::stable_sort(left.begin(), left.end(),
                   [&](std::size_t a, std::size_t b) { return flops[a] < flops[b]; });
  std::vector<IsoflopGroup> out;
  while (true) {
    std::vector<double> x;
    for (const std::size_t i : left) x.push_back(std::log10(flops[i]));
    const auto [from, to] = fullest(x);
    if (to - from < 3) break;
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(from),
               last = left.begin() + static_cast<std::ptrdiff_t>(to);
    IsoflopGroup& g = out.emplace_back();
    g.runs.assign(first, last);
    double sum = 0;
    for (const std::size_t i : g.runs) sum += std::log(flops[i]);
    g.flops = std::exp(sum / static_cast<double>(g.runs.size()));
    left.erase(first, last);
  }
  std::sort(out.begin(), out.end(),
            [](const IsoflopGroup& a, const IsoflopGroup& b) { return a.flops < b.flops; });
  return out;
}

bool three_sizes(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const auto same = [](double a, double b) { return std::abs(a - b) < 1e-9; };
  return std::unique(x.begin(), x.end(), same) - x.begin() >= 3;
}

void find_bottom(const std::vector<LossRun>& runs, const std::vector<std::size_t>& drawn,
                 IsoflopGroup& g) {
  std::vector<double> x, y;
  for (const std::size_t i : drawn) {
    x.push_back(std::log(runs[i].N));
    y.push_back(runs[i].loss);
  }
  g.bottom = g.inside = false;
  if (!three_sizes(x)) return;
  const Parabola p = fit_parabola(x, y);
  g.bottom = p.c2 > 0 && std::isfinite(p.lowest());
  if (!g.bottom) return;
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  g.inside = *least <= p.lowest() && p.lowest() <= *most;
  g.best_N = std::exp(p.lowest());
  g.best_loss = p.at(p.lowest());
}

// Over the groups whose lowest point was run around; with fewer than two, none.
bool power_of(const std::vector<IsoflopGroup>& groups, Line& out, std::size_t& used) {
  std::vector<double> x, y;
  for (const IsoflopGroup& g : groups) {
    if (!g.bottom || !g.inside) continue;
    x.push_back(std::log(g.flops));
    y.push_back(std::log(g.best_N));
  }
  used = x.size();
  if (used < 2) return false;
  out = fit_line(x, y);
  return true;
}

}  // namespace

Parabola fit_parabola(const std::vector<double>& x, const std::vector<double>& y) {
  Parabola p;
  p.mean = mean(x);
  std::array<double, 5> powers{};
  std::array<double, 3> moments{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    double power = 1;
    for (std::size_t k = 0; k < powers.size(); ++k) {
      powers[k] += power;
      if (k < moments.size()) moments[k] += power * y[i];
      power *= x[i] - p.mean;
    }
  }
  const auto c = solve({{{powers[0], powers[1], powers[2], moments[0]},
                         {powers[1], powers[2], powers[3], moments[1]},
                         {powers[2], powers[3], powers[4], moments[2]}}});
  p.c0 = c[0];
  p.c1 = c[1];
  p.c2 = c[2];
  return p;
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean(x), my = mean(y);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return {my - xy / xx * mx, xy / xx};
}

IsoflopFit fit_isoflops(const std::vector<LossRun>& runs, const std::vector<double>& flops) {
  IsoflopFit out;
  out.groups = groups_of(flops);
  out.outside = runs.size();
  for (IsoflopGroup& g : out.groups) {
    find_bottom(runs, g.runs, g);
    out.outside -= g.runs.size();
  }
  Line line;
  if (power_of(out.groups, line, out.used)) {
    out.scale = std::exp(line.intercept);
    out.exponent = line.slope;
  }
  return out;
}

std::vector<Line> bootstrap_isoflops(const std::vector<LossRun>& runs,
                                     const std::vector<double>& flops, std::size_t count,
                                     std::uint64_t seed, unsigned threads) {
  const std::vector<IsoflopGroup> groups = groups_of(flops);
  std::vector<Line> lines(count);
  std::vector<char> good(count, 0);
  parallel_for(count, threads, [&](std::size_t k) {
    Random random(seed * 0x9E3779B97F4A7C15 + k);
    std::vector<IsoflopGroup> again = groups;
    for (IsoflopGroup& g : again) {
      std::vector<std::size_t> drawn;
      for (std::size_t i = 0; i < g.runs.size(); ++i)
        drawn.push_back(
            g.runs[static_cast<std::size_t>(random.unit() * static_cast<double>(g.runs.size()))]);
      find_bottom(runs, drawn, g);
    }
    std::size_t used = 0;
    good[k] = power_of(again, lines[k], used) ? 1 : 0;
  });
  std::vector<Line> out;
  for (std::size_t k = 0; k < count; ++k)
    if (good[k] != 0) out.push_back(lines[k]);
  return out;
}

}  // namespace reckon
