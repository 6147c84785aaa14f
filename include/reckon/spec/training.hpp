// A training plan: model, cluster, how the work is split, batch, precision, optimizer, run.
//
//   kind: training
//   model: llama-3-70b
//   cluster: 64xh100-sxm
//   mesh: {tensor: 8}
//   sharding: {zero: 1}
//   batch: {global: 128, micro: 1, sequence: 8192}
//   assume: {preset: textbook, train.mfu: 40%}
//   run: {tokens: 1.4T}
//
// This is the plan after names have been looked up and shorthands written out (engine/load.hpp);
// the degrees have been checked to multiply and divide (engine/legal.hpp). Sequence lengths are in
// tokens, batches in sequences.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reckon/schedule/kind.hpp"
#include "reckon/spec/assume.hpp"
#include "reckon/spec/hardware.hpp"
#include "reckon/spec/law.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/recompute.hpp"
#include "reckon/spec/stack.hpp"

namespace reckon {

// The axes that are laid over the GPUs; expert parallelism splits context and data ranks.
enum class MeshAxis { kTensor, kContext, kData, kPipeline };
constexpr auto names(MeshAxis) { return std::array{"tensor", "context", "data", "pipeline"}; }

// How context ranks come by each other's keys and values: passed around a ring, gathered whole
// before the attention, or heads exchanged for tokens by all-to-alls (DeepSpeed-Ulysses).
enum class ContextBy { kRing, kAllGather, kUlysses };
constexpr auto names(ContextBy) { return std::array{"ring", "all_gather", "ulysses"}; }

// GPUs = data · tensor · context · pipeline. Expert parallelism splits the data and context ranks.
template <class R>
struct Mesh {
  std::optional<Count<R>> data;
  Count<R> tensor{1}, context{1}, pipeline{1}, expert{1};
  std::optional<Count<R>> expert_tensor;
  bool sequence = false;
  ContextBy context_by = ContextBy::kRing;
  std::vector<MeshAxis> order;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("data", "D", "data parallel; the GPUs that are left if not stated").degree(),
      s.data...);
    v(Field("tensor", "t", "tensor parallel").degree(), s.tensor...);
    v(Field("sequence", "", "sequence parallel regions between the tensor-parallel ones"),
      s.sequence...);
    v(Field("context", "c", "context parallel: ranks that share a sequence").degree(),
      s.context...);
    v(Field("context_by", "",
            "ring (keys and values go around) | all_gather (of keys and values) | ulysses (heads "
            "against tokens)"),
      s.context_by...);
    v(Field("pipeline", "p", "pipeline stages").degree(), s.pipeline...);
    v(Field("expert", "e", "expert parallel, over the data and context ranks").degree(),
      s.expert...);
    v(Field("expert_tensor", "t_e",
            "tensor ranks that share an expert: tensor, or 1 (its ranks then hold experts apart)")
          .degree(),
      s.expert_tensor...);
    v(Field("order", "",
            "the axes from neighbouring ranks outwards; [tensor, context, data, pipeline] if not "
            "stated"),
      s.order...);
  }
};

enum class Within { kAll, kNode };
constexpr auto names(Within) { return std::array{"all", "node"}; }

template <class R>
struct Sharding {
  Count<R> zero{0};
  Within within = Within::kAll;
  std::optional<Count<R>> ranks;
  std::optional<Bytes<R>> bucket;
  bool reshard = true;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("zero", "z", "0 DDP, 1 optimizer, 2 + gradients, 3 + weights (FSDP)").count(),
      s.zero...);
    v(Field("within", "", "all data ranks, or the node (HSDP: replicated across nodes)"),
      s.within...);
    v(Field("ranks", "n_shard", "data ranks that share the states (HSDP), in place of within")
          .degree(),
      s.ranks...);
    v(Field("bucket", "S_bucket",
            "DDP: gradients are reduced in pieces of so much; in one piece if not stated")
          .limit(Limit::kPositive),
      s.bucket...);
    v(Field("reshard", "",
            "ZeRO-3: free the weights after the forward pass, and gather them again; no: keep them "
            "for the backward pass"),
      s.reshard...);
  }
};

