// kind: kernels. What the kernels of one chip reach: constants of the kernel model, by library and number format.
//
//   hardware/kernels/h100-sxm.yaml
//   gemm:
//     - {library: TensorRT-LLM 1.3.0rc20, format: bf16, peak: bf16, weight: 2 B, activation: 2 B, output: 2 B,
//        fixed: 3.8 us, compute: 79 %, memory: 83.2 %, m: [1, 8192], rows: 69, error: 3.6 %, source: …}
//
// Shares are of the chip's dense peak and of its memory bandwidth as the chip's file prints them. `fixed` is inside a
// CUDA graph. Constants belong to a chip and a library, never to a model or a run. Equations: cost/kernels.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/collective_op.hpp"
#include "reckon/spec/hardware.hpp"

namespace reckon {

// How good a set of constants is: the points behind it and how far they lie from it.
template <class R>
struct FitRecord {
  Count<R> rows{0};
  std::optional<Ratio<R>> error, left_out;
  std::string source;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("rows", "", "measured points behind the constants").count(), s.rows...);
    v(Field("error", "", "mean |predicted/measured − 1| on those points").hint(Hint::kFraction),
      s.error...);
    v(Field("left_out", "", "the same on points left out of the fit: a shape, size or length")
          .hint(Hint::kFraction),
      s.left_out...);
    v(Field("source", "", "who measured, or where the figure is printed"), s.source...);
  }
};

template <class R>
struct GemmKernel : FitRecord<R> {
  std::string library, format;
  Compute peak = Compute::kBf16;
  Bytes<R> weight, activation, output;
  bool quantizes = false;
  Seconds<R> fixed;
  Ratio<R> compute, memory;
  std::vector<Count<R>> m, n, k;  // what was measured: from, to

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("format", "", "of the operands: bf16, fp8, fp8-block, nvfp4, …").required(),
      s.format...);
    v(Field("peak", "", "which peak of the chip").required(), s.peak...);
    v(Field("weight", "w", "bytes of a weight").required().limit(Limit::kPositive), s.weight...);
    v(Field("activation", "a", "bytes of an activation").required().limit(Limit::kPositive),
      s.activation...);
    v(Field("output", "o", "bytes of an output").required().limit(Limit::kPositive), s.output...);
    v(Field("quantizes", "", "the activation arrives in the output's format and is quantized"),
      s.quantizes...);
    v(Field("fixed", "t_0", "time of a kernel that does nothing, in a graph").required(),
      s.fixed...);
    v(Field("compute", "c", "share of the peak that a large GEMM reaches").required().efficiency(),
      s.compute...);
    v(Field("memory", "e", "share of the bandwidth that a skinny GEMM reaches")
          .required()
          .efficiency(),
      s.memory...);
    v(Field("m", "", "rows that were measured: [from, to]").count(), s.m...);
    v(Field("n", "", "columns that were measured: [from, to]").count(), s.n...);
    v(Field("k", "", "depths that were measured: [from, to]").count(), s.k...);
    FitRecord<R>::fields(v, s...);
  }
};

// Attention of one new token a sequence over its cache; one layer.
template <class R>
struct DecodeKernel : FitRecord<R> {
  std::string library, kv_format;
  Bytes<R> kv_size;
  Seconds<R> fixed;
  Ratio<R> memory, blend{1};
  std::vector<Bytes<R>> kv_read;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("kv_format", "", "of the cache").required(), s.kv_format...);
    v(Field("kv_size", "b_kv", "bytes of a cached number").required().limit(Limit::kPositive),
      s.kv_size...);
    v(Field("fixed", "t_0", "time over an empty cache").required().limit(Limit::kPositive),
      s.fixed...);
    v(Field("memory", "e", "share of the bandwidth that a large cache is read at")
          .required()
          .efficiency(),
      s.memory...);
    v(Field("blend", "p", "how fixed time and reading add: 1 a sum, large the larger, below 1 more")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.blend...);
    v(Field("kv_read", "", "bytes of cache that were measured: [from, to]"), s.kv_read...);
    FitRecord<R>::fields(v, s...);
  }
};

