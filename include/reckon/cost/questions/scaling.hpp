// The answer to a scaling question: the run, where the law would put its compute, the loss, the bill.
//
//   ScalingAnswer<double> a = answer(question);
//   a.run.N, a.optimum->N, a.loss->total, a.hired.gpu_time
#pragma once

#include "reckon/cost/allocation.hpp"
#include "reckon/cost/hire.hpp"
#include "reckon/cost/kaplan.hpp"
#include "reckon/cost/law_variants.hpp"

namespace reckon {

inline const Formula kOverTraining{"overtraining.factor_of", "x_D",
                                   "tokens per parameter over those of the optimum",
                                   "(D/N) / (D*/N*), at equal compute", Hint::kRatio};
inline const Formula kExtraLoss{"overtraining.extra", "ΔL", "loss above that of the optimum",
                                "L − L*, at equal compute", Hint::kRatio};
inline const Formula kWorth{"overtraining.worth", "x_C",
                            "compute over what the optimum needs for the same loss", "C / C*(L)",
                            Hint::kRatio};
inline const Formula kTokenRatio{"overtraining.tokens_over", "D/D*", "tokens over the optimum's",
                                 "at equal compute", Hint::kRatio};
inline const Formula kAgainst{"against.extra", "ΔL", "loss above that of the other law's split",
                              "both losses under `law`, at equal compute", Hint::kRatio};

// Another law's split of the same compute.
template <class R>
struct Against {
  Point<R> at;
  Ratio<R> tokens_per_param;
  std::optional<Ratio<R>> loss, extra, tokens;
};

template <class R>
struct ScalingAnswer {
  Flops<R> k, C;
  std::optional<Flops<R>> C_min;  // where the law counts that
  Point<R> run;
  Ratio<R> ratio;
  std::optional<LossCurve<R>> curve;
  std::optional<Loss<R>> loss;
  std::optional<Ratio<R>> total;  // the loss, of whatever family
  std::optional<Marginal<R>> marginal;
  std::optional<Point<R>> optimum;
  std::optional<Ratio<R>> growth, optimum_ratio, optimum_loss, over, extra, worth, token_ratio;
  std::optional<Against<R>> against;
  std::optional<Count<R>> batch;
  std::optional<Ratio<R>> steps;
  LawVariant<R> variant;
  Hired<R> hired;
  bool law_splits = true, loss_law = true;
  std::string_view confidence;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ScalingAnswer<R> answer(const ScalingQuestion<R>& question);

// The compute that a question states, in whatever form; absent if it states none.
template <class R>
std::optional<Flops<R>> stated_flops(const ScalingQuestion<R>& question);

template <class R>
template <class V>
void ScalingAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoLoss = "the law says nothing about the loss";
  constexpr const char* kNoTerms = "the law's loss is not a sum of terms";
  constexpr const char* kNoSplit = "the law does not say how compute is split";
  constexpr const char* kNoRate =
      "needs a peak and how well it is used: hardware: h100-sxm, mfu: 40%";
  constexpr const char* kNoGpus = "the question states no GPUs and no days: gpus: 512";
  constexpr const char* kNotAgainst = "no other law is named: against: rule20";
  const auto part = [](const auto& from, auto member) {
    using T = std::decay_t<decltype((*from).*member)>;
    return from ? std::optional<T>((*from).*member) : std::nullopt;
  };
  v(MetricInfo{"params", "parameters", Hint::kParams}, run.N);
  v(MetricInfo{"tokens", "tokens of the run", Hint::kTokens}, run.D);
  v(MetricInfo{"flops", "compute of the run"}, C);
  v(MetricInfo{"flops.per_param_token", "FLOPs of a parameter and token"}, k);
  if (C_min) v(MetricInfo{"flops.c_min", "compute as the law counts it"}, *C_min);
  v(MetricInfo{"tokens_per_param", "tokens per parameter", Hint::kRatio}, ratio);
  v(MetricInfo{"loss", "loss, nats a token", Hint::kRatio}, total, kNoLoss);
  v(MetricInfo{"loss.irreducible", "irreducible loss", Hint::kRatio},
    part(loss, &Loss<R>::irreducible), loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"loss.capacity", "loss for want of parameters", Hint::kRatio},
    part(loss, &Loss<R>::capacity), loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"loss.data", "loss for want of data", Hint::kRatio}, part(loss, &Loss<R>::data),
    loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"marginal.params", "what growing the model is worth, per unit of ln N",
               Hint::kRatio},
    part(marginal, &Marginal<R>::params), loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"marginal.tokens", "what more tokens are worth, per unit of ln D", Hint::kRatio},
    part(marginal, &Marginal<R>::tokens), loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"marginal.ratio", "marginal return of parameters over that of tokens", Hint::kRatio},
    part(marginal, &Marginal<R>::over), loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"optimum.params", "parameters, compute-optimal", Hint::kParams},
    part(optimum, &Point<R>::N), kNoSplit);
  v(MetricInfo{"optimum.tokens", "tokens, compute-optimal", Hint::kTokens},
    part(optimum, &Point<R>::D), kNoSplit);
  v(MetricInfo{"optimum.tokens_per_param", "tokens per parameter, compute-optimal", Hint::kRatio},
    optimum_ratio, kNoSplit);
  v(MetricInfo{"optimum.loss", "loss at the optimum of the same compute", Hint::kRatio},
    optimum_loss, law_splits ? kNoLoss : kNoSplit);
  v(MetricInfo{"exponent.params", "exponent with which N* grows with compute", Hint::kRatio},
    growth, loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"overtraining.factor", "tokens per parameter over the optimum's", Hint::kRatio},
    over, kNoSplit);
  v(MetricInfo{"overtraining.tokens", "tokens over the optimum's", Hint::kRatio}, token_ratio,
    kNoSplit);
  v(MetricInfo{"overtraining.extra_loss", "loss above the optimum's, at equal compute",
               Hint::kRatio},
    extra, law_splits ? kNoLoss : kNoSplit);
  v(MetricInfo{"overtraining.compute", "compute over what the optimum needs for this loss",
               Hint::kRatio},
    worth, loss_law ? kNoTerms : kNoLoss);
  v(MetricInfo{"against.params", "parameters under the other law", Hint::kParams},
    against ? std::optional(against->at.N) : std::nullopt, kNotAgainst);
  v(MetricInfo{"against.tokens", "tokens under the other law", Hint::kTokens},
    against ? std::optional(against->at.D) : std::nullopt, kNotAgainst);
  v(MetricInfo{"against.tokens_per_param", "tokens per parameter under the other law",
               Hint::kRatio},
    part(against, &Against<R>::tokens_per_param), kNotAgainst);
  v(MetricInfo{"against.loss", "loss of the other law's split", Hint::kRatio},
    against ? against->loss : std::nullopt, against ? kNoTerms : kNotAgainst);
  v(MetricInfo{"against.extra_loss", "loss above that of the other law's split", Hint::kRatio},
    against ? against->extra : std::nullopt, against ? kNoTerms : kNotAgainst);
  v(MetricInfo{"against.token_ratio", "tokens over the other law's", Hint::kRatio},
    against ? against->tokens : std::nullopt, kNotAgainst);
  v(MetricInfo{"confidence", "how well the law gives its source's own figures"}, confidence);
  if (batch) v(MetricInfo{"batch", "tokens of a step, by the law", Hint::kTokens}, *batch);
  if (steps) v(MetricInfo{"steps", "steps, by the law", Hint::kRatio}, *steps);
  variant.metrics(v);
  v(MetricInfo{"run.gpu_hours", "GPU time of the run", Hint::kGpuHours}, hired.gpu_time, kNoRate);
  v(MetricInfo{"run.days", "length of the run", Hint::kDays}, hired.days,
    hired.gpu_time ? kNoGpus : kNoRate);
  v(MetricInfo{"run.gpus", "GPUs of the run", Hint::kCount}, hired.gpus,
    hired.gpu_time ? kNoGpus : kNoRate);
  v(MetricInfo{"run.cost", "cost of the run"}, hired.cost,
    hired.gpu_time ? "the question states no price: price: 2.50 USD/h" : kNoRate);
  v(MetricInfo{"run.energy", "energy of the run"}, hired.energy,
    hired.gpu_time ? "needs the chip's power: hardware: h100-sxm, or power: 700 W" : kNoRate);
  v(MetricInfo{"run.carbon", "carbon dioxide of the run"}, hired.carbon,
    hired.gpu_time ? "needs what the electricity emits (carbon: 400 g/kWh) and the chip's power"
                   : kNoRate);
}

}  // namespace reckon
