// What fewer bits buy a model: bytes, a faster decode step, and until which batch; what it costs to quantize.
//
//   CompressAnswer<double> a = answer(question);
//   a.speedup, a.pays_to
//
// A decode step reads every weight it multiplies with once, and the cache; it takes as long as the slower of reading
// and computing. Fewer bits make reading shorter: all of it counts while reading is what takes time, that is up to
// B = bytes read · P / (2 · N · W), and nothing once the step before would compute longer than it reads. Where
// products are computed in the narrow format too (W8A8), P grows and the gain stays.
//
// Costs. GPTQ (arXiv 2210.17323): the calibration tokens through the model, for each matrix of d inputs and o outputs a
// Hessian (2·T·d²), its inverse by Cholesky (4/3·d³) and the updates (d²·o). AWQ (arXiv 2306.00978): the tokens
// through the model once, and through its matrices once for each scale tried. Quantization-aware training: 6·N·T.
#pragma once

#include <optional>

#include "reckon/cost/metric.hpp"
#include "reckon/cost/model.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/spec/questions/compress.hpp"

namespace reckon {

inline const Formula kCompressWeights{
    "compress.weights", "M_w", "weights, each class in its format", "sum over classes of tensors"};
inline const Formula kCompressRead{"compress.read", "M_read", "weights a decode step reads",
                                   "all it multiplies with, once; of routed experts those touched"};
inline const Formula kCompressCache{"compress.cache", "M_kv", "cache a decode step reads",
                                    "batch · cache of a sequence"};
inline const Formula kCompressStep{"compress.step", "t_dec", "decode step",
                                   "the slower of reading and computing"};
inline const Formula kCompressCrossover{"compress.crossover", "B_x",
                                        "batch whose products take as long as reading the weights",
                                        "bytes read · P / (2 · N · W)", Hint::kRatio};
inline const Formula kCompressSmaller{"compress.smaller", "smaller", "weights before over after",
                                      "both sums", Hint::kRatio};
inline const Formula kCompressSpeedup{"compress.speedup", "faster", "decode step before over after",
                                      "both steps", Hint::kRatio};
inline const Formula kCompressBound{"compress.speedup_bound", "faster_max",
                                    "most that reading fewer bytes can gain",
                                    "weights read before over after, no cache", Hint::kRatio};
inline const Formula kCompressRoom{"compress.sequences", "B_max",
                                   "sequences that fit beside the weights",
                                   "(capacity - weights) / cache of one, whole", Hint::kCount};
inline const Formula kGptqHessians{"gptq.hessians", "F_H", "FLOPs of the Hessians",
                                   "2 · tokens · inputs² a matrix; arXiv 2210.17323"};
inline const Formula kGptqInverses{"gptq.inverses", "F_inv", "FLOPs of their inverses",
                                   "Cholesky, inverse, Cholesky: 4/3 · inputs³ a matrix"};
inline const Formula kGptqUpdates{"gptq.updates", "F_upd", "FLOPs of the weight updates",
                                  "inputs² · outputs a matrix"};
inline const Formula kGptqFlops{"gptq.flops", "F_gptq", "FLOPs of GPTQ",
                                "calibration forward, Hessians, inverses, updates"};
inline const Formula kGptqHessian{"gptq.hessian", "M_H", "largest Hessian, fp32",
                                  "inputs² · 4 B of the widest matrix"};
inline const Formula kAwqFlops{
    "awq.flops", "F_awq", "FLOPs of AWQ",
    "calibration forward, and once for each scale tried; arXiv 2306.00978"};
inline const Formula kQatFlops{"qat.flops", "F_qat", "FLOPs of quantization-aware training",
                               "6 a parameter and token, rounding not counted"};
inline const Formula kQatMemory{"qat.memory", "M_qat", "training state of all parameters",
                                "weights, gradients, master copy and optimizer states"};
inline const Formula kCompressTime{"compress.time", "t", "time on one GPU", "FLOPs / (peak · MFU)"};

template <class R>
struct Compressed {
  Bytes<R> weights, read, kv;  // kv: of a token
  std::optional<Count<R>> crossover, sequences;
  std::optional<Seconds<R>> step;
};

template <class R>
struct QuantizingCost {
  std::optional<Flops<R>> gptq, awq, qat;
  std::optional<Seconds<R>> gptq_time, awq_time, qat_time;
  std::optional<Bytes<R>> hessian, qat_memory;
};

template <class R>
struct CompressAnswer {
  Compressed<R> before, after;
  Ratio<R> smaller, bound;
  std::optional<Ratio<R>> speedup, cache_smaller;
  QuantizingCost<R> cost;

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
CompressAnswer<R> answer(const CompressQuestion<R>& question);

template <class R>
template <class V>
void CompressAnswer<R>::metrics(V&& v) const {
  constexpr const char* kNoChip = "no chip is stated: cluster: 1xh100-sxm";
  constexpr const char* kNoRoom = "needs a chip, a context and a model that states its heads";
  const auto side = [&](const std::string& when, const Compressed<R>& c) {
    v(MetricInfo{when + ".weights", "weights " + when}, c.weights);
    v(MetricInfo{when + ".read", "weights a decode step reads, " + when}, c.read);
    v(MetricInfo{when + ".kv_per_token", "cache of a token, " + when, Hint::kPerToken}, c.kv);
    v(MetricInfo{when + ".step", "decode step " + when}, c.step, kNoChip);
    v(MetricInfo{when + ".crossover",
                 "batch from which computing takes longer than reading weights, " + when,
                 Hint::kRatio},
      c.crossover, kNoChip);
    v(MetricInfo{when + ".sequences", "sequences that fit beside the weights, " + when,
                 Hint::kCount},
      c.sequences, kNoRoom);
  };
  side("before", before);
  side("after", after);
  v(kCompressSmaller, smaller);
  v(kCompressBound, bound);
  v(kCompressSpeedup, speedup, kNoChip);
  constexpr const char* kNoTokens = "calibration: how many tokens is not stated";
  constexpr const char* kNoSearch = "needs calibration and search: the scales that are tried";
  constexpr const char* kNoQat = "qat: how many tokens is not stated";
  constexpr const char* kNoTime =
      "needs the FLOPs, a chip and an efficiency: assume: {train.mfu: 40%}";
  v(kGptqFlops, cost.gptq, kNoTokens);
  v(kGptqHessian, cost.hessian, kNoTokens);
  v(MetricInfo{"gptq.time", "GPTQ on one GPU"}, cost.gptq_time, kNoTime);
  v(kAwqFlops, cost.awq, kNoSearch);
  v(MetricInfo{"awq.time", "AWQ on one GPU"}, cost.awq_time, kNoTime);
  v(kQatFlops, cost.qat, kNoQat);
  v(kQatMemory, cost.qat_memory, kNoQat);
  v(MetricInfo{"qat.time", "quantization-aware training, in GPU time", Hint::kGpuHours},
    cost.qat_time, kNoTime);
}

}  // namespace reckon