// Attention of a prompt over itself; one layer.
template <class R>
struct PrefillKernel : FitRecord<R> {
  std::string library, format, kv_format;
  bool causal = true;
  std::optional<Count<R>> head_width;
  Compute peak = Compute::kBf16;
  Seconds<R> fixed;
  Ratio<R> compute;
  Count<R> ramp;
  std::vector<Count<R>> length;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("format", "", "of the queries").required(), s.format...);
    v(Field("kv_format", "", "of the cache that is written and read; as the queries if not stated"),
      s.kv_format...);
    v(Field("causal", "", "a token sees those before it"), s.causal...);
    v(Field("head_width", "", "the width measured; any if not stated").degree(), s.head_width...);
    v(Field("peak", "", "which peak of the chip the share is of"), s.peak...);
    v(Field("fixed", "t_0", "time of an empty prompt"), s.fixed...);
    v(Field("compute", "c", "share of the peak that an endless prompt reaches")
          .required()
          .efficiency(),
      s.compute...);
    v(Field("ramp", "s_0", "prompt length that takes twice what its FLOP do")
          .required()
          .hint(Hint::kLength),
      s.ramp...);
    v(Field("length", "", "prompt lengths that were measured: [from, to]").hint(Hint::kLength),
      s.length...);
    FitRecord<R>::fields(v, s...);
  }
};

// Attention over a compressed cache shared by all heads (MLA).
template <class R>
struct LatentKernel : FitRecord<R> {
  std::string library, kv_format;
  Bytes<R> kv_size;
  Seconds<R> fixed;
  Ratio<R> compute, memory;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("kv_format", "", "of the cache").required(), s.kv_format...);
    v(Field("kv_size", "b_kv", "bytes of a cached number").required().limit(Limit::kPositive),
      s.kv_size...);
    v(Field("fixed", "t_0", "time over an empty cache").required(), s.fixed...);
    v(Field("compute", "c", "share of the bf16 peak").required().efficiency(), s.compute...);
    v(Field("memory", "e", "share of the bandwidth").required().efficiency(), s.memory...);
    FitRecord<R>::fields(v, s...);
  }
};

// Time of a collective in one node against its size, for every group size: the value at two ranks, and what each
// doubling of the ranks multiplies it by.
template <class R>
struct CollectiveCurve : FitRecord<R> {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string library;
  Seconds<R> wait;
  ByteRate<R> rate;
  Bytes<R> half;
  Ratio<R> wait_growth{1}, rate_growth{1}, half_growth{1}, power{0.5};
  std::vector<Count<R>> ranks;
  std::vector<Bytes<R>> bytes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("op", "", "all-reduce | all-gather | reduce-scatter | all-to-all").required(), s.op...);
    v(Field("library", "", "NCCL, or whose kernel").required(), s.library...);
    v(Field("wait", "a_2", "time of an empty call over two ranks").required(), s.wait...);
    v(Field("wait_growth", "g_a", "what each doubling of the ranks multiplies it by")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.wait_growth...);
    v(Field("rate", "B_2", "bus bandwidth of an endless message over two ranks")
          .required()
          .limit(Limit::kPositive),
      s.rate...);
    v(Field("rate_growth", "g_B", "what each doubling of the ranks multiplies it by")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.rate_growth...);
    v(Field("half", "h_2", "size at which half the rate is reached, over two ranks"), s.half...);
    v(Field("half_growth", "g_h", "what each doubling of the ranks multiplies it by")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.half_growth...);
    v(Field("power", "u", "how slowly the rate is reached: 0.5 is the square-root law")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.power...);
    v(Field("ranks", "", "group sizes that were measured: [from, to]").count(), s.ranks...);
    v(Field("bytes", "", "sizes that were measured: [from, to]"), s.bytes...);
    FitRecord<R>::fields(v, s...);
  }
};

