// What a model is before any plan: parameters by part, FLOPs of a token, what a decode step reads,
// KV cache.
//
//   ModelEstimate<double> m = model_estimate(model, {s, B, b});
//   m.metrics([](const MetricInfo& info, auto value) { … });
#pragma once

#include "reckon/cost/files.hpp"
#include "reckon/cost/flops.hpp"
#include "reckon/cost/kv.hpp"
#include "reckon/cost/metric.hpp"

namespace reckon {

inline const Formula kDistinctExperts{
    "experts.distinct", "E_B", "experts a batch touches in one layer, expected",
    "E·(1 − (1 − k/E)^B): tokens route independently", Hint::kRatio};
inline const Formula kReadParameters{"parameters.read", "N_read", "parameters a decode step reads",
                                     "all that are stated", Hint::kParams};
inline const Formula kReadExperts{
    "parameters.read_touched", "N_read", "parameters a decode step reads",
    "all but the input table; of routed experts, those touched", Hint::kParams};
inline const Formula kForwardMatmul{"flops.forward_matmul", "F_mm",
                                    "FLOPs of a token's matrices, forward", "2 a parameter",
                                    Hint::kPerToken};

inline const Formula kKvBatch{"kv.batch", "KV_B", "KV cache of the batch",
                              "sequences · cache of one"};

template <class R>
struct ModelQuestion {
  Count<R> s;             // tokens of a sequence
  Count<R> B;             // sequences decoded together
  Bytes<R> b;             // of one cached element, and of one weight
  Bytes<R> b_state{4_B};  // of one element of a recurrent state
  CachedWindows windows = CachedWindows::kExact;
};

template <class R>
struct ModelEstimate {
  Parameters<R> n;
  Count<R> read;
  Flops<R> matmul;
  TokenFlops<R> flops;
  std::optional<KvCache<R>> kv;
  std::optional<Bytes<R>> kv_batch;
  Bytes<R> weights;
  std::optional<FileContents<R>> files;

  template <class V>
  void metrics(V&& v) const;
};

// Routed experts of all layers that a batch of B tokens reads.
template <class R>
Count<R> experts_read(const Model<R>& model, Count<R> B) {
  Sum<kOne, R> out;
  int i = 0;
  for (const LayerGroup<R>& g : model.layers) {
    const Label label{"experts of group", i++};
    if (g.mlp.kind != MlpKind::kMoe) continue;
    auto E = *g.mlp.experts;
    auto k = *g.mlp.top_k;
    NAME(E, k, B);
    auto E_B = kDistinctExperts(E * (1 - pow(1 - k / E, B)));
    out.add(label, g.count * layer_parameters(model, g).experts * E_B / E);
  }
  return out.total();
}

template <class R>
ModelEstimate<R> model_estimate(const Model<R>& model, const ModelQuestion<R>& q);

template <class R>
template <class V>
void ModelEstimate<R>::metrics(V&& v) const {
  constexpr const char* kNoLayers = "the model states no layers and hidden width";
  v(kTotalParameters, n.total);
  v(kActiveParameters, n.active);
  v(kActiveNoInput, n.active_no_input);
  v(kActiveNoEmbeddings, n.active_no_embeddings);
  v(kMatmulParameters, n.matmul);
  v(kReadParameters, read);
  const std::pair<MetricInfo, Count<R>> parts[] = {
      {{"parameters.embedding", "embedding table", Hint::kParams}, n.embedding},
      {{"parameters.positions", "position table", Hint::kParams}, n.positions},
      {{"parameters.head", "output head", Hint::kParams}, n.head},
      {{"parameters.attention", "attention", Hint::kParams}, n.attention},
      {{"parameters.mlp", "dense MLPs", Hint::kParams}, n.mlp},
      {{"parameters.experts", "routed experts", Hint::kParams}, n.experts},
      {{"parameters.shared", "shared experts", Hint::kParams}, n.shared},
      {{"parameters.router", "routers", Hint::kParams}, n.router},
      {{"parameters.vectors", "norms, biases and the like", Hint::kParams}, n.vectors}};
  for (const auto& [info, value] : parts) v(info, value);
  v(kMtpParameters, n.mtp);
  v(kVisionParameters, n.vision);
  if (files) {
    v(kFileElements, files->elements);
    v(kFileScales, files->scales);
    v(kFileBytes, files->bytes);
  }
  v(MetricInfo{"memory.weights", "weights"}, weights);
  v(kForwardMatmul, matmul);
  v(kForwardFlops, flops.forward, kNoLayers);
  v(MetricInfo{"flops.per_token.6n", "FLOPs of a token in training, 6N", Hint::kPerToken},
    flops.six_n);
  v(kFlopsFull, flops.full, kNoLayers);
  v(kFlopsCausal, flops.causal, kNoLayers);
  constexpr const char* kNoHeads = "the model states no layers, hidden width and heads";
  const auto of_kv = [this](auto part) {
    return kv ? std::optional<Bytes<R>>(part(*kv)) : std::nullopt;
  };
  using Kv = const KvCache<R>&;
  v(kKvPerToken, of_kv([](Kv c) { return c.per_token; }), kNoHeads);
  v(kKvGrowing, of_kv([](Kv c) { return c.growing; }), kNoHeads);
  v(kKvWindowed, of_kv([](Kv c) { return c.windowed; }), kNoHeads);
  v(kKvIndexer, of_kv([](Kv c) { return c.indexer; }), kNoHeads);
  v(kKvState, of_kv([](Kv c) { return c.state; }), kNoHeads);
  v(kKvConvolution, of_kv([](Kv c) { return c.convolution; }), kNoHeads);
  v(kKvSequence, of_kv([](Kv c) { return c.sequence; }), kNoHeads);
  v(kKvBatch, kv_batch, kNoHeads);
}

}  // namespace reckon
