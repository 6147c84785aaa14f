// What users of a serving plan with pools wait under its rate: the plan's own prefills, steps and transfers in the
// closed form of cost/load/pools.hpp.
//
// A prefill worker has stages · data ranks places; each data rank of a decode worker is an engine of its own, or as
// many as it has stages.
// What is moved grows with a prompt's tokens.
#pragma once

#include "reckon/cost/load/pools.hpp"
#include "reckon/cost/serving/pools.hpp"
#include "reckon/cost/serving/under_load.hpp"

namespace reckon {

inline const Formula kPoolPlaces{"serving.pools.places", "m",
                                 "prompts that prefill workers compute",
                                 "workers · stages · data ranks", Hint::kCount};
inline const Formula kPoolEngines{"serving.pools.engines", "y_e", "decode engines",
                                  "workers · data ranks", Hint::kCount};
inline const Formula kPoolEngineParts{"serving.pools.engine_parts", "y_e", "decode engines",
                                      "workers · data ranks · stages", Hint::kCount};
inline const Formula kMoveToken{"serving.pools.transfer_token", "t_move1",
                                "time to move the cache of one computed token",
                                "the prompt's over its tokens"};

// Time of one prompt of so many computed tokens, alone.
template <class R>
Seconds<R> pool_prefill(const ServingPlan<R>& plan, const ServingMachine<R>& pre, Count<R> tokens) {
  const Count<R> one{1};
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  return prompt_time(pre, {tokens, fresh_prompt(plan.workload).cached}, one, chunk);
}

template <class R>
PoolsLoad<R> pools_load(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                        const ServingMachine<R>& s, const ServingPools<R>& p, Count<R> x,
                        Count<R> y) {
  PoolsLoad<R> out;
  load_lengths(plan, out.decode);
  if (plan.workload.rate) out.decode.rate = *plan.workload.rate;
  out.decode.users = plan.workload.concurrency;
  out.decode.burst = burst_of(plan.traffic, plan.workload.rate);
  out.decode.slots = max(floor(slots_of_part(s, p.batch)), 1);
  const Count<R> T = served_context(plan);
  out.decode.step = [&plan, &s, T](Count<R> n, Count<R>) {
    return loaded_step(plan, s, n, T, Count<R>{0}, PromptSteps::kShared);
  };
  out.prefill = [&plan, &pre](Count<R> tokens) { return pool_prefill(plan, pre, tokens); };
  auto p_pre = pre.mesh.pipeline;
  auto d_pre = pre.mesh.data;
  auto d = s.mesh.data;
  auto p_dec = s.mesh.pipeline;
  NAME(x, y, p_pre, d_pre, d, p_dec);
  out.prefill_workers = kPoolPlaces(x * p_pre * d_pre);
  out.decode_engines = p_dec <= 1 ? kPoolEngines(y * d) : kPoolEngineParts(y * d * p_dec);
  if (!p.transfer) return out;
  auto t_move = *p.transfer;
  auto s_new = out.decode.prompt;
  NAME(t_move, s_new);
  out.transfer_token = kMoveToken(t_move / s_new);
  out.sends = p.sends;
  out.receives = p.receives;
  out.senders = x;
  out.receivers = y;
  return out;
}

// `x` prefill and `y` decode workers. `only_p90`: of percentiles.
template <class R>
LoadFigures<R> pools_under_load(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                                const ServingMachine<R>& s, const ServingPools<R>& p, Count<R> x,
                                Count<R> y, bool only_p90 = false) {
  PoolsLoad<R> input = pools_load(plan, pre, s, p, x, y);
  input.decode.only_p90 = only_p90;
  if constexpr (std::is_same_v<R, double>) {
    return in_tokens(plan, pool_figures(input, input));
  } else {
    const ServingPlan<double> flat = lower(plan);
    const ServingMachine<double> machine = serving_machine(flat);
    PoolsLoad<double> search;
    load_lengths(flat, search.decode);
    const Count<double> T = served_context(flat);
    search.decode.step = [&](Count<double> n, Count<double>) {
      return loaded_step(flat, machine, n, T, Count<double>{0}, PromptSteps::kShared);
    };
    return in_tokens(plan, pool_figures(input, search));
  }
}

}  // namespace reckon
