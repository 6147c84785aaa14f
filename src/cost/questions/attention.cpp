#include "reckon/cost/questions/attention.hpp"

namespace reckon {
namespace {

template <class R>
Count<R> seen(const AttentionQuestion<R>& q) {
  auto length = *q.length;
  if (!q.window) return length;
  auto window = *q.window;
  NAME(length, window);
  return kAttentionSeen(min(length, window));
}

template <class R>
AttentionAnswer<R> prefill(const AttentionQuestion<R>& q) {
  const AttentionCall<R> call{q.batch, *q.length, *q.heads, *q.heads, *q.head_width};
  const auto x = prefill_attention_cost(call, *q.prefill, *q.chip->peak.of(q.prefill->peak));
  AttentionAnswer<R> out;
  out.time = x.time;
  out.flops = x.flops;
  out.fixed = x.fixed;
  out.compute = x.compute;
  auto F = x.flops;
  auto t = x.time;
  NAME(F, t);
  out.reached = kAttentionReached(F / t);
  return out;
}

template <class R>
AttentionAnswer<R> decode(const AttentionQuestion<R>& q) {
  const AttentionCall<R> call{q.batch, seen(q), Count<R>{1}, *q.kv_heads, *q.head_width};
  const auto x = decode_attention_cost(call, *q.decode, q.chip->memory.bandwidth);
  AttentionAnswer<R> out;
  out.time = x.time;
  out.bytes = x.read;
  out.fixed = x.fixed;
  out.memory = x.memory;
  auto K = x.read;
  auto t = x.time;
  NAME(K, t);
  out.read_rate = kAttentionReadRate(K / t);
  return out;
}

template <class R>
AttentionAnswer<R> latent(const AttentionQuestion<R>& q) {
  const Peaks<R> peaks{*q.chip->peak.of(Compute::kBf16), q.chip->memory.bandwidth};
  const auto x =
      latent_attention_cost({q.batch, seen(q), *q.heads, *q.cached, *q.read_out}, *q.latent, peaks);
  AttentionAnswer<R> out;
  out.time = x.time;
  out.flops = x.flops;
  out.bytes = x.read;
  out.fixed = q.latent->fixed;
  out.compute = x.compute;
  out.memory = x.memory;
  auto F = x.flops;
  auto K = x.read;
  auto t = x.time;
  NAME(F, K, t);
  out.reached = kAttentionReached(F / t);
  out.read_rate = kAttentionReadRate(K / t);
  return out;
}

}  // namespace

template <class R>
AttentionAnswer<R> answer(const AttentionQuestion<R>& question) {
  switch (question.phase) {
    case AttentionPhase::kDecode:
      return decode(question);
    case AttentionPhase::kLatent:
      return latent(question);
    case AttentionPhase::kPrefill:
      break;
  }
  return prefill(question);
}

template AttentionAnswer<double> answer(const AttentionQuestion<double>&);
template AttentionAnswer<Traced> answer(const AttentionQuestion<Traced>&);

}  // namespace reckon
