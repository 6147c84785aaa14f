// Users whose answers differ: who asks, and who shares a step with whom, is by chance.
//
//   UsersLoad<R> u = users_by_chance(x, N, Ratio<R>{});       // none of them thinks
//
//   TPOT = t(n', 0) + ν'·E        TTFT = w·t + his own steps
//
// ν' prompts a step are met, and w steps waited for, by the clock of steps (user_steps.hpp). A prompt's last step has
// others beside it, as many as its chunk has room for. On engines that share stages a passage takes as long as the
// longest of p that are under way: by the clock of passages these do not depend on each other.
#pragma once

#include "reckon/cost/load/user_steps.hpp"
#include "reckon/cost/load/users_circle.hpp"

namespace reckon {

inline const Formula kUsersQueue{"load.ttft.queue_users", "W", "wait for the prompts ahead, mean",
                                 "so many steps of a prompt: w·E[h·T]/E[h²]"};
inline const Formula kUsersTpot{"load.tpot.mean_users", "TPOT",
                                "time per token after the first, mean",
                                "t(n', 0) + ν'·E: prompts met a step, and what one adds"};

namespace detail {

// Chunks of a prompt: whole steps, what it fills of them, and what is left of one that is worked on.
template <class R>
struct ChunksTaken {
  Ratio<R> steps, filled, left, squares;
};
template <class R>
Ratio<R> chunks_filled(const LoadInput<R>& x, const LengthShare<R>& one) {
  auto c = x.chunk;
  NAME(c);
  if (x.prompts == PromptSteps::kAlone)
    return called("h_i", chunks_of(one.tokens, c).whole_chunks + 1);
  return called("h_i", one.tokens / c);
}
template <class R>
ChunksTaken<R> chunks_taken(const LoadInput<R>& x) {
  Sum<kOne, R> steps, filled, squares;
  for (const LengthShare<R>& one : x.lengths) {
    auto h = chunks_filled(x, one);
    steps.add("share", one.share * (chunks_of(one.tokens, x.chunk).whole_chunks + 1));
    filled.add("share", one.share * h);
    squares.add("share", one.share * h * h);
  }
  auto h = called("h", filled.total());
  auto h_2 = called("E[h²]", squares.total());
  return {called("k", steps.total()), h, called("r", h_2 / (2 * h)), h_2};
}

// Of the longest of p passages: its own engine's prompts, and the others'.
template <class R>
struct AddedByPrompts {
  Seconds<R> time;
  Ratio<R> chance;  // that a step is longer at all
};
template <class R>
AddedByPrompts<R> added_by_prompts(const LoadInput<R>& x, const ChunksTaken<R>& taken,
                                   Ratio<R> asked, Ratio<R> met, Ratio<R> busy, Seconds<R> cost) {
  auto nu = asked;
  auto nu_met = called("ν'", asked * met / busy);
  auto E = cost;
  NAME(nu, E);
  if (x.stages <= 1) return {called("E_met", nu_met * E), met};
  const int p = static_cast<int>(plain(x.stages));
  auto p_others = structural<R>("p − 1", p - 1);
  auto rho = busy;
  auto k = taken.steps;
  auto h = taken.filled;
  auto seen = called("ν'/ν", nu_met / nu);
  NAME(rho, k, h);
  const double K = plain(x.chunk) / plain(x.prompt);
  if (x.prompts == PromptSteps::kShared && K >= 2) {
    const auto y =
        with_slopes<R>(std::array<Ratio<R>, 1>{nu}, [&](const std::array<double, 1>& at) {
          return std::array<double, 2>{most_of(at[0], K, p).all, most_of(at[0], K, p - 1).all};
        });
    auto J_all = y[0];
    auto J_others = y[1];
    NAME(J_all, J_others);
    auto P_some = called("P_some", 1 - exp(-(nu_met + p_others * nu)));
    return {called("E_met", E * (J_others + seen * (J_all - J_others))), P_some};
  }
  // One prompt a passage, nearly: its part of a chunk is its own where nobody waits, and shared where chunks are full.
  auto P = called("P_chunk", min(nu * (h + (1 - rho) * max(k - h, 0)), 1));
  auto free = called("P_free", 1 - P * seen);
  auto without = called("1 − P", 1 - P);
  for (int i = 1; i < p; ++i) free = free * without;
  return {called("E_met", nu * E / P * (1 - free)), called("P_some", 1 - free)};
}

// How much longer than its own prompts make it a passage is that carries one's own, as the others' do.
template <class R>
Ratio<R> own_passage_longer(const LoadInput<R>& x, Ratio<R> asked, Ratio<R> met) {
  const double K = plain(x.chunk) / plain(x.prompt);
  if (x.stages <= 1 || x.prompts != PromptSteps::kShared || K < 2) return Ratio<R>{};
  const int p = static_cast<int>(plain(x.stages));
  return with_slopes<R>(std::array<Ratio<R>, 2>{asked, met}, [&](const std::array<double, 2>& at) {
    return std::array<double, 1>{most_beside(at[0], at[1], K, p - 1)};
  })[0];
}

// The wait behind prompts, and the chance of one.
template <class R>
void wait_by_chance(const LoadInput<R>& x, const LoadDecoding<R>& d, const ChunksTaken<R>& taken,
                    const UserSteps<R>& steps, LoadWaiting<R>& out) {
  auto c = x.chunk;
  auto t_c = called("t_c", x.step(d.n, c));
  Sum<kSecond, R> work;
  for (std::size_t i = 0; i < x.lengths.size(); ++i) {
    auto h = chunks_filled(x, x.lengths[i]);
    auto T_i = x.prompts == PromptSteps::kAlone ? out.own[i].time : h * t_c;
    work.add("share", x.lengths[i].share * h * T_i);
  }
  auto hT = called("E[h·T]", work.total());
  auto h_2 = taken.squares;
  auto w = steps.wait;
  auto P_met = steps.met;
  NAME(h_2, w, P_met);
  out.queue = kUsersQueue(w * hT / h_2);
  if (plain(P_met) > 0 && plain(out.queue) > 0)
    out.tails.push_back({P_met, called("m_queue", out.queue / P_met)});
}

// All their prompts fit into one chunk.
template <class R>
bool nobody_waits(const LoadInput<R>& x, Count<R> N) {
  return x.prompts == PromptSteps::kShared && x.lengths.size() == 1 &&
         std::ceil(plain(N) - 1e-9) * plain(x.prompt) <= plain(x.chunk);
}
template <class R>
UserSteps<R> steps_without_wait(Count<R> N, Ratio<R> d, Ratio<R> h) {
  NAME(N, d, h);
  return {kUsersAsked(N / (d + h)), Ratio<R>{}, kUsersMet(max(N - 1, 0) * h / (d + h))};
}

// A prompt's last step beside 0, 1, … others, as many as its chunk has room for. `met`: of them a step.
template <class R>
void share_chunk(const LoadInput<R>& x, const LoadDecoding<R>& d, Ratio<R> met,
                 LoadWaiting<R>& out) {
  if (x.prompts != PromptSteps::kShared) return;
  constexpr int kMost = 4;
  auto c = x.chunk;
  auto s = x.prompt;
  auto nu = met;
  auto E_own = d.work.own;
  NAME(c, s, nu, E_own);
  std::vector<OwnShare<R>> beside;
  for (std::size_t i = 0; i < out.own.size(); ++i) {
    auto share = out.own[i].share;
    auto T_i = out.own[i].time;
    auto room = called("room", (c - chunks_of(x.lengths[i].tokens, c).rest) / s);
    auto others = called("N − 1", max(*x.users - 1, 0));
    if (nobody_waits(x, *x.users)) room = called("room", min(room, others));
    auto mean = called("ν_room", min(nu, room));
    NAME(share, T_i);
    if (plain(room) < 1) {
      beside.push_back({share, called("T_i", T_i + mean * E_own)});
      continue;
    }
    // Where chunks are full somebody is always there to fill one: what chance leaves of the mean, all have.
    std::vector<std::pair<Ratio<R>, Ratio<R>>> by_number;  // chance, and how many
    auto chance = called("P_k", exp(-nu));
    auto rest = called("P_rest", Ratio<R>{1});
    auto left = called("ν_rest", mean);
    const int most = static_cast<int>(std::min(std::ceil(plain(room)), 1.0 * kMost));
    for (int k = 0; k < most; ++k) {
      auto k_0 = structural<R>("k", k);
      by_number.push_back({chance, k_0});
      rest = rest - chance;
      left = left - k_0 * chance;
      chance = chance * nu / (k_0 + 1);
    }
    auto each = plain(rest) > 1e-9 ? called("k_rest", max(min(left / rest, room), 0)) : Ratio<R>{};
    by_number.push_back({rest, each});
    auto all_have = called("k_all", max(left - rest * each, 0));
    for (const auto& [P, k] : by_number)
      beside.push_back({share * P, called("T_i", T_i + (k + all_have) * E_own)});
  }
  out.own = std::move(beside);
}

// `away`: steps that a user thinks.
template <class R>
UsersLoad<R> users_by_chance(const LoadInput<R>& x, Count<R> N, Ratio<R> away) {
  const ChunksTaken<R> taken = chunks_taken(x);
  auto o = x.output;
  auto k = taken.steps;
  auto h = taken.filled;
  auto d_away = away;
  NAME(o, k, h, d_away, N);
  auto d = called("d", max(o - 1, 0) + k - h + d_away);
  const UserSteps<R> steps =
      nobody_waits(x, N) ? steps_without_wait(N, d, h) : user_steps(N, d, h, taken.left);
  auto nu = steps.asked;
  NAME(nu);
  auto rho = called("ρ", min(nu * h, 1));
  auto n = called("n", nu * (o - 1));
  UsersLoad<R> out;
  out.asked = nu;
  out.chunks_full = plain(N) * plain(h) >= plain(d) + plain(h);
  LoadDecoding<R>& at = out.decoding;
  LoadInput<R> one = x;
  one.stages = Count<R>{1};
  at.work = prompt_work(one, n, false);
  at.rho = rho;
  at.seen = x.decodes() ? seen_decoding(x, n) : Count<R>{};
  at.step = called("t_0", x.step(at.seen, Count<R>{0}));
  auto t_0 = at.step;
  auto met = called("ν'", nu * steps.met / rho);
  const AddedByPrompts<R> added = added_by_prompts(x, taken, nu, steps.met, rho, at.work.cost);
  auto E_met = added.time;
  NAME(E_met);
  if (x.decodes()) at.tpot = kUsersTpot(t_0 + E_met);
  at.n = called("n'", n * (N - 1) / N);  // beside him: he decodes nothing himself
  LoadWaiting<R> waits;
  waits.overhead = x.overhead;
  own_steps(x, at, waits);
  wait_by_chance(x, at, taken, steps, waits);
  share_chunk(x, at, met, waits);
  auto longer = called("longer", own_passage_longer(x, nu, met));
  for (OwnShare<R>& own : waits.own) own.time = called("T_i", own.time + longer * at.work.cost);
  if (plain(time_away(x)) > 0) {
    auto P_busy = busy_with_decodes(at.n);
    waits.busy = P_busy;
    waits.windows.push_back({P_busy, t_0});
    waits.residual = kResidual(P_busy * t_0 / 2);
  }
  add_up(x, waits);
  out.ttft = waits.ttft;
  out.waiting = std::move(waits);
  close_circle(x, N, out);
  cost_as_seen(out);
  deviation_by_chance(x, met, std::optional<Ratio<R>>(added.chance), out);
  return out;
}

}  // namespace detail

}  // namespace reckon
