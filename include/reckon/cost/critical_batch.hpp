// The critical batch: how many tokens of a step still buy time, and what more of them cost.
//
//   B_crit = B_* / L^γ                       by the law, at the loss that the run is to reach
//   S = S_min · (1 + B_crit / B)             steps; fewest with an endless batch
//   C = C_min · (1 + B / B_crit)             compute; least with a tiny one
//
// At B = B_crit a run takes twice the fewest steps and twice the least compute. B in tokens.
// Source: McCandlish 2018; Kaplan 2020, section 5.1.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/spec/law.hpp"

namespace reckon {

inline const Formula kCriticalBatch{"batch.critical_tokens", "B_crit", "critical batch, in tokens",
                                    "the law's file: B_* / L^γ", Hint::kTokens};
inline const Formula kBatchOver{"batch.over", "B/B_crit",
                                "tokens of a step over the critical batch",
                                "below 1 a larger batch buys time", Hint::kRatio};
inline const Formula kStepsOverMin{"batch.steps_over", "S/S_min", "steps over the fewest possible",
                                   "1 + B_crit / B", Hint::kRatio};
inline const Formula kComputeOverMin{"batch.compute_over", "C/C_min",
                                     "compute over the least possible", "1 + B / B_crit",
                                     Hint::kRatio};
inline const Formula kDoubledSteps{"batch.steps_if_doubled", "S_2/S",
                                   "steps of twice the batch over steps of this one",
                                   "(1 + B_crit / 2B) / (1 + B_crit / B)", Hint::kRatio};
inline const Formula kDoubledCompute{"batch.compute_if_doubled", "C_2/C",
                                     "compute of twice the batch over that of this one",
                                     "(1 + 2B / B_crit) / (1 + B / B_crit)", Hint::kRatio};
inline const Formula kLargestData{"batch.largest_data_degree", "D_most",
                                  "most data ranks whose step stays below the critical batch",
                                  "critical batch over the tokens of a rank, rounded down",
                                  Hint::kCount};

template <class R>
Count<R> critical_batch(const BatchTerms<R>& law, Ratio<R> loss) {
  auto L = loss;
  NAME(L);
  return kCriticalBatch(law.scale / pow(L, law.exponent));
}

// A step of B tokens beside the critical batch.
template <class R>
struct BatchCost {
  Ratio<R> over, steps, compute, doubled_steps, doubled_compute;
};

template <class R>
BatchCost<R> batch_cost(Count<R> B, Count<R> B_crit) {
  NAME(B, B_crit);
  auto over = kBatchOver(B / B_crit);
  auto steps = kStepsOverMin(1 + B_crit / B);
  auto compute = kComputeOverMin(1 + B / B_crit);
  return {over, steps, compute, kDoubledSteps((1 + B_crit / (2 * B)) / steps),
          kDoubledCompute((1 + 2 * B / B_crit) / compute)};
}

// With so many tokens of a step on each data rank.
template <class R>
Count<R> largest_data_degree(Count<R> B_crit, Count<R> T_rank) {
  NAME(B_crit, T_rank);
  return kLargestData(floor(B_crit / T_rank));
}

}  // namespace reckon
