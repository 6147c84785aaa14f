// What users of a serving plan wait under its rate or its concurrency: the plan's own steps in the closed forms of
// cost/load. Service and queueing stand apart there; a rate beyond saturation has no figure.
//
// Each data rank of each replica is an engine of its own, with its share of the requests. With pipeline stages each of
// the parts that a batch passes them in is: a request belongs to one, and what its part carries holds up the others.
#pragma once

#include <array>
#include <bit>
#include <functional>

#include "reckon/cost/load/bursts.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/cost/serving/saturation.hpp"
#include "reckon/spec/lower.hpp"

namespace reckon {

inline const Formula kRankRate{"serving.load.rate", "λ", "requests/s of one engine",
                               "over replicas and data ranks", Hint::kRequestRate};
inline const Formula kPartRate{"serving.load.part_rate", "λ", "requests/s of one engine",
                               "over replicas, data ranks and stages", Hint::kRequestRate};
inline const Formula kPartUsers{"serving.load.part_users", "N", "users of one engine",
                                "of a data rank, over the stages that are taken", Hint::kCount};
inline const Formula kPartSlots{"serving.load.part_slots", "B", "sequences of one engine",
                                "those of a data rank over its stages", Hint::kCount};
inline const Formula kAnswerSteps{"serving.load.steps", "o_step", "steps of an answer",
                                  "the first token, then so many a step", Hint::kLength};
inline const Formula kLoadedStep{"serving.load.step", "t_step'", "time of a step with its drafting",
                                 "step · (1 + drafted · a draft's share)"};
inline const Formula kTpotDrafted{"serving.load.tpot", "TPOT", "time per token after the first",
                                  "a step over the tokens it yields"};
inline const Formula kRankUsers{"serving.load.users", "N", "users of one engine",
                                "over replicas and data ranks", Hint::kCount};

// What a step takes of the prompts: as the plan says, or chunks where the engine knows one and whole prompts where not.
template <class R>
PromptSteps prompt_steps(const ServingPlan<R>& plan) {
  if (plan.settings.prompts) return *plan.settings.prompts;
  return plan.settings.chunk || plan.engine.limits.chunk ? PromptSteps::kShared
                                                         : PromptSteps::kFirst;
}

// Drafting precedes the step that verifies.
template <class R>
Seconds<R> with_drafts(const ServingPlan<R>& plan, Seconds<R> t_step) {
  if (!plan.speculative) return t_step;
  auto v = plan.speculative->tokens;
  auto l_d = plan.speculative->draft;
  NAME(t_step, v, l_d);
  return kLoadedStep(t_step * (1 + v * l_d));
}

// Time of a step of n decodes over T tokens each that carries c prompt tokens, of what passes the stages together:
// chunks of prompts of the mean length, each with half of the other chunks before it, or one whole prompt of c tokens.
template <class R>
Seconds<R> loaded_step(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n,
                       Count<R> T, Count<R> c, PromptSteps prompts) {
  // Nothing to do: what reading the weights takes, as for a single token. Where no answer decodes (output: 1) a prompt
  // adds to this step: counted from an empty one, the weights would be its own.
  if (n <= 0 && c <= 0) {
    const Count<R> one{1};
    StepCall<R> least;
    least.x = least.s = one;
    least.prompts = one / fresh_prompt(plan.workload).fresh;
    return passage_time(s, least);
  }
  StepCall<R> call = decode_call(plan, n, T);
  const auto passage = [&] {
    const Seconds<R> t = passage_time(s, call);
    return n <= 0 ? t : with_drafts(plan, t);
  };
  if (c <= 0) return passage();
  const FreshPrompt<R> p = fresh_prompt(plan.workload);
  auto s_all = p.fresh;
  auto cached = p.cached;
  NAME(c, s_all, cached);
  call.x = c;
  call.past = p.cached;
  if (prompts == PromptSteps::kFirst) {
    call.s = c;
    call.prompts = Count<R>{1};
    return passage();
  }
  call.s = min(c, s_all);
  if (c < s_all) {
    auto s_ch = call.s;
    NAME(s_ch);
    call.past = kPastTokens(cached + (s_all - s_ch) / 2);
  }
  call.prompts = c / s_all;
  return passage();
}

// How long prompts and answers are, and what a request costs before it reaches the engine.
template <class R>
void load_lengths(const ServingPlan<R>& plan, LoadInput<R>& x) {
  const TrafficShape<R>& t = plan.traffic;
  const LengthSpread<R> prompts = prompt_lengths(t, plan.model.context);
  const auto fresh = fresh_prompt(plan.workload).fresh;
  x.lengths = length_shares(prompts, fresh);
  x.prompt = length_cut(prompts, fresh);
  x.output = length_cut(answer_lengths(t, plan.model.context), *plan.workload.output);
  if (plan.speculative) {
    auto o = x.output;
    auto a = accepted_tokens(*plan.speculative);
    NAME(o, a);
    x.output = kAnswerSteps((o - 1) / a + 1);
  }
  x.output_spread = t.output_spread ? *t.output_spread : Ratio<R>{};
  x.overhead = plan.engine.overhead.request;
}

// Of those of a data rank.
template <class R>
Count<R> slots_of_part(const ServingMachine<R>& s, Count<R> slots) {
  auto B_rank = slots;
  auto p = s.mesh.pipeline;
  NAME(B_rank, p);
  return p <= 1 ? slots : kPartSlots(B_rank / p);
}

// The load of one engine: its share of the requests, `slots` of them at once on a data rank.
template <class R>
LoadInput<R> load_input(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                        Count<R> slots, PromptSteps prompts) {
  LoadInput<R> x;
  auto d = s.mesh.data;
  auto p = s.mesh.pipeline;
  const bool parts = !(p <= 1);
  NAME(R_all, d, p);
  x.stages = p;
  if (plan.workload.rate) {
    auto rate = *plan.workload.rate;
    NAME(rate);
    x.rate = parts ? kPartRate(rate / (R_all * d * p)) : kRankRate(rate / (R_all * d));
    x.burst = burst_of_share(burst_of(plan.traffic, plan.workload.rate), R_all * d * p);
  } else {
    auto c_all = *plan.workload.concurrency;
    NAME(c_all);
    x.users = kRankUsers(max(c_all / (R_all * d), 1));
    if (parts) {  // fewer users than stages: as many parts as there are users pass them
      auto N_rank = *x.users;
      NAME(N_rank);
      if (plain(N_rank) < plain(p)) x.all_stages = p;
      x.stages = called("p_N", min(p, N_rank));
      x.users = kPartUsers(N_rank / x.stages);
    }
    x.think = plan.traffic.think;
  }
  load_lengths(plan, x);
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  x.slots = max(floor(slots_of_part(s, slots)), 1);
  x.chunk = chunk ? *chunk : x.prompt;
  x.prompts = prompts;
  const Count<R> T = served_context(plan);
  x.step = [&plan, &s, T, prompts](Count<R> n, Count<R> c) {
    return loaded_step(plan, s, n, T, c, prompts);
  };
  return x;
}

// Steps that a search asks for again and again, kept for one answer: the last of each place.
class RecentSteps {
 public:
  template <class Step>
  Seconds<double> at(Count<double> n, Count<double> c, const Step& step) {
    const std::uint64_t h = std::bit_cast<std::uint64_t>(plain(n)) * 0x9E3779B97F4A7C15 ^
                            std::bit_cast<std::uint64_t>(plain(c)) * 0xC2B2AE3D27D4EB4F;
    Kept& k = kept_[h >> 58];
    if (k.n != plain(n) || k.c != plain(c)) k = {plain(n), plain(c), step(n, c)};
    return k.time;
  }

