// What a request waits, and what its own prompt takes: mean TTFT in parts, and what its distribution is made of.
//
//   residual   half of the step that runs on arrival: one with prompts a share φ of the time, E[t²] being that of all
//              steps of an engine that never rests; else one without, if anybody decodes (1 − e^−n). Where prompts
//              queue for steps of their own the queue counts those, and the residual decode steps alone
//   queue      prompts ahead, until the first step that works on this one. One prompt a step, or whole prompts:
//              Pollaczek and Khinchine's mean on S, and their second moment. Shared chunks: a bulk queue, below
//   slots      for a place in the batch: Erlang's C on B places, times a mean wait that is exponential (Allen, Cunneen)
//              Of a single place all of the wait is for it.
//   own        its chunks in steps with the decodes, and shared chunks that the prompts ahead leave it less of
//
// Shared chunks. Let W be the prompt tokens at the start of a step, U = min(W, c) of them served in it, t = t_0 + b·U
// its time, A those that arrive in it. W' = W − U + A, and E[W'²] = E[W²] gives, since W·U = c·W − U·(c − U) + U² − …
// whatever W is,
//
//   E[W] = ( (λ·E[s²]·E[t] + (1 − λ·E)²·Var U)/2 + (1 − λ·E)·(c·E[U] − E[U²]) ) / ( c·(1 − λ·(s/c)·(t_0 + b·c)) )
//
// exact for steps whose time is linear in U, but for E[U²], which lies between E[U]² and c·E[U]. It is taken as that of
// prompts cut into chunks on their own, plus the square of the mean rest, which is what two prompts in a step add.
// A request that comes in the middle of a step finds Q = (t_0 + b·c)·(E[W] − E[U])/E[t] + λ·s·residual tokens ahead,
// and as many steps as whole chunks lie in Q + s, Q exponential with an atom 1 − ρ at 0.
#pragma once

#include "reckon/cost/load/saturation.hpp"

