// Users who ask again when answered, in place of a rate.
//
//   Each of N users decodes, or waits for a first token: N = n + λ·TTFT by Little's law, with n decodes at the rate
//   λ(n). A request comes as another ends, which is at the end of a step: it waits for no rest of one. And answers are
//   counted in steps: of (o − 1) steps an answer takes, whether they carry prompts or not, so requests come at
//   ν = n/(o − 1) a step. By the clock of steps a prompt takes h of them, ρ' = ν·h·(N − 1)/N are busy (a user does not
//   queue behind himself), and the wait is ν'·E[h·T]/(2·(1 − ρ')), T the time of those steps. By seconds, prompts would
//   seem to fill more: their steps are longer.
//   Of those whose prompts come in the same step some share its chunk, as many as it has room for: each finds Poisson
//   many others of mean ν' in the step of its own, which adds E for each.
//   Whole prompts in steps of their own find only those that came in the same step: ν·S/2.
//   Users who think for Z before they ask again: N = n + λ·(TTFT + Z), and a request comes in the middle of a step.
//
// Answers of one length keep those users together whose prompts once shared a chunk: each finds the others' prompts in
// the step of his own, and waits for nobody.
//
// Where the batch, or every chunk, is full at fewer than N, the rate is that of saturation and the others wait outside:
// TTFT = N/λ_sat − (o − 1)·TPOT.
#pragma once

#include "reckon/cost/load/percentile.hpp"

