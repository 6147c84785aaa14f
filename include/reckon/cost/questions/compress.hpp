// What fewer bits buy a model: bytes, a faster decode step, and until which batch; what it costs to quantize.
//
//   CompressAnswer<double> a = answer(question);
//   a.speedup, a.pays_to
//
// The step is decode's (cost/decode.hpp), under `assume.decode`. Fewer bits make reading shorter: all of it counts
// while reading is what takes time, that is up to the batch from which computing takes longer, and nothing once the
// step before would compute longer than it reads. Where products are computed in the narrow format too (W8A8),
// computing is faster as well and the gain stays.
//
// Costs. GPTQ (arXiv 2210.17323): the calibration tokens through the model, for each matrix of d inputs and o outputs a
// Hessian (2·T·d²), its inverse by Cholesky (4/3·d³) and the updates (d²·o). AWQ (arXiv 2306.00978): the tokens
// through the model once, and through its matrices once for each scale tried. Quantization-aware training: 6·N·T.
#pragma once

#include <array>
#include <optional>

#include "reckon/cost/decode_limits.hpp"
#include "reckon/cost/memory.hpp"
#include "reckon/cost/metric.hpp"
#include "reckon/cost/questions/machine.hpp"
#include "reckon/spec/questions/compress.hpp"

namespace reckon {

inline const Formula kCompressSmaller{"compress.smaller", "smaller", "weights before over after",
                                      "both sums", Hint::kRatio};
inline const Formula kCompressSpeedup{"compress.speedup", "faster", "decode step before over after",
                                      "both steps", Hint::kRatio};
inline const Formula kCompressBound{"compress.speedup_bound", "faster_max",
                                    "most that reading fewer bytes can gain",
                                    "weights read before over after, no cache", Hint::kRatio};
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

inline constexpr MetricInfo kClassBefore[] =
    RECKON_CLASS_METRICS("before.weights.", "weights before: ");
inline constexpr MetricInfo kClassAfter[] =
    RECKON_CLASS_METRICS("after.weights.", "weights after: ");

template <class R>
struct Compressed {
  Bytes<R> weights, read, kv;  // kv: of a token
  std::array<Bytes<R>, kTensorClasses> classes{};
  std::optional<Ratio<R>> crossover;
  std::optional<Count<R>> sequences;
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
    for (std::size_t i = 0; i < kTensorClasses; ++i)
      v((&c == &before ? kClassBefore : kClassAfter)[i], c.classes[i]);
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
