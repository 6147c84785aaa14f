// The answer to a repeat question: what the tokens are worth, the loss, the ceiling.
#pragma once

#include "reckon/cost/repeat.hpp"
#include "reckon/spec/questions/repeat.hpp"

namespace reckon {

template <class R>
struct RepeatAnswer {
  Flops<R> k;
  Count<R> fit_params, ceiling;
  Ratio<R> half_worth;
  std::optional<Point<R>> run;
  std::optional<Ratio<R>> epochs, fresh_loss, penalty;
  std::optional<Flops<R>> C;
  std::optional<Repeated<R>> worth;

  template <class V>
  void metrics(V&& v) const;
};

inline const Formula kRepeatPenalty{"repeat.penalty_of", "ΔL", "loss above that of fresh tokens",
                                    "L − L of as many tokens, all different", Hint::kRatio};

template <class R>
RepeatAnswer<R> answer(const RepeatQuestion<R>& question);

// The loss of a size on so many tokens of so many different ones; for searches over plain numbers.
double repeat_loss(const RepeatQuestion<double>& question, double N, double D);

template <class R>
template <class V>
void RepeatAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoRun =
      "the question states no run: params and epochs (or tokens), or flops";
  const auto part = [](const auto& from, auto member) {
    using T = std::decay_t<decltype((*from).*member)>;
    return from ? std::optional<T>((*from).*member) : std::nullopt;
  };
  v(MetricInfo{"params", "parameters", Hint::kParams}, part(run, &Point<R>::N), kNoRun);
  v(MetricInfo{"tokens", "tokens read in all", Hint::kTokens}, part(run, &Point<R>::D), kNoRun);
  v(MetricInfo{"flops", "compute of the run"}, C, kNoRun);
  v(MetricInfo{"epochs", "times each token is read", Hint::kRatio}, epochs, kNoRun);
  v(MetricInfo{"repetitions", "repetitions", Hint::kRatio}, part(worth, &Repeated<R>::repetitions),
    kNoRun);
  v(MetricInfo{"effective.tokens", "fresh tokens that these are worth", Hint::kTokens},
    part(worth, &Repeated<R>::effective_tokens), kNoRun);
  v(MetricInfo{"effective.params", "parameters that these are worth", Hint::kParams},
    part(worth, &Repeated<R>::effective_params), kNoRun);
  v(MetricInfo{"next_token", "what one more token is worth beside a fresh one", Hint::kFraction},
    part(worth, &Repeated<R>::next_token), kNoRun);
  const auto loss = part(worth, &Repeated<R>::loss);
  v(MetricInfo{"loss", "loss, nats a token", Hint::kRatio}, part(loss, &Loss<R>::total), kNoRun);
  v(MetricInfo{"loss.fresh", "loss of as many tokens, all different", Hint::kRatio}, fresh_loss,
    kNoRun);
  v(MetricInfo{"loss.penalty", "loss above that", Hint::kRatio}, penalty, kNoRun);
  v(MetricInfo{"unique.params", "size for which the unique tokens are optimal", Hint::kParams},
    fit_params);
  v(MetricInfo{"ceiling.tokens", "fresh tokens that endless repeating is worth", Hint::kTokens},
    ceiling);
  v(MetricInfo{"half_worth.epochs", "epochs after which a token is worth half a fresh one",
               Hint::kRatio},
    half_worth);
}

}  // namespace reckon