namespace reckon {

inline const Formula kUsersRate{"load.users_rate", "λ", "requests that so many users make",
                                "N = n + λ·TTFT", Hint::kRequestRate};
inline const Formula kUsersRateThinking{"load.users_rate_thinking", "λ",
                                        "requests that so many users make, who think between",
                                        "N = n + λ·(TTFT + Z)", Hint::kRequestRate};
inline const Formula kUsersTtftThinking{"load.ttft.mean_users_thinking", "TTFT",
                                        "time to first token, mean, more users than places",
                                        "Little's law: N/λ_sat − (o − 1)·TPOT − Z"};
inline const Formula kUsersQueue{"load.ttft.queue_users", "W", "wait for the prompts ahead, mean",
                                 "by the clock of steps: ν'·E[h·T]/(2·(1 − ρ'))"};
inline const Formula kUsersQueueFirst{"load.ttft.queue_users_first", "W",
                                      "wait for the prompts ahead, mean",
                                      "those that came in the same step: ν·S/2"};
inline const Formula kUsersTtft{"load.ttft.mean_users", "TTFT",
                                "time to first token, mean, more users than places",
                                "Little's law: N/λ_sat − (o − 1)·TPOT"};

namespace detail {

// The wait behind prompts, and the chance of one, where so many decode and so many users are.
template <class R>
void wait_of_users(const LoadInput<R>& x, const LoadDecoding<R>& d, Count<R> N,
                   LoadWaiting<R>& out) {
  auto n = d.n;
  auto c = x.chunk;
  NAME(n, c, N);
  if (users_in_step(x) > 1) return;  // whoever is in front of him is in his step
  auto nu = called("ν'", beside_in_step(x, n));
  if (x.prompts == PromptSteps::kFirst) {
    auto S = d.work.slot;
    NAME(S);
    out.queue = kUsersQueueFirst(nu * S / 2);
    if (plain(out.queue) > 0)
      out.tails.push_back({called("P_queue", nu / (1 + nu)), called("m_queue", (1 + nu) * S / 2)});
    return;
  }
  auto t_c = called("t_c", x.step(n, c));
  Sum<kOne, R> steps;
  Sum<kSecond, R> work;
  for (std::size_t i = 0; i < x.lengths.size(); ++i) {
    const LengthShare<R>& one = x.lengths[i];
    const bool alone = x.prompts == PromptSteps::kAlone;
    auto h = called("h_i", alone ? chunks_of(one.tokens, c).whole_chunks + 1 : one.tokens / c);
    auto T_i = alone ? out.own[i].time : h * t_c;
    steps.add("share", one.share * h);
    work.add("share", one.share * h * T_i);
  }
  auto hT = called("E[h·T]", work.total());
  auto rho = called("ρ'", min(nu * steps.total(), 1 - 1 / N));
  out.queue = kUsersQueue(nu * hT / (2 * (1 - rho)));
  if (plain(rho) > 0) out.tails.push_back({rho, called("m_queue", out.queue / rho)});
}

// Each share of the prompts beside 0, 1, … others in its chunk.
template <class R>
void share_chunk(const LoadInput<R>& x, const LoadDecoding<R>& d, LoadWaiting<R>& out) {
  auto c = x.chunk;
  auto s = x.prompt;
  NAME(c, s);
  const double room = plain(c) / plain(s) - 1;  // for so many others
  if (x.prompts != PromptSteps::kShared || users_in_step(x) > 1 || !(room > 0)) return;
  constexpr int kMost = 4;
  const int most = static_cast<int>(std::clamp(std::ceil(room), 1.0, 1.0 * kMost));
  auto nu = called("ν'", beside_in_step(x, d.n));
  auto E_own = d.work.own;
  NAME(E_own);
  std::vector<OwnShare<R>> beside;
  auto chance = called("P_k", exp(-nu));
  auto rest = called("P_rest", Ratio<R>{1});
  for (int k = 0; k <= most; ++k) {
    const bool last = k == most;
    auto k_0 = structural<R>("k", k);
    auto more = called("E_k", last && room < k ? (c - s) / s * E_own : k_0 * E_own);
    for (const OwnShare<R>& one : out.own)
      beside.push_back({one.share * (last ? rest : chance), one.time + more});
    rest = rest - chance;
    chance = chance * nu / (k_0 + 1);
  }
  out.own = std::move(beside);
}

template <class R>
LoadWaiting<R> users_waiting(const LoadInput<R>& x, LoadDecoding<R> d, Count<R> N) {
  LoadWaiting<R> out;
  auto n = d.n;
  NAME(n, N);
  const int g = users_in_step(x);
  if (g > 1) {  // nor do those who come with him
    auto g_0 = structural<R>("g", g);
    d.n = called("n'", n * max(N - g_0, 0) / N);
  } else {
    d.n = called("n'", n * (N - 1) / N);  // beside him: he decodes nothing himself
  }
  out.overhead = x.overhead;
  own_steps(x, d, out);
  wait_of_users(x, d, N, out);
  share_chunk(x, d, out);
  if (x.think) {
    auto t_0 = d.step;
    NAME(t_0);
    auto P_busy = busy_with_decodes(d.n);
    out.busy = P_busy;
    out.windows.push_back({P_busy, t_0});
    out.residual = kResidual(P_busy * t_0 / 2);
  }
  add_up(x, out);
  return out;
}

template <class R>
Ratio<R> users_at(LoadInput<R> x, Count<R> n, Count<R> N) {
  const PromptWork<R> work = prompt_work(x, n);
  x.rate = rate_of_decodes(x, n, work);
  auto TTFT = users_waiting(x, decoding_of(x, n, work), N).ttft;
  if (!x.think) return n + x.rate * TTFT;
  auto Z = *x.think;
  NAME(Z);
  return n + x.rate * (TTFT + Z);
}

}  // namespace detail

template <class R>
struct UsersLoad {
  Frequency<R> rate;
  LoadDecoding<R> decoding;
  std::optional<LoadWaiting<R>> waiting;  // absent where users queue outside
  Seconds<R> ttft;
};

namespace detail {

// As many as the engine takes, and the rest in a queue before it.
template <class R>
UsersLoad<R> more_than_places(LoadInput<R> x, Count<R> N, const LoadLimits<R>& full) {
  UsersLoad<R> out;
  x.rate = full.rate;
  out.rate = x.rate;
  out.decoding = decoding_of(x, found<R>("n_full", full.n));
  auto X = x.rate;
  auto o = x.output;
  NAME(N, X, o);
  Seconds<R> rest{};
  if (out.decoding.tpot) rest = (o - 1) * *out.decoding.tpot;
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

template <class R>
UsersLoad<R> load_of_users(LoadInput<R> x, const LoadInput<double>& flat, Count<R> N,
                           const LoadLimits<R>& full) {
  NAME(N);
  if (!x.decodes()) return detail::more_than_places(x, N, full);
  const Count<double> N_flat = plain_quantity(N);
  const auto over = [&](double n) {
    return plain(detail::users_at(flat, Count<double>(n), N_flat)) - plain(N_flat);
  };
  if (over(full.n) < 0) return detail::more_than_places(x, N, full);
  const Root n = detail::near_root(full.n, over(full.n * 0x1p-100), over);
  const auto rate = detail::rate_where<R>(
      x, flat, n, over,
      [&](Count<R> m, Frequency<R>, Seconds<R>) { return detail::users_at(x, m, N) - N; });
  x.rate = x.think ? kUsersRateThinking(rate) : kUsersRate(rate);
  UsersLoad<R> out;
  out.rate = x.rate;
  out.decoding = decoding_near(x, flat, n);
  out.waiting = detail::users_waiting(x, out.decoding, N);
  out.ttft = out.waiting->ttft;
  return out;
}

}  // namespace reckon
