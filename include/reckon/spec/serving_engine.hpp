// kind: engine. What a serving engine makes of a chip's kernels: constants of a software stack, never of a run.
//
//   hardware/engines/trtllm-1.yaml
//   operands:
//     - {weights: fp8-e4m3, kernel: fp8}        # which of the chip's kernels multiplies weights of this format
//   gemm: {ceiling: 81.5 %, memory: 1.15}       # factors on what hardware/kernels says
//   attention: {prefill: 57 %, ramp: 1150, fixed: 10 us, cache: 93 %}
//   overhead: {layer: 7.9 us, step: 1.5 ms}
//
// Peaks and bandwidths are the chip's. Equations: cost/serving.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/value.hpp"
#include "reckon/spec/hardware.hpp"

namespace reckon {

// Which kernel multiplies weights of a format, and what it reaches beside the chip's constants.
template <class R>
struct OperandRule {
  std::string weights, kernel;
  std::vector<std::string> chips;
  Ratio<R> ceiling{1}, memory{1}, experts{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("weights", "", "format of the weights, a file in formats/").required(), s.weights...);
    v(Field("kernel", "", "format of the kernel's operands, as in hardware/kernels").required(),
      s.kernel...);
    v(Field("chips", "", "chips it holds for; all if not stated"), s.chips...);
    v(Field("ceiling", "g_op", "factor on the kernel's share of the peak")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.ceiling...);
    v(Field("memory", "e_op", "factor on the kernel's share of the bandwidth")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.memory...);
    v(Field("experts", "c_moe", "factor on the ceiling where experts are grouped")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.experts...);
  }
};

template <class R>
struct EngineGemm {
  Ratio<R> ceiling{1}, memory{1};
  bool quantizes = true;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ceiling", "g", "factor on the kernel's share of the peak, over a whole pass")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.ceiling...);
    v(Field("memory", "e", "factor on the kernel's share of the bandwidth")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.memory...);
    v(Field("quantizes", "", "no: activations arrive quantized, by the kernel before"),
      s.quantizes...);
  }
};

template <class R>
struct EngineAttention {
  Ratio<R> prefill{1}, cache{1}, latent{1}, reread{0};
  Count<R> ramp{0};
  Seconds<R> fixed{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prefill", "c_a", "share of the 16-bit peak that an endless prompt reaches")
          .efficiency(),
      s.prefill...);
    v(Field("ramp", "s_0", "prompt length that takes twice what its FLOP do").hint(Hint::kLength),
      s.ramp...);
    v(Field("fixed", "t_a", "time of an empty kernel"), s.fixed...);
    v(Field("cache", "e_kv", "share of the bandwidth that a cache is read at").efficiency(),
      s.cache...);
    v(Field("latent", "c_lat", "share of the 16-bit peak over a latent cache").efficiency(),
      s.latent...);
    v(Field("reread", "r_gqa", "of the queries that share a head, the share that reads it again")
          .share(),
      s.reread...);
  }
};

template <class R>
struct EngineOverhead {
  Seconds<R> layer{}, step{}, experts{}, request{};
  std::optional<Seconds<R>> host_prefill, host_decode;
  Ratio<R> blend{4};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("layer", "o_layer", "of a layer, beside its kernels"), s.layer...);
    v(Field("step", "o_step", "of a step: scheduling, sampling"), s.step...);
    v(Field("experts", "o_moe", "of an MoE layer: router, permutation"), s.experts...);
    v(Field("request", "o_req", "of a request, before its prefill"), s.request...);
    v(Field("host_prefill", "host_pre", "eager: host time of a layer in a prefill"),
      s.host_prefill...);
    v(Field("host_decode", "host_dec", "eager: host time of a layer in a decode step"),
      s.host_decode...);
    v(Field("blend", "p_host", "how host and GPU overlap: large = the longer of both")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.blend...);
  }
};

template <class R>
struct EngineElementwise {
  Ratio<R> passes{0}, memory{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("passes", "n_el", "reads and writes of the hidden state in a layer, 2 bytes each")
          .hint(Hint::kRatio),
      s.passes...);
    v(Field("memory", "e_el", "share of the bandwidth").efficiency(), s.memory...);
  }
};

// `small` below `large_from`, then the faster of both; where neither was measured, the link at `share`.
template <class R>
struct EngineAllReduce {
  std::string small, large = "NCCL";
  Bytes<R> large_from{};
  Ratio<R> factor{1}, slow{1}, share{1};
  Count<R> slow_from{0}, slow_ranks{1};
  Seconds<R> wait{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("small", "", "library of small messages; none = that of large ones"), s.small...);
    v(Field("large", "", "library of large messages; link = the link's rate at `share`"),
      s.large...);
    v(Field("large_from", "S_ar", "bytes from which large messages may take the other library"),
      s.large_from...);
    v(Field("factor", "f_ar", "on the library's time").hint(Hint::kRatio).limit(Limit::kPositive),
      s.factor...);
    v(Field("slow", "f_slow", "further factor on long steps").hint(Hint::kRatio), s.slow...);
    v(Field("slow_from", "", "tokens of a step from which it holds").hint(Hint::kLength),
      s.slow_from...);
    v(Field("slow_ranks", "", "and ranks from which it holds").degree(), s.slow_ranks...);
    v(Field("share", "e_ar", "share of the link, where no curve was measured").efficiency(),
      s.share...);
    v(Field("wait", "a_ar", "waiting, where no curve was measured"), s.wait...);
  }
};

enum class ExpertCopies { kPerExpert, kPerDestination };
constexpr auto names(ExpertCopies) { return std::array{"per_expert", "per_destination"}; }

