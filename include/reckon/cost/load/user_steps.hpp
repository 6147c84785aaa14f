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

// Of many users one more changes nothing: ρ(N − 1) is ρ(N), and w² + (d + h − h·N)·w = r·h·N.
inline UserStepsFlat user_steps_many(double users, double d, double h, double r) {
  const double over = h * users - d - h, both = std::sqrt(over * over + 4 * r * h * users);
  // Of two roots' sum and product: no difference of large numbers.
  const double wait = over > 0 ? (over + both) / 2 : 2 * r * h * users / (both - over);
  const double asked = std::min(users / (d + h + wait), 1 / h);
  return {asked, wait, asked * h};
}

// From one user to the next; of many, from what a few thousand less would do, which so many steps forget.
inline UserStepsFlat user_steps_whole(double users, double d, double h, double r) {
  constexpr double kMany = 4096, kRecent = 2048;
  UserStepsFlat out;
  double Q = 0, rho = 0, first = 1;
  if (users > kMany) {
    first = users - kRecent;
    out = user_steps_many(first - 1, d, h, r);
    Q = out.asked * (h + out.wait);
    rho = std::min(out.asked * h, 1.0);
  }
  for (double k = first; k <= users; ++k) {
    out.met = rho;
    out.wait = h * std::max(Q - rho, 0.0) + r * rho;
    out.asked = k / (d + h + out.wait);
    if (out.asked * h >= 1) {
      // Every chunk is full, and stays so: who else comes, waits.
      const bool stays = r <= h;
      const double last = stays ? users : k;
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
  constexpr double kWhole = 1e-9;
  const double least = std::max(std::floor(users + kWhole), 1.0);
  const UserStepsFlat a = user_steps_whole(least, d, h, r);
  const double more = std::clamp(users - least, 0.0, 1.0);
  if (more < kWhole) return a;
  const UserStepsFlat b = user_steps_whole(least + 1, d, h, r);
  return {a.asked + more * (b.asked - a.asked), a.wait + more * (b.wait - a.wait),
          a.met + more * (b.met - a.met)};
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