 private:
  static constexpr std::size_t kPlaces = 64;  // six bits of the hash
  struct Kept {
    double n = -1, c = -1;
    Seconds<double> time{};
  };
  std::array<Kept, kPlaces> kept_;
};

// With a speculative plan the closed form counts in steps; here in tokens, of which a step yields several.
template <class R>
LoadFigures<R> in_tokens(const ServingPlan<R>& plan, LoadFigures<R> f) {
  if (!plan.speculative || f.unbounded || f.no_form) return f;
  auto a = accepted_tokens(*plan.speculative);
  NAME(a);
  for (auto figure : {&LoadFigures<R>::tpot, &LoadFigures<R>::tpot_p50, &LoadFigures<R>::tpot_p90,
                      &LoadFigures<R>::tpot_p99}) {
    if (!(f.*figure)) continue;
    auto t_step = *(f.*figure);
    NAME(t_step);
    f.*figure = kTpotDrafted(t_step / a);
  }
  auto rate = f.rate;
  auto o = *plan.workload.output;
  NAME(rate, o);
  if (f.end_to_end) {
    auto T_all = *f.end_to_end;
    NAME(T_all);
    f.inclusive = kInclusive(T_all / o);
  }
  f.tokens_rate = kOutputRate(rate * o);
  return f;
}

// `slots`: sequences that one engine decodes together. `only_p90`: of percentiles.
template <class R>
LoadFigures<R> under_load(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> R_all,
                          Count<R> slots, PromptSteps prompts, bool only_p90 = false) {
  LoadInput<R> x = load_input(plan, s, R_all, slots, prompts);
  x.only_p90 = only_p90;
  if constexpr (std::is_same_v<R, double>) {
    RecentSteps recent;
    const auto step = [&plan, &s, T = served_context(plan), prompts](Count<double> n,
                                                                     Count<double> c) {
      return loaded_step(plan, s, n, T, c, prompts);
    };
    x.step = [&recent, &step](Count<double> n, Count<double> c) { return recent.at(n, c, step); };
    return in_tokens(plan, load_figures(x, x));
  } else {
    const ServingPlan<double> flat = lower(plan);
    const ServingMachine<double> machine = serving_machine(flat);
    return in_tokens(plan, load_figures(x, load_input(flat, machine, plain_quantity(R_all),
                                                      plain_quantity(slots), prompts)));
  }
}

}  // namespace reckon