namespace reckon {

inline const Formula kBusyShare{"load.busy", "P_busy", "chance that a step runs on arrival",
                                "1 − (1 − φ)·e^−n", Hint::kFraction};
inline const Formula kActiveShare{"load.active", "P_act", "share of the time that steps run",
                                  "1 − (1 − ρ)·e^−n", Hint::kFraction};
inline const Formula kBusyDecodes{"load.busy_decodes", "P_busy",
                                  "chance that a decode step runs on arrival", "1 − e^−n",
                                  Hint::kFraction};
inline const Formula kResidual{"load.ttft.residual", "R", "wait for the step that runs, mean",
                               "P_busy·t_0/2"};
inline const Formula kResidualShared{"load.ttft.residual_shared", "R",
                                     "wait for the step that runs, mean",
                                     "half a step: with prompts, or without if anybody decodes"};
inline const Formula kQueue{
    "load.ttft.queue", "W", "wait for the prompts ahead, mean",
    "M/G/1: Pollaczek and Khinchine, with the arrivals' burstiness (Kingman)"};
inline const Formula kQueueShared{"load.ttft.queue_shared", "W", "wait for the prompts ahead, mean",
                                  "whole steps that the tokens ahead fill"};
inline const Formula kCostOfThoseAhead{"load.cost_of_those_ahead", "T_more",
                                       "what the prompts ahead cost a prompt, mean",
                                       "steps with the tokens ahead, less steps without"};
inline const Formula kTokensQueued{"load.tokens_queued", "E[W]",
                                   "prompt tokens at the start of a step, mean",
                                   "from E[W'²] = E[W²]", Hint::kRatio};
inline const Formula kTokensAhead{"load.tokens_ahead", "Q", "prompt tokens ahead of a request",
                                  "left by the step that runs, and come in it", Hint::kRatio};
inline const Formula kOwnSteps{"load.own", "T_i", "a prompt's own steps, nothing ahead",
                               "full chunks and the rest, beside the decodes"};
inline const Formula kOwnWhole{"load.own_whole", "T_i", "a prompt's own step", "t(0, s)"};
inline const Formula kPrefillAlone{"load.ttft.service", "T_alone",
                                   "prefill on an idle engine, mean", "t(0, s)"};
inline const Formula kChunking{"load.ttft.sharing", "T_share",
                               "what chunks and the others' tokens add to a prefill, mean",
                               "own steps less prefill alone"};
inline const Formula kChunkingShared{"load.ttft.sharing_shared", "T_share",
                                     "what chunks and the others' tokens add to a prefill, mean",
                                     "own steps less prefill alone, and those that the prompts "
                                     "ahead take part of"};
inline const Formula kSlotChance{"load.slot_chance", "P_slot", "chance to wait for a place",
                                 "u_B^κ, Erlang's C at these places", Hint::kFraction};
inline const Formula kSlotWait{"load.slot_wait_if", "m_slot", "wait for a place, of those who wait",
                               "residence·(ca² + cs²)/(2·B·(1 − u_B))"};
inline const Formula kSlotMean{"load.ttft.slots", "W_slot", "wait for a place in the batch, mean",
                               "P_slot·m_slot"};
inline const Formula kWaitsMean{"load.ttft.waiting", "W_all",
                                "wait before the first step on the prompt, mean",
                                "overhead aside: residual + queue + slots"};
inline const Formula kTtft{"load.ttft.mean", "TTFT", "time to first token, mean",
                           "overhead + waiting + own steps"};
inline const Formula kTtftShared{"load.ttft.mean_shared", "TTFT", "time to first token, mean",
                                 "overhead + waiting + own steps, part of them the others'"};

// An exponential wait of the given mean, by chance.
template <class R>
struct WaitTail {
  Ratio<R> chance;
  Seconds<R> mean;
};

// A step of the given time that runs on arrival, by chance: what is left of it is uniform.
template <class R>
struct WaitWindow {
  Ratio<R> chance;
  Seconds<R> time;
};

template <class R>
struct OwnShare {
  Ratio<R> share;
  Seconds<R> time;
};

// overhead + residual + queue + slots + own, independent of each other: the means, and what percentiles need.
template <class R>
struct LoadWaiting {
  Ratio<R> busy;                   // chance that a step runs on arrival
  std::optional<Ratio<R>> active;  // share of the time that any runs
  Seconds<R> overhead, residual, queue, slots, waiting, alone, sharing, ttft;
  std::optional<Seconds<R>> mingled;  // more of its own steps, which the prompts ahead take part of
  std::vector<OwnShare<R>> own;
  std::vector<WaitWindow<R>> windows;  // together P_busy
  std::vector<WaitTail<R>> tails;
};

// The engine is busy where anybody decodes.
template <class R>
Ratio<R> busy_with_decodes(Count<R> n) {
  NAME(n);
  return kBusyDecodes(1 - exp(-n));
}

namespace detail {

// Erlang's recursion for one over his loss, x_k = 1 + k·x_(k−1)/a, which grows: once it is negligible the chance of a
// wait is. Four of its steps at once, so that each waits for a fourth of those before it.
inline double erlang_c(double places, double load) {
  constexpr double kNegligible = 1e30, kMany = 1e5;
  if (places > kMany) {  // Halfin and Whitt 1981, Operations Research 29
    const double beta = (places - load) / std::sqrt(load);
    const double below = 0.5 * std::erfc(-beta / std::sqrt(2.0));
    const double density = std::exp(-beta * beta / 2) / std::sqrt(2 * M_PI);
    return density / (density + beta * below);
  }
  const int n = static_cast<int>(places);
  const double per = 1 / load;
  double inverse = 1;
  int k = 1;
  for (; k + 3 <= n && inverse < kNegligible; k += 4) {
    const double a = k * per, b = (k + 1) * per, c = (k + 2) * per, d = (k + 3) * per;
    inverse = 1 + d * (1 + c * (1 + b)) + (d * c) * (b * a) * inverse;
  }
  for (; k <= n && inverse < kNegligible; ++k) inverse = 1 + k * per * inverse;
  const double blocked = 1 / inverse;
  return blocked / (1 - load / n * (1 - blocked));
}

template <class R>
struct Moments {
  Seconds<R> first;
  Quantity<kSecond * kSecond, R> second;
  Quantity<kSecond * kSecond * kSecond, R> third;
};

template <class R>
Moments<R> moments(const std::vector<OwnShare<R>>& own) {
  Sum<kSecond, R> a;
  Sum<kSecond * kSecond, R> b;
  Sum<kSecond * kSecond * kSecond, R> c;
  for (const OwnShare<R>& x : own) {
    a.add("share", x.share * x.time);
    b.add("share", x.share * x.time * x.time);
    c.add("share", x.share * x.time * x.time * x.time);
  }
  return {a.total(), b.total(), c.total()};
}

// Each share's prompt, nothing ahead of it.
template <class R>
void own_steps(const LoadInput<R>& x, const LoadDecoding<R>& d, LoadWaiting<R>& out) {
  const Count<R> none{0};
  auto c = x.chunk;
  auto n = d.n;
  NAME(c, n);
  for (const LengthShare<R>& one : x.lengths) {
    if (x.prompts == PromptSteps::kFirst) {
      out.own.push_back({one.share, kOwnWhole(called("t_s", x.step(none, one.tokens)))});
      continue;
    }
    const auto [k, rest] = chunks_of(one.tokens, c);
    auto t_c = called("t_c", step_with_prompt(x, n, c));
    auto t_last = called("t_last", step_with_prompt(x, n, rest));
    out.own.push_back({one.share, kOwnSteps(k * t_c + t_last)});
  }
}

// Prompts one after the other: M/G/1, W exponential above an atom so that its first two moments are right.
template <class R>
void wait_alone(const LoadInput<R>& x, const LoadDecoding<R>& d, LoadWaiting<R>& out) {
  own_steps(x, d, out);
  const Moments<R> m = moments(out.own);
  auto rate = x.rate;
  auto burst = x.burst;
  auto rho = d.rho;
  auto t_0 = d.step;
  auto S = called("S", m.first);
  auto S_2 = called("E[S²]", m.second);
  auto S_3 = called("E[S³]", m.third);
  auto P_busy = out.busy;
  NAME(rate, burst, rho, t_0);
  out.windows.push_back({P_busy, t_0});
  out.residual = kResidual(P_busy * t_0 / 2);
  auto W = kQueue(rate * (S_2 + (burst - 1) * S * S) / (2 * (1 - rho)));
  out.queue = W;
  if (plain(W) <= 0) return;
  auto W_2 = called("E[W²]", 2 * W * W + rate * S_3 / (3 * (1 - rho)));
  out.tails.push_back(
      {called("P_queue", min(2 * W * W / W_2, 1)), called("m_queue", W_2 / (2 * W))});
}

// Steps of a prompt behind Q tokens: whole chunks in Q + s, Q exponential above an atom.
template <class R>
Ratio<R> steps_behind(Count<R> k, Count<R> rest, Count<R> c, Ratio<R> chance, Count<R> Q) {
  auto q = called("q", Q / chance);
  return called("K", k + chance * exp((rest - c) / q) / (1 - exp(-(c / q))));
}

// Steps are short, without prompts, or long, with them: two times whose mean and second moment are those of all steps
// of an engine that never rests. One that rests does so in the place of short ones.
template <class R>
void step_windows(Seconds<R> t_0, Seconds<R> t, Quantity<kSecond * kSecond, R> t_2, Count<R> n,
                  LoadWaiting<R>& out) {
  NAME(t_0, t, t_2, n);
  auto P_dec = busy_with_decodes(n);
  auto t_1 = called("t_1", t_0 + Seconds<R>{});
  auto phi = called("φ", Ratio<R>{});
  if (plain(t) - plain(t_0) > 1e-6 * plain(t)) {
    t_1 = called("t_1", (t_2 - t_0 * t) / (t - t_0));
    phi = called("φ", (t - t_0) / (t_1 - t_0) * t_1 / t);
  }
  auto without = called("P_0", (1 - phi) * P_dec);
  out.busy = kBusyShare(phi + without);
  out.windows.push_back({without, t_0});
  out.windows.push_back({phi, t_1});
  out.residual = kResidualShared((without * t_0 + phi * t_1) / 2);
}

// How many prompts a step carries whose mean is ν: 0, 1, … by chance, or ν of them where a chunk has room for many.
template <class R, class See>
void over_prompts_of_step(const LoadInput<R>& x, Ratio<R> nu, const See& see) {
  constexpr double kMany = 16, kNothing = 1e-9;
  const double room = plain(x.chunk) / plain(x.prompt);
  if (room > kMany || !(room > 1)) return see(Ratio<R>{1}, nu);
  NAME(nu);
  auto chance = called("P_j", exp(-nu));
  auto rest = called("P_rest", Ratio<R>{1});
  for (int j = 0; j < room && plain(rest) > kNothing; ++j) {
    auto number = structural<R>("j", j);
    see(chance, Ratio<R>(number));
    rest = rest - chance;
    chance = chance * nu / (number + 1);
  }
  if (plain(rest) > kNothing) see(called("P_full", max(rest, 0)), x.chunk / x.prompt);
}

// Time of a step that carries ν prompts on average, and nothing else.
template <class R>
Seconds<R> mean_step_of_prompts(const LoadInput<R>& x, Ratio<R> nu) {
  const Count<R> none{0};
  auto s = x.prompt;
  NAME(s);
  Sum<kSecond, R> all;
  over_prompts_of_step(x, nu, [&](Ratio<R> chance, Ratio<R> number) {
    all.add("step", chance * x.step(none, min(number * s, x.chunk)));
  });
  return all.total();
}

// So many that a step lasts as long as they take to come: from above, where they are served in time.
inline Root prompts_of_step(const LoadInput<double>& x) {
  double nu = plain(x.chunk) / plain(x.prompt), before = 2 * nu;
  for (int i = 0; i < 100 && std::abs(nu - before) > 1e-9 * nu; ++i) {
    before = nu;
    nu = plain(x.rate) * plain(mean_step_of_prompts(x, Ratio<double>(nu)));
  }
  return {nu, nu * (1 + 1e-4)};
}

// Where nothing decodes: a prompt's work in steps that carry others too, ν = λ·t of them. Steps that are not a straight
// line in their tokens, of experts that few tokens do not reach all, add less for it there than alone.
template <class R>
Seconds<R> work_beside_others(const LoadInput<R>& x, LoadInput<double> flat) {
  flat.rate = plain_quantity(x.rate);
  const Root at = prompts_of_step(flat);
  const double slope = slope_at(at, [&](double nu) {
    return nu - plain(flat.rate) * plain(mean_step_of_prompts(flat, Ratio<double>(nu)));
  });
  auto rate = x.rate;
  auto nu_0 = found<R>("ν_0", at.at);
  NAME(rate);
  auto miss = called("miss", nu_0 - rate * mean_step_of_prompts(x, nu_0));
  auto nu = called("ν", nu_0 - miss / found<R>("slope", std::max(slope, 1e-6)));
  Sum<kSecond, R> own;
  over_prompts_of_step(x, nu, [&](Ratio<R> chance, Ratio<R> others) {
    const PromptWork<R> work = prompt_work(x, Count<R>{0}, false, std::optional<Ratio<R>>(others));
    own.add("beside", chance * work.own);
  });
  return own.total();
}

template <class R>
void wait_shared(const LoadInput<R>& x, const LoadInput<double>& flat, const LoadDecoding<R>& d,
                 LoadWaiting<R>& out) {
  auto rate = x.rate;
  auto burst = x.burst;
  auto s = x.prompt;
  auto c = x.chunk;
  auto n = d.n;
  auto rho = d.rho;
  auto t_0 = d.step;
  NAME(rate, burst, s, c, n, rho, t_0);
  if (!(x.stages <= 1)) {  // longer by what the others' prompts hold up
    auto E = d.work.cost;
    auto E_own = d.work.own;
    NAME(E, E_own);
    t_0 = called("t_0'", t_0 * (1 - rate * E_own) / (1 - rate * E));
  }
  auto E_own = x.decodes() ? d.work.own : work_beside_others(x, flat);
  NAME(E_own);
  auto b = called("b", E_own / s);
  auto left = called("left", 1 - rate * E_own);
  auto t = called("t", t_0 / left);
  auto U = called("U", rate * s * t);
  Sum<kOne, R> squares, whole_squares, rests;
  for (const LengthShare<R>& one : x.lengths) {
    const auto [k, rest] = chunks_of(one.tokens, c);
    squares.add("share", one.share * one.tokens * one.tokens);
    whole_squares.add("share", one.share * (k * c * c + rest * rest));
    rests.add("share", one.share * rest);
  }
  auto s_2 = called("E[s²]", squares.total() + (burst - 1) * s * s);
  auto per_step = called("λ·t", rate * t);
  auto mean_rest = called("U_rest", per_step * rests.total());
  auto U_2 = called(
      "E[U²]", max(U * U, min(c * U, per_step * whole_squares.total() + mean_rest * mean_rest)));
  auto t_full = called("t_full", t_0 + b * c);
  auto room = called("room", max(1 - rate * s / c * t_full, 1 - rho));
  auto W_tokens = kTokensQueued(
      ((per_step * s_2 + left * left * (U_2 - U * U)) / 2 + left * (c * U - U_2)) / (c * room));
  auto t_2 = called("E[t²]", t_0 * t_0 + 2 * t_0 * b * U + b * b * U_2);
  step_windows(t_0, t, t_2, n, out);
  auto F = called("F", rate * s * out.residual);
  auto Q = kTokensAhead(t_full * max(W_tokens - U, 0) / t + F);
  auto t_c = called("t_c", step_with_prompt(x, n, c));
  const bool waits = plain(Q) > 0 && plain(rho) > 0;
  Sum<kSecond, R> with, without, whole;
  for (const LengthShare<R>& one : x.lengths) {
    const auto [k, rest] = chunks_of(one.tokens, c);
    auto t_last = called("t_last", step_with_prompt(x, n, rest));
    auto own = kOwnSteps(k * t_c + t_last);
    out.own.push_back({one.share, own});
    without.add("share", one.share * own);
    if (!waits) continue;
    auto K = steps_behind(k, rest, c, rho, Q);
    auto last = called("U_last", min(c, max(Q + k * c + rest - c * K, 1) + F));
    with.add("share", one.share * (K * t_c + step_with_prompt(x, n, last)));
    // Its first step carries the last of those ahead, unless they come in whole chunks as it does.
    auto K_0 = plain(rest) < plain(c) ? steps_behind(Count<R>{0}, Count<R>{0}, c, rho, Q) : K - k;
    whole.add("share", one.share * K_0 * t_c);
  }
  if (!waits) return;
  auto behind = called("T_behind", with.total());
  auto alone = called("T_own", without.total());
  const Seconds<R> nothing{};
  auto W = kCostOfThoseAhead(max(behind - alone, nothing));
  if (!(plain(W) > 0)) return;
  out.tails.push_back({rho, called("m_queue", W / rho)});
  auto W_whole = kQueueShared(min(whole.total(), W));
  out.queue = W_whole;
  out.mingled = called("T_mingled", W - W_whole);
}

// M/G/B at the rate at which the batch is full: then a place is held for B/λ_B.
template <class R>
void wait_for_slots(const LoadInput<R>& x, const LoadDecoding<R>& d, Frequency<R> by_batch,
                    LoadWaiting<R>& out) {
  auto rate = x.rate;
  auto burst = x.burst;
  auto B = x.slots;
  auto rate_B = by_batch;
  auto u_B = called("u_B", rate / rate_B);
  auto held = called("held", B / rate_B);
  auto o = x.output;
  NAME(rate, burst, B, o);
  const double u = plain(u_B);
  auto spread = called("cs", x.output_spread * (o - 1) * *d.tpot / held);
  const double chance = erlang_c(plain(B), u * plain(B));
  if (!(chance > 1e-12)) return;
  auto kappa = found<R>("κ", std::log(chance) / std::log(u));
  auto P_slot = kSlotChance(pow(u_B, kappa));
  auto m_slot = kSlotWait(held * (burst + spread * spread) / (2 * B * (1 - u_B)));
  out.slots = kSlotMean(P_slot * m_slot);
  out.tails.push_back({P_slot, m_slot});
}

// The mean and its parts; `alone`: prompts on an idle engine.
template <class R>
void add_up(const Sum<kSecond, R>& alone, LoadWaiting<R>& out) {
  Sum<kSecond, R> own;
  for (const OwnShare<R>& one : out.own) own.add("share", one.share * one.time);
  Sum<kSecond, R> waits;
  waits.add("residual", out.residual);
  waits.add("queue", out.queue);
  waits.add("slots", out.slots);
  auto o_req = out.overhead;
  NAME(o_req);
  auto T_own = called("T_own", own.total());
  auto T_alone = kPrefillAlone(alone.total());
  auto W_all = kWaitsMean(waits.total());
  out.waiting = W_all;
  out.alone = T_alone;
  if (!out.mingled) {
    out.sharing = kChunking(max(T_own - T_alone, Seconds<R>{}));
    out.ttft = kTtft(o_req + W_all + T_own);
    return;
  }
  auto T_mingled = *out.mingled;
  NAME(T_mingled);
  out.sharing = kChunkingShared(max(T_own - T_alone + T_mingled, Seconds<R>{}));
  out.ttft = kTtftShared(o_req + W_all + T_own + T_mingled);
}

template <class R>
void add_up(const LoadInput<R>& x, LoadWaiting<R>& out) {
  Sum<kSecond, R> alone;
  const Count<R> none{0};
  for (const LengthShare<R>& one : x.lengths)
    alone.add("share", one.share * x.step(none, one.tokens));
  add_up(alone, out);
}

}  // namespace detail

// Of a rate below saturation. `x`: within its places (load.hpp).
template <class R>
LoadWaiting<R> waiting(const LoadInput<R>& x, const LoadInput<double>& flat,
                       const LoadDecoding<R>& d, const LoadLimits<R>& full) {
  LoadWaiting<R> out;
  out.overhead = x.overhead;
  auto n = d.n;
  auto rho = d.rho;
  NAME(n, rho);
  // Steps that take no time without prompts leave a plain queue.
  const bool shared = x.prompts == PromptSteps::kShared && plain(d.step) > 0;
  if (x.only_place() && d.tpot && full.by_batch) {  // all of it is waited for the place
    LoadDecoding<R> alone = d;
    alone.n = Count<R>{};
    detail::own_steps(x, alone, out);
    out.active = called("u", x.rate / *full.by_batch);
    out.busy = Ratio<R>{};
  } else if (shared) {
    detail::wait_shared(x, flat, d, out);
    out.active = out.busy;
  } else {
    out.busy = busy_with_decodes(n);
    detail::wait_alone(x, d, out);
    out.active = kActiveShare(1 - (1 - rho) * exp(-n));
  }
  if (full.by_batch && d.tpot) detail::wait_for_slots(x, d, *full.by_batch, out);
  detail::add_up(x, out);
  return out;
}

}  // namespace reckon
