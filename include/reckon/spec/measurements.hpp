// kind: measurements. Measured times of kernels and collectives on one chip, as tables.
//
//   kind: measurements
//   chip: h100-sxm
//   groups:
//     - kernel: gemm
//       library: TensorRT-LLM 1.3.0rc20
//       format: bf16
//       launch: graph
//       source: ai-dynamo/aiconfigurator@095f58a …
//       columns: [m, n, k, time us]
//       rows: [[1, 4096, 4096, 13.2], [64, 4096, 4096, 13.5]]
//
// A column is a name and, for what has one, its unit. A size that all rows share is a field of the group instead. The
// same file may be JSON: that is what reckon-bench writes. Read by engine/measured.hpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

enum class MeasuredKernel {
  kGemm,
  kGroupedGemm,
  kAttentionPrefill,
  kAttentionDecode,
  kMlaPrefill,
  kMlaDecode,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kDispatch,
  kCombine,
  kMemoryRead,
  kMemoryWrite,
  kMemoryCopy,
  kMemoryTriad,
  kCacheRead,
  kHostToDevice,
  kDeviceToHost,
  kPeerCopy,
  kLaunch,
  kNorm,
  kSwiglu,
  kQuantize,
  kLayerDecode,
  kLayerPrefill,
  kFma
};
constexpr auto names(MeasuredKernel) {
  return std::array{"gemm",
                    "grouped-gemm",
                    "attention-prefill",
                    "attention-decode",
                    "mla-prefill",
                    "mla-decode",
                    "all-reduce",
                    "all-gather",
                    "reduce-scatter",
                    "all-to-all",
                    "dispatch",
                    "combine",
                    "memory-read",
                    "memory-write",
                    "memory-copy",
                    "memory-triad",
                    "cache-read",
                    "host-to-device",
                    "device-to-host",
                    "peer-copy",
                    "launch",
                    "norm",
                    "swiglu",
                    "quantize",
                    "layer-decode",
                    "layer-prefill",
                    "fma"};
}

enum class LaunchedBy { kStream, kGraph };
constexpr auto names(LaunchedBy) { return std::array{"stream", "graph"}; }

template <class R>
struct MeasuredGroup {
  MeasuredKernel kernel = MeasuredKernel::kGemm;
  std::string library, format, kv_format, device, chip, conditions, source;
  LaunchedBy launch = LaunchedBy::kStream;
  bool causal = true, held_out = false;
  std::optional<bool> quantizes;
  std::optional<Count<R>> head_width, hidden, top_k;
  doc::Value columns, rows;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kernel", "", "what was run").required(), s.kernel...);
    v(Field("library", "", "whose kernel, with its version").required(), s.library...);
    v(Field("format", "", "of the operands, the array or the cache"), s.format...);
    v(Field("kv_format", "", "of the cache, where the queries have another"), s.kv_format...);
    v(Field("causal", "", "attention: a token sees those before it"), s.causal...);
    v(Field("quantizes", "", "matrix product: the time includes quantizing the activation"),
      s.quantizes...);
    v(Field("head_width", "d", "of all rows").degree(), s.head_width...);
    v(Field("hidden", "h", "of all rows").degree(), s.hidden...);
    v(Field("top_k", "k", "of all rows: experts of a token").degree(), s.top_k...);
    v(Field("launch", "", "kernels in a stream, or inside a CUDA graph"), s.launch...);
    v(Field("held_out", "", "kept apart from every fit: to test it"), s.held_out...);
    v(Field("chip", "", "the file's; another is a fault"), s.chip...);
    v(Field("device", "", "of a chip without a file in hardware/chips: kept, never predicted"),
      s.device...);
    v(Field("conditions", "", "how it was measured"), s.conditions...);
    v(Field("source", "", "who measured it").required(), s.source...);
    v(Field("columns", "", "names and units: [m, n, k, time us]").required(), s.columns...);
    v(Field("rows", "", "a list of numbers each").required(), s.rows...);
  }
};

template <class R>
struct Measurements {
  std::string id, chip, machine, comment;
  std::vector<MeasuredGroup<R>> groups;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("chip", "", "a file in hardware/chips"), s.chip...);
    v(Field("machine", "", "driver, clocks, date"), s.machine...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("groups", "", "measured under one set of conditions each").required(), s.groups...);
  }
};

}  // namespace reckon
