// Users on an engine that works on whole prompts in steps of their own, between two steps of decodes.
//
//   UsersLoad<R> u = users_prompts_first(x, N, Ratio<R>{});
//
// All prompts asked in one step of decodes follow it in a round, one a step; no answer ends meanwhile, so nobody else
// comes. Of N users whose answers differ each asks in a step with a chance of 1/(o − 1); answers of one length end all
// in one. A circle takes the o − 1 steps and the prompts of all rounds.
#pragma once

#include "reckon/cost/load/user_steps.hpp"
#include "reckon/cost/load/users_circle.hpp"

namespace reckon {

inline const Formula kUsersQueueFirst{"load.ttft.queue_users_first", "W",
                                      "wait for the prompts ahead, mean",
                                      "those asked in the same step, a step each"};
inline const Formula kUsersTpotFirst{"load.tpot.mean_users_first", "TPOT",
                                     "time per token after the first, mean",
                                     "a round's steps and prompts, less the wait for his own"};

namespace detail {

template <class R>
UsersLoad<R> users_prompts_first(const LoadInput<R>& x, Count<R> N, Ratio<R> away) {
  auto o = x.output;
  auto d_away = away;
  NAME(o, d_away, N);
  UsersLoad<R> out;
  LoadDecoding<R>& at = out.decoding;
  const bool together = users_in_turn(x);
  auto d = called("d", max(o - 1, 0) + d_away);
  auto nu = called("ν", N / d);
  out.asked = nu;
  at.seen = seen_decoding(x, called("n", nu * (o - 1)));
  at.step = called("t_0", x.step(at.seen, Count<R>{}));
  LoadWaiting<R> waits;
  waits.overhead = x.overhead;
  Sum<kSecond, R> own;
  for (const LengthShare<R>& one : x.lengths) {
    waits.own.push_back({one.share, kOwnWhole(called("t_s", x.step(Count<R>{}, one.tokens)))});
    own.add("share", one.share * waits.own.back().time);
  }
  auto E = called("E", own.total());
  at.work.cost = at.work.own = at.work.slot = E;
  // Of all who ask at once: everybody, or those whose answers end in one step by chance. Half of the others are ahead.
  auto J = called("J", together ? N : nu);
  auto turns = called("turns", together ? Ratio<R>{1} : o - 1);
  auto q = called("q", together ? Ratio<R>{1} : min(1 / d, 1));
  auto J_ahead = called("J_ahead", q * max(N - 1, 0) / 2);
  auto t_0 = at.step;
  waits.queue = kUsersQueueFirst(J_ahead * E);
  if (plain(waits.queue) > 0) {
    auto m = called("m_queue", E / 2 + waits.queue);
    if (together) {  // anywhere in the round, each as likely
      waits.busy = Ratio<R>{1};
      waits.windows.push_back({Ratio<R>{1}, called("round", 2 * waits.queue)});
    } else {
      waits.tails.push_back({called("P_queue", waits.queue / m), m});
    }
  }
  add_up(x, waits);
  out.ttft = waits.ttft;
  auto TTFT = out.ttft;
  auto o_req = x.overhead;
  NAME(TTFT, o_req);
  auto T = called("T", (o - 1) * t_0 + turns * J * E * (N - 1) / N + E + o_req);
  at.tpot = kUsersTpotFirst(max((T - TTFT) / (o - 1), t_0));
  out.waiting = std::move(waits);
  close_circle(x, N, out);
  auto rate = out.rate;
  NAME(rate);
  at.rho = called("ρ", min(rate * E, 1));
  cost_as_seen(out);
  deviation_by_chance<R>(x, called("ν'", nu * (N - 1) / N), {}, out);
  return out;
}

// Answers of one token: one prompt after the other.
template <class R>
UsersLoad<R> users_prompts_alone(const LoadInput<R>& x, Count<R> N) {
  UsersLoad<R> out;
  out.chunks_full = true;
  LoadDecoding<R>& at = out.decoding;
  at.work = prompt_work(x, Count<R>{0});
  at.step = called("t_0", x.step(Count<R>{0}, Count<R>{0}));
  at.rho = called("ρ", Ratio<R>{1});
  auto S = at.work.slot;
  NAME(S, N);
  out.asked = called("ν", Ratio<R>{1});
  out.rate = kLimitByPrefillAlone(1 / S);
  auto X = out.rate;
  NAME(X);
  out.ttft = kUsersTtft(N / X);
  return out;
}

}  // namespace detail

}  // namespace reckon
