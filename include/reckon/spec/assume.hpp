// `assume:`: what is counted (conventions) and how well it runs (efficiencies). Nothing is assumed
// in silence: every key has a value from a preset file, each can be overridden in a plan, and the
// result lists all.
//
//   assume: textbook                                        # the preset alone
//   assume: {preset: textbook, train.mfu: 40%, ring_factor: drop}
//
// presets/textbook.yaml reproduces back-of-the-envelope examples; presets/physical.yaml counts what
// a machine does. Shares are of 1.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"
#include "reckon/units/quantity.hpp"

namespace reckon {

// Which FLOPs a training step is said to have.
enum class FlopCount { k6n, kFull, kCausal, kHfu };
constexpr auto names(FlopCount) { return std::array{"6n", "full", "causal", "hfu"}; }

enum class RingFactor { kKeep, kDrop };
constexpr auto names(RingFactor) { return std::array{"keep", "drop"}; }

enum class RingAcross { kOneNic, kAllNics };
constexpr auto names(RingAcross) { return std::array{"one_nic", "all_nics"}; }

enum class ActivationCount { kTextbook, kAutograd, kMegatron, kMegatron34, kMegatron34Swiglu };
constexpr auto names(ActivationCount) {
  return std::array{"textbook", "autograd", "megatron", "megatron_34", "megatron_34_swiglu"};
}

// What a gated MLP keeps of its gate: fused kernels recompute the SiLU, x·sigmoid(x) written by hand
// keeps the sigmoid too.
enum class Swiglu { kFused, kPlain, kHandWritten };
constexpr auto names(Swiglu) { return std::array{"fused", "plain", "hand_written"}; }

// Whether keys and values count as wide as they are or as wide as queries.
enum class GroupedQueries { kOfAccounting, kRespected, kIgnored };
constexpr auto names(GroupedQueries) { return std::array{"of_accounting", "respected", "ignored"}; }

enum class Rope { kInPlace, kOutOfPlace };
constexpr auto names(Rope) { return std::array{"in_place", "out_of_place"}; }

enum class AttentionKernel { kFlash, kUnfused };
constexpr auto names(AttentionKernel) { return std::array{"flash", "unfused"}; }

enum class CapacityCount { kPrinted, kUsable };
constexpr auto names(CapacityCount) { return std::array{"printed", "usable"}; }

enum class Dispatch { kPerExpert, kPerGpu };
constexpr auto names(Dispatch) { return std::array{"per_expert", "per_gpu"}; }

enum class RecomputeCount { kAdded, kInMfu };
constexpr auto names(RecomputeCount) { return std::array{"added", "in_mfu"}; }

enum class StageBalance { kEven, kByFlops };
constexpr auto names(StageBalance) { return std::array{"even", "by_flops"}; }

// Whose matrices a prefill's FLOPs count: those a token multiplies with, all parameters, or none of
// the tables.
enum class PrefillCount { kMatmul, kAll, kBody };
constexpr auto names(PrefillCount) { return std::array{"matmul", "all", "body"}; }

enum class AttentionCount { kCausal, kFull, kNone };
constexpr auto names(AttentionCount) { return std::array{"causal", "full", "none"}; }

enum class HeadPositions { kAll, kLast };
constexpr auto names(HeadPositions) { return std::array{"all", "last"}; }

// What a decode step reads of the weights: all that are stored; all but the input table, of which it
// looks up a row a token; or the matrices a token multiplies with, without norms and biases too.
enum class WeightsRead { kAll, kNoInputTable, kMatmul };
constexpr auto names(WeightsRead) { return std::array{"all", "no_input_table", "matmul"}; }

enum class DecodeCompute { kHidden, kAdded };
constexpr auto names(DecodeCompute) { return std::array{"hidden", "added"}; }

// What of a tensor group's all-reduces a decode step takes: nothing (quoted apart), their waiting,
// or waiting and bytes.
enum class DecodeReduces { kApart, kWaiting, kAdded };
constexpr auto names(DecodeReduces) { return std::array{"apart", "waiting", "added"}; }

// The cache where tensor ranks outnumber KV heads: each head's whole cache on several ranks, or the
// sequences dealt out among the ranks that share a head.
enum class SharedHeads { kReplicated, kByBatch };
constexpr auto names(SharedHeads) { return std::array{"replicated", "by_batch"}; }

// Layers with a window: the cache stops growing there (exact), or the engine keeps every token (full).
enum class CachedWindows { kExact, kFull };
constexpr auto names(CachedWindows) { return std::array{"exact", "full"}; }

template <class R>
struct PrefillAssume {
  std::optional<Ratio<R>> mfu;
  PrefillCount params = PrefillCount::kMatmul;
  AttentionCount attention = AttentionCount::kCausal;
  HeadPositions head = HeadPositions::kAll;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("mfu", "MFU_pre", "of a prefill's compute").efficiency(), s.mfu...);
    v(Field("params", "", "2 FLOPs a token for each of: matmul | all | body (no tables)")
          .supplied(),
      s.params...);
    v(Field("attention", "", "causal | full (all pairs) | none").supplied(), s.attention...);
    v(Field("head", "", "the output head runs on all positions or the last (params: matmul)")
          .supplied(),
      s.head...);
  }
};

