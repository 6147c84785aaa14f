// What a decode step reads: weights, and the cache of every sequence.
//
//   all             every stored parameter; of routed experts, those that the batch touches
//   no_input_table  without the input and position tables: a lookup reads a row a token
//   matmul          matrices alone: without norms and biases too
//
// A tensor rank holds its share of the KV heads, and never less than one: beyond as many ranks as
// heads the cache is replicated, or the sequences are dealt out among the ranks that share a head
// (`assume.decode.shared_heads`). An MLA latent has no heads: every rank holds it whole.
#pragma once

#include "reckon/cost/kv.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/cost/server.hpp"

namespace reckon {

inline const Formula kReadAll{"parameters.read_all", "N_read", "parameters a decode step reads",
                              "all that are stored; of routed experts, those touched",
                              Hint::kParams};
inline const Formula kReadMatrices{
    "parameters.read_matrices", "N_read", "parameters a decode step reads",
    "matrices a token multiplies with; of routed experts, those touched", Hint::kParams};
inline const Formula kCacheOnRank{"kv.on_rank", "KV_gpu", "cache of one sequence on one GPU",
                                  "a tensor rank's KV heads, at least one"};
inline const Formula kCacheByBatch{"kv.by_batch", "KV_gpu",
                                   "cache of one sequence on one GPU, on average",
                                   "ranks that share a head share the sequences too"};
inline const Formula kSharers{"kv.sharers", "n_share", "tensor ranks that share one KV head",
                              "ranks over KV heads, at least one", Hint::kCount};

// N_touched: parameters of the routed experts that are read; all of them for a large batch.
template <class R>
Count<R> read_parameters(const Model<R>& model, const Parameters<R>& n, Count<R> N_touched,
                         WeightsRead reads) {
  auto N = n.total;
  NAME(N);
  if (model.abstract()) return kReadParameters(N);
  auto N_routed = n.experts;
  NAME(N_routed, N_touched);
  if (reads == WeightsRead::kAll) return kReadAll(N - N_routed + N_touched);
  auto N_table = model.tied ? Count<R>{0} : n.embedding;
  NAME(N_table);
  if (reads == WeightsRead::kNoInputTable)
    return kReadExperts(N - N_table - n.positions - N_routed + N_touched);
  auto N_vec = n.vectors;
  NAME(N_vec);
  return kReadMatrices(N - N_table - n.positions - N_vec - N_routed + N_touched);
}

// The same by class of tensors.
template <class R>
ByClass<R> read_by_class(const Model<R>& model, const Parameters<R>& n, Count<R> N_touched,
                         WeightsRead reads) {
  ByClass<R> out = by_class(n);
  out.experts = N_touched;
  if (reads == WeightsRead::kAll) return out;
  out.embedding = model.tied ? n.embedding : Count<R>{0};
  if (reads == WeightsRead::kMatmul) out.vectors = Count<R>{0};
  return out;
}

// Of a batch of B tokens.
template <class R>
Count<R> read_parameters(const Server<R>& server, Count<R> B) {
  return read_parameters(server.model, server.n, experts_read(server.model, B),
                         server.assume.decode.reads);
}

// KV heads of the layer that has the fewest; an MLA latent counts as one.
template <class R>
Count<R> fewest_kv_heads(const Model<R>& model) {
  Smallest<kOne, R> fewest;
  for (const LayerGroup<R>& g : model.layers) {
    if (g.mixer.kind == MixerKind::kMla) fewest.offer("latent", Count<R>{1});
    if (g.mixer.kind == MixerKind::kMla || recurrent(g.mixer.kind) || !g.mixer.heads) continue;
    fewest.offer("heads", kv_heads(g.mixer));
  }
  return fewest.empty() ? Count<R>{1} : fewest.best();
}

// A mixer as one of t tensor ranks sees it.
template <class R>
Mixer<R> on_rank(const Model<R>& model, Mixer<R> x, Count<R> t) {
  if (recurrent(x.kind)) return mixer_on_rank(x, t);
  if (x.kind == MixerKind::kMla || !x.heads) return x;
  x.head_width = head_width(model, x);
  x.kv_heads = max(kv_heads(x) / t, 1);
  x.heads = *x.heads / t;
  return x;
}

template <class R>
Bytes<R> cache_of(const Model<R>& model, const CachedAs<R>& as, Count<R> T) {
  return kv_cache(model, as, T).sequence;
}

// What one of t tensor ranks holds of it.
template <class R>
Bytes<R> cache_of(const Model<R>& model, const CachedAs<R>& as, Count<R> T, Count<R> t) {
  NAME(t);
  return kv_cache(model, as, T, [&](const Mixer<R>& x) { return on_rank(model, x, t); }).sequence;
}

template <class R>
Bytes<R> cache_on_rank(const Server<R>& server, Count<R> T, Count<R> t) {
  auto b_kv = server.size.cached;
  NAME(b_kv);
  const CachedAs<R> as = cached_as(b_kv, server.assume);
  if (server.assume.decode.shared_heads == SharedHeads::kReplicated)
    return kCacheOnRank(cache_of(server.model, as, T, t));
  auto KV = cache_of(server.model, as, T);
  NAME(KV, t);
  return kCacheByBatch(KV / t);
}

template <class R>
Count<R> sharers(const Model<R>& model, Count<R> t) {
  auto a_kv = fewest_kv_heads(model);
  NAME(t, a_kv);
  return kSharers(max(t / a_kv, 1));
}

}  // namespace reckon
