// How prompts hold up engines that pass the stages of one pipeline.
//
//   double M = stage_delays(2, 0.3, 1, 6); // 2 engines; 0.3 chunks of prompts a passage; a chunk adds 6 times a step
//
// In a stage nobody overtakes: in max-plus terms two passages that follow each other take max(t, t') a stage and not
// their mean, so the pace of all p engines is that of the slowest of p passages. Call them a round. Each engine carries
// Poisson many prompts of what came while the last round ran, at most K in a chunk, so a round that follows a slow one
// carries more: rounds are fast, t_0, or slow, T_1 on average, and
//
//   q   = (1 − e^(−p·Λ·t_0)) / (e^(−p·Λ·T_1) + 1 − e^(−p·Λ·t_0))         share of slow ones
//   T_1 = t_0 + E·((1 − q)·m_p(Λ·t_0) + q·m_p(Λ·T_1))/q                   m_p(v) = E max of p of min(Poisson(v), K)
//   ν   = (1 − q)·m_1(Λ·t_0) + q·m_1(Λ·T_1)                               what an engine carries fixes Λ
//
// A round takes (1 − q)·t_0 + q·T_1 = t_0 + M·ν·E: M delays are felt for one of an engine's own, from p where prompts
// are rare to 1 where every chunk is full. A prompt of several chunks counts as so many.
// How well it holds: docs/decisions/0024.
#pragma once

#include <algorithm>
#include <cmath>

namespace reckon::detail {

// E max over p, and over one, of min(Poisson(v), K).
struct MostOf {
  double all, one;
};
inline MostOf most_of(double v, double K, int p) {
  constexpr double kRest = 1e-14;
  MostOf out{0, 0};
  double term = std::exp(-v), below = 0;
  for (int k = 0; k < K; ++k) {
    below = std::min(below + term, 1.0);
    const double weight = std::min(1.0, K - k);
    out.one += weight * (1 - below);
    double power = 1, base = below;
    for (int e = p; e > 0; e /= 2, base *= base)
      if (e % 2 == 1) power *= base;
    out.all += weight * (1 - power);
    if (1 - below < kRest) break;
    term *= v / (k + 1);
  }
  return out;
}

// Of a passage that carries one's own prompt and Poisson(`met`) beside it, while of p others each carries
// Poisson(`asked`): how many more the fullest of all has, on average.
inline double most_beside(double asked, double met, double K, int others) {
  constexpr double kRest = 1e-14;
  double out = 0, term = std::exp(-asked), below = 0, own_term = std::exp(-met), own_below = 0;
  for (int k = 0; k < K; ++k) {
    const double weight = std::min(1.0, K - k);
    below = std::min(below + term, 1.0);
    // P(1 + own ≤ k), and that all others are: what the others add where own prompts do not reach.
    const double own_at_most = k == 0 ? 0 : own_below;
    out += weight * own_at_most * (1 - std::pow(below, others));
    own_below = std::min(own_below + own_term, 1.0);
    own_term *= met / (k + 1);
    if (1 - below < kRest) break;
    term *= asked / (k + 1);
  }
  return out;
}

// `carried`: chunks of prompts that an engine's passage carries on average; `cost`: what one adds, over a step.
inline double stage_delays(int p, double carried, double K, double cost) {
  constexpr double kFull = 0.999, kTiny = 1e-9, kSame = 1e-13;
  if (!(carried > kTiny) || !(cost > kTiny)) return p;
  const double nu = std::min(carried, kFull * K);
  double rate = nu / (1 + nu * cost), slow = 1 + cost, mean = 1 + nu * cost;
  for (int i = 0; i < 300; ++i) {
    const double starts = -std::expm1(-p * rate), stays = std::exp(-p * rate * slow);
    const double q = starts / (stays + starts);
    const MostOf fast = most_of(rate, K, p), after = most_of(rate * slow, K, p);
    slow = 1 + cost * ((1 - q) * fast.all + q * after.all) / q;
    rate *= nu / ((1 - q) * fast.one + q * after.one);
    const double before = mean;
    mean = 1 - q + q * slow;
    if (std::abs(mean - before) <= kSame * mean) break;
  }
  return std::clamp((mean - 1) / (nu * cost), 1.0, static_cast<double>(p));
}

}  // namespace reckon::detail