template <class R>
struct DecodeAssume {
  Ratio<R> mfu{1};
  PrefillCount params = PrefillCount::kMatmul;
  WeightsRead reads = WeightsRead::kAll;
  DecodeCompute compute = DecodeCompute::kHidden;
  DecodeReduces all_reduces = DecodeReduces::kApart;
  SharedHeads shared_heads = SharedHeads::kReplicated;
  Ratio<R> reserved{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("mfu", "MFU_dec", "of a decode step's compute").supplied().efficiency(), s.mfu...);
    v(Field("params", "", "2 FLOPs a token for each of: matmul | all | body (no tables)")
          .supplied(),
      s.params...);
    v(Field("reads", "", "weights a step reads: all | no_input_table | matmul").supplied(),
      s.reads...);
    v(Field("compute", "", "hidden behind the reads, or added to them").supplied(), s.compute...);
    v(Field("all_reduces", "",
            "of tensor ranks: quoted apart, their waiting alone, or waiting and bytes added")
          .supplied(),
      s.all_reduces...);
    v(Field("shared_heads", "",
            "cache where ranks outnumber KV heads: replicated, or split by_batch")
          .supplied(),
      s.shared_heads...);
    v(Field("reserved", "r_out", "share of the answer's tokens that a sequence holds room for")
          .supplied()
          .share(),
      s.reserved...);
  }
};

template <class R>
struct ChunkAssume {
  Ratio<R> mfu{1};
  AttentionCount attention = AttentionCount::kNone;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("mfu", "MFU_chunk", "of a chunk of prefill that rides along a decode step")
          .supplied()
          .efficiency(),
      s.mfu...);
    v(Field("attention", "", "of a chunk's tokens to their prompt: none | causal | full")
          .supplied(),
      s.attention...);
  }
};

template <class R>
struct PoolsAssume {
  Ratio<R> prefill{1}, decode{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prefill", "u_pre", "share of its time that a prefill pool is given work for")
          .supplied()
          .efficiency(),
      s.prefill...);
    v(Field("decode", "u_dec", "share of its batch that a decode pool keeps filled")
          .supplied()
          .efficiency(),
      s.decode...);
  }
};

template <class R>
struct TrainEfficiency {
  std::optional<Ratio<R>> mfu;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("mfu", "MFU",
            "of compute alone: bubble and exposed communication come on top; counts `flops`")
          .efficiency(),
      s.mfu...);
  }
};

// The share of each kind of communication that may hide behind compute.
template <class R>
struct Overlap {
  Ratio<R> data{}, tensor{}, context{}, expert{}, pipeline{}, host{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("data", "o_data", "gradients and gathered weights").supplied().share(), s.data...);
    v(Field("tensor", "o_tensor", "activations between tensor ranks").supplied().share(),
      s.tensor...);
    v(Field("context", "o_context", "keys and values of ring attention").supplied().share(),
      s.context...);
    v(Field("expert", "o_expert", "dispatch and combine").supplied().share(), s.expert...);
    v(Field("pipeline", "o_pipeline", "activations between stages").supplied().share(),
      s.pipeline...);
    v(Field("host", "o_host", "copies to the host's memory and back (offloading)")
          .supplied()
          .share(),
      s.host...);
  }
};