// The kinds: schedule/kind.hpp.
template <class R>
struct Schedule {
  ScheduleKind kind = ScheduleKind::k1f1b;
  Count<R> chunks{1};
  std::optional<Count<R>> first, last;
  bool played = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("kind", "",
            "1f1b | gpipe | interleaved | breadth-first | zb-h1 | zb-h2 | zb-v | dualpipe | "
            "dualpipe-v"),
      s.kind...);
    v(Field("chunks", "v", "model chunks of a stage (interleaved, breadth-first)").degree(),
      s.chunks...);
    v(Field("first", "L_first", "layers of the first stage, where it holds another number").count(),
      s.first...);
    v(Field("last", "L_last", "layers of the last stage, where it holds another number").count(),
      s.last...);
    v(Field(
          "played", "",
          "play out schedules that have a closed form too: stages as uneven as they are, transfers "
          "where they fall"),
      s.played...);
  }
};

// Either {global, micro, sequence} or {tokens_per_gpu}, the tokens of a step over all GPUs.
template <class R>
struct Batch {
  std::optional<Count<R>> global, micro, sequence, tokens_per_gpu, micro_batches;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("global", "B", "sequences of one step").degree(), s.global...);
    v(Field("micro", "b", "sequences of one micro-batch").degree(), s.micro...);
    v(Field("sequence", "s", "tokens of a sequence").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.sequence...);
    v(Field("tokens_per_gpu", "T_gpu", "tokens of one step over GPUs")
          .hint(Hint::kLength)
          .limit(Limit::kPositive),
      s.tokens_per_gpu...);
    v(Field("micro_batches", "n", "with tokens_per_gpu: micro-batches of one step").degree(),
      s.micro_batches...);
  }
};

enum class Offload { kNone, kOptimizer };
constexpr auto names(Offload) { return std::array{"none", "optimizer"}; }

// What else lies in the host's memory; `offload: [optimizer, activations]` is short for it.
template <class R>
struct Offloaded {
  Ratio<R> activations{};
  bool weights = false, gradients = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("activations", "x_off", "share of what layers keep that is copied to the host and back")
          .share(),
      s.activations...);
    v(Field("weights", "", "ZeRO-3: shards of the weights, fetched before every gather"),
      s.weights...);
    v(Field("gradients", "", "shards of the gradients, sent down after every reduction"),
      s.gradients...);
  }
};

// Matrices that adapters can be attached to.
enum class Target { kQ, kK, kV, kO, kGate, kUp, kDown };
constexpr auto names(Target) { return std::array{"q", "k", "v", "o", "gate", "up", "down"}; }

// LoRA: two thin matrices beside each target; the base weights stay frozen, in any format.
template <class R>
struct Adapters {
  Count<R> rank{16};
  std::vector<Target> targets{Target::kQ, Target::kK, Target::kV, Target::kO};
  std::optional<Stored<R>> base;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("rank", "r", "inner width of an adapter").required().degree(), s.rank...);
    v(Field("targets", "", "matrices that get one: q, k, v, o, gate, up, down"), s.targets...);
    v(Field("base", "w_0", "format of the frozen weights; the recipe's if not stated").by_name(),
      s.base...);
  }
};

template <class R>
struct Trainable {
  std::optional<Adapters<R>> adapters;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("adapters", "", "train adapters only (LoRA, QLoRA)"), s.adapters...);
  }
};

template <class R>
struct MemoryLimits {
  Ratio<R> tight, error{0};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tight", "", "headroom below this share of the capacity is called tight")
          .supplied()
          .share(),
      s.tight...);
    v(Field("error", "",
            "what a total is wrong by, as a share of it: as far over the capacity, it may not fit")
          .share(),
      s.error...);
  }
};

// Saving the states so that a failure costs no more than the time since: what is saved follows from
// the plan's states, how often from how long it takes and how often the cluster fails.
template <class R>
struct Checkpoint {
  std::optional<ByteRate<R>> write_bandwidth;
  std::optional<Seconds<R>> interval, stall;
  bool async = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("write_bandwidth", "W_ckpt", "of the storage, all GPUs together")
          .required()
          .limit(Limit::kPositive),
      s.write_bandwidth...);
    v(Field("interval", "t_int", "training time between two; the best one if not stated")
          .limit(Limit::kPositive),
      s.interval...);
    v(Field("async", "", "the GPUs only copy to host memory; writing goes on beside training"),
      s.async...);
    v(Field("stall", "t_stall", "that training waits, in place of what follows from the bytes")
          .limit(Limit::kPositive),
      s.stall...);
  }
};