// Low-latency kernels send a token once for each expert, normal ones once for each node (or GPU) that holds any.
template <class R>
struct EngineAllToAll {
  Ratio<R> share{1};
  Seconds<R> fixed{};
  Bytes<R> dispatch{2_B}, combine{2_B};
  ExpertCopies prefill = ExpertCopies::kPerDestination, decode = ExpertCopies::kPerExpert;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("share", "e_a2a", "share of the link's or port's rate")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.share...);
    v(Field("fixed", "t_a2a", "of a dispatch, and of a combine"), s.fixed...);
    v(Field("dispatch", "b_disp", "bytes of a number sent to experts"), s.dispatch...);
    v(Field("combine", "b_comb", "bytes of a number brought back"), s.combine...);
    v(Field("prefill", "", "copies of a token: per_expert | per_destination"), s.prefill...);
    v(Field("decode", "", "copies of a token: per_expert | per_destination"), s.decode...);
  }
};

enum class MemoryBase { kFree, kTotal };
constexpr auto names(MemoryBase) { return std::array{"free", "total"}; }

template <class R>
struct EngineMemory {
  Ratio<R> usable{1}, fraction{1}, held{1}, imbalance{1};
  MemoryBase of = MemoryBase::kFree;
  Bytes<R> reserve{}, reserve_experts{};
  Count<R> block{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("usable", "u_dev", "share of the printed memory that a process gets; of: free")
          .efficiency(),
      s.usable...);
    v(Field("fraction", "u_kv", "share that the engine takes for weights and cache").efficiency(),
      s.fraction...);
    v(Field("of", "", "that share is of what is free beside the weights, or of the total"),
      s.of...);
    v(Field("reserve", "M_res", "activations, workspaces, buffers on each GPU"), s.reserve...);
    v(Field("reserve_experts", "M_moe", "the same of an MoE model, beyond that"),
      s.reserve_experts...);
    v(Field("held", "r_out", "share of the answer that a sequence holds room for at admission")
          .share(),
      s.held...);
    v(Field("block", "T_blk", "tokens of a block of cache").degree(), s.block...);
    v(Field("imbalance", "b_moe", "tokens of the busiest expert GPU over the mean")
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.imbalance...);
  }
};

template <class R>
struct EngineLimits {
  std::optional<Count<R>> batch, chunk;
  bool eager = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("batch", "B_eng", "most sequences that decode together").degree(), s.batch...);
    v(Field("chunk", "C_pre", "most tokens of a prompt in a step; none = whole prompts")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.chunk...);
    v(Field("eager", "", "kernels are launched one by one, not as a graph"), s.eager...);
  }
};

// A constant that a fit may move: its path in the file, and how far.
template <class R>
struct FittedConstant {
  std::string path, weights;
  std::vector<std::string> chips;
  Ratio<R> least{0}, most{0};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("path", "", "gemm.ceiling, overhead.layer, rule.experts (of operands), …").required(),
      s.path...);
    v(Field("weights", "", "of a rule: of which weights; all if not stated"), s.weights...);
    v(Field("chips", "", "a constant of these chips alone"), s.chips...);
    v(Field("least", "", "in SI units").hint(Hint::kRatio), s.least...);
    v(Field("most", "", "in SI units").hint(Hint::kRatio), s.most...);
  }
};

// How good the constants have been, on rows of one kind.
template <class R>
struct EngineRecord {
  std::string what;
  Count<R> rows{0};
  std::optional<Ratio<R>> error, left_out;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("what", "", "throughput, prefill, decode, …").required(), s.what...);
    v(Field("rows", "", "measured rows").count(), s.rows...);
    v(Field("error", "", "mean |predicted/measured − 1| on rows of the fit").hint(Hint::kFraction),
      s.error...);
    v(Field("left_out", "", "the same on a model left out of the fit").hint(Hint::kFraction),
      s.left_out...);
  }
};

template <class R>
struct ServingEngine {
  std::string id, name, comment, base, library, source;
  std::vector<OperandRule<R>> operands;
  EngineGemm<R> gemm;
  EngineAttention<R> attention;
  EngineOverhead<R> overhead;
  EngineElementwise<R> elementwise;
  EngineAllReduce<R> all_reduce;
  EngineAllToAll<R> all_to_all;
  EngineMemory<R> memory;
  EngineLimits<R> limits;
  doc::Value chips;
  std::vector<FittedConstant<R>> fitted;
  std::vector<EngineRecord<R>> record;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("base", "", "an engine whose constants hold where this file says nothing"), s.base...);
    v(Field("library", "", "whose kernels of hardware/kernels; none = the peak itself"),
      s.library...);
    v(Field("operands", "", "which kernel multiplies weights of which format; the first that fits"),
      s.operands...);
    v(Field("gemm", "", "matrix products"), s.gemm...);
    v(Field("attention", "", "attention"), s.attention...);
    v(Field("overhead", "", "what no kernel's time holds"), s.overhead...);
    v(Field("elementwise", "", "norms, residual sums, activations"), s.elementwise...);
    v(Field("all_reduce", "", "between tensor ranks"), s.all_reduce...);
    v(Field("all_to_all", "", "tokens to experts and back"), s.all_to_all...);
    v(Field("memory", "", "what the cache gets"), s.memory...);
    v(Field("limits", "", "the engine's own"), s.limits...);
    v(Field("chips", "", "constants that differ by chip, and {kernels: CHIP} that stand in"),
      s.chips...);
    v(Field("fitted", "", "constants that `reckon validate serving --leave-out` fits anew"),
      s.fitted...);
    v(Field("record", "", "how good the constants have been"), s.record...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
