// The answer to a lifetime question: the cheapest model of a quality, beside the compute-optimal one and a stated size.
#pragma once

#include "reckon/cost/hire.hpp"
#include "reckon/cost/lifetime.hpp"
#include "reckon/spec/questions/lifetime.hpp"

namespace reckon {

inline const Formula kServedOverTrained{"lifetime.served_over_trained", "w",
                                        "cost of a served FLOP over that of a trained one",
                                        "MFU of training over that of serving", Hint::kRatio};
inline const Formula kServedElsewhere{"lifetime.served_over_trained_elsewhere", "w",
                                      "cost of a served FLOP over that of a trained one",
                                      "prices over what each chip reaches of its peak",
                                      Hint::kRatio};
inline const Formula kMeanInverseMfu{"lifetime.inverse_mfu", "1/MFU_serve",
                                     "FLOPs paid for a served one",
                                     "prompts and answers by their shares", Hint::kRatio};
inline const Formula kLifetimeCost{"lifetime.cost_of", "cost_life", "training and serving",
                                   "FLOPs over what a GPU reaches, times its price"};

// One model over its life.
template <class R>
struct LifetimeModel {
  Point<R> at;
  Flops<R> training, whole;
  std::optional<Dollars<R>> cost;
  std::optional<Ratio<R>> saving;
  std::optional<Flops<R>> saved;
  std::optional<Count<R>> break_even;
};

template <class R>
struct LifetimeAnswer {
  Flops<R> k, f;
  Ratio<R> loss, u;
  std::optional<Ratio<R>> weight;  // a served FLOP over a trained one
  LifetimeModel<R> best, optimal;
  std::optional<LifetimeModel<R>> size;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
LifetimeAnswer<R> answer(const LifetimeQuestion<R>& question);

namespace detail {

struct LifetimeNames {
  MetricInfo params, tokens, ratio, training, whole, cost, saving, saved, break_even;
};
#define RECKON_LIFETIME(id, what)                                                            \
  {                                                                                          \
    {id ".params", what ": parameters", Hint::kParams},                                      \
        {id ".tokens", what ": tokens of its training", Hint::kTokens},                      \
        {id ".tokens_per_param", what ": tokens per parameter", Hint::kRatio},               \
        {id ".training", what ": FLOPs of training"},                                        \
        {id ".flops", what ": training and serving, in FLOPs of training"},                  \
        {id ".cost", what ": training and serving"},                                         \
        {id ".saving", what ": saved over the compute-optimal model", Hint::kFraction},      \
        {id ".saved", what ": FLOPs saved over the compute-optimal model"}, {                \
      id ".break_even", what ": demand from which on it is cheaper than that", Hint::kTokens \
    }                                                                                        \
  }
inline const LifetimeNames kBestNames = RECKON_LIFETIME("best", "cheapest over its life");
inline const LifetimeNames kOptimalNames = RECKON_LIFETIME("optimal", "compute-optimal");
inline const LifetimeNames kSizeNames = RECKON_LIFETIME("size", "stated size");
#undef RECKON_LIFETIME

template <class R, class V>
void lifetime_metrics(const LifetimeNames& n, const LifetimeModel<R>& m, bool is_optimal, V&& v) {
  v(n.params, m.at.N);
  v(n.tokens, m.at.D);
  v(n.ratio, tokens_per_param(m.at));
  v(n.training, m.training);
  v(n.whole, m.whole);
  v(n.cost, m.cost,
    "needs price, peak and MFU of training and of serving: price, hardware, mfu, output_mfu");
  if (is_optimal) return;
  v(n.saving, m.saving, "");
  v(n.saved, m.saved, "");
  v(n.break_even, m.break_even, "it is not smaller than the compute-optimal model");
}

}  // namespace detail

template <class R>
template <class V>
void LifetimeAnswer<R>::metrics(V&& v) const {
  v(MetricInfo{"loss", "loss of all of them", Hint::kRatio}, loss);
  v(MetricInfo{"served.weight", "cost of a served FLOP over that of a trained one", Hint::kRatio},
    weight, "the question states no MFU of serving: a FLOP is a FLOP");
  v(MetricInfo{"capacity_share", "share of the reducible loss for want of parameters",
               Hint::kFraction},
    u);
  detail::lifetime_metrics(detail::kBestNames, best, false, v);
  detail::lifetime_metrics(detail::kOptimalNames, optimal, true, v);
  if (size) detail::lifetime_metrics(detail::kSizeNames, *size, false, v);
}

}  // namespace reckon
