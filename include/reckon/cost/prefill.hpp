// FLOPs of a prompt, under what people count, and how long they take.
//
//   matrices   2·T per parameter: those a token multiplies with (matmul), all active ones (all), or
//              the layers' alone (body); the head on every position, or on the last alone
//   attention  over the past (causal), over all pairs (full), or left out
//
//   prompt_flops(model, n, T, {PrefillCount::kMatmul, AttentionCount::kCausal, HeadPositions::kAll});
//   prefill_time(server, T, t);           // t tensor ranks: compute / t, and the all-reduces
//
// An engine runs the head on the last position, and causal attention: `assume: physical`.
#pragma once

#include "reckon/cost/all_reduce.hpp"
#include "reckon/cost/flops.hpp"

namespace reckon {

inline const Formula kPrefillMatrices{"prefill.matrices", "F_mat", "FLOPs of a prompt's matrices",
                                      "2 per matmul parameter; the head on every position"};
inline const Formula kPrefillLast{"prefill.matrices_last", "F_mat", "FLOPs of a prompt's matrices",
                                  "2 per matmul parameter; the head on the last position"};
inline const Formula kPrefillActive{"prefill.matrices_active", "F_mat",
                                    "FLOPs of a prompt's matrices",
                                    "2 per active parameter, tables included"};
inline const Formula kPrefillBody{"prefill.matrices_body", "F_mat", "FLOPs of a prompt's matrices",
                                  "2 per parameter of the layers, no tables"};
inline const Formula kPrefillAttention{"prefill.attention", "F_core",
                                       "FLOPs of a prompt's attention", "over the past"};
inline const Formula kPrefillAttentionFull{"prefill.attention_full", "F_core",
                                           "FLOPs of a prompt's attention", "over all pairs"};
inline const Formula kPrefillFlops{"prefill.flops", "F_pre", "FLOPs of the prompt",
                                   "matrices + attention"};
inline const Formula kPrefillFlopsBare{"prefill.flops_bare", "F_pre", "FLOPs of the prompt",
                                       "matrices alone"};
inline const Formula kPrefillCompute{"prefill.compute", "t_comp", "time of a prompt's compute",
                                     "FLOPs over what the GPUs reach"};
inline const Formula kPrefillTime{"prefill.time", "t_pre", "time of the prefill",
                                  "one GPU: compute alone"};
inline const Formula kPrefillTimeTensor{"prefill.time_tensor", "t_pre", "time of the prefill",
                                        "compute + all-reduces"};

struct PromptCount {
  PrefillCount params;
  AttentionCount attention;
  HeadPositions head;
};

template <class R>
PromptCount prompt_count(const Assume<R>& assume) {
  return {assume.prefill.params, assume.prefill.attention, assume.prefill.head};
}

// What one token multiplies with, by convention.
template <class R>
Count<R> token_parameters(const Parameters<R>& n, PrefillCount params) {
  switch (params) {
    case PrefillCount::kAll:
      return n.active;
    case PrefillCount::kBody:
      return n.on_path;
    case PrefillCount::kMatmul:
      break;
  }
  return n.matmul;
}

template <class R>
Flops<R> prompt_matrices(const Parameters<R>& n, Count<R> T, const PromptCount& how) {
  NAME(T);
  auto N_token = token_parameters(n, how.params);
  if (how.params == PrefillCount::kAll) {
    auto N_act = N_token;
    NAME(N_act);
    return kPrefillActive(2_flop * N_act * T);
  }
  if (how.params == PrefillCount::kBody) {
    auto N_body = N_token;
    NAME(N_body);
    return kPrefillBody(2_flop * N_body * T);
  }
  auto N_mm = N_token;
  NAME(N_mm);
  if (how.head == HeadPositions::kAll) return kPrefillMatrices(2_flop * N_mm * T);
  auto N_head = n.embedding;  // a tied table serves as the head
  NAME(N_head);
  return kPrefillLast(2_flop * (N_mm - N_head) * T + 2_flop * N_head);
}

template <class R>
Flops<R> prompt_flops(const Model<R>& model, const Parameters<R>& n, Count<R> T,
                      const PromptCount& how) {
  auto F_mat = prompt_matrices(n, T, how);
  if (how.attention == AttentionCount::kNone) return kPrefillFlopsBare(F_mat);
  NAME(T);
  const AttentionFlops<R> each = attention_flops(model, T);
  auto F_core = how.attention == AttentionCount::kCausal ? kPrefillAttention(T * each.causal)
                                                         : kPrefillAttentionFull(T * each.full);
  return kPrefillFlops(F_mat + F_core);
}

template <class R>
struct Prefill {
  Flops<R> flops{};
  std::optional<Seconds<R>> compute, time;  // absent without a peak and an MFU
  std::optional<TensorReduces<R>> reduces;  // of more than one GPU
};

template <class R>
Prefill<R> prefill(const Server<R>& server, Count<R> T, Count<R> t) {
  Prefill<R> out;
  out.flops = prompt_flops(server.model, server.n, T, prompt_count(server.assume));
  if (!(t <= 1)) out.reduces = tensor_reduces(server, T, t);
  if (!server.peak || !server.assume.prefill.mfu) return out;
  auto F_pre = out.flops;
  auto P = *server.peak;
  auto MFU_pre = *server.assume.prefill.mfu;
  NAME(F_pre, t, P, MFU_pre);
  auto t_comp = kPrefillCompute(F_pre / (t * P * MFU_pre));
  out.compute = t_comp;
  if (!out.reduces) {
    out.time = kPrefillTime(t_comp);
    return out;
  }
  auto T_ar = out.reduces->time;
  out.time = kPrefillTimeTensor(t_comp + T_ar);
  return out;
}

// The longest prompt that is prefilled within t_max, in whole tokens; 0 if none is, at most 2³⁰.
// Prefill time rises with the prompt, so it is halved towards.
template <class R>
Count<R> longest_prompt(const Server<R>& server, Seconds<R> t_max, Count<R> t) {
  const auto fits = [&](int T) {
    return static_cast<bool>(*prefill(server, structural<R>("T", T), t).time <= t_max);
  };
  int low = 0, high = 1;
  while (high < (1 << 30) && fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return structural<R>("T_max", low);
}

}  // namespace reckon
