// The answer to a load: how many decode at once, what users wait, where it ends.
#pragma once

#include "reckon/cost/decode_limits.hpp"
#include "reckon/cost/load/pools.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/serving.hpp"
#include "reckon/spec/questions/load.hpp"

namespace reckon {

inline const Formula kLoadStep{"load.step", "t(n, x)", "time of a step",
                               "stated: a step + its sequences, their cache, its prompt tokens"};
inline const Formula kLoadPrefill{"load.pools.prefill", "t_pre", "time of a prompt on its worker",
                                  "stated: a step + its tokens"};
inline const Formula kLoadMove{"load.pools.move", "t_move", "waiting when a prompt's cache moves",
                               "latency of the link"};
inline const Formula kLoadMoveToken{"load.pools.move_token", "t_move1",
                                    "time to move the cache of a prompt's token",
                                    "cache of a prompt over its tokens and a worker's ports"};
inline const Formula kHeldLongest{"load.held_longest", "T_held",
                                  "cached tokens that a request holds",
                                  "whole blocks of prompt + answer", Hint::kLength};
inline const Formula kHeldMean{"load.held_mean", "T_held", "cached tokens that a request holds",
                               "whole blocks of what is cached, while the answer grows, mean",
                               Hint::kLength};
inline const Formula kHeldLongestSpread{
    "load.held_longest_spread", "T_held", "cached tokens that a request holds",
    "prompt + answer, of those held at some time: E[o²]/E[o]; half of the last block is empty",
    Hint::kLength};
inline const Formula kHeldMeanSpread{
    "load.held_mean_spread", "T_held", "cached tokens that a request holds",
    "prompt + half of the answers that a step finds, E[o²]/E[o]; half of the last block is empty",
    Hint::kLength};
inline const Formula kMeanContextSpread{
    "load.context_spread", "T_ctx", "mean context of a decode step",
    "prompt + half of the answers that a step finds, E[o²]/E[o]", Hint::kLength};
inline const Formula kCacheConcurrency{"load.cache_concurrency", "n_kv",
                                       "requests that the cache holds",
                                       "tokens of the cache over those of a request", Hint::kCount};
inline const Formula kLoadSlots{"load.slots", "B'", "requests at once", "the batch's most",
                                Hint::kCount};
inline const Formula kLoadSlotsCache{"load.slots_cache", "B'", "requests at once",
                                     "the batch's most, or what the cache holds", Hint::kCount};

// What it takes to move a prompt's cache: as stated, or the model's cache over the link between its workers.
template <class R>
struct CacheMoves {
  Seconds<R> fixed{}, token{};
  bool known = true;  // neither is stated, and there is no model or no link to take them from
};

template <class R>
struct LoadAnswer {
  LoadFigures<R> figures;
  std::optional<BatchLimits<R>> limits;  // of a model's memory
  bool holds = true;                     // it has room for a request
  std::optional<Count<R>> cache_concurrency;
  Count<R> slots, context, held;
  Seconds<R> step_alone, step_full;
  bool by_cache = false;  // fewer fit the cache than the batch

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
LoadAnswer<R> answer(const LoadQuestion<R>& question);

// The time of a step on doubles, for a simulation: decodes, their mean context, prompt tokens.
std::function<double(double, double, double)> step_times(const LoadQuestion<double>& question);
CacheMoves<double> cache_moves(const LoadQuestion<double>& question);
// Of a prompt on a prefill worker, where pools are stated.
std::function<double(double)> prefill_times(const LoadQuestion<double>& question);

template <class R>
template <class V>
void LoadAnswer<R>::metrics(V&& v) const {
  constexpr const char* kUnbounded = "the rate is beyond saturation: the queue grows without bound";
  constexpr const char* kOneToken = "answers of one token have none after the first";
  constexpr const char* kSimulate = "simulate: no closed form holds above half of saturation";
  constexpr const char* kQueued = "more users than places: they queue outside, simulate";
  constexpr const char* kNoForm = "users before pools: no closed form, simulate";
  const LoadFigures<R>& f = figures;
  v(MetricInfo{"fits", "memory holds the model and a request", Hint::kYesNo}, holds, nullptr);
  if (!holds) {
    v(MetricInfo{"load.context", "cached tokens of a sequence, mean", Hint::kLength}, context);
    v(kCacheConcurrency, *cache_concurrency);
    return;
  }
  const auto of = [](const auto& whole, auto get) {
    using T = std::decay_t<decltype(get(*whole))>;
    return whole ? std::optional<T>(get(*whole)) : std::nullopt;
  };
  const char* no_wait = f.unbounded  ? kUnbounded
                        : f.no_form  ? kNoForm
                        : f.no_waits ? f.no_waits
                                     : kQueued;
  const char* none = !f.unbounded && f.no_percentiles ? f.no_percentiles : no_wait;
  const char* no_tpot = f.unbounded ? kUnbounded
                        : f.no_form ? kNoForm
                        : f.no_tpot ? f.no_tpot
                                    : kOneToken;
  const char* beyond = f.no_form ? kNoForm : f.no_waits ? f.no_waits : kUnbounded;
  const char* no_end = !f.unbounded && !f.no_waits && f.no_tpot ? f.no_tpot : beyond;
  const char* no_spread = f.no_tpot_percentiles && f.tpot ? f.no_tpot_percentiles : no_tpot;
  const bool waits = f.ttft && f.waiting;
  const char* no_p99 = !f.ttft_p50 ? none : kSimulate;
  v(kTtft, f.ttft, no_wait);
  v(kTtftP50, f.ttft_p50, none);
  v(kTtftP90, f.ttft_p90, none);
  v(kTtftP99, f.ttft_p99, no_p99);
  using W = const LoadWaiting<R>&;
  const auto wait = [&](auto get) {
    return waits ? of(f.waiting, get) : std::optional<Seconds<R>>();
  };
  v(kWaitsMean, wait([](W w) { return w.waiting; }), no_wait);
  v(kResidual, wait([](W w) { return w.residual; }), no_wait);
  v(kQueue, wait([](W w) { return w.queue; }), no_wait);
  v(kSlotMean, wait([](W w) { return w.slots; }), no_wait);
  v(kPrefillAlone, of(f.waiting, [](W w) { return w.alone; }), no_wait);
  v(kChunking, of(f.waiting, [](W w) { return w.sharing; }), no_wait);
  v(kTpot, f.tpot, no_tpot);
  v(kTpotP50, f.tpot_p50, no_spread);
  v(kTpotP90, f.tpot_p90, no_spread);
  v(kTpotP99, f.tpot_p99, f.tpot_p90 ? kSimulate : no_spread);
  v(kInclusive, f.inclusive, no_end);
  v(kEndToEnd, f.end_to_end, no_end);
  v(kOutputRate, f.tokens_rate, beyond);
  v(kPresent, f.present, no_end);
  using D = const LoadDecoding<R>&;
  v(kDecoding, of(f.decoding, [](D d) { return d.n; }), beyond);
  v(kPrefillShare, of(f.decoding, [](D d) { return d.rho; }), beyond);
  v(MetricInfo{"load.rate", "requests that arrive", Hint::kRequestRate},
    f.no_form ? std::nullopt : std::optional<Frequency<R>>(f.rate), kNoForm);
  v(kUtilisation, f.no_form ? std::nullopt : std::optional<Ratio<R>>(f.utilisation), kNoForm);
  v(kSaturation, f.full.rate);
  v(kLittleBound, f.little, kOneToken);
  v(MetricInfo{"load.step_alone", "step that carries nothing"}, step_alone);
  v(MetricInfo{"load.step_full", "step of a full batch and chunk"}, step_full);
  v(MetricInfo{"load.context", "cached tokens of a sequence, mean", Hint::kLength}, context);
  v(kLoadSlots, slots);
  v(kCacheConcurrency, cache_concurrency,
    "no cache is stated: cache_tokens: 200000, or a model with a capacity");
}

}  // namespace reckon
