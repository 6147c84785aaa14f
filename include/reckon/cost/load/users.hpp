// Users who ask again when answered, in place of a rate.
//
//   UsersLoad<R> full = users_of_all_places(x), u = load_of_users(x, flat, N, full);
//   u.rate, u.ttft, *u.decoding.tpot
//
// A user's request comes as his last answer ends, at the end of a step, and its answer is o − 1 steps long, whether
// these carry prompts or not. So all of it is counted in steps (user_steps.hpp), and seconds are put to it at the end:
// of his steps that meet a prompt each is longer by what it adds,
//
//   TPOT = t(n', 0) + ν'·E        TTFT = w·t + his own steps        λ = N/((o − 1)·TPOT + TTFT)
//
// Nothing is searched for. By seconds, prompts seem to fill more than they do: their steps are longer, but requests
// come no more often.
//
//   Answers that differ take users apart: who asks, and who shares a step with whom, is by chance.
//   Answers of one length keep those together whose prompts once shared a step, and the others one behind the other.
//   Whole prompts in steps of their own come between two steps of decodes.
//   Users who think for Z: so many steps more until they ask again; and they ask in the middle of one. So do those
//   whose requests take a while before they are at the engine (its overhead): no place is taken meanwhile.
//
// Where N are more than the B places, the rate is that of B users and the others wait outside:
// TTFT = N/λ − (o − 1)·TPOT. What B users do is what the engine takes at most.
#pragma once

#include "reckon/cost/load/users_by_chance.hpp"
#include "reckon/cost/load/users_in_turn.hpp"
#include "reckon/cost/load/users_prompts_first.hpp"

