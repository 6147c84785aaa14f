// What an engine delivers when requests never run out, and how its two phases share GPUs.
//
//   continuous, mixed    every step carries B decodes and on average B·s/o prompt tokens:  X = B / T_step
//   prefill first        a prompt stops the decodes:       X = B·o / (B·T_p + o·T_d)
//   static batch         b·o / (T_step(x = b·s) + o·T_step(n = b))
//
// Speculation: a step verifies v drafted tokens a sequence and yields a of them:
//   time per token = T_step(n·(1 + v)) · (1 + v·l_d) / a
#pragma once

#include <optional>

#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/serving/memory.hpp"
#include "reckon/cost/whole.hpp"

namespace reckon {

inline const Formula kServedContext{"serving.context", "T_ctx", "tokens a sequence's step reads",
                                    "prompt + half of the answer", Hint::kLength};
inline const Formula kServedContextSpread{
    "serving.context_spread", "T_ctx", "tokens a sequence's step reads",
    "prompt + half of the answers that a step finds: E[o²]/(2·E[o])", Hint::kLength};
inline const Formula kFreshTokens{"serving.fresh", "s", "tokens of a prompt that are computed",
                                  "those that no cache holds", Hint::kLength};
inline const Formula kPastTokens{"serving.past", "past", "tokens before a chunk, on average",
                                 "what is cached + half of the other chunks", Hint::kLength};
inline const Formula kChunks{"serving.chunks", "n_ch", "steps that a prompt takes",
                             "its tokens over those of a chunk, whole", Hint::kCount};
inline const Formula kPromptTime{"serving.prompt.time", "T_p", "time to compute a prompt",
                                 "one step"};
inline const Formula kPastWhole{"serving.past_whole", "past",
                                "tokens before a whole chunk, on average",
                                "what is cached + half of the other whole chunks", Hint::kLength};
inline const Formula kPastRest{"serving.past_rest", "past", "tokens before the last chunk",
                               "what is cached + all of the prompt before it", Hint::kLength};
inline const Formula kRestTokens{"serving.rest", "x_rest", "tokens of a prompt's last chunk",
                                 "what whole chunks leave", Hint::kLength};
inline const Formula kPromptTimeChunked{"serving.prompt.time_chunked", "T_p",
                                        "time to compute a prompt",
                                        "a step for each whole chunk, and one for the rest"};
inline const Formula kPromptOperator{"serving.prompt.operator", "t_op",
                                     "an operator in all chunks of a prompt",
                                     "its time in each whole chunk, and in the rest"};
inline const Formula kStepYield{
    "serving.speculative.accepted", "a", "tokens that a step yields a sequence",
    "(1 − alpha^(v + 1))/(1 − alpha): accepted one by one", Hint::kRatio};
inline const Formula kTimePerToken{"serving.token", "t_tok", "time between a sequence's tokens",
                                   "one step"};
inline const Formula kTimePerTokenDrafted{"serving.token_drafted", "t_tok",
                                          "time between a sequence's tokens, drafts verified",
                                          "a step and its drafting over the tokens it yields"};
inline const Formula kFullPerToken{"serving.saturation.token", "t_full",
                                   "time between a sequence's tokens, steps that carry prompts",
                                   "one step"};
inline const Formula kFullPerTokenDrafted{
    "serving.saturation.token_drafted", "t_full",
    "time between a sequence's tokens, drafts verified in steps that carry prompts",
    "a step and its drafting over the tokens it yields"};
inline const Formula kMixedTokens{"serving.mixed.prompt_tokens", "x",
                                  "prompt tokens in an average step",
                                  "as many as keep the batch full", Hint::kCount};
inline const Formula kBatchByChunk{"serving.mixed.by_chunk", "B_chunk",
                                   "sequences whose prompts full chunks bring in",
                                   "chunk · answer over what a prompt computes", Hint::kRatio};
inline const Formula kBatchByChunks{
    "serving.mixed.by_chunks", "B_chunk", "sequences whose prompts full chunks bring in",
    "a chunk in each part · answer over what a prompt computes", Hint::kRatio};
inline const Formula kSaturated{"serve.saturation", "X", "tokens/s of a replica that is never idle",
                                "tokens that end a step over its time", Hint::kTokenRate};
inline const Formula kPrefillFirst{"serve.prefill_first", "X_pf",
                                   "tokens/s of a replica whose prompts stop its decodes",
                                   "answers over the time of prompts and steps", Hint::kTokenRate};
inline const Formula kPrefillFirstToken{"serve.prefill_first_tpot", "t_pf",
                                        "time between tokens where prompts stop the decodes",
                                        "a step, and the prompts that come between"};
inline const Formula kStaticRate{"static.tokens_per_second", "X_st", "tokens/s of a static batch",
                                 "answers over the time of the prompts and all steps",
                                 Hint::kTokenRate};
inline const Formula kStaticTime{"static.time", "t_st", "time of a static batch",
                                 "its prompts, then a step for each token"};

// Prompt tokens that are computed, and those a cache holds.
template <class R>
struct FreshPrompt {
  Count<R> fresh, cached;
};

template <class R>
FreshPrompt<R> fresh_prompt(const Workload<R>& w) {
  auto T = *w.prompt;
  auto z = w.hit;
  NAME(T, z);
  return {kFreshTokens(T * (1 - z)), T * z};
}

template <class R>
Count<R> served_context(const ServingPlan<R>& plan) {
  auto T = *plan.workload.prompt;
  auto T_out = *plan.workload.output;
  const LengthSpread<R> spread = answer_lengths(plan.traffic, plan.model.context);
  NAME(T, T_out);
  if (!spread.spreads()) return kServedContext(T + T_out / 2);
  auto T_seen = length_seen(spread, T_out);
  NAME(T_seen);
  return kServedContextSpread(T + T_seen / 2);
}

// At most `chunk` tokens a step; `n` sequences decode beside. Attention over what is past grows evenly: a mean chunk is
// priced.
template <class R>
StepCall<R> chunk_call(const FreshPrompt<R>& p, Count<R> b, const std::optional<Count<R>>& chunk,
                       Count<R>& chunks) {
  StepCall<R> call;
  auto s_all = p.fresh;
  auto cached = p.cached;
  NAME(s_all, cached, b);
  if (!chunk || s_all * b <= *chunk) {
    chunks = Count<R>{1};
    call.x = s_all * b;
    call.s = s_all;
    call.past = cached;
    call.prompts = b;
    return call;
  }
  auto C_pre = *chunk;
  NAME(C_pre);
  chunks = kChunks(least_whole(s_all * b / C_pre));
  call.x = s_all * b / chunks;
  call.s = min(s_all, call.x);
  auto s_ch = call.s;
  NAME(s_ch);
  call.past = kPastTokens(cached + (s_all - s_ch) / 2);
  call.prompts = b / chunks;
  return call;
}

// x tokens of b prompts in one step: a whole chunk in the middle of them, or the last.
template <class R>
StepCall<R> piece_of_prompts(const FreshPrompt<R>& p, Count<R> b, Count<R> x) {
  StepCall<R> call;
  auto s_all = p.fresh;
  NAME(s_all, b);
  call.x = x;
  call.s = min(s_all, x);
  call.prompts = x / s_all;
  return call;
}

template <class R>
StepCall<R> whole_chunk(const FreshPrompt<R>& p, Count<R> b, Count<R> C_pre, Count<R> x_rest) {
  StepCall<R> call = piece_of_prompts(p, b, C_pre);
  auto s_all = p.fresh;
  auto cached = p.cached;
  auto s_ch = call.s;
  NAME(s_all, cached, s_ch, x_rest);
  call.past = b <= 1 ? kPastWhole(cached + (s_all - x_rest - s_ch) / 2)
                     : kPastTokens(cached + (s_all - s_ch) / 2);
  return call;
}

template <class R>
StepCall<R> last_chunk(const FreshPrompt<R>& p, Count<R> b, Count<R> x_rest) {
  StepCall<R> call = piece_of_prompts(p, b, x_rest);
  auto s_all = p.fresh;
  auto cached = p.cached;
  auto s_ch = call.s;
  NAME(s_all, cached, s_ch);
  call.past = kPastRest(cached + s_all - s_ch);
  return call;
}

// `b` prompts computed together, without decodes, as an engine does: in whole chunks and a rest, or in one step.
template <class R>
struct PromptPieces {
  Count<R> chunks;
  StepCall<R> whole, rest;  // of one chunk there is the rest alone

