// What a serving plan costs and how much of it a load takes: dollars and joules a token, GPUs for a rate, requests/s
// for a budget.
//
//   never idle       price · GPUs over the tokens/s of saturation
//   under the load   price · GPUs over the tokens/s that the load asks for; power while steps run
//   for a rate       the fewest whole replicas with which the queue does not grow and the targets are kept
//   for a budget     the replicas it pays, at the largest rate they take so
#pragma once

#include "parts.hpp"
#include "reckon/cost/whole.hpp"
#include "reckon/units/formula/solve.hpp"

namespace reckon {

// Engines of a replica, each with its share of the load: its data ranks, and of each the parts that pass its stages.
template <class R>
Count<R> engines_of_replica(const ServingMachine<R>& s) {
  auto d = s.mesh.data;
  auto p_all = s.mesh.pipeline;
  NAME(d, p_all);
  return p_all <= 1 ? d : d * p_all;
}

// `steps`: tokens of an answer that take a step each.
template <class R>
Ratio<R> input_share(const ServingPlan<R>& plan, const ServingMachine<R>& s, const Running<R>& run,
                     Count<R> n, Count<R> steps) {
  auto T_p = run.prompt.time;
  auto T_step = steps;
  auto t_tok = stated_token(plan, s, decode_time(plan, s, n));
  NAME(n, T_p, T_step, t_tok);
  return kInputShare(n * T_p / (n * T_p + T_step * t_tok));
}

// `X`: tokens/s of answers that g GPUs give; `n` decode at once on each data rank, for so many steps an answer.
template <class R>
void pay_tokens(const ServingPlan<R>& plan, const ServingMachine<R>& s, const Running<R>& run,
                Count<R> n, Count<R> steps, Count<R> gpus, Frequency<R> tokens, Money<R>& out) {
  if (!plan.price) return;
  auto price = *plan.price;
  auto T = *plan.workload.prompt;
  auto T_out = *plan.workload.output;
  auto phi = input_share(plan, s, run, n, steps);
  auto g = gpus;
  auto X = tokens;
  NAME(price, T, T_out, phi, g, X);
  out.input = kCostInput(1000000 * price * g * phi / (X * T / T_out));
  out.output = kCostOutput(1000000 * price * g * (1 - phi) / X);
}

// Pools of any size, filled to their shares.
template <class R>
void pay_pools_never_idle(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                          const ServingMachine<R>& s, Running<R>& run) {
  const ServingPools<R>& p = *run.pools;
  run.full_money.input = p.cost_input;
  run.full_money.output = p.cost_output;
  if (!pre.chip.power || !s.chip.power) return;
  auto P_pre = *pre.chip.power;
  auto P_w = *s.chip.power;
  auto u_w = plan.assume.power;
  auto PUE = plan.assume.pue;
  auto g_p = p.prefill_gpus;
  auto g_d = p.decode_gpus;
  auto given_p = p.prefill_given;
  auto given_d = p.decode_given;
  auto T_out = *plan.workload.output;
  NAME(P_pre, P_w, u_w, PUE, g_p, g_d, given_p, given_d, T_out);
  run.full_money.energy =
      kPoolEnergy(u_w * PUE * (P_pre * g_p / given_p + P_w * g_d / given_d) / T_out);
}

template <class R>
void pay_never_idle(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                    const ServingMachine<R>& s, const ServingAnswer<R>& out, Running<R>& run) {
  if (plan.prefill) return pay_pools_never_idle(plan, pre, s, run);
  auto g = out.replica;
  auto X = run.full.tokens;
  NAME(g, X);
  if (s.chip.power) {
    auto P_w = *s.chip.power;
    auto u_w = plan.assume.power;
    auto PUE = plan.assume.pue;
    NAME(P_w, u_w, PUE);
    run.full_money.energy = kServingEnergy(P_w * u_w * PUE * g / X);
  }
  pay_tokens(plan, s, run, max(run.most, 1), *plan.workload.output, out.replica, run.full.tokens,
             run.full_money);
}

// Share of the time that an engine runs. Users who ask again when they are answered never leave it idle, nor do more of
// them than it has places for.
template <class R>
Ratio<R> busy_share(const ServingPlan<R>& plan, const LoadFigures<R>& f) {
  const bool waits = plan.workload.concurrency && !plan.traffic.think;
  return waits || !f.waiting || !f.waiting->active ? Ratio<R>{1} : *f.waiting->active;
}

// Every GPU of both pools is paid all of the time; power is drawn while workers work.
template <class R>
void pay_pools_load(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                    const ServingMachine<R>& s, const Running<R>& run, Money<R>& out) {
  const PoolPair<R>& at = *run.pools->asked;
  auto T = *plan.workload.prompt;
  auto T_out = *plan.workload.output;
  auto G_p = at.x * run.pools->prefill_gpus;
  auto G_d = at.y * run.pools->decode_gpus;
  auto X = *run.load_tokens;
  NAME(T, T_out, G_p, G_d, X);
  if (pre.chip.power && s.chip.power) {
    auto P_pre = *pre.chip.power;
    auto P_w = *s.chip.power;
    auto u_w = plan.assume.power;
    auto PUE = plan.assume.pue;
    auto rho = run.load->decoding->rho;
    auto L = run.load->decoding->n / (at.y * engines_of_replica(s));
    NAME(L);
    auto b = kServingBusy(1 - exp(-L));
    NAME(P_pre, P_w, u_w, PUE, rho, b);
    out.energy = kPoolLoadEnergy(u_w * PUE * (P_pre * G_p * rho + P_w * G_d * b) / X);
  }
  if (!plan.price) return;
  auto price = *plan.price;
  auto price_pre = plan.prefill->price ? *plan.prefill->price : *plan.price;
  NAME(price, price_pre);
  out.input = kPoolLoadCostInput(1000000 * price_pre * G_p / (X * T / T_out));
  out.output = kPoolLoadCostOutput(1000000 * price * G_d / X);
}

template <class R>
void pay_load(const ServingPlan<R>& plan, const ServingMachine<R>& s, const ServingMachine<R>& pre,
              const ServingAnswer<R>& out, Running<R>& run) {
  if (!run.load_tokens) return;
  const LoadFigures<R>& f = *run.load;
  run.load_money.emplace();
  if (plan.prefill) return pay_pools_load(plan, pre, s, run, *run.load_money);
  auto n = f.decoding->n;
  auto g = out.gpus;
  auto X = *run.load_tokens;
  NAME(n, g, X);
  if (s.chip.power && !f.in_bursts) {
    auto P_w = *s.chip.power;
    auto u_w = plan.assume.power;
    auto PUE = plan.assume.pue;
    auto b = busy_share(plan, f);
    NAME(P_w, u_w, PUE, b);
    run.load_money->energy = kLoadEnergy(P_w * u_w * PUE * g * b / X);
  }
  const Count<R> at_once = s.mesh.pipeline <= 1 ? n : n * s.mesh.pipeline;
  // The first token is the prompt's.
  auto T_out = *plan.workload.output;
  NAME(T_out);
  pay_tokens(plan, s, run, max(at_once, 1), called("T_step", T_out - 1), out.gpus, *run.load_tokens,
             *run.load_money);
}

// Why a load's figures say nothing of a target.
template <class R>
const char* unsaid(const LoadFigures<R>& f) {
  return !f.no_percentiles && f.no_tpot_percentiles ? f.no_tpot_percentiles : no_figure(f);
}

// The fewest replicas with which the queue does not grow and the targets are kept.
struct Replicas {
  int n = 1;
  SizedBy by = SizedBy::kRate;
  // Why nobody knows how many keep the targets: n is what the rate takes.
  const char* unknown = nullptr;
};

template <class R>
Replicas replicas_for_load(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                           const ServingAnswer<R>& out, const Running<R>& run,
                           const PlainAnswer<R>& flat) {
  if constexpr (std::is_same_v<R, double>) {
    const double one = plain(run.load->full.rate) * plain(engines_of_replica(s));
    const double least = std::floor(plain(*plan.workload.rate) / one) + 1;
    Replicas at{static_cast<int>(std::min(least, 1e6)), SizedBy::kRate};
    if (!plan.targets.ttft && !plan.targets.tpot) return at;
    const auto with = [&](int k) {
      return under_load(plan, s, structural<R>("R_k", k), run.fit, prompt_steps(plan), true);
    };
    const bool decodes = !(*plan.workload.output <= 1);
    const int own = whole(out.replicas);  // those are known
    const auto missed = [&](int k) {
      return misses(plan.targets, k == own ? *run.load : with(k), decodes);
    };
    const int most = std::max(at.n, kMostWorkers);
    const auto enough = fewest(at.n, most, [&](int k) { return !missed(k); });
    if (!enough) {
      at.by = *missed(most);
      if (at.by == SizedBy::kUnknown) at.unknown = unsaid(with(most));
      if (at.by == SizedBy::kTpot) at.by = SizedBy::kTpotNever;
      if (at.by == SizedBy::kTtft) at.by = SizedBy::kTtftNever;
      return at;
    }
    if (*enough == at.n) return at;
    const SizedBy by = *missed(*enough - 1);
    // Arrivals that only many engines make even among them: what these keep is no answer.
    if (by == SizedBy::kUnknown && plan.mesh.pipeline <= 1)
      return {at.n, by, unsaid(with(*enough - 1))};
    return {*enough, by};
  } else {
    const Running<double>& r = *flat().running;
    const auto& gpus = r.gpus_for_rate ? r.gpus_for_rate : r.gpus_at_least;
    if (!gpus) return {1, r.sized_by};
    return {static_cast<int>(std::lround(plain(*gpus) / plain(out.replica))), r.sized_by,
            r.rate_unknown};
  }
}

// Of so many replicas, by what decides them: the rate, or a search for a target.
template <class R>
Count<R> gpus_found(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                    const ServingAnswer<R>& out, const Running<R>& run, const Replicas& found) {
  auto g = out.replica;
  auto rate = *plan.workload.rate;
  auto rate_sat = run.load->full.rate;
  auto E_rep = engines_of_replica(s);
  NAME(g, rate, rate_sat, E_rep);
  auto R_rate = kReplicasForRate(floor(rate / (rate_sat * E_rep)) + 1);
  const bool searched = found.by == SizedBy::kTtft || found.by == SizedBy::kTpot ||
                        (found.by == SizedBy::kUnknown && !found.unknown);
  if (!searched) return kGpusForLoad(g * R_rate);
  auto R_more = structural<R>("R_more", found.n - whole(R_rate));
  auto R_kept = kReplicasKept(R_rate + R_more);
  return found.by == SizedBy::kTtft   ? kGpusForTtft(g * R_kept)
         : found.by == SizedBy::kTpot ? kGpusForTpot(g * R_kept)
                                      : kGpusKnown(g * R_kept);
}

template <class R>
void size_for_rate(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                   const ServingAnswer<R>& out, Running<R>& run, const PlainAnswer<R>& flat) {
  if (!plan.workload.rate) return;
  auto g = out.replica;
  NAME(g);
  if (!run.load) {
    auto rate = *plan.workload.rate;
    auto T_out = *plan.workload.output;
    auto X = run.full.tokens;
    NAME(rate, T_out, X);
    run.sized_by = SizedBy::kNeverIdle;
    run.gpus_for_rate = kGpusForRate(g * ceil(rate * T_out / X));
    return;
  }
  if (plan.prefill) {
    run.own_workers = plan.prefill->workers || plan.prefill->decode_workers;
    run.sized_by = run.pools->sized_by;
    if (run.own_workers || never(run.sized_by)) return;
    run.rate_unknown = run.sized_by == SizedBy::kUnknown ? unsaid(*run.load) : nullptr;
    (run.rate_unknown ? run.gpus_at_least : run.gpus_for_rate) = run.pools->asked->gpus;
    return;
  }
  const Replicas found = replicas_for_load(plan, s, out, run, flat);
  run.sized_by = found.by;
  run.rate_unknown = found.unknown;
  if (never(found.by)) return;
  (found.unknown ? run.gpus_at_least : run.gpus_for_rate) = gpus_found(plan, s, out, run, found);
}

// A share of a saturation; why nobody knows of any that the targets are kept there.
struct ShareKept {
  double share = 1;
  const char* unknown = nullptr;
  bool to_known = false;  // beyond it nobody knows
};

// The largest at which the targets are known to be kept; none where even an idle machine misses them.
template <class Loaded>
ShareKept share_kept(const ServingTargets<double>& targets, const ServingPlan<double>& plan,
                     const Loaded& at_share) {
  if (!targets.ttft && !targets.tpot) return {};
  const bool decodes = !(*plan.workload.output <= 1);
  const auto kept = [&](double u) { return !misses(targets, at_share(u), decodes); };
  double low = 1e-4, high = 0.9999;
  if (!kept(low)) {
    const LoadFigures<double> f = at_share(low);
    return {0, misses(targets, f, decodes) == SizedBy::kUnknown ? unsaid(f) : nullptr};
  }
  if (kept(high)) low = high;
  constexpr int kHalvings = 24;
  for (int i = 0; low < high && i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (kept(middle) ? low : high) = middle;
  }
  constexpr double kBeyond = 1.001;
  const LoadFigures<double> more = at_share(std::min(low * kBeyond, 1.0));
  if (misses(targets, more, decodes) != SizedBy::kUnknown) return {low};
  // Arrivals that only a trickle of makes even: what it keeps is no answer.
  if (plan.mesh.pipeline <= 1) return {0, unsaid(more)};
  return {low, nullptr, true};
}

inline ServingPlan<double> at_rate(const ServingPlan<double>& plan, double rate) {
  ServingPlan<double> out = plan;
  out.workload.concurrency.reset();
  out.workload.rate = Frequency<double>(rate);
  return out;
}

// Of replicas that share the load evenly.
template <class R>
ShareKept replicas_share_kept(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                              Count<R> slots, Frequency<R> one, int replicas,
                              const PlainAnswer<R>& flat) {
  if constexpr (std::is_same_v<R, double>) {
    const Count<double> R_b(static_cast<double>(replicas));
    const double all = plain(one) * replicas * plain(engines_of_replica(s));
    return share_kept(plan.targets, plan, [&](double u) {
      return under_load(at_rate(plan, u * all), s, R_b, slots, prompt_steps(plan), true);
    });
  } else {
    const Running<double>& r = *flat().running;
    return {r.budget_share, r.budget_unknown, r.budget_to_known};
  }
}

// The rate beyond which one engine's queue grows, whatever load is stated.
template <class R>
Frequency<R> engine_saturation(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                               const Running<R>& run) {
  if (run.load && plan.workload.rate) return run.load->full.rate;
  ServingPlan<R> one = plan;
  one.workload.concurrency.reset();
  one.workload.rate = Count<R>{1} / 1_s;
  return under_load(one, s, Count<R>{1}, run.fit, prompt_steps(plan), true).full.rate;
}

template <class R>
void spend_budget(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                  const ServingAnswer<R>& out, Running<R>& run, const PlainAnswer<R>& flat) {
  if (!plan.price || !plan.budget) return;
  auto budget = *plan.budget;
  auto price = *plan.price;
  auto g = out.replica;
  NAME(budget, price, g);
  auto R_b = kReplicasForBudget(most_whole(budget / (price * g)));
  run.replicas_for_budget = R_b;
  auto T_out = *plan.workload.output;
  auto X = run.full.tokens;
  NAME(R_b, T_out, X);
  if (plan.stated) {
    run.rate_for_budget = kRateForBudget(R_b * X / T_out);
    return;
  }
  auto rate_sat = engine_saturation(plan, s, run);
  auto E_rep = engines_of_replica(s);
  const ShareKept kept =
      replicas_share_kept(plan, s, run.fit, rate_sat, std::max(whole(R_b), 1), flat);
  run.budget_share = kept.share;
  run.budget_unknown = kept.unknown;
  run.budget_to_known = kept.to_known;
  if (kept.unknown) return;
  auto u_kept = found<R>("u_kept", kept.share);
  NAME(rate_sat, E_rep, u_kept);
  run.rate_for_budget = kLoadForBudget(R_b * E_rep * rate_sat * u_kept);
}

}  // namespace reckon
