// The answer to a prefill: FLOPs under the convention in force and all others, time, cache, longest prompt.
#pragma once

#include <array>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/pools.hpp"
#include "reckon/cost/questions/serving.hpp"
#include "reckon/spec/questions/prefill.hpp"

namespace reckon {

inline const Formula kPrefillPerToken{"prefill.tokens_per_second", "tok_pre",
                                      "prompt tokens/s of all its GPUs", "prompt over time",
                                      Hint::kTokenRate};

// Rows and columns of the table of conventions.
struct MatrixCount {
  std::string_view id, title;
  PrefillCount params;
  HeadPositions head;
};
inline constexpr MatrixCount kMatrixCounts[] = {
    {"prefill.by.matmul", "matmul, head on all positions", PrefillCount::kMatmul,
     HeadPositions::kAll},
    {"prefill.by.matmul_last", "matmul, head on the last", PrefillCount::kMatmul,
     HeadPositions::kLast},
    {"prefill.by.all", "all active, tables too", PrefillCount::kAll, HeadPositions::kAll},
    {"prefill.by.body", "layers alone", PrefillCount::kBody, HeadPositions::kAll}};
inline constexpr AttentionCount kAttentionCounts[] = {
    AttentionCount::kNone, AttentionCount::kCausal, AttentionCount::kFull};

template <class R>
struct PrefillAnswer {
  std::optional<Prefill<R>> run;
  std::optional<Frequency<R>> tokens_per_second;
  std::optional<Bytes<R>> cache_token, cache_prompt;
  std::array<std::array<std::optional<Flops<R>>, 3>, 4> by;  // kMatrixCounts × kAttentionCounts
  std::optional<Count<R>> longest;
  const char* no_time = "";

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
PrefillAnswer<R> answer(const PrefillQuestion<R>& question);

namespace detail {

inline const MetricInfo kByNames[4][3] = {
#define RECKON_BY(id, what)                                        \
  {                                                                \
    {"prefill.by." id ".none", what ", no attention"},             \
        {"prefill.by." id ".causal", what ", causal attention"}, { \
      "prefill.by." id ".full", what ", attention over all pairs"  \
    }                                                              \
  }
    RECKON_BY("matmul", "FLOPs: matmul parameters, head on all positions"),
    RECKON_BY("matmul_last", "FLOPs: matmul parameters, head on the last position"),
    RECKON_BY("all", "FLOPs: all active parameters"),
    RECKON_BY("body", "FLOPs: parameters of the layers"),
#undef RECKON_BY
};

inline constexpr const char* kNoPrompt = "the question states no prompt: prompt: 2000";
inline constexpr const char* kNoCacheDimensions =
    "the model states no layers, hidden width and heads";
inline constexpr const char* kNoAttention = "the model states no layers and hidden width";

}  // namespace detail

template <class R>
template <class V>
void PrefillAnswer<R>::metrics(V&& v) const {
  using detail::kNoCacheDimensions;
  const char* no_run = run ? no_time : detail::kNoPrompt;
  v(kPrefillFlops, run ? std::optional(run->flops) : std::nullopt, detail::kNoPrompt);
  v(kPrefillCompute, run ? run->compute : std::nullopt, no_run);
  v(kPrefillTime, run ? run->time : std::nullopt, no_run);
  v(kPrefillPerToken, tokens_per_second, no_run);
  v(kKvPerToken, cache_token, kNoCacheDimensions);
  v(kPromptCache, cache_prompt, run ? kNoCacheDimensions : detail::kNoPrompt);
  v(MetricInfo{"prefill.longest_prompt", "longest prompt within the target", Hint::kLength},
    longest, "the question states no target: target: 500 ms");
  for (std::size_t i = 0; i < by.size(); ++i)
    for (std::size_t k = 0; k < by[i].size(); ++k)
      v(detail::kByNames[i][k], by[i][k], run ? detail::kNoAttention : detail::kNoPrompt);
  reduce_metrics(v, run ? run->reduces : std::nullopt);
}

}  // namespace reckon