  bool one() const { return static_cast<bool>(chunks <= 1); }
};

template <class R>
PromptPieces<R> prompt_pieces(const FreshPrompt<R>& p, Count<R> b,
                              const std::optional<Count<R>>& chunk) {
  PromptPieces<R> out;
  const StepCall<R> mean = chunk_call(p, b, chunk, out.chunks);
  if (out.one()) {
    out.rest = mean;
    return out;
  }
  auto s_all = p.fresh;
  auto C_pre = *chunk;
  auto n_ch = out.chunks;
  NAME(s_all, b, C_pre, n_ch);
  auto x_rest = kRestTokens(s_all * b - (n_ch - 1) * C_pre);
  out.whole = whole_chunk(p, b, C_pre, x_rest);
  out.rest = last_chunk(p, b, x_rest);
  return out;
}

template <class R>
Seconds<R> time_of_pieces(const PromptPieces<R>& x, Seconds<R> t_whole, Seconds<R> t_rest) {
  if (x.one()) {
    auto t_step = t_rest;
    NAME(t_step);
    return kPromptTime(t_step);
  }
  auto n_ch = x.chunks;
  NAME(n_ch, t_whole, t_rest);
  return kPromptTimeChunked((n_ch - 1) * t_whole + t_rest);
}

// Operator by operator, n times `each` and once `last`.
template <class R>
StepTimes<R> steps_together(Count<R> n_whole, const StepTimes<R>& each, const StepTimes<R>& last) {
  NAME(n_whole);
  const auto both = [&](Seconds<R> t_each, Seconds<R> t_last) {
    NAME(t_each, t_last);
    return kPromptOperator(n_whole * t_each + t_last);
  };
  StepTimes<R> out;
  for (std::size_t o = 0; o < kStepOps; ++o)
    if (!(each.op[o] + last.op[o] <= Seconds<R>{})) out.op[o] = both(each.op[o], last.op[o]);
  out.gpu = both(each.gpu, last.gpu);
  if (!(each.host + last.host <= Seconds<R>{})) out.host = both(each.host, last.host);
  out.time = both(each.time, last.time);
  return out;
}

template <class R>
struct PromptPass {
  Count<R> chunks;
  StepTimes<R> step;  // of all of them together
  Seconds<R> time;
};

template <class R>
PromptPass<R> prompt_pass(const ServingMachine<R>& s, const FreshPrompt<R>& p, Count<R> b,
                          const std::optional<Count<R>>& chunk) {
  const PromptPieces<R> x = prompt_pieces(p, b, chunk);
  PromptPass<R> out{x.chunks, {}, {}};
  if (x.one()) {
    out.step = serving_step(s, x.rest);
    out.time = time_of_pieces(x, {}, out.step.time);
    return out;
  }
  const StepTimes<R> whole = serving_step(s, x.whole);
  const StepTimes<R> rest = serving_step(s, x.rest);
  out.step = steps_together(called("n_whole", x.chunks - 1), whole, rest);
  out.time = time_of_pieces(x, whole.time, rest.time);
  return out;
}

// The time alone.
template <class R>
Seconds<R> prompt_time(const ServingMachine<R>& s, const FreshPrompt<R>& p, Count<R> b,
                       const std::optional<Count<R>>& chunk) {
  const PromptPieces<R> x = prompt_pieces(p, b, chunk);
  const Seconds<R> t_whole = x.one() ? Seconds<R>{} : serving_step_time(s, x.whole);
  return time_of_pieces(x, t_whole, serving_step_time(s, x.rest));
}

template <class R>
Ratio<R> accepted_tokens(const Speculative<R>& x) {
  if (x.accepted) return *x.accepted;
  auto alpha = *x.acceptance;
  auto v = x.tokens;
  NAME(alpha, v);
  return kStepYield((1 - pow(alpha, v + 1)) / (1 - alpha));
}

// n sequences over T tokens each, with x tokens of prompts in the same step.
template <class R>
StepCall<R> decode_call(const ServingPlan<R>& plan, Count<R> n, Count<R> T) {
  StepCall<R> call;
  call.n = n;
  call.T = T;
  if (plan.speculative) call.drafted = plan.speculative->tokens;
  return call;
}

// `plainly`, `drafted`: under which name, with and without drafts.
template <class R>
Seconds<R> time_per_token(const ServingPlan<R>& plan, Seconds<R> t_step,
                          const Formula& plainly = kTimePerToken,
                          const Formula& drafted = kTimePerTokenDrafted) {
  NAME(t_step);
  if (!plan.speculative) return plainly(t_step);
  auto a = accepted_tokens(*plan.speculative);
  auto v = plan.speculative->tokens;
  auto l_d = plan.speculative->draft;
  NAME(a, v, l_d);
  return drafted(t_step * (1 + v * l_d) / a);
}

// Tokens of prompts in an average step of a batch of n that never runs dry: each sequence brings a prompt an answer.
template <class R>
StepCall<R> mixed_call(const ServingPlan<R>& plan, Count<R> n) {
  StepCall<R> call = decode_call(plan, n, served_context(plan));
  const FreshPrompt<R> p = fresh_prompt(plan.workload);
  auto s = p.fresh;
  auto T_out = *plan.workload.output;
  auto a = plan.speculative ? accepted_tokens(*plan.speculative) : Ratio<R>{1};
  NAME(n, s, T_out, a);
  call.x = kMixedTokens(n * a * s / T_out);
  call.s = s;
  call.past = p.cached;
  call.prompts = n * a / T_out;
  return call;
}

// Answers that a stream of full chunks keeps going: more sequences than that wait for their prompts.
template <class R>
std::optional<Count<R>> batch_by_chunk(const ServingPlan<R>& plan, const ServingMachine<R>& on) {
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  auto s = fresh_prompt(plan.workload).fresh;
  if (!chunk || s <= 0) return {};
  auto C_pre = *chunk;
  auto T_out = *plan.workload.output;
  auto a = plan.speculative ? accepted_tokens(*plan.speculative) : Ratio<R>{1};
  auto p = on.mesh.pipeline;
  NAME(C_pre, T_out, a, s, p);
  if (p <= 1) return kBatchByChunk(C_pre * T_out / (a * s));
  return kBatchByChunks(p * C_pre * T_out / (a * s));
}

template <class R>
struct Saturation {
  Count<R> n;  // sequences that decode, on each data rank
  StepTimes<R> step;
  Seconds<R> per_token;
  Frequency<R> tokens;  // of a replica
};

// As many of n as full chunks keep going.
template <class R>
Count<R> kept_going(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n) {
  const auto by_chunk = batch_by_chunk(plan, s);
  return by_chunk ? min(n, *by_chunk) : n;
}

template <class R>
Seconds<R> full_token(const ServingPlan<R>& plan, Seconds<R> t_step) {
  return time_per_token(plan, t_step, kFullPerToken, kFullPerTokenDrafted);
}

// Time between tokens where n decode and requests never run out.
template <class R>
Seconds<R> saturated_token(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n) {
  return full_token(plan, serving_step_time(s, mixed_call(plan, kept_going(plan, s, n))));
}

template <class R>
Saturation<R> saturation(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> of) {
  Saturation<R> out;
  auto n = kept_going(plan, s, of);
  out.n = n;
  out.step = serving_step(s, mixed_call(plan, n));
  out.per_token = full_token(plan, out.step.time);
  auto t_full = out.per_token;
  auto d = s.mesh.data;
  NAME(n, d, t_full);
  out.tokens = kSaturated(n * d / t_full);
  return out;
}

}  // namespace reckon
