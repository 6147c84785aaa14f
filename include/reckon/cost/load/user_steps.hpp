// Users who ask again when they are answered, by the clock of an engine's steps.
//
//   UserSteps s = user_steps(4, 7, 1, 0.5);  // 4 users; 7 steps of an answer; a prompt fills a chunk
//   s.asked, s.wait, s.met                    // requests a step; steps in front of a prompt; chance to meet one
//
// A request waits for a server that works on one chunk a step, for h of them, and is then decoded for d steps beside
// the others. Who comes finds there what the other N − 1 would have made of it without him, so from one user to the
// next
//
//   w(N) = h·(Q(N − 1) − ρ(N − 1)) + r·ρ(N − 1)      those who wait, and r left of the prompt that is worked on
//   ν(N) = N/(d + h + w), at most 1/h                Q = ν·(h + w), ρ = ν·h
//
// One who decodes meets prompts as often as he who comes: ρ(N − 1) of his steps carry them, (N − 1)/N of all such steps
// where prompts are few, every one where chunks are full.
// Sources: mean value analysis, Reiser and Lavenberg 1980, JACM 27; what is left in service, Reiser 1979, IEEE
// Transactions on Communications 27.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "reckon/cost/load/input.hpp"

namespace reckon {

namespace detail {

struct UserStepsFlat {
  double asked = 0, wait = 0, met = 0;
};

inline UserStepsFlat user_steps_whole(int users, double d, double h, double r) {
  UserStepsFlat out;
  double Q = 0, rho = 0;
  for (int k = 1; k <= users; ++k) {
    out.met = rho;
    out.wait = h * std::max(Q - rho, 0.0) + r * rho;
    out.asked = k / (d + h + out.wait);
    if (out.asked * h >= 1) {
      // Every chunk is full, and stays so: who else comes, waits.
      const bool stays = r <= h;
      const int last = stays ? users : k;
      if (stays && last > k) out.met = 1;
      out.asked = 1 / h;
      out.wait = last * h - d - h;
      if (stays) return out;
    }
    Q = out.asked * (h + out.wait);
    rho = std::min(out.asked * h, 1.0);
  }
  return out;
}

// Of users between two whole numbers, as of engines some of which have one more.
inline UserStepsFlat user_steps(double users, double d, double h, double r) {
  constexpr double kMost = 1e6, kWhole = 1e-9;
  const int least = static_cast<int>(std::clamp(std::floor(users + kWhole), 1.0, kMost));
  const UserStepsFlat a = user_steps_whole(least, d, h, r);
  const double more = std::clamp(users - least, 0.0, 1.0);
  if (more < kWhole) return a;
  const UserStepsFlat b = user_steps_whole(least + 1, d, h, r);
  return {a.asked + more * (b.asked - a.asked), a.wait + more * (b.wait - a.wait),
          a.met + more * (b.met - a.met)};
}

// How many steps prompts take before so many users' next decode, when `whole` of them fit in one and each user asks in
// a step by this chance; and in which of them one more's is over, on average.
struct PromptRounds {
  double steps = 0, place = 1;
};
inline PromptRounds prompt_rounds(double users, double chance, int whole) {
  constexpr double kNothing = 1e-16;
  const int N = static_cast<int>(std::clamp(std::round(users), 1.0, 1e6));
  const double q = std::clamp(chance, 1e-300, 1 - kNothing);
  // `n` ask, of whom none did: in logarithms, since of many users that is next to nothing.
  const auto over = [&](int n, auto&& add) {
    double log_share = n * std::log1p(-q);
    for (int j = 0; j <= n; ++j) {
      if (const double share = std::exp(log_share); share > 0) add(j, share);
      log_share += std::log(1.0 * (n - j) / (j + 1)) + std::log(q) - std::log1p(-q);
    }
  };
  PromptRounds out{0, 0};
  over(N, [&](int j, double share) { out.steps += share * std::ceil(1.0 * j / whole); });
  over(N - 1, [&](int j, double share) {
    const int all = j + 1, full = all / whole, rest = all - full * whole;
    const double places = 0.5 * whole * full * (full + 1.0) + rest * (full + 1.0);
    out.place += share * places / all;
  });
  return out;
}

// What a search-like function of plain numbers finds, with its slopes on R.
template <class R, class F, std::size_t kInputs>
std::vector<Ratio<R>> with_slopes(const std::array<Ratio<R>, kInputs>& at, const F& f) {
  std::array<double, kInputs> x{};
  for (std::size_t i = 0; i < kInputs; ++i) x[i] = plain(at[i]);
  const auto y = f(x);
  std::vector<Ratio<R>> out;
  for (const double v : y) out.push_back(found<R>("y_0", v));
  if constexpr (!std::is_same_v<R, double>) {
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < kInputs; ++i) {
      auto more = x;
      const double h = kStep * (1e-3 + std::abs(x[i]));
      more[i] += h;
      const auto z = f(more);
      auto x_0 = found<R>("x_0", x[i]);
      auto x_i = at[i];
      NAME(x_i);
      for (std::size_t k = 0; k < y.size(); ++k) {
        auto slope = found<R>("dy/dx", (z[k] - y[k]) / h);
        auto y_k = out[k];
        NAME(y_k);
        out[k] = called("y", y_k + slope * (x_i - x_0));
      }
    }
  }
  return out;
}

}  // namespace detail

template <class R>
struct UserSteps {
  Ratio<R> asked, wait, met;
};

inline const Formula kUsersAsked{"load.users_asked", "ν", "requests that users make a step",
                                 "mean value analysis: N/(d + h + w), at most 1/h", Hint::kRatio};
inline const Formula kUsersMet{"load.users_met", "ρ'",
                               "share of his steps that others' prompts take part of",
                               "mean value analysis: ρ(N − 1)", Hint::kFraction};
inline const Formula kUsersWait{"load.users_wait", "w", "steps that a prompt waits for others'",
                                "mean value analysis: h·(Q − ρ) + r·ρ of N − 1", Hint::kRatio};

template <class R>
UserSteps<R> user_steps(Count<R> N, Ratio<R> d, Ratio<R> h, Ratio<R> r) {
  const auto y = detail::with_slopes<R>(
      std::array<Ratio<R>, 4>{N, d, h, r}, [](const std::array<double, 4>& x) {
        const detail::UserStepsFlat s = detail::user_steps(x[0], x[1], x[2], x[3]);
        return std::array<double, 3>{s.asked, s.wait, s.met};
      });
  return {kUsersAsked(y[0]), kUsersWait(y[1]), kUsersMet(y[2])};
}

}  // namespace reckon
