// Prefill in chunks: c prompt tokens ride along a decode step, and hide as long as computing them and the
// batch's tokens takes no longer than the step reads.
//
//   compute   (F_dec + c·F_token) / (t·P·MFU_chunk)
//   largest   ⌊(time · t·P·MFU_chunk − F_dec) / F_token⌋ for the time to read the weights, or weights and cache
//
// In a steady state each decode step finishes B/output requests, so B·prompt/output prompt tokens arrive
// a step. While those fit the largest chunk, prefill GPUs of their own spare no user any waiting.
// Reading a prompt's cache again for each of its chunks is not counted.   Source: Agrawal 2024 (Sarathi-Serve).
#pragma once

#include "reckon/cost/decode.hpp"

namespace reckon {

inline const Formula kChunkToken{"chunk.token_flops", "F_token", "FLOPs of a chunk's token",
                                 "2 per parameter"};
inline const Formula kChunkTokenLast{"chunk.token_flops_last", "F_token",
                                     "FLOPs of a chunk's token",
                                     "2 per parameter; the head runs once a prompt, not here"};
inline const Formula kChunkTokenSeen{"chunk.token_flops_attention", "F_token",
                                     "FLOPs of a chunk's token",
                                     "matrices + mean attention over the prompt"};
inline const Formula kChunkTokens{"chunk.tokens", "n_step", "tokens of the step", "batch + chunk",
                                  Hint::kCount};
inline const Formula kChunkCompute{"chunk.compute", "t_chunk", "time to compute batch and chunk",
                                   "FLOPs over what the GPUs reach"};
inline const Formula kChunkSlack{"chunk.slack_weights", "slack_w",
                                 "time to read the weights, beyond that compute",
                                 "the chunk rides along while it is positive"};
inline const Formula kChunkSlackStep{"chunk.slack_step", "slack",
                                     "time to read weights and cache, beyond that compute",
                                     "the chunk rides along while it is positive"};
inline const Formula kLargestBehind{"chunk.largest", "c_max", "largest chunk that hides",
                                    "compute that fits the time, after the batch's own",
                                    Hint::kLength};
inline const Formula kStalled{"chunk.stalled_steps", "n_stall",
                              "decode steps that one whole prefill stalls",
                              "time of the prefill over that of a step", Hint::kRatio};
inline const Formula kChunkSteps{"chunk.steps", "n_chunk", "steps until a prompt is prefilled",
                                 "prompt over chunk, rounded up", Hint::kCount};
inline const Formula kChunkTtft{"chunk.ttft", "t_first", "time to the first token, in chunks",
                                "steps · time of one"};
inline const Formula kMixedStep{"chunk.step_time", "t_mix", "time of a step with the chunk",
                                "the longer of reading and computing, and the all-reduces"};
inline const Formula kMixedStepAdded{"chunk.step_time_added", "t_mix",
                                     "time of a step with the chunk",
                                     "reading, computing and the all-reduces"};
inline const Formula kArriving{"chunk.arriving", "c_need",
                               "prompt tokens that arrive a step, batch always full",
                               "batch · prompt / output", Hint::kRatio};
inline const Formula kPromptFrom{
    "chunk.prompt_from", "T_from", "prompt length from which prefill GPUs of their own pay",
    "the shortest of which more would arrive a step than hides, its own cache read", Hint::kLength};
inline const Formula kRateFrom{"chunk.rate_from", "rate_from",
                               "request rate from which prefill GPUs of their own pay",
                               "largest chunk a step, over the prompt", Hint::kRequestRate};
inline const Formula kDecodeRequests{"decode.requests", "r_batch",
                                     "requests/s that the full batch finishes",
                                     "batch over answer and step", Hint::kRequestRate};

// By what `assume.prefill` counts; T: the prompt, for attention.
template <class R>
Flops<R> chunk_token_flops(const Server<R>& server, std::optional<Count<R>> T) {
  const Assume<R>& assume = server.assume;
  auto N_token = token_parameters(server.n, assume.prefill.params);
  NAME(N_token);
  const bool last =
      assume.prefill.params == PrefillCount::kMatmul && assume.prefill.head == HeadPositions::kLast;
  auto N_head = server.n.embedding;
  NAME(N_head);
  auto F_mat = last ? kChunkTokenLast(2_flop * (N_token - N_head)) : kChunkToken(2_flop * N_token);
  if (assume.chunk.attention == AttentionCount::kNone || !T) return F_mat;
  const AttentionFlops<R> seen = attention_flops(server.model, *T);
  auto F_att = assume.chunk.attention == AttentionCount::kCausal ? seen.causal : seen.full;
  NAME(F_mat, F_att);
  return kChunkTokenSeen(F_mat + F_att);
}

// What a step's compute is made of, and the rate it runs at.
template <class R>
struct ChunkCompute {
  Flops<R> batch, token;
  FlopRate<R> rate;
};

template <class R>
ChunkCompute<R> chunk_compute(const Server<R>& server, Count<R> B, std::optional<Count<R>> T,
                              Count<R> t) {
  auto P = *server.peak;
  auto MFU_chunk = server.assume.chunk.mfu;
  NAME(t, P, MFU_chunk);
  return {decode_flops(server, B), chunk_token_flops(server, T),
          called("P_run", t * P * MFU_chunk)};
}

template <class R>
Seconds<R> chunk_time(const ChunkCompute<R>& x, Count<R> c) {
  auto F_dec = x.batch;
  auto F_token = x.token;
  auto P_run = x.rate;
  NAME(F_dec, F_token, c, P_run);
  return kChunkCompute((F_dec + c * F_token) / P_run);
}

// The largest chunk whose compute, with the batch's, takes no longer than `time`.
template <class R>
Count<R> largest_chunk(const ChunkCompute<R>& x, Seconds<R> time) {
  auto F_dec = x.batch;
  auto F_token = x.token;
  auto P_run = x.rate;
  NAME(F_dec, F_token, P_run, time);
  return kLargestBehind(floor(max(time * P_run - F_dec, 0_flop) / F_token));
}

// A decode step with c prompt tokens: all-reduces carry them too.
template <class R>
Seconds<R> mixed_step(const Server<R>& server, const DecodeStep<R>& step, Count<R> tokens,
                      Seconds<R> t_chunk, Count<R> t) {
  auto t_mem = step.gpu.memory;
  Seconds<R> t_ar{};
  if (step.reduces && server.assume.decode.all_reduces != DecodeReduces::kApart) {
    const TensorReduces<R> r = tensor_reduces(server, tokens, t);
    const bool waits = server.assume.decode.all_reduces == DecodeReduces::kWaiting;
    t_ar = (waits ? r.wait : r.time) + step.exchange;
  }
  NAME(t_mem, t_chunk, t_ar);
  if (server.assume.decode.compute == DecodeCompute::kAdded)
    return kMixedStepAdded(t_mem + t_chunk + t_ar);
  return kMixedStep(max(t_mem, t_chunk) + t_ar);
}

}  // namespace reckon
