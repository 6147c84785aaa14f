// The answer to a chunk: what rides along, what a whole prefill stalls, and when prefill GPUs of their own pay.
#pragma once

#include "reckon/cost/chunk.hpp"
#include "reckon/cost/decode_limits.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/serving.hpp"
#include "reckon/spec/questions/chunk.hpp"

namespace reckon {

inline const Formula kStepSlowed{"chunk.step_over_decode", "t_mix/t_step",
                                 "step with the chunk over the step without",
                                 "1: the chunk rides along free", Hint::kRatio};
inline const Formula kSharedRate{
    "chunk.shared_rate", "r_shared", "requests/s of a GPU that does both, in chunks",
    "batch over answer and the step that carries what arrives", Hint::kRequestRate};
inline const Formula kSeparateRate{
    "chunk.separate_rate", "r_apart", "requests/s of a GPU where prefill has its own",
    "both pools' GPUs divided by what they take together", Hint::kRequestRate};

template <class R>
struct ChunkAnswer {
  DecodeStep<R> step;
  Count<R> context, largest_weights, largest_step;
  std::optional<Count<R>> tokens, steps;
  std::optional<Seconds<R>> compute, slack_weights, slack_step, step_time, ttft;
  std::optional<Ratio<R>> slowed;
  std::optional<Prefill<R>> prefill;
  std::optional<Ratio<R>> stalled;
  std::optional<Ratio<R>> arriving;
  std::optional<Count<R>> prompt_from;
  std::optional<Frequency<R>> rate_from, decode_rate, shared_rate, separate_rate;
  BatchLimits<R> limits;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ChunkAnswer<R> answer(const ChunkQuestion<R>& question);

template <class R>
template <class V>
void ChunkAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoChunk = "the question states no chunk: chunk: 256";
  constexpr const char* kNoPrompt = "the question states no prompt: prompt: 2000";
  constexpr const char* kNoOutput = "the question states no prompt and output";
  constexpr const char* kNoMfu =
      "needs a prompt, and how well a prefill computes: --assume prefill.mfu=50%";
  v(kChunkTokens, tokens, kNoChunk);
  v(kChunkCompute, compute, kNoChunk);
  v(kWeightsTime, step.gpu.weights);
  v(kMemoryTime, step.gpu.memory);
  v(kStepAlone, step.time);
  v(kChunkSlack, slack_weights, kNoChunk);
  v(kChunkSlackStep, slack_step, kNoChunk);
  v(kMixedStep, step_time, kNoChunk);
  v(kStepSlowed, slowed, kNoChunk);
  v(MetricInfo{"chunk.largest_weights", "largest chunk that hides behind reading the weights",
               Hint::kLength},
    largest_weights);
  v(MetricInfo{"chunk.largest_step", "largest chunk that hides behind reading weights and cache",
               Hint::kLength},
    largest_step);
  v(kChunkSteps, steps, "needs a chunk and a prompt");
  v(kChunkTtft, ttft, "needs a chunk and a prompt");
  v(kPrefillFlops, prefill ? std::optional(prefill->flops) : std::nullopt, kNoPrompt);
  v(kPrefillTime, prefill ? prefill->time : std::nullopt, kNoMfu);
  v(kStalled, stalled, kNoMfu);
  v(kArriving, arriving, kNoOutput);
  v(kPromptFrom, prompt_from,
    decode_rate ? "at no length: longer caches hide what longer prompts bring"
                : "the question states no output: output: 500");
  v(kRateFrom, rate_from, kNoPrompt);
  v(kDecodeRequests, decode_rate, "the question states no output: output: 500");
  v(kSharedRate, shared_rate, kNoOutput);
  v(kSeparateRate, separate_rate, kNoMfu);
  v(kServedWeights, limits.stored);
  v(kBatchByMemory, limits.by_memory, "no capacity is stated: capacity: 80 GB");
}

}  // namespace reckon
