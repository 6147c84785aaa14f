#include "reckon/load/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reckon/numerics/quantile.hpp"

namespace reckon::load {
namespace {

constexpr double Spread::*kParts[] = {&Spread::mean, &Spread::p50, &Spread::p90, &Spread::p95,
                                      &Spread::p99};
constexpr std::pair<double Spread::*, double> kRanks[] = {
    {&Spread::p50, 0.5}, {&Spread::p90, 0.9}, {&Spread::p95, 0.95}, {&Spread::p99, 0.99}};

}  // namespace

Spread spread_of(std::vector<double> values) {
  Spread out;
  if (values.empty()) return out;
  const auto n = static_cast<double>(values.size());
  out.count = values.size();
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  std::sort(values.begin(), values.end());
  for (const auto& [part, share] : kRanks) {
    const double x = share * (n - 1);
    const auto i = static_cast<std::size_t>(x);
    const double rest = x - static_cast<double>(i);
    const double next = values[std::min(i + 1, values.size() - 1)];
    out.*part = values[i] * (1 - rest) + next * rest;
  }
  return out;
}

Spread spread_of(std::vector<Weighted> values) {
  Spread out;
  std::int64_t all = 0;
  for (const Weighted& v : values) {
    all += v.count;
    out.mean += v.value * static_cast<double>(v.count);
  }
  if (all == 0) return {};
  out.count = static_cast<std::size_t>(all);
  out.mean /= static_cast<double>(all);
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  std::size_t i = 0;
  std::int64_t below = 0;
  for (const auto& [part, share] : kRanks) {
    const auto rank = static_cast<std::int64_t>(share * static_cast<double>(all - 1));
    while (below + values[i].count <= rank) below += values[i++].count;
    out.*part = values[i].value;
  }
  return out;
}

Figure across(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return {};
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return {mean, 0, 1};
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double t = student_t(static_cast<int>(values.size()) - 1);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  // Runs that agree to the last digits agree.
  return {mean, half <= 1e-12 * std::abs(mean) ? 0 : half, values.size()};
}

Figures across(const std::vector<Spread>& replications) {
  Figures out;
  for (const auto part : kParts) {
    std::vector<double> values;
    for (const Spread& s : replications)
      if (s.count > 0) values.push_back(s.*part);
    const Figure f = across(values);
    out.value.*part = f.value;
    out.half.*part = f.half;
    out.runs = f.runs;
  }
  for (const Spread& s : replications) out.value.count += s.count;
  return out;
}

// Exact for one and two degrees of freedom; above, the expansion of Cornish and Fisher in 1/ν: to 1 % at 3, 0.1 % at 7.
double student_t(int freedom) {
  constexpr double kShare = 0.975;
  if (freedom <= 1) return std::tan(3.14159265358979323846 * (kShare - 0.5));
  if (freedom == 2) return (2 * kShare - 1) * std::sqrt(2 / (4 * kShare * (1 - kShare)));
  const double z = normal_quantile(kShare), v = freedom, s = z * z;
  const double g1 = z * (s + 1) / 4, g2 = z * ((5 * s + 16) * s + 3) / 96;
  const double g3 = z * (((3 * s + 19) * s + 17) * s - 15) / 384;
  const double g4 = z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

}  // namespace reckon::load
