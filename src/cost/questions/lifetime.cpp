#include "reckon/cost/questions/lifetime.hpp"

namespace reckon {
namespace {

// FLOPs paid for one served, MFU counted: prompts and answers by their shares.
template <class R>
std::optional<Ratio<R>> inverse_mfu(const ServingBill<R>& s) {
  if (!s.output_mfu) return {};
  auto MFU_o = *s.output_mfu;
  if (!s.prompt_share) return called("1/MFU_serve", 1 / MFU_o);
  auto x_p = *s.prompt_share;
  auto MFU_p = s.prompt_mfu ? *s.prompt_mfu : MFU_o;
  NAME(x_p, MFU_p, MFU_o);
  return kMeanInverseMfu(x_p / MFU_p + (1 - x_p) / MFU_o);
}

// A served FLOP over a trained one, in money or, on the same chip, in GPU time.
template <class R>
std::optional<Ratio<R>> served_weight(const LifetimeQuestion<R>& q) {
  const auto inverse = inverse_mfu(q.serving);
  if (!inverse || !q.hire.mfu) return {};
  auto MFU = *q.hire.mfu;
  auto paid = *inverse;
  NAME(MFU, paid);
  auto w = called("w_mfu", MFU * paid);
  if (!q.serving.serve_hardware) return kServedOverTrained(w);
  auto P_train = *hired_peak(q.hire);
  auto P_serve = *q.serving.serve_hardware->peak.of(q.hire.chip.compute);
  auto c_gpu = *q.hire.price;
  auto c_serve = q.serving.serve_price ? *q.serving.serve_price : c_gpu;
  NAME(P_train, P_serve, c_gpu, c_serve);
  auto relative = called("w_price", c_serve / c_gpu * (P_train / P_serve));
  return kServedElsewhere(w * relative);
}

template <class R>
struct Life {
  const LifetimeQuestion<R>& q;
  Flops<R> k, f;
  Count<R> T;

  LifetimeModel<R> model(const Point<R>& at) const {
    LifetimeModel<R> m;
    m.at = at;
    m.training = flops_of(at, k);
    m.whole = lifetime_flops(at, k, f, T);
    const auto rate = hired_rate(q.hire);
    if (rate && q.hire.price && (q.serving.output_mfu || !(Count<R>{} < T))) {
      auto C_life = m.whole;
      auto P_eff = *rate;
      NAME(C_life, P_eff);
      m.cost = kLifetimeCost(C_life / P_eff * *q.hire.price);
    }
    return m;
  }

  void compare(LifetimeModel<R>& m, const LifetimeModel<R>& optimal) const {
    auto C_life = m.whole, C_opt = optimal.whole;
    NAME(C_life, C_opt);
    m.saving = kLifetimeSaving(1 - C_life / C_opt);
    m.saved = kLifetimeSaved(C_opt - C_life);
    if (m.at.N < optimal.at.N * 0.999999999)  // without demand they are one model, but for rounding
      m.break_even = break_even(m.at, optimal.at, k, f);
  }
};

}  // namespace

template <class R>
LifetimeAnswer<R> answer(const LifetimeQuestion<R>& q) {
  LifetimeAnswer<R> out;
  const LossCurve<R> l = loss_curve(*q.law.loss);
  out.k = flops_per_param_token<R>();
  out.f = flops_per_param_served<R>();
  Point<R> optimal;
  if (q.loss) {
    out.loss = *q.loss;
    optimal = cheapest_with(l, out.loss);
  } else {
    optimal = optimum(l, flops_of_params(l, *q.quality, out.k), out.k);
    optimal.N = *q.quality;
    out.loss = loss_at(l, optimal).total;
  }
  out.weight = served_weight(q);
  if (out.weight) {
    auto f = out.f;
    auto w = *out.weight;
    NAME(f, w);
    out.f = kServedAsTrained(f * w);
  }
  out.u = capacity_share(l, out.loss, out.k, out.f, q.demand);
  const Life<R> life{q, out.k, out.f, q.demand};
  out.best = life.model(lifetime_point(l, out.loss, out.u));
  out.optimal = life.model(optimal);
  life.compare(out.best, out.optimal);
  if (q.size) {
    out.size = life.model({*q.size, tokens_to_reach(l, *q.size, out.loss)});
    life.compare(*out.size, out.optimal);
  }
  return out;
}

template LifetimeAnswer<double> answer(const LifetimeQuestion<double>&);
template LifetimeAnswer<Dual> answer(const LifetimeQuestion<Dual>&);
template LifetimeAnswer<Traced> answer(const LifetimeQuestion<Traced>&);

}  // namespace reckon
