// What users of a serving plan wait under its rate or its concurrency: the plan's own steps in the closed forms of
// cost/load. Service and queueing stand apart there; a rate beyond saturation has no figure.
//
// Each data rank of each replica is an engine of its own, with its share of the requests.
#pragma once

#include "reckon/cost/load/bursts.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/cost/serving/saturation.hpp"
#include "reckon/spec/lower.hpp"

namespace reckon {

inline const Formula kRankRate{"serving.load.rate", "λ", "requests/s of one engine",
                               "over replicas and data ranks", Hint::kRequestRate};
inline const Formula kRankUsers{"serving.load.users", "N", "users of one engine",
                                "over replicas and data ranks", Hint::kCount};

// What a step takes of the prompts: as the plan says, or chunks where the engine knows one and whole prompts where not.
template <class R>
PromptSteps prompt_steps(const ServingPlan<R>& plan) {
  if (plan.settings.prompts) return *plan.settings.prompts;
  return plan.settings.chunk || plan.engine.limits.chunk ? PromptSteps::kShared
                                                         : PromptSteps::kFirst;
}

// Time of a step of n decodes over T tokens each that carries c prompt tokens: chunks of prompts of the mean length,
// each with half of the other chunks before it, or one whole prompt of c tokens.
template <class R>
Seconds<R> loaded_step(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n,
                       Count<R> T, Count<R> c, PromptSteps prompts) {
  StepCall<R> call = decode_call(plan, n, T);
  if (c <= 0) return time_per_token(plan, serving_step(s, call).time);
  const FreshPrompt<R> p = fresh_prompt(plan.workload);
  auto s_all = p.fresh;
  auto cached = p.cached;
  NAME(c, s_all, cached);
  call.x = c;
  call.past = p.cached;
  if (prompts == PromptSteps::kFirst) {
    call.s = c;
    call.prompts = Count<R>{1};
    return serving_step(s, call).time;
  }
  call.s = min(c, s_all);
  if (c < s_all) {
    auto s_ch = call.s;
    NAME(s_ch);
    call.past = kPastTokens(cached + (s_all - s_ch) / 2);
  }
  call.prompts = c / s_all;
  return serving_step(s, call).time;
}

// How long prompts and answers are, and what a request costs before it reaches the engine.
template <class R>
void load_lengths(const ServingPlan<R>& plan, LoadInput<R>& x) {
  const TrafficShape<R>& t = plan.traffic;
  x.prompt = fresh_prompt(plan.workload).fresh;
  x.output = *plan.workload.output;
  x.output_spread = t.output_spread ? *t.output_spread : Ratio<R>{};
  x.lengths = length_shares(t.prompt_shape.value_or(LengthShape::kLognormal), x.prompt,
                            t.prompt_spread ? *t.prompt_spread : Ratio<R>{});
  x.overhead = plan.engine.overhead.request;
}

// The load of one engine: its share of the requests, `slots` of them at once.
template <class R>
LoadInput<R> load_input(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                        Count<R> slots, PromptSteps prompts) {
  LoadInput<R> x;
  auto d = s.mesh.data;
  NAME(R_all, d);
  if (plan.workload.rate) {
    auto rate = *plan.workload.rate;
    NAME(rate);
    x.rate = kRankRate(rate / (R_all * d));
    x.burst = burst_of_share(burst_of(plan.traffic, plan.workload.rate), R_all * d);
  } else {
    auto c_all = *plan.workload.concurrency;
    NAME(c_all);
    x.users = kRankUsers(max(c_all / (R_all * d), 1));
  }
  load_lengths(plan, x);
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  x.slots = max(floor(slots), 1);
  x.chunk = chunk ? *chunk : x.prompt;
  x.prompts = prompts;
  const Count<R> T = served_context(plan.workload);
  x.step = [&plan, &s, T, prompts](Count<R> n, Count<R> c) {
    return loaded_step(plan, s, n, T, c, prompts);
  };
  return x;
}

// `slots`: sequences that one engine decodes together.
template <class R>
LoadFigures<R> under_load(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                          Count<R> slots, PromptSteps prompts) {
  if constexpr (std::is_same_v<R, double>) {
    const LoadInput<double> x = load_input(plan, s, R_all, slots, prompts);
    return load_figures(x, x);
  } else {
    const ServingPlan<double> flat = lower(plan);
    const ServingMachine<double> machine = serving_machine(flat);
    return load_figures(
        load_input(plan, s, R_all, slots, prompts),
        load_input(flat, machine, plain_quantity(R_all), plain_quantity(slots), prompts));
  }
}

}  // namespace reckon
