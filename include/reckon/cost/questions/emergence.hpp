// The answer to an emergence question: accuracy, exact match, where it passes the target, how steep it is there.
#pragma once

#include "reckon/cost/emergence.hpp"
#include "reckon/spec/questions/emergence.hpp"

namespace reckon {

// At one amount of compute.
template <class R>
struct EmergenceAt {
  Flops<R> C;
  Ratio<R> accuracy, exact;
  EmergenceSlopes<R> slopes;
};

template <class R>
struct EmergenceAnswer {
  Flops<R> k;
  Ratio<R> target_accuracy, target_loss;
  std::optional<EmergenceAt<R>> here, threshold;
  std::optional<Ratio<R>> accuracy, exact;  // of a stated accuracy

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
EmergenceAnswer<R> answer(const EmergenceQuestion<R>& question);

// Accuracy and exact match at an amount of compute, for a table.
template <class R>
EmergenceAt<R> emergence_at(const EmergenceQuestion<R>& question, Flops<R> C);

template <class R>
template <class V>
void EmergenceAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoFlops = "the question states no compute: flops: 1e24 FLOP";
  constexpr const char* kNever = "the answer's own floor keeps it below the target";
  const auto of = [](const std::optional<EmergenceAt<R>>& at, auto get) {
    using T = decltype(get(*at));
    return at ? std::optional<T>(get(*at)) : std::nullopt;
  };
  using At = const EmergenceAt<R>&;
  v(MetricInfo{"accuracy", "accuracy of one token", Hint::kFraction}, accuracy, kNoFlops);
  v(MetricInfo{"exact_match", "exact match of the answer", Hint::kFraction}, exact, kNoFlops);
  v(MetricInfo{"slope.accuracy", "accuracy of a token gained per decade of compute",
               Hint::kFraction},
    of(here, [](At x) { return x.slopes.smooth; }), kNoFlops);
  v(MetricInfo{"slope.exact_match", "exact match gained per decade of compute", Hint::kFraction},
    of(here, [](At x) { return x.slopes.exact; }), kNoFlops);
  v(MetricInfo{"threshold.accuracy", "accuracy of a token at which the answer passes",
               Hint::kFraction},
    target_accuracy);
  v(MetricInfo{"threshold.loss", "loss of a token there", Hint::kRatio}, target_loss);
  v(MetricInfo{"threshold.flops", "compute at which the answer passes"},
    of(threshold, [](At x) { return x.C; }), kNever);
  v(MetricInfo{"threshold.slope.accuracy", "accuracy of a token gained per decade, there",
               Hint::kFraction},
    of(threshold, [](At x) { return x.slopes.smooth; }), kNever);
  v(MetricInfo{"threshold.slope.exact_match", "exact match gained per decade, there",
               Hint::kFraction},
    of(threshold, [](At x) { return x.slopes.exact; }), kNever);
}

}  // namespace reckon
