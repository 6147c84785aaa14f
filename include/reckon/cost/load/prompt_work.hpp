// What a prompt costs the steps that carry it, and how it is seen there.
//
//   PromptWork<R> w = prompt_work(x, n);        // where n decode on average
//   w.cost                                       // E: added to the steps of one that decodes
//   w.slot                                       // S: time of the steps that carry it, or of the chunks it takes
//
// Of n decodes on average, time without any included, one that runs sees itself and the others:
// n' = 1 + n·(1 − 1/B), at most the B places. A prompt that ends within a chunk shares its last step with
// ν = n/(o − 1) others on average, and is charged its part. Engines that pass the stages of one pipeline hold each
// other up, as if a prompt added M times E (stages.hpp).
#pragma once

#include <algorithm>

#include "reckon/cost/load/input.hpp"
#include "reckon/cost/load/stages.hpp"

namespace reckon {

inline const Formula kSeen{"load.seen", "n'", "sequences in a step, as one of them sees them",
                           "itself, and the others by chance: 1 + n·(1 − 1/B)", Hint::kRatio};
inline const Formula kPromptCost{"load.prompt_cost", "E",
                                 "time a prompt adds to the steps that carry it",
                                 "mixed steps less decode steps, its part"};
inline const Formula kPromptCostStages{"load.prompt_cost_stages", "E",
                                       "time a prompt adds to the steps of those who share stages",
                                       "its part of the delays that engines pass on"};
inline const Formula kStageDelays{"load.stage_delays", "M",
                                  "delays felt for one of an engine's own",
                                  "the pace of the slowest of p passages, of rounds that are slow "
                                  "or fast",
                                  Hint::kRatio};
inline const Formula kChunksCarried{"load.chunks_carried", "ν_c",
                                    "chunks of prompts that a passage carries, mean",
                                    "prompts a step · their chunks", Hint::kRatio};
inline const Formula kPromptCostWhole{"load.prompt_cost_whole", "E", "time of a prompt's own step",
                                      "t(0, s), decodes held up"};
inline const Formula kPromptSlot{"load.prompt_slot", "S",
                                 "time the steps that carry a prompt take, its part",
                                 "all its steps; of a shared one its share"};
inline const Formula kPromptSlotShared{"load.prompt_slot_shared", "S",
                                       "time of the chunks a prompt takes, its part",
                                       "s / c of a step with a full chunk"};
inline const Formula kPromptSlotWhole{"load.prompt_slot_whole", "S",
                                      "time that a prompt keeps prefill busy", "a step of its own"};

namespace detail {

// Whole chunks before the last step, and the tokens of that one.
template <class R>
struct ChunksOf {
  Count<R> whole_chunks, rest;
};
template <class R>
ChunksOf<R> chunks_of(Count<R> s, Count<R> c) {
  const double n = std::max(1.0, std::ceil(plain(s) / plain(c) - 1e-9));
  auto k = structural<R>("k", static_cast<int>(std::min(n - 1, 1e6)));
  return {k, s - k * c};
}

// Mean number of other prompts in a step that carries one; each has a place.
template <class R>
Ratio<R> beside_in_step(const LoadInput<R>& x, Count<R> n) {
  if (!x.decodes()) return Ratio<R>{};
  auto o = x.output;
  auto B = x.slots;
  NAME(n, o, B);
  auto nu = called("ν", n / (o - 1));
  return plain(nu) > plain(B) - 1 ? called("ν", max(B - 1, 0)) : nu;
}

// Of prompts that come while one decodes, those that take a place beside his: all but those for which only his own is
// left, a B-th where the B − 1 others are full.
template <class R>
Ratio<R> met_of_those_that_come(const LoadInput<R>& x, Count<R> n) {
  if (x.users || !x.decodes()) return Ratio<R>{1};
  if (x.only_place()) return Ratio<R>{};
  auto B = x.slots;
  NAME(n, B);
  const double full = plain(n) / plain(B);
  if (!(full > 0) || std::pow(std::min(full, 1.0), plain(B) - 1) < 1e-12) return Ratio<R>{1};
  return called("met", 1 - pow(min(n / B, 1), B - 1) / B);
}

}  // namespace detail

// A step that carries c prompt tokens while n decode on average, by chance: none at all, or some. Of few the fixed time
// that the first decode adds is there only where there is one.
template <class R>
Seconds<R> step_with_prompt(const LoadInput<R>& x, Count<R> n, Count<R> c) {
  constexpr double kMany = 16, kNone = 1e-6;
  if (!x.decodes() || plain(n) > kMany) return x.step(n, c);
  if (plain(n) < kNone) return x.step(Count<R>{0}, c);
  NAME(n);
  auto P_none = called("P_none", exp(-n));
  auto n_some = called("n_some", n / (1 - P_none));
  auto t_none = called("t_none", x.step(Count<R>{0}, c));
  auto t_some = called("t_some", x.step(n_some, c));
  return called("t_with", P_none * t_none + (1 - P_none) * t_some);
}

// Of one that decodes: of users he is one of those who may.
template <class R>
Count<R> seen_decoding(const LoadInput<R>& x, Count<R> n) {
  auto B = x.users ? min(*x.users, x.slots) : x.slots;
  NAME(n, B);
  return kSeen(1 + n * (B - 1) / B);
}

namespace detail {

// How many delays by prompts fall on one of its own, which adds E_own to steps of t_0. A search on doubles finds it; on
// R it carries slopes.
template <class R>
Ratio<R> stage_delays(const LoadInput<R>& x, Count<R> n, Seconds<R> t_0, Seconds<R> E_own) {
  auto s = x.prompt;
  auto c = x.chunk;
  auto nu = beside_in_step(x, n);
  NAME(s, c, nu, t_0, E_own);
  const bool pieces = x.prompts != PromptSteps::kFirst;
  auto h = called("h", pieces ? max(s / c, 1) : Ratio<R>{1});
  auto nu_c = kChunksCarried(nu * h);
  auto e_c = called("e_c", E_own / (h * t_0));
  const double K = x.prompts == PromptSteps::kShared ? std::max(plain(c) / plain(s), 1.0) : 1.0;
  const int p = static_cast<int>(plain(x.stages));
  const double nu_at = plain(nu_c), e_at = plain(e_c), M = stage_delays(p, nu_at, K, e_at);
  auto M_0 = found<R>("M_0", M);
  if constexpr (std::is_same_v<R, double>) {
    return kStageDelays(M_0);
  } else {
    constexpr double kStep = 1e-5;
    const auto slope = [&](double more_nu, double more_e) {
      return stage_delays(p, nu_at * (1 + more_nu), K, e_at * (1 + more_e)) - M;
    };
    auto by_nu = found<R>("dM/dν", slope(kStep, 0) / (kStep * std::max(nu_at, 1e-300)));
    auto by_e = found<R>("dM/de", slope(0, kStep) / (kStep * std::max(e_at, 1e-300)));
    auto nu_0 = found<R>("ν_0", nu_at);
    auto e_0 = found<R>("e_0", e_at);
    return kStageDelays(M_0 + by_nu * (nu_c - nu_0) + by_e * (e_c - e_0));
  }
}

// Of a prompt in front of those who share stages.
template <class R>
Seconds<R> passed_on(const LoadInput<R>& x, Count<R> n, Seconds<R> cost) {
  if (x.stages <= 1 || !x.decodes()) return cost;
  auto E_own = cost;
  auto M = stage_delays(x, n, x.step(seen_decoding(x, n), Count<R>{0}), cost);
  NAME(E_own, M);
  return kPromptCostStages(E_own * M);
}

// Prompt tokens of the step that ends a prompt, whose rest it takes.
template <class R>
Count<R> tokens_together(const LoadInput<R>& x, Count<R> rest, Ratio<R> nu) {
  auto s = x.prompt;
  auto c = x.chunk;
  NAME(s, c, rest, nu);
  return called("together", min(c, rest + nu * s));
}

}  // namespace detail

// All are means over the prompts' lengths: what one that decodes sees of a prompt, and what the prompt sees of them.
template <class R>
struct PromptWork {
  Seconds<R> cost, slot;
  Seconds<R> own;   // of the cost, what it adds to the steps of its own engine
  Seconds<R> held;  // for which it takes a place until its first token: all of its steps
  Ratio<R> met{1};  // share of those that come while one decodes which he meets
};

namespace detail {

template <class R>
Seconds<R> of_those_met(Ratio<R> met, Seconds<R> cost) {
  if (plain(met) == 1) return cost;
  auto E_one = cost;
  NAME(met, E_one);
  return called("E", met * E_one);
}

}  // namespace detail

// `slot`: false where nobody asks for it; then a full chunk is priced only where a prompt fills one. `beside`: other
// prompts in a step that carries one, where it is not as many as answers end.
template <class R>
PromptWork<R> prompt_work(const LoadInput<R>& x, Count<R> n, bool with_slot = true,
                          const std::optional<Ratio<R>>& beside = {}) {
  const Count<R> none{0};
  Sum<kSecond, R> cost, slot, held;
  PromptWork<R> out;
  out.met = detail::met_of_those_that_come(x, n);
  const Count<R> n_seen = seen_decoding(x, n);
  auto c = x.chunk;
  auto s = x.prompt;
  NAME(c, s);
  if (x.prompts == PromptSteps::kFirst) {
    for (const LengthShare<R>& one : x.lengths)
      cost.add("share", one.share * x.step(none, one.tokens));
    auto E = kPromptCostWhole(cost.total());
    out.own = E;
    out.cost = detail::of_those_met(out.met, detail::passed_on(x, n, E));
    out.held = out.slot = kPromptSlotWhole(E);
    return out;
  }
  const Count<R> n_beside = x.only_place() ? none : n;
  auto t_0 = called("t_0", x.step(n_seen, none));
  const bool fills = std::any_of(x.lengths.begin(), x.lengths.end(), [&](const auto& one) {
    return plain(detail::chunks_of(one.tokens, c).whole_chunks) > 0;
  });
  auto t_c = fills ? called("t_c", x.step(n_seen, c)) : t_0;
  auto t_beside = with_slot ? called("t_beside", x.step(n_beside, c)) : t_0;
  auto nu = beside ? *beside : detail::beside_in_step(x, n);
  for (const LengthShare<R>& one : x.lengths) {
    const auto [k, rest] = detail::chunks_of(one.tokens, c);
    if (x.prompts == PromptSteps::kAlone) {
      auto t_last = called("t_last", x.step(n_seen, rest));
      cost.add("share", one.share * (k * (t_c - t_0) + (t_last - t_0)));
      if (with_slot) slot.add("share", one.share * (k * t_beside + x.step(n_beside, rest)));
      continue;
    }
    auto together = detail::tokens_together(x, rest, nu);
    auto t_last = called("t_last", x.step(n_seen, together));
    cost.add("share", one.share * (k * (t_c - t_0) + rest / together * (t_last - t_0)));
    if (with_slot) held.add("share", one.share * (k * t_beside + x.step(n_beside, together)));
  }
  out.own = kPromptCost(cost.total());
  out.cost = detail::of_those_met(out.met, detail::passed_on(x, n, out.own));
  if (!with_slot) return out;
  const bool alone = x.prompts == PromptSteps::kAlone;
  out.slot = alone ? kPromptSlot(slot.total()) : kPromptSlotShared(s / c * t_beside);
  out.held = alone ? out.slot : called("held", held.total());
  return out;
}

}  // namespace reckon
