// The answer to a critical-batch question: the batch, what this one costs beside it, how many ranks it feeds.
#pragma once

#include "reckon/cost/critical_batch.hpp"
#include "reckon/cost/scaling.hpp"
#include "reckon/spec/questions/critical_batch.hpp"

namespace reckon {

template <class R>
struct CriticalBatchAnswer {
  Ratio<R> loss;
  Count<R> critical;
  std::optional<BatchCost<R>> cost;
  std::optional<Count<R>> largest_data;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
CriticalBatchAnswer<R> answer(const CriticalBatchQuestion<R>& question);

template <class R>
template <class V>
void CriticalBatchAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoBatch = "the question states no batch: batch: 4M";
  const auto part = [this](auto member) {
    return cost ? std::optional<Ratio<R>>((*cost).*member) : std::nullopt;
  };
  using C = BatchCost<R>;
  v(MetricInfo{"loss", "loss, nats a token", Hint::kRatio}, loss);
  v(MetricInfo{"batch.critical", "critical batch, in tokens", Hint::kTokens}, critical);
  v(MetricInfo{"batch.over_critical", "tokens of a step over the critical batch", Hint::kRatio},
    part(&C::over), kNoBatch);
  v(MetricInfo{"batch.steps", "steps over the fewest possible", Hint::kRatio}, part(&C::steps),
    kNoBatch);
  v(MetricInfo{"batch.compute", "compute over the least possible", Hint::kRatio}, part(&C::compute),
    kNoBatch);
  v(MetricInfo{"batch.doubled.steps", "steps of twice the batch over steps of this one",
               Hint::kRatio},
    part(&C::doubled_steps), kNoBatch);
  v(MetricInfo{"batch.doubled.compute", "compute of twice the batch over that of this one",
               Hint::kRatio},
    part(&C::doubled_compute), kNoBatch);
  v(MetricInfo{"batch.largest_data", "most data ranks whose step stays below the critical batch",
               Hint::kCount},
    largest_data, "the question states no tokens of a rank: per_rank: 16384");
}

}  // namespace reckon