template <class R>
struct Run {
  std::optional<Count<R>> tokens;
  std::optional<Price<R>> price;
  std::optional<Watts<R>> power;
  std::optional<Ratio<R>> target_loss;
  std::string as_of;
  std::optional<Seconds<R>> mtbf_per_gpu;
  std::optional<Checkpoint<R>> checkpoint;
  Seconds<R> restart{};
  Ratio<R> evaluation{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tokens", "T_run", "tokens of the whole run")
          .hint(Hint::kTokens)
          .limit(Limit::kPositive),
      s.tokens...);
    v(Field("price", "c_gpu", "of one GPU for an hour").hint(Hint::kUsdPerHour), s.price...);
    v(Field("power", "P_w", "of one GPU, in place of the chip's board limit")
          .limit(Limit::kPositive),
      s.power...);
    v(Field("target_loss", "L", "nats a token, in place of what `law` says of size and tokens")
          .hint(Hint::kRatio)
          .limit(Limit::kPositive),
      s.target_loss...);
    v(Field("as_of", "", "date of the price"), s.as_of...);
    v(Field(
          "mtbf_per_gpu", "M_gpu",
          "mean time between failures of one GPU and what belongs to it; without it the run never "
          "fails")
          .limit(Limit::kPositive),
      s.mtbf_per_gpu...);
    v(Field("checkpoint", "", "how the states are saved; needed with mtbf_per_gpu"),
      s.checkpoint...);
    v(Field("restart", "t_restart", "from a failure until training goes on: detection, loading"),
      s.restart...);
    v(Field("evaluation", "x_eval", "share of the elapsed time that evaluation takes").share(),
      s.evaluation...);
  }
};

template <class R>
struct TrainingPlan {
  std::string name, comment;
  Model<R> model;
  Cluster<R> cluster;
  Mesh<R> mesh;
  Sharding<R> sharding;
  Schedule<R> schedule;
  Batch<R> batch;
  Precision<R> precision;
  Optimizer<R> optimizer;
  Recompute recompute = Recompute::kNone;
  std::vector<RecomputeModule> recompute_modules;
  std::optional<Count<R>> recompute_every;
  Offload offload = Offload::kNone;
  Offloaded<R> offloaded;
  Trainable<R> trainable;
  MemoryLimits<R> memory;
  Assume<R> assume;
  std::optional<Stack<R>> stack;
  Run<R> run;
  Law<R> law, batch_law;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a file in models/, a path, or a model written out").by_name().required(),
      s.model...);
    v(Field("cluster", "", "64xh100-sxm, a file in hardware/clusters, or {node, nodes}")
          .by_name()
          .required(),
      s.cluster...);
    v(Field("mesh", "", "degrees of parallelism"), s.mesh...);
    v(Field("sharding", "", "what the data ranks share (ZeRO, FSDP, HSDP)").or_word(),
      s.sharding...);
    v(Field("schedule", "", "order of the pipeline's micro-batches"), s.schedule...);
    v(Field("batch", "", "of one optimizer step").required(), s.batch...);
    v(Field("precision", "", "a file in formats/recipes").by_name().supplied(), s.precision...);
    v(Field("optimizer", "", "a file in optimizers/").by_name().supplied(), s.optimizer...);
    v(Field("recompute", "",
            "none | selective (the attention core) | norms (and activation functions) | "
            "operators (every second) | full (layer inputs kept) | {modules: [layernorm, …]}")
          .supplied(),
      s.recompute...);
    v(Field(
          "recompute_modules", "",
          "what recompute: {modules: […]} names: core_attn, layernorm, mla_up_proj, mlp, mlp_act, "
          "moe, moe_act, shared_experts"),
      s.recompute_modules...);
    v(Field("recompute_every", "k_ckpt",
            "recompute: full: layers between two inputs that are kept; 1 if not stated")
          .degree(),
      s.recompute_every...);
    v(Field("offload", "",
            "none | optimizer (states in the host's memory) | [optimizer, activations, weights, "
            "gradients]")
          .supplied(),
      s.offload...);
    v(Field("offloaded", "", "what else offload: […] puts there"), s.offloaded...);
    v(Field("trainable", "", "all, or adapters").or_word(), s.trainable...);
    v(Field("memory", "", "when to call a fit tight").supplied(), s.memory...);
    v(Field("assume", "", "conventions and efficiencies").by_name().supplied(), s.assume...);
    v(Field("stack", "", "software whose kernels are priced: a file in hardware/stacks").by_name(),
      s.stack...);
    v(Field("run", "", "length and price of the run"), s.run...);
    v(Field("law", "", "a file in laws/: the loss that the run will reach").by_name().supplied(),
      s.law...);
    v(Field("batch_law", "", "a file in laws/: the critical batch at that loss")
          .by_name()
          .supplied(),
      s.batch_law...);
  }
};

}  // namespace reckon
