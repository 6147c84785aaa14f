// A distribution of lengths as a few shares of requests, each at its own mean: sums over it keep the mean exactly, and
// tails of 1 in 2000 are seen.
//
//   length_shares(LengthShape::kLognormal, s, spread)          // fifteen; one for constant lengths
//   length_seen({LengthShape::kLognormal, spread, longest}, o) // o·(1 + cv²): a step finds long answers more often
//
// Lengths beyond the longest are cut to it, as the simulation cuts them.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "reckon/cost/load/input.hpp"
#include "reckon/load/kinds.hpp"
#include "reckon/spec/questions/traffic.hpp"

namespace reckon {

inline const Formula kLengthOfShare{"load.length", "s_i", "mean prompt of a share of the requests",
                                    "the distribution between two of its quantiles", Hint::kLength};

inline const Formula kLengthsCut{"load.length_cut", "s", "mean length, the longest cut",
                                 "over the shares", Hint::kLength};
inline const Formula kLengthSeen{"load.length_seen", "o_seen",
                                 "length of the answers that are decoded at some time, mean",
                                 "o·(1 + cv²): long ones are decoded for longer", Hint::kLength};
inline const Formula kLengthSeenCut{"load.length_seen_cut", "o_seen",
                                    "length of the answers that are decoded at some time, mean",
                                    "E[o²]/E[o], the longest cut", Hint::kLength};

namespace detail {

inline constexpr std::array kLengthEdges{0.0, 0.1,  0.2,  0.3,  0.4,  0.5,   0.6,    0.7,
                                         0.8, 0.87, 0.93, 0.97, 0.99, 0.997, 0.9995, 1.0};

inline double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// z of each edge; ±40 for the ends.
inline const std::array<double, kLengthEdges.size()>& normal_edges() {
  static const auto edges = [] {
    std::array<double, kLengthEdges.size()> z{};
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = bisect(-40, 40, [&](double x) { return normal_below(x) - kLengthEdges[i]; });
    z.front() = -40;
    z.back() = 40;
    return z;
  }();
  return edges;
}

// Mean of the i-th share over the mean of all.
inline double share_factor(LengthShape shape, double spread, std::size_t i) {
  const double p = kLengthEdges[i], q = kLengthEdges[i + 1];
  const double a = normal_edges()[i], b = normal_edges()[i + 1];
  if (shape == LengthShape::kUniform) return 1 + std::sqrt(3.0) * spread * (p + q - 1);
  if (shape == LengthShape::kNormal) {
    const auto density = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); };
    return 1 + spread * (density(a) - density(b)) / (q - p);
  }
  const double sigma = std::sqrt(std::log1p(spread * spread));
  return (normal_below(b - sigma) - normal_below(a - sigma)) / (q - p);
}

}  // namespace detail

template <class R>
std::vector<LengthShare<R>> length_shares(LengthShape shape, Count<R> s, Ratio<R> spread) {
  const double v = plain(spread);
  if (shape == LengthShape::kConstant || v <= 0) return {{Ratio<R>{1}, s}};
  std::vector<LengthShare<R>> out;
  auto v_0 = found<R>("v_0", v);
  auto cv = spread;
  NAME(s, cv);
  for (std::size_t i = 0; i + 1 < detail::kLengthEdges.size(); ++i) {
    const double width = detail::kLengthEdges[i + 1] - detail::kLengthEdges[i], h = 1e-5 * v;
    const double f = detail::share_factor(shape, v, i);
    const double more = detail::share_factor(shape, v + h, i);
    const double less = detail::share_factor(shape, v - h, i);
    auto f_0 = found<R>("f_0", std::max(f, 1e-3));
    auto f_v = found<R>("f'", (more - less) / (2 * h));
    auto tokens = kLengthOfShare(s * (f_0 + f_v * (cv - v_0)));
    out.push_back({found<R>("w_i", width), tokens});
  }
  return out;
}

// How lengths spread; their mean is the caller's.
template <class R>
struct LengthSpread {
  LengthShape shape = LengthShape::kLognormal;
  std::optional<Ratio<R>> spread;
  std::optional<Count<R>> longest;

  bool spreads() const { return spread && plain(*spread) > 0; }
};

// Of prompts and of answers: lognormal where no shape is stated, up to the longest, which is the model's context where
// none is stated.
template <class R>
LengthSpread<R> prompt_lengths(const TrafficShape<R>& t, const std::optional<Count<R>>& context) {
  return {t.prompt_shape.value_or(LengthShape::kLognormal), t.prompt_spread,
          t.longest ? t.longest : context};
}
template <class R>
LengthSpread<R> answer_lengths(const TrafficShape<R>& t, const std::optional<Count<R>>& context) {
  return {t.output_shape.value_or(LengthShape::kLognormal), t.output_spread,
          t.longest ? t.longest : context};
}

namespace detail {

// Whether the longest of so many tokens on average are cut; a mean beyond the longest is no distribution of any.
template <class R>
bool cuts(const LengthSpread<R>& of, Count<R> mean) {
  if (!of.spreads() || !of.longest || !(plain(mean) < plain(*of.longest))) return false;
  return plain(mean) * share_factor(of.shape, plain(*of.spread), kLengthEdges.size() - 2) >
         plain(*of.longest);
}

}  // namespace detail

template <class R>
std::vector<LengthShare<R>> length_shares(const LengthSpread<R>& of, Count<R> s) {
  auto out = length_shares(of.shape, s, of.spread ? *of.spread : Ratio<R>{});
  if (!detail::cuts(of, s)) return out;
  for (LengthShare<R>& x : out) x.tokens = min(x.tokens, *of.longest);
  return out;
}

// The mean of what is left of them.
template <class R>
Count<R> length_cut(const LengthSpread<R>& of, Count<R> s) {
  if (!detail::cuts(of, s)) return s;
  Sum<kOne, R> all;
  for (const LengthShare<R>& x : length_shares(of, s)) all.add("share", x.share * x.tokens);
  return kLengthsCut(all.total());
}

// Of what decodes at some time. E[o²] is exact, but for what the cut takes of it, which is told by the shares.
template <class R>
Count<R> length_seen(const LengthSpread<R>& of, Count<R> mean) {
  if (!of.spreads()) return mean;
  auto o = mean;
  auto cv = *of.spread;
  NAME(o, cv);
  auto o_all = kLengthSeen(o * (1 + cv * cv));
  if (!detail::cuts(of, mean)) return o_all;
  Sum<kOne, R> whole, kept;
  for (const LengthShare<R>& x : length_shares(of.shape, mean, *of.spread)) {
    auto cut = min(x.tokens, *of.longest);
    whole.add("share", x.share * x.tokens * x.tokens);
    kept.add("share", x.share * cut * cut);
  }
  auto o_cut = length_cut(of, mean);
  NAME(o_all, o_cut);
  return kLengthSeenCut(o_all * o / o_cut * kept.total() / whole.total());
}

}  // namespace reckon
