// What users of a serving plan wait under its rate or its concurrency: the plan's own steps in the closed forms of
// cost/load. Service and queueing stand apart there; a rate beyond saturation has no figure.
//
// Each data rank of each replica is an engine of its own, with its share of the requests.
#pragma once

#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/cost/serving/saturation.hpp"
#include "reckon/spec/lower.hpp"

namespace reckon {

inline const Formula kRankRate{"serving.load.rate", "λ", "requests/s of one engine",
                               "over replicas and data ranks", Hint::kRequestRate};
inline const Formula kRankUsers{"serving.load.users", "N", "users of one engine",
                                "over replicas and data ranks", Hint::kCount};

// Time of a step of n decodes that carries c prompt tokens.
template <class R>
Seconds<R> loaded_step(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n,
                       Count<R> c) {
  StepCall<R> call = decode_call(plan, n, served_context(plan.workload));
  const FreshPrompt<R> p = fresh_prompt(plan.workload);
  auto s_all = p.fresh;
  NAME(c, s_all);
  call.x = c;
  call.s = min(c, s_all);
  call.past = p.cached;
  call.prompts = c / s_all;
  return c <= 0 ? time_per_token(plan, serving_step(s, call).time) : serving_step(s, call).time;
}

template <class R>
LoadInput<R> load_input(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                        Count<R> slots) {
  LoadInput<R> x;
  auto d = s.mesh.data;
  NAME(R_all, d);
  if (plan.workload.rate) {
    auto rate = *plan.workload.rate;
    NAME(rate);
    x.rate = kRankRate(rate / (R_all * d));
  } else {
    auto c_all = *plan.workload.concurrency;
    NAME(c_all);
    x.users = kRankUsers(max(c_all / (R_all * d), 1));
  }
  const FreshPrompt<R> p = fresh_prompt(plan.workload);
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  x.prompt = p.fresh;
  x.output = *plan.workload.output;
  x.lengths = length_shares(LengthShape::kLognormal, p.fresh, plan.workload.variation);
  x.slots = max(floor(slots), 1);
  x.chunk = chunk ? *chunk : p.fresh;
  x.prompts = chunk ? PromptSteps::kShared : PromptSteps::kFirst;
  x.overhead = plan.engine.overhead.request;
  x.step = [&plan, &s](Count<R> n, Count<R> c) { return loaded_step(plan, s, n, c); };
  return x;
}

// `slots`: sequences that one engine decodes together.
template <class R>
LoadFigures<R> under_load(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                          Count<R> slots) {
  if constexpr (std::is_same_v<R, double>) {
    const LoadInput<double> x = load_input(plan, s, R_all, slots);
    return load_figures(x, x);
  } else {
    const ServingPlan<double> flat = lower(plan);
    const ServingMachine<double> machine = serving_machine(flat);
    return load_figures(load_input(plan, s, R_all, slots),
                        load_input(flat, machine, plain_quantity(R_all), plain_quantity(slots)));
  }
}

}  // namespace reckon