namespace reckon {

inline const Formula kUsersTtftThinking{"load.ttft.mean_users_thinking", "TTFT",
                                        "time to first token, mean, more users than places",
                                        "Little's law: N/λ_sat − (o − 1)·TPOT − Z"};
inline const Formula kUsersLimit{"load.saturation_users", "λ_sat",
                                 "rate beyond which users only wait longer",
                                 "of as many users as there are places", Hint::kRequestRate};

namespace detail {

template <class R>
Count<R> with_place(const LoadInput<R>& x, Count<R> N) {
  auto B = x.slots;
  NAME(N, B);
  return min(N, B);
}

// Answers of one token, whole prompts, and a while from each to the next request: one prompt after the other.
template <class R>
UsersLoad<R> prompts_of_thinkers(const LoadInput<R>& x, Count<R> N, Ratio<R> away) {
  UsersLoad<R> out;
  LoadDecoding<R>& at = out.decoding;
  at.work = prompt_work(x, Count<R>{0});
  at.step = called("t_0", x.step(Count<R>{0}, Count<R>{0}));
  auto S = at.work.slot;
  const Ratio<R> whole{1};
  const UserSteps<R> steps = user_steps(N, away, whole, called("r", whole / 2));
  auto nu = steps.asked;
  NAME(S, nu, N);
  out.asked = nu;
  at.rho = called("ρ", min(nu, 1));
  out.ttft = called("TTFT", S * (1 + steps.wait) + x.overhead);
  close_circle(x, N, out);
  return out;
}

template <class R>
UsersLoad<R> circle_of(const LoadInput<R>& x, Count<R> N, Ratio<R> away) {
  if (x.prompts == PromptSteps::kFirst && !x.decodes())
    return plain(away) > 0 ? prompts_of_thinkers(x, N, away) : users_prompts_alone(x, N);
  if (x.prompts == PromptSteps::kFirst) return users_prompts_first(x, N, away);
  return users_in_turn(x) ? users_taking_turns(x, N) : users_by_chance(x, N, away);
}

// Time of a step, on average, less what it was taken for: zero where steps that a user thinks are those of his time.
template <class R>
Seconds<R> step_missed(const LoadInput<R>& x, Count<R> N, Seconds<R> step) {
  auto Z = time_away(x);
  auto t = step;
  NAME(Z, t);
  const UsersLoad<R> at = circle_of(x, N, called("d_away", Z / t));
  auto rate = at.rate;
  auto nu = at.asked;
  NAME(rate, nu);
  return t - nu / rate;
}

template <class R>
UsersLoad<R> users_who_think(const LoadInput<R>& x, const LoadInput<double>& flat, Count<R> N) {
  const Count<double> N_0 = plain_quantity(N);
  const auto missed = [&](double t) { return plain(step_missed(flat, N_0, Seconds<double>(t))); };
  double high = plain(x.step(with_place(x, N), x.chunk));
  for (int i = 0; i < 60 && !(missed(high) > 0); ++i) high *= 2;
  const double low = high * 1e-9;
  const Root at = root_between(low, high, missed, kNearRoot, RootStart::kMiddle, missed(low));
  auto t_0 = found<R>("t_0", at.at) * 1_s;
  auto slope = found<R>("dt", slope_at(at, missed));
  auto miss = called("miss", step_missed(x, N, t_0));
  auto t = called("t", t_0 - miss / slope);
  auto Z = time_away(x);
  NAME(Z);
  return circle_of(x, N, called("d_away", Z / t));
}

// No more than with all places taken: what is missing, they wait.
template <class R>
void at_most_full(const LoadInput<R>& x, Count<R> N, const UsersLoad<R>& full, UsersLoad<R>& out) {
  if (!(plain(out.rate) > plain(full.rate)) || !out.waiting || x.all_stages) return;
  const Seconds<R> before = out.ttft;
  auto rate = full.rate;
  NAME(N, rate);
  const Seconds<R> rest = time_of_answer(x, out.decoding);
  out.ttft = kUsersTtft(N / rate - rest);
  out.rate = full.rate;
  if (x.decodes()) out.decoding.n = kUsersDecoding(rate * rest);
  out.waiting->queue = called("W", out.waiting->queue + (out.ttft - before));
  add_up(x, *out.waiting);
}

// As many as the engine takes, and the rest in a queue before it.
template <class R>
UsersLoad<R> more_than_places(const LoadInput<R>& x, Count<R> N, const UsersLoad<R>& full) {
  UsersLoad<R> out = full;
  out.waiting.reset();
  auto X = out.rate;
  NAME(N, X);
  const Seconds<R> rest = time_of_answer(x, out.decoding);
  if (!x.think) {
    out.ttft = kUsersTtft(N / X - rest);
    return out;
  }
  auto Z = *x.think;
  NAME(Z);
  out.ttft = kUsersTtftThinking(N / X - rest - Z);
  return out;
}

}  // namespace detail

// As many users as there are places, who ask again at once: an engine takes no more, however few there are now.
template <class R>
UsersLoad<R> users_of_all_places(LoadInput<R> x) {
  x.users = x.slots;
  x.think.reset();
  x.overhead = Seconds<R>{};
  if (x.all_stages) x.stages = *x.all_stages;
  return detail::circle_of(x, x.slots, Ratio<R>{});
}

template <class R>
LoadLimits<R> saturation_of_users(const UsersLoad<R>& full) {
  LoadLimits<R> out;
  out.n = plain(full.decoding.n);
  auto X = full.rate;
  NAME(X);
  out.rate = kUsersLimit(X + Frequency<R>{});
  (full.chunks_full ? out.by_prefill : out.by_batch) = out.rate;
  out.by_prefill_first = full.chunks_full;
  return out;
}

template <class R>
UsersLoad<R> load_of_users(const LoadInput<R>& x, const LoadInput<double>& flat, Count<R> N,
                           const UsersLoad<R>& full) {
  NAME(N);
  const double away = plain(time_away(x));
  if (plain(N) - plain(full.rate) * away > plain(x.slots))
    return detail::more_than_places(x, N, full);
  if (!x.think && (!(away > 0) || users_in_turn(x))) {
    UsersLoad<R> out = detail::circle_of(x, N, Ratio<R>{});
    detail::at_most_full(x, N, full, out);
    return out;
  }
  UsersLoad<R> out = detail::users_who_think(x, flat, N);
  const double inside = plain(N) - plain(out.rate) * away;
  const bool over = inside > plain(x.slots) || plain(out.rate) > plain(full.rate);
  return over ? detail::more_than_places(x, N, full) : out;
}

}  // namespace reckon
