// Users who ask again when answered, in place of a rate.
//
//   Each of N users is served, waits, or waits for a first token: N = n + λ·TTFT by Little's law, with n decodes at the rate λ(n).
//   A user does not queue behind himself: the wait is that at λ·(N − 1)/N (the arrival theorem of closed queues). Where
//   N is more than the batch holds the batch stays full, X = λ_B, and the others queue outside: TTFT = N/X − (o − 1)·TPOT.
#pragma once

#include "reckon/cost/load/percentile.hpp"

namespace reckon {

inline const Formula kUsersRate{"load.users_rate", "λ", "requests that so many users make",
                                "N = n + λ·TTFT", Hint::kRequestRate};
inline const Formula kUsersTtft{"load.ttft.mean_users", "TTFT",
                                "time to first token, mean, more users than places",
                                "Little's law: N/λ_B − (o − 1)·TPOT"};

namespace detail {

// What a request meets where so many decode and so many users are.
template <class R>
LoadWaiting<R> users_waiting(LoadInput<R> x, const LoadDecoding<R>& d, Count<R> N) {
  auto rate = x.rate;
  auto rho_all = d.rho;
  NAME(rate, N, rho_all);
  x.rate = called("λ_met", rate * (N - 1) / N);
  x.burst = Ratio<R>{1};
  LoadDecoding<R> met = d;
  met.rho = called("ρ_met", min(rho_all * (N - 1) / N, 1 - 1 / N));
  return waiting(x, met, LoadLimits<R>{});
}

template <class R>
Ratio<R> users_at(LoadInput<R> x, Count<R> n, Count<R> N) {
  x.rate = rate_of_decodes(x, n);
  const LoadDecoding<R> d = decoding_of(x, n);
  if (plain(d.rho) >= 1) return N + 1;
  auto TTFT = users_waiting(x, d, N).ttft;
  return n + x.rate * TTFT;
}

}  // namespace detail

// Where all of them have a place: the rate they make, and what they wait.
template <class R>
struct UsersLoad {
  Frequency<R> rate;
  LoadDecoding<R> decoding;
  std::optional<LoadWaiting<R>> waiting;  // absent where users queue for a place
  Seconds<R> ttft;
};

template <class R>
UsersLoad<R> load_of_users(LoadInput<R> x, const LoadInput<double>& flat, Count<R> N,
                           const LoadLimits<R>& full) {
  NAME(N);
  const Count<double> N_flat = plain_quantity(N);
  const std::function<double(double)> over = [&](double n) {
    return plain(detail::users_at(flat, Count<double>(n), N_flat)) - plain(N_flat);
  };
  const auto batch = [&](double n) { return detail::filled_at(flat, n).batch - plain(flat.slots); };
  const double n_b = bisect(0, plain(flat.slots), batch);
  UsersLoad<R> out;
  if (plain(N) > plain(x.slots) && over(n_b) < 0) {
    x.rate = *full.by_batch;
    out.rate = x.rate;
    out.decoding = decoding_of(x, found<R>("n_full", n_b));
    auto X = x.rate;
    auto o = x.output;
    auto TPOT = *out.decoding.tpot;
    NAME(X, o, TPOT);
    out.ttft = kUsersTtft(N / X - (o - 1) * TPOT);
    return out;
  }
  const double n = bisect(0, std::min(plain(N_flat), n_b), over);
  x.rate =
      kUsersRate(detail::rate_where<R>(x, flat, n, over, [&](Count<R> m, Frequency<R>, Seconds<R>) {
        return detail::users_at(x, m, N) - N;
      }));
  out.rate = x.rate;
  out.decoding = decoding(x, flat);
  out.waiting = detail::users_waiting(x, out.decoding, N);
  out.ttft = out.waiting->ttft;
  return out;
}

}  // namespace reckon
