// Training plus serving at a quality: which size, trained how far, is cheapest over a life.
//
//   least k·N·D + f·N·T  with  L(N, D) = L        T: tokens served; f: 2 FLOPs, at what they cost beside training's
//
// Let u be the share of the reducible loss that is for want of parameters: N = (A/(r·u))^(1/α), D = (B/(r·(1−u)))^(1/β)
// with r = L − E. At the best u, (k/f)·D·((α/β)·u/(1−u) − 1) = T: the left side grows with u from 0 at the
// compute optimum, u = β/s, so bisection can't fail.   Source: Sardana 2024, section 2.
#pragma once

#include "reckon/cost/scaling.hpp"
#include "reckon/units/formula/solve.hpp"

namespace reckon {

inline const Formula kServedAsTrained{
    "lifetime.flops_per_token", "f_w",
    "FLOPs of a parameter and served token, in FLOPs of training of equal cost",
    "2 · cost of a served FLOP over that of a trained one"};
inline const Formula kCapacityShare{
    "lifetime.capacity_share", "u", "share of the reducible loss for want of parameters",
    "Sardana 2024, solved; the last step by Newton", Hint::kFraction};
inline const Formula kLifetimeParams{"lifetime.params_of", "N",
                                     "size that is cheapest over its life", "A / N^α = u·r",
                                     Hint::kParams};
inline const Formula kLifetimeTokens{"lifetime.tokens_of", "D", "tokens that it is trained on",
                                     "B / D^β = (1 − u)·r", Hint::kTokens};
inline const Formula kLifetimeFlops{"lifetime.flops_of", "C_life",
                                    "training and serving, in FLOPs of training", "k·N·D + f·N·T"};
inline const Formula kLifetimeSaving{"lifetime.saving_of", "saving",
                                     "saved over the compute-optimal model of that quality",
                                     "1 − C_life / C_life of the optimum", Hint::kFraction};
inline const Formula kLifetimeSaved{"lifetime.saved_of", "ΔC",
                                    "FLOPs saved over the compute-optimal model of that quality",
                                    "difference of the two"};
inline const Formula kBreakEven{"lifetime.break_even_of", "T_be",
                                "demand from which on the smaller model is cheaper",
                                "(k·N·D − k·N*·D*) / (f·(N* − N))", Hint::kTokens};

// Of a parameter and served token: forward alone.
template <class R>
Flops<R> flops_per_param_served() {
  Flops<R> f(2_flop);
  NAME(f);
  return f;
}

namespace detail {

// (k/f)·D(u)·((α/β)·u/(1−u) − 1) − T and its slope.
template <class R>
struct LifetimeBalance {
  Ratio<R> value, slope;
};

template <class R>
LifetimeBalance<R> lifetime_balance(const LossCurve<R>& l, Ratio<R> r, Flops<R> k, Flops<R> f,
                                    Count<R> T, Ratio<R> u) {
  auto D_u = called("D_u", pow(l.B / (r * (1 - u)), 1 / l.beta));
  auto h = called("h", l.alpha / l.beta * u / (1 - u) - 1);
  auto g = called("g", k / f * D_u * h - T);
  auto slope =
      called("g'", k / f * D_u * (h / (l.beta * (1 - u)) + l.alpha / (l.beta * (1 - u) * (1 - u))));
  return {g, slope};
}

}  // namespace detail

// The best share of the loss to leave to want of parameters.
template <class R>
Ratio<R> capacity_share(const LossCurve<R>& l, Ratio<R> loss, Flops<R> k, Flops<R> f, Count<R> T) {
  auto r = called("r", loss - l.E);
  NAME(k, f, T);
  const LossCurve<double> flat{plain_quantity(l.E),     plain_quantity(l.A),    plain_quantity(l.B),
                               plain_quantity(l.alpha), plain_quantity(l.beta), plain_quantity(l.s),
                               plain_quantity(l.G)};
  const double u_flat = bisect(plain(flat.beta / flat.s), 1.0, [&](double u) {
    return plain(detail::lifetime_balance(flat, plain_quantity(r), plain_quantity(k),
                                          plain_quantity(f), plain_quantity(T), Ratio<double>(u))
                     .value);
  });
  auto u_0 = found<R>("u_0", u_flat);
  const auto at = detail::lifetime_balance(l, r, k, f, T, u_0);
  auto g = at.value;
  auto g_slope = at.slope;
  NAME(g, g_slope);
  return kCapacityShare(u_0 - g / g_slope);
}

template <class R>
Point<R> lifetime_point(const LossCurve<R>& l, Ratio<R> loss, Ratio<R> u) {
  auto r = called("r", loss - l.E);
  NAME(u);
  return {kLifetimeParams(pow(l.A / (r * u), 1 / l.alpha)),
          kLifetimeTokens(pow(l.B / (r * (1 - u)), 1 / l.beta))};
}

template <class R>
Flops<R> lifetime_flops(const Point<R>& x, Flops<R> k, Flops<R> f, Count<R> T) {
  auto [N, D] = x;
  NAME(k, N, D, f, T);
  return kLifetimeFlops(k * N * D + f * N * T);
}

// Of a model below N*.
template <class R>
Count<R> break_even(const Point<R>& x, const Point<R>& optimal, Flops<R> k, Flops<R> f) {
  auto [N, D] = x;
  auto N_opt = optimal.N, D_opt = optimal.D;
  NAME(N, D, N_opt, D_opt, k, f);
  return kBreakEven((k * N * D - k * N_opt * D_opt) / (f * (N_opt - N)));
}

}  // namespace reckon