template <class R>
struct LinkEfficiency {
  Ratio<R> link{1}, network{1}, all_to_all{1}, memory{1}, host{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("link", "e_link", "share of the scale-up link's rate").supplied().efficiency(),
      s.link...);
    v(Field("network", "e_net", "share of the network's rate").supplied().efficiency(),
      s.network...);
    v(Field("all_to_all", "e_a2a", "share of those that an all-to-all reaches")
          .supplied()
          .efficiency(),
      s.all_to_all...);
    v(Field("memory", "e_m", "share of the memory bandwidth").supplied().efficiency(), s.memory...);
    v(Field("host", "e_host", "share of the host link's rate").supplied().efficiency(), s.host...);
  }
};

// A ring of q ranks in N nodes waits base + passes·((q − N)·node_hop + (N − 1)·network_hop).
template <class R>
struct Latency {
  Seconds<R> base{}, node_hop{}, network_hop{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("base", "a_0", "of every collective").supplied(), s.base...);
    v(Field("node_hop", "a_node", "a step inside a node").supplied(), s.node_hop...);
    v(Field("network_hop", "a_net", "a step between nodes").supplied(), s.network_hop...);
  }
};

template <class R>
struct Reserve {
  Bytes<R> fixed{}, communicator{};
  Ratio<R> share{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("fixed", "M_ctx", "context, libraries").supplied(), s.fixed...);
    v(Field("communicator", "M_nccl", "buffers of each group of ranks that communicates")
          .supplied(),
      s.communicator...);
    v(Field("share", "r_frag", "of everything else, lost to the allocator").supplied().share(),
      s.share...);
  }
};

// Recompute of every second operator.
template <class R>
struct OperatorRecompute {
  Ratio<R> work{1}, kept{1};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("work", "r_again", "share of the forward pass that runs again").supplied().share(),
      s.work...);
    v(Field("kept", "r_kept", "share of all tensors and the layer's input that is kept")
          .supplied()
          .share(),
      s.kept...);
  }
};

