// Users whose prompts and whose answers are alike: they keep the order of their first round.
//
//   UsersLoad<R> u = users_taking_turns(x, N);
//
// A prompt takes k whole chunks and a last step, which J = ⌊c/rest⌋ share that come one behind the other. N users need
// N·k + N/J of the o − 1 + k + 1 steps of a circle; while these are there nobody waits for anybody, and a circle takes
//
//   T = (o − 1 + k + 1)·t(N, 0) + what all their prompts add,      TPOT = (T − TTFT)/(o − 1)
//
// Else every step carries a full chunk. Those who begin all at once need some rounds to come to it.
// On engines that share stages the prompts of all come together. The first of a row of long passages holds up by
// (p − 1)/p of what it adds who is behind it in the stages, the last of the row by as much of what the next is shorter.
//
// Of a number of users that is not whole some engines have one more than others: a mean over both, by requests.
#pragma once

#include "reckon/cost/load/users_circle.hpp"

namespace reckon {

inline const Formula kUsersRateFull{"load.users_rate_full", "λ", "requests that so many users make",
                                    "every chunk is full: ν/t(n, c)", Hint::kRequestRate};
inline const Formula kUsersQueueFull{"load.ttft.queue_users_full", "W",
                                     "wait for the prompts ahead, mean",
                                     "Little's law where every chunk is full"};
inline const Formula kOwnInTurn{"load.own_in_turn", "T_i", "a prompt's own steps, users in turn",
                                "full chunks, of which all but the last of a group have one more"};
inline const Formula kUsersTpotTurns{"load.tpot.mean_users_in_turn", "TPOT",
                                     "time per token after the first, mean",
                                     "of the steps of all in turn, less his own prompt's"};
inline const Formula kUsersTpotFull{"load.tpot.mean_users_full", "TPOT",
                                    "time per token after the first, mean",
                                    "a step with a full chunk"};

namespace detail {

// A number of users that a search found, beyond what an int counts too.
template <class R>
Count<R> whole_number(Label label, double n) {
  return structural<R>(label, static_cast<int>(std::min(n, 2e9)));
}

// Groups of J prompts whose last steps fill one chunk, and what is left over of them.
template <class R>
struct Turns {
  Count<R> whole_chunks, rest;      // of a prompt, before its last step and in it
  double together = 1, groups = 0;  // whole numbers
  double over = 0;                  // users of the group that is not whole
};
template <class R>
Turns<R> turns_of(const LoadInput<R>& x, double users) {
  constexpr double kWhole = 1e-9;
  const auto [k, rest] = chunks_of(x.prompt, x.chunk);
  Turns<R> out{k, rest, 1, 0, 0};
  if (x.prompts == PromptSteps::kShared)
    out.together = std::max(std::floor(plain(x.chunk) / plain(rest) + kWhole), 1.0);
  out.groups = std::floor(users / out.together + kWhole);
  out.over = std::max(std::round(users - out.groups * out.together), 0.0);
  return out;
}

// Their prompts take every step: each carries a full chunk, or what a prompt's steps carry on average.
template <class R>
UsersLoad<R> users_full(const LoadInput<R>& x, Count<R> N, const Turns<R>& turns) {
  auto c = x.chunk;
  auto s = x.prompt;
  auto o = x.output;
  auto k = turns.whole_chunks;
  NAME(c, s, o, k, N);
  const bool alone = x.prompts == PromptSteps::kAlone;
  UsersLoad<R> out;
  out.chunks_full = true;
  auto nu = called("ν", alone ? 1 / (k + 1) : c / s);
  out.asked = nu;
  LoadDecoding<R>& at = out.decoding;
  auto n = called("n", nu * max(o - 1, 0));
  at.n = at.seen = n;
  at.rho = called("ρ", Ratio<R>{1});
  at.step = called("t_0", x.step(n, Count<R>{0}));
  auto t_c = called("t_c", x.step(n, c));
  auto t = alone ? called("t", (k * t_c + x.step(n, turns.rest)) / (k + 1))
                 : called("t", t_c + Seconds<R>{});
  out.rate = kUsersRateFull(nu / t);
  auto rate = out.rate;
  NAME(rate, t);
  if (x.decodes()) at.tpot = kUsersTpotFull(t);
  const Seconds<R> answer = time_of_answer(x, at);
  LoadWaiting<R> waits;
  waits.overhead = x.overhead;
  auto o_req = x.overhead;
  NAME(o_req);
  waits.own.push_back({Ratio<R>{1}, called("T_own", (k + 1) * t)});
  auto T_own = waits.own.front().time;
  NAME(T_own);
  const Seconds<R> nothing{};
  waits.queue = kUsersQueueFull(max(N / rate - answer - T_own - o_req, nothing));
  add_up(x, waits);
  out.ttft = waits.ttft;
  out.waiting = std::move(waits);
  if (!(plain(out.waiting->queue) > 0)) close_circle(x, N, out);
  cost_as_seen(out);
  return out;
}

// A group of j prompts in its own steps, nobody in front. A prompt takes k full chunks, and the last step of the group
// carries the rests of all; where k is none that is their only one, else all but the last end in a full chunk that the
// next one began to share.
template <class R>
struct TurnOf {
  Seconds<R> own, adds, most, last;  // most: of one step; last: of the last
};
template <class R>
TurnOf<R> turn_of(const LoadInput<R>& x, Count<R> N, Count<R> j, const Turns<R>& turns,
                  Seconds<R> t_0) {
  auto k = turns.whole_chunks;
  auto s_rest = turns.rest;
  NAME(N, j, k, s_rest, t_0);
  const Count<R> none{};
  const bool several = plain(k) > 0;
  const Count<R> n = !x.decodes() ? none
                     : several    ? called("n", max(N - 1, 0))
                                  : called("n", max(N - j, 0));
  auto t_last = called("t_last", x.step(n, j * s_rest));
  if (!several) {
    auto E_j = called("E_j", t_last - t_0);
    return {t_last, E_j, E_j, E_j};
  }
  auto t_c = called("t_c", x.step(n, x.chunk));
  return {kOwnInTurn(k * t_c + ((j - 1) * t_c + t_last) / j),
          called("E_j", j * k * (t_c - t_0) + t_last - t_0), called("E_c", t_c - t_0),
          called("E_last", t_last - t_0)};
}

template <class R>
UsersLoad<R> users_one_by_one(const LoadInput<R>& x, Count<R> N, const Turns<R>& turns) {
  auto o = x.output;
  auto k = turns.whole_chunks;
  auto f = whole_number<R>("f", turns.groups);
  auto J = whole_number<R>("J", turns.together);
  NAME(o, k, N);
  UsersLoad<R> out;
  LoadDecoding<R>& at = out.decoding;
  at.seen = x.decodes() ? N : Count<R>{};
  at.step = called("t_0", x.step(at.seen, Count<R>{0}));
  auto t_0 = at.step;
  Sum<kSecond, R> added;
  LoadWaiting<R> waits;
  waits.overhead = x.overhead;
  const Seconds<R> nothing{};
  Seconds<R> longest{}, shortest{};
  const auto take = [&](Count<R> groups, Count<R> j) {
    const TurnOf<R> turn = turn_of(x, N, j, turns, t_0);
    waits.own.push_back({called("share", groups * j / N), turn.own});
    auto E_j = turn.adds;
    NAME(E_j);
    added.add("group", groups * E_j);
    longest = max(longest, turn.most);
    shortest = turn.last;
  };
  if (turns.groups > 0) take(f, J);
  if (turns.over > 0) take(Count<R>{1}, called("over", N - f * J));
  auto E_all = called("E_all", added.total());
  auto T = called("T", (max(o - 1, 0) + k + 1) * t_0 + E_all);
  if (!(x.stages <=
        1)) {  // all engines' prompts come together: the first hold up who is behind them in the stages
    auto p = x.stages;
    auto E_first = longest;
    NAME(p, E_first);
    const bool chunks = plain(k) > 0;
    const double in_turn = turns.groups + (turns.over > 0 ? 1 : 0);
    auto G = chunks ? N : whole_number<R>("G", in_turn);
    auto behind = called("T_behind", (p - 1) / p * E_first);
    // And so do long passages short ones that follow: a prompt's last, behind its others; the group that is not whole.
    auto E_less = called("E_less", max(longest - shortest, nothing));
    auto behind_less = called("T_less", (p - 1) / p * E_less);
    auto runs = whole_number<R>("runs", in_turn);
    const bool one = !(plain(G) > 1);  // behind at its first passage, in front at its last
    for (std::size_t i = 0; i < waits.own.size(); ++i) {
      auto T_i = waits.own[i].time;
      NAME(T_i);
      if (one && chunks) waits.own[i].time = called("T_i", T_i + behind_less);
      if (!one && chunks) waits.own[i].time = called("T_i", T_i + runs / N * behind_less / 2);
      if (!chunks && turns.over > 0 && i == 1)
        waits.own[i].time = called("T_i", T_i + behind_less / 2);
    }
    auto width = called("T_differ", one && chunks ? max(behind - behind_less, nothing) : behind);
    waits.queue = called("W_stages", width / (2 * G));
    waits.busy = called("P_first", 1 / G);
    waits.windows.push_back({waits.busy, width});
    T = called("T", T + behind + (chunks ? (runs - 1) * behind_less : nothing));
  }
  add_up(x, waits);
  out.ttft = waits.ttft;
  auto o_req = x.overhead;
  auto TTFT = out.ttft;
  NAME(T, TTFT, o_req);
  if (x.decodes()) at.tpot = kUsersTpotTurns(max((T + o_req - TTFT) / (o - 1), t_0));
  out.waiting = std::move(waits);
  close_circle(x, N, out);
  out.asked = called("ν", N / (max(o - 1, 0) + k + 1));
  auto nu = out.asked;
  auto s = x.prompt;
  auto c = x.chunk;
  NAME(nu, s, c);
  at.rho = called("ρ", min(nu * max(k + 1, Ratio<R>{}) /
                               (x.prompts == PromptSteps::kShared ? (k + 1) * c / s : Ratio<R>{1}),
                           1));
  cost_as_seen(out);
  return out;
}

// Of a whole number of users.
template <class R>
UsersLoad<R> whole_users_taking_turns(const LoadInput<R>& x, Count<R> N) {
  const double users = plain(N);
  const Turns<R> turns = turns_of(x, users);
  const double k = plain(turns.whole_chunks), steps = std::max(plain(x.output) - 1, 0.0) + k + 1;
  const bool alone = x.prompts == PromptSteps::kAlone;
  const double groups =
      turns.groups + (turns.over > 0 ? (k > 0 ? turns.over / turns.together : 1) : 0);
  const double most = alone ? steps / (k + 1) : steps * plain(x.chunk) / plain(x.prompt);
  const bool fit = users * k + groups <= steps * (1 + 1e-12) && users < most * (1 + 1e-12);
  return fit ? users_one_by_one(x, N, turns) : users_full(x, N, turns);
}

// What one of either kind of engine says, by the share of the requests that it answers.
template <class R>
LoadWaiting<R> mean_of_waits(const LoadWaiting<R>& a, const LoadWaiting<R>& b, Ratio<R> share) {
  auto w = share;
  NAME(w);
  LoadWaiting<R> out;
  out.overhead = a.overhead;
  out.busy = called("P_busy", (1 - w) * a.busy + w * b.busy);
  out.residual = called("R", (1 - w) * a.residual + w * b.residual);
  out.queue = called("W", (1 - w) * a.queue + w * b.queue);
  const auto take = [&out](const LoadWaiting<R>& from, Ratio<R> part) {
    NAME(part);
    for (const OwnShare<R>& one : from.own)
      out.own.push_back({called("share", part * one.share), one.time});
    for (const WaitWindow<R>& one : from.windows)
      out.windows.push_back({called("share", part * one.chance), one.time});
  };
  take(a, called("1 − w", 1 - w));
  take(b, w);
  return out;
}

// The same, each prompt's steps longer by what its engine's circle is shorter than the other's: from it percentiles of
// TPOT are read.
template <class R>
TurnsLevelled<R> levelled(const LoadInput<R>& x, UsersLoad<R> a, UsersLoad<R> b, Ratio<R> share) {
  auto o = x.output;
  NAME(o);
  const auto circle = [&](const UsersLoad<R>& u) {
    return called("T", u.ttft + (o - 1) * *u.decoding.tpot);
  };
  auto T_a = circle(a);
  auto T_b = circle(b);
  NAME(T_a, T_b);
  auto T_most = called("T_most", max(T_a, T_b));
  for (OwnShare<R>& one : a.waiting->own) one.time = called("T_i", one.time + T_most - T_a);
  for (OwnShare<R>& one : b.waiting->own) one.time = called("T_i", one.time + T_most - T_b);
  return {mean_of_waits(*a.waiting, *b.waiting, share), T_most};
}

// Engines of which a share has one user more.
template <class R>
UsersLoad<R> some_with_one_more(const LoadInput<R>& x, Count<R> N, const UsersLoad<R>& a,
                                const UsersLoad<R>& b, Ratio<R> more) {
  NAME(N, more);
  auto rate_a = a.rate;
  auto rate_b = b.rate;
  NAME(rate_a, rate_b);
  auto w = called("w", more * rate_b / ((1 - more) * rate_a + more * rate_b));
  UsersLoad<R> out;
  out.chunks_full = a.chunks_full && b.chunks_full;
  out.some_full = a.chunks_full != b.chunks_full;
  out.asked = called("ν", (1 - more) * a.asked + more * b.asked);
  LoadDecoding<R>& at = out.decoding;
  at.seen = called("n_seen", (1 - w) * a.decoding.seen + w * b.decoding.seen);
  at.step = called("t_0", (1 - w) * a.decoding.step + w * b.decoding.step);
  at.rho = called("ρ", (1 - more) * a.decoding.rho + more * b.decoding.rho);
  LoadWaiting<R> waits = mean_of_waits(*a.waiting, *b.waiting, w);
  add_up(x, waits);
  if (out.chunks_full)  // all wait alike, and in all of their steps
    waits.own = {{Ratio<R>{1}, called("T_own", waits.ttft - waits.overhead - waits.waiting)}};
  out.ttft = waits.ttft;
  out.waiting = std::move(waits);
  if (x.decodes()) {
    auto TPOT_a = *a.decoding.tpot;
    auto TPOT_b = *b.decoding.tpot;
    NAME(TPOT_a, TPOT_b);
    at.tpot = called("TPOT", (1 - w) * TPOT_a + w * TPOT_b);
    if (!a.chunks_full && !b.chunks_full) out.levelled = levelled(x, a, b, w);
  }
  close_circle(x, N, out);
  cost_as_seen(out);
  return out;
}

template <class R>
UsersLoad<R> users_taking_turns(const LoadInput<R>& x, Count<R> N) {
  constexpr double kWhole = 1e-9;
  const double least = std::floor(plain(N) + kWhole);
  if (plain(N) - least < kWhole || least < 1) return whole_users_taking_turns(x, N);
  auto M = whole_number<R>("M", least);
  NAME(N);
  auto more = called("more", N - M);
  return some_with_one_more(x, N, whole_users_taking_turns(x, M),
                            whole_users_taking_turns(x, called("M + 1", M + 1)), more);
}

}  // namespace detail

}  // namespace reckon