// Tokens sent to the GPUs of their experts, or brought back.
template <class R>
struct DispatchKernel : FitRecord<R> {
  std::string library, step, format;
  Bytes<R> size;
  Seconds<R> fixed;
  ByteRate<R> rate;
  std::optional<Count<R>> ranks;
  std::vector<Count<R>> tokens;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("step", "", "dispatch | combine").required(), s.step...);
    v(Field("format", "", "of what is sent").required(), s.format...);
    v(Field("size", "b", "bytes of a number that is sent").required().limit(Limit::kPositive),
      s.size...);
    v(Field("fixed", "t_0", "time without tokens").required(), s.fixed...);
    v(Field("rate", "B", "copies · width · bytes a second of one GPU")
          .required()
          .limit(Limit::kPositive),
      s.rate...);
    v(Field("ranks", "", "GPUs of the group measured").count(), s.ranks...);
    v(Field("tokens", "", "tokens of one GPU that were measured: [from, to]").count(), s.tokens...);
    FitRecord<R>::fields(v, s...);
  }
};

// Kernels that read and write their tensors once and are bound by memory.
enum class StreamKind { kNorm, kSwiglu, kQuantize };
constexpr auto names(StreamKind) { return std::array{"norm", "swiglu", "quantize"}; }

template <class R>
struct StreamKernel : FitRecord<R> {
  StreamKind op = StreamKind::kNorm;
  std::string library, format;
  Seconds<R> fixed;
  Ratio<R> memory;
  std::vector<Bytes<R>> bytes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("op", "", "norm adds its input to the residual; swiglu; quantize").required(), s.op...);
    v(Field("library", "", "whose kernel").required(), s.library...);
    v(Field("format", "", "of what is read").required(), s.format...);
    v(Field("fixed", "t_0", "time of a kernel over nothing").required(), s.fixed...);
    v(Field("memory", "e", "of the memory's bandwidth; above 1 where a cache holds the tensors")
          .required()
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.memory...);
    v(Field("bytes", "", "read and written, that were measured: [from, to]"), s.bytes...);
    FitRecord<R>::fields(v, s...);
  }
};

// What the host adds to a kernel.
template <class R>
struct LaunchCost : FitRecord<R> {
  Seconds<R> graph, stream;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("graph", "t_graph", "from one small kernel to the next inside a CUDA graph").required(),
      s.graph...);
    v(Field("stream", "t_stream", "from one small kernel to the next in a stream").required(),
      s.stream...);
    FitRecord<R>::fields(v, s...);
  }
};

// What a constant usually is, for fits on few points: see numerics/robust_fit.hpp.
template <class R>
struct UsualConstant {
  std::string constant;
  Ratio<R> value, spread;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("constant", "", "its key in an entry of the kind").required(), s.constant...);
    v(Field("value", "", "what it usually is; a rate, as a share of the link's")
          .required()
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.value...);
    v(Field("spread", "", "of its logarithm").required().hint(Hint::kRatio).limit(Limit::kPositive),
      s.spread...);
  }
};

template <class R>
struct Kernels {
  std::string id, name, chip, comment, source;
  std::optional<Ratio<R>> error;
  std::vector<GemmKernel<R>> gemm;
  std::vector<DecodeKernel<R>> decode;
  std::vector<PrefillKernel<R>> prefill;
  std::vector<LatentKernel<R>> latent;
  std::vector<CollectiveCurve<R>> collectives;
  std::vector<DispatchKernel<R>> dispatch;
  std::vector<StreamKernel<R>> streams;
  std::optional<LaunchCost<R>> launch;
  std::vector<UsualConstant<R>> usual;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("chip", "", "a file in hardware/chips; any if not stated"), s.chip...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("gemm", "", "matrix products; the first of a format is the default"), s.gemm...);
    v(Field("decode", "", "attention of one token a sequence over its cache"), s.decode...);
    v(Field("prefill", "", "attention of a prompt over itself"), s.prefill...);
    v(Field("latent", "", "attention over a latent cache (MLA)"), s.latent...);
    v(Field("collectives", "", "collectives in one node"), s.collectives...);
    v(Field("dispatch", "", "tokens to experts and back"), s.dispatch...);
    v(Field("streams", "", "kernels bound by memory: norms, activations, quantization"),
      s.streams...);
    v(Field("launch", "", "what the host adds"), s.launch...);
    v(Field("usual", "", "what constants of collectives usually are; of generic.yaml alone"),
      s.usual...);
    v(Field("error", "", "mean error on measured points of a file that stands in for others")
          .share(),
      s.error...);
    v(Field("source", "", "where the figures come from, if one says it all"), s.source...);
  }
};

}  // namespace reckon
