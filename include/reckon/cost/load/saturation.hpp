// The rate at which a load's queue begins to grow without bound.
//
//   LoadLimits<R> full = saturation(x, flat);
//   full.rate, full.by_prefill_first             // and what is full first: the batch, or every chunk
//
// The batch is full where the sequences that decode and the prompts being worked on take its B places, n +
// λ(n)·held(n) = B, a prompt its place for all of the steps it is in; every chunk where prompts take all of them,
// ρ = λ(n)·S(n) = 1.
#pragma once

#include "reckon/cost/load/decoding.hpp"

namespace reckon {

inline const Formula kLimitByBatch{"load.saturation_by_batch", "λ_B",
                                   "rate at which decodes and prompts fill the batch",
                                   "n + λ·(a prompt's steps) = B", Hint::kRequestRate};
inline const Formula kLimitByPrefill{"load.saturation_by_prefill", "λ_p",
                                     "rate at which every chunk is full", "ρ = 1",
                                     Hint::kRequestRate};
inline const Formula kLimitByPrefillAlone{"load.saturation_by_prefill_alone", "λ_p",
                                          "rate at which prefill never rests",
                                          "1 / S where nothing decodes", Hint::kRequestRate};
inline const Formula kSaturationAlone{"load.saturation_alone", "λ_sat",
                                      "rate beyond which the queue grows without bound",
                                      "of prefill, where nothing decodes", Hint::kRequestRate};
inline const Formula kSaturation{"load.saturation", "λ_sat",
                                 "rate beyond which the queue grows without bound",
                                 "the first of batch and prefill", Hint::kRequestRate};
inline const Formula kUtilisation{"load.utilisation", "u", "rate over the saturation rate",
                                  "λ / λ_sat", Hint::kFraction};
inline const Formula kLittleBound{"load.little_bound", "λ_max",
                                  "rate that a full batch could finish if prefill took nothing",
                                  "Little's law: B / ((o − 1)·t(B, 0))", Hint::kRequestRate};

// Rates at which the batch, and prefill, are full.
template <class R>
struct LoadLimits {
  std::optional<Frequency<R>> by_batch, by_prefill, by_move;
  Frequency<R> rate;
  bool by_prefill_first = false;  // prefill binds
  bool by_move_first = false;     // the ports do
  double n = 0;                   // that decode then
};

namespace detail {

// Decodes and prompts that are worked on, when so many decode; and the share of prompts alone.
struct Filled {
  double batch, prefill;
};
inline Filled filled_at(const LoadInput<double>& x, double n) {
  const PromptWork<double> w = prompt_work(x, Count<double>(n));
  const double rate = plain(rate_of_decodes(x, Count<double>(n), w));
  return {n + rate * plain(w.held), rate * plain(w.slot)};
}

// A straight line, nearly, that passes zero where prefill is full.
inline double beyond_prefill(const LoadInput<double>& x, double n) {
  const Count<double> is(n);
  const PromptWork<double> w = prompt_work(x, is);
  return n * plain(w.slot) - plain(time_of_answers(x, is, w));
}

// A rate at which something is full, g(n) = 0, at the n that a search on doubles found. On R the rate carries the
// slope of the implicit function: λ − (dλ/dn)/(dg/dn)·g.
template <class R, class FlatG, class G>
Frequency<R> rate_where(const LoadInput<R>& x, const LoadInput<double>& flat, const Root& n,
                        const FlatG& g_flat, const G& g_of) {
  auto n_0 = found<R>("n_0", n.at);
  const PromptWork<R> w = prompt_work(x, n_0);
  auto rate = rate_of_decodes(x, n_0, w);
  const double slope =
      slope_at(n, [&](double m) { return flat_rate(flat, m); }) / slope_at(n, g_flat);
  if (!std::isfinite(slope)) return rate;
  auto slope_0 = found<R>("dλ/dg", slope);
  auto g = called("g", g_of(n_0, rate, w));
  return rate - slope_0 * g * (Count<R>{1} / 1_s);
}

}  // namespace detail

template <class R>
LoadLimits<R> saturation(const LoadInput<R>& x, const LoadInput<double>& flat) {
  LoadLimits<R> out;
  Smallest<kHertz, R> first;
  if (!x.decodes()) {
    auto S = prompt_work(x, Count<R>{0}).slot;
    NAME(S);
    out.by_prefill = kLimitByPrefillAlone(1 / S);
    out.rate = kSaturationAlone(*out.by_prefill);
    out.by_prefill_first = true;
    return out;
  }
  const double slots = plain(x.slots);
  const auto batch = [&](double n) { return detail::filled_at(flat, n).batch - slots; };
  const auto prefill = [&](double n) { return detail::filled_at(flat, n).prefill - 1; };
  auto B = x.slots;
  NAME(B);
  const Root n_b = detail::near_root(slots, -slots, batch);
  out.by_batch = kLimitByBatch(detail::rate_where<R>(
      x, flat, n_b, batch, [&](Count<R> n, Frequency<R> rate, const PromptWork<R>& w) {
        return n + rate * w.held - B;
      }));
  first.offer("batch", *out.by_batch);
  out.n = n_b.at;
  // Only as far as the batch can go: beyond, prefill does not bind.
  if (prefill(n_b.at) > 0) {
    const Root n_p = detail::near_root(n_b.at, -detail::nothing_decodes(flat),
                                       [&](double n) { return detail::beyond_prefill(flat, n); });
    out.by_prefill = kLimitByPrefill(detail::rate_where<R>(
        x, flat, n_p, prefill,
        [](Count<R>, Frequency<R> rate, const PromptWork<R>& w) { return rate * w.slot - 1; }));
    first.offer("prefill", *out.by_prefill);
    if (first.winner() == 1) out.n = n_p.at;
  }
  out.rate = kSaturation(first.best());
  out.by_prefill_first = first.winner() == 1;
  return out;
}

template <class R>
Frequency<R> little_bound(const LoadInput<R>& x) {
  auto B = x.slots;
  auto o = x.output;
  NAME(B, o);
  auto t_B = called("t_B", x.step(B, Count<R>{0}));
  return kLittleBound(B / ((o - 1) * t_B));
}

}  // namespace reckon