template <class R>
struct Assume {
  std::string preset, source;
  TrainEfficiency<R> train;
  FlopCount flops = FlopCount::k6n;
  Overlap<R> overlap;
  LinkEfficiency<R> efficiency;
  Latency<R> latency;
  RingFactor ring_factor = RingFactor::kKeep;
  RingAcross ring_across = RingAcross::kOneNic;
  Dispatch dispatch = Dispatch::kPerExpert;
  StageBalance stages = StageBalance::kEven;
  RecomputeCount recompute = RecomputeCount::kAdded;
  ActivationCount activations = ActivationCount::kTextbook;
  AttentionKernel attention = AttentionKernel::kFlash;
  Swiglu swiglu = Swiglu::kFused;
  bool dropout = false;
  Bytes<R> logits{};
  Count<R> gathered_layers{0}, loss_chunks{1};
  Ratio<R> expert_capacity{1};
  Ratio<R> live_layers{1};
  OperatorRecompute<R> operators;
  CapacityCount capacity = CapacityCount::kPrinted;
  Reserve<R> reserve;
  Ratio<R> power{1}, pue{1};
  PrefillAssume<R> prefill;
  DecodeAssume<R> decode;
  ChunkAssume<R> chunk;
  GroupedQueries gqa = GroupedQueries::kOfAccounting;
  Rope rope = Rope::kInPlace;
  bool fused_norm = true, softmax_statistics = true;
  PoolsAssume<R> pools;
  CachedWindows windows = CachedWindows::kExact;
  Bytes<R> state{4_B};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("preset", "", "a file in presets/"), s.preset...);
    v(Field("train", "", "efficiency of training compute"), s.train...);
    v(Field("flops", "", "which FLOPs MFU refers to: 6n | full | causal | hfu").supplied(),
      s.flops...);
    v(Field("overlap", "", "share of communication that hides behind compute").supplied(),
      s.overlap...);
    v(Field("efficiency", "", "share of line rates that is reached").supplied(), s.efficiency...);
    v(Field("latency", "", "waiting before the first byte").supplied(), s.latency...);
    v(Field("ring_factor", "", "keep or drop (p − 1)/p").supplied(), s.ring_factor...);
    v(Field("ring_across", "", "a ring between nodes uses one_nic, or all_nics of its ranks")
          .supplied(),
      s.ring_across...);
    v(Field("dispatch", "", "copies of a token sent: per_expert | per_gpu").supplied(),
      s.dispatch...);
    v(Field("stages", "", "pipeline stages take equal time (even) or time by_flops").supplied(),
      s.stages...);
    v(Field("recompute", "",
            "its time is added, at the same MFU, or in_mfu: the stated MFU has paid for it")
          .supplied(),
      s.recompute...);
    v(Field("activations", "",
            "which tensors count: textbook (10h + 4f) | autograd | megatron | megatron_34 (34 B, "
            "whatever the model) | megatron_34_swiglu")
          .supplied(),
      s.activations...);
    v(Field("attention", "", "flash | unfused (keeps the score matrices)").supplied(),
      s.attention...);
    v(Field(
          "swiglu", "",
          "the gate's SiLU: fused (autograd: recomputed) | plain | hand_written (its sigmoid too)")
          .supplied(),
      s.swiglu...);
    v(Field("dropout", "", "dropout masks are kept").supplied(), s.dropout...);
    v(Field("logits", "b_logit", "bytes kept per logit of a micro-batch").supplied(), s.logits...);
    v(Field("loss_chunks", "n_loss", "pieces that a micro-batch's logits and loss are made in")
          .supplied()
          .degree(),
      s.loss_chunks...);
    v(Field("expert_capacity", "x_cap",
            "room for routed tokens over their number (capacity factor); 1 = balanced, no padding")
          .supplied()
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.expert_capacity...);
    v(Field("gathered_layers", "n_gat", "layers whose weights ZeRO-3 holds whole")
          .supplied()
          .count(),
      s.gathered_layers...);
    v(Field("live_layers", "n_live",
            "layers' worth of activations alive while one is recomputed (full recompute)")
          .supplied()
          .hint(Hint::kRatio),
      s.live_layers...);
    v(Field("operators", "", "recompute: operators").supplied(), s.operators...);
    v(Field("capacity", "", "printed | usable").supplied(), s.capacity...);
    v(Field("reserve", "", "memory that is not the plan's").supplied(), s.reserve...);
    v(Field("power", "u_w", "mean draw as a share of the board limit").supplied().efficiency(),
      s.power...);
    v(Field("pue", "PUE", "power of the building over power of the boards")
          .supplied()
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.pue...);
    v(Field("prefill", "", "what a prefill counts, and how well it runs").supplied(), s.prefill...);
    v(Field("decode", "", "what a decode step counts, and how well it runs").supplied(),
      s.decode...);
    v(Field("chunk", "", "chunked prefill").supplied(), s.chunk...);
    v(Field(
          "gqa", "",
          "keys and values kept: respected (as wide as they are) | ignored (as wide as queries) | "
          "of_accounting (textbook ignores, autograd and megatron respect)")
          .supplied(),
      s.gqa...);
    v(Field("rope", "", "textbook: positions are added in_place | out_of_place (a copy of q and k)")
          .supplied(),
      s.rope...);
    v(Field("softmax_statistics", "",
            "flash attention keeps a number a head and token (autograd, megatron)")
          .supplied(),
      s.softmax_statistics...);
    v(Field("fused_norm", "", "no: a norm keeps its input in fp32, too").supplied(),
      s.fused_norm...);
    v(Field("pools", "", "prefill and decode on GPUs of their own").supplied(), s.pools...);
    v(Field("windows", "",
            "cache of layers with a window: exact (stops growing there) | full (keeps every token)")
          .supplied(),
      s.windows...);
    v(Field("state", "b_state", "bytes of an element of a recurrent mixer's state").supplied(),
      s.state...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
