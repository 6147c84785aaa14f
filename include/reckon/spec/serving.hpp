// kind: serving. A model on GPUs under an engine and a load: does it fit, how fast, how many users, what it costs.
//
//   kind: serving
//   model: llama-3-70b
//   cluster: 8xh100-sxm
//   engine: trtllm-1
//   weights: fp8-e4m3
//   cache: fp8-e4m3
//   tensor: 4                                    # two replicas
//   prompt: 2048
//   output: 512
//   rate: 4 requests/s
//   tpot: 40 ms
//   price: 2.50 USD/h
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/spec/kernels.hpp"
#include "reckon/spec/questions/serving.hpp"
#include "reckon/spec/questions/traffic.hpp"
#include "reckon/spec/serving_engine.hpp"

namespace reckon {

// GPUs of a replica = tensor · data · pipeline, and · context in a pool that only prefills. With data > 1 attention is
// data-parallel and the experts lie on all of them.
template <class R>
struct ServingMesh {
  Count<R> tensor{1}, data{1}, pipeline{1}, context{1};
  std::optional<Count<R>> expert, replicas;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tensor", "t", "GPUs that share every matrix").degree(), s.tensor...);
    v(Field("data", "d", "attention-data-parallel ranks: each keeps its own sequences").degree(),
      s.data...);
    v(Field("pipeline", "p", "stages").degree(), s.pipeline...);
    v(Field("context", "c", "prefill pools: GPUs that share the tokens of a prompt").degree(),
      s.context...);
    v(Field("expert", "ep", "GPUs that the experts are spread over; tensor · data if data > 1")
          .degree(),
      s.expert...);
    v(Field("replicas", "R", "copies of the model; as many as the cluster holds if not stated")
          .degree(),
      s.replicas...);
  }
};

enum class LaunchWord { kGraph, kEager };
constexpr auto names(LaunchWord) { return std::array{"graph", "eager"}; }

// What a plan states of its engine; the engine's own where it says nothing.
template <class R>
struct EngineSettings {
  std::optional<Ratio<R>> fraction, held, imbalance;
  std::optional<MemoryBase> of;
  std::optional<Bytes<R>> reserve;
  std::optional<Count<R>> block, batch, chunk;
  std::optional<LaunchWord> launch;
  std::string all_reduce;
  std::optional<PromptSteps> prompts;
  std::optional<CacheReserve> admission;
  Preempted preempted = Preempted::kRecompute;
  std::optional<Seconds<R>> swap;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("fraction", "u_kv", "share of the memory for weights and cache").efficiency(),
      s.fraction...);
    v(Field("of", "", "that share is of free or of total memory"), s.of...);
    v(Field("reserve", "M_res", "activations, workspaces, buffers on each GPU"), s.reserve...);
    v(Field("held", "r_out", "share of the answer that a sequence holds room for").share(),
      s.held...);
    v(Field("block", "T_blk", "tokens of a block of cache").degree(), s.block...);
    v(Field("batch", "B_eng", "most sequences that decode together, on each data rank").degree(),
      s.batch...);
    v(Field("chunk", "C_pre", "most tokens of a prompt in a step")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.chunk...);
    v(Field("launch", "", "graph | eager"), s.launch...);
    v(Field("all_reduce", "", "library of small all-reduces: none = NCCL alone"), s.all_reduce...);
    v(Field("imbalance", "b_moe", "tokens of the busiest expert GPU over the mean")
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.imbalance...);
    v(Field("prompts", "",
            "shared: a chunk takes from several prompts (where a chunk is known) | alone: from one "
            "| first: whole prompts, in steps that decode nothing (where none is)"),
      s.prompts...);
    v(Field("admission", "",
            "simulated: longest: cache for the whole answer | on_demand: block by block; by held: "
            "if not stated"),
      s.admission...);
    v(Field("preempted", "", "recompute | swap: what becomes of a cache that must make room"),
      s.preempted...);
    v(Field("swap", "t_swap", "to move a cached token out, or back"), s.swap...);
  }
};

template <class R>
struct Workload {
  std::optional<Count<R>> prompt, output, batch, concurrency;
  std::optional<Frequency<R>> rate;
  Ratio<R> hit{0};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prompt", "T", "tokens of a prompt").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.prompt...);
    v(Field("output", "T_out", "tokens of an answer").hint(Hint::kLength).limit(Limit::kAtLeastOne),
      s.output...);
    v(Field("hit", "z", "share of a prompt that is cached already").share(), s.hit...);
    v(Field("batch", "b", "a static batch: so many prompts, then their answers").degree(),
      s.batch...);
    v(Field("concurrency", "c", "requests in flight, of all replicas").degree(), s.concurrency...);
    v(Field("rate", "rate", "requests that arrive, of all replicas")
          .hint(Hint::kRequestRate)
          .limit(Limit::kPositive),
      s.rate...);
  }
};

template <class R>
struct ServingTargets {
  std::optional<Seconds<R>> ttft, tpot;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("ttft", "TTFT_max", "longest time to the first token").limit(Limit::kPositive),
      s.ttft...);
    v(Field("tpot", "TPOT_max", "longest time per token after the first").limit(Limit::kPositive),
      s.tpot...);
  }
};

// Tokens drafted, then verified in one step.
template <class R>
struct Speculative {
  Count<R> tokens{1};
  std::optional<Ratio<R>> accepted, acceptance;
  Ratio<R> draft{0};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("tokens", "v", "drafted before each step").degree(), s.tokens...);
    v(Field("accepted", "a", "tokens that a step yields, measured")
          .hint(Hint::kRatio)
          .limit(Limit::kAtLeastOne),
      s.accepted...);
    v(Field("acceptance", "alpha", "probability that a drafted token is accepted").share(),
      s.acceptance...);
    v(Field("draft", "l_d", "time of drafting one token, as a share of a step").share(),
      s.draft...);
  }
};

// The constants of the kernels a plan runs, filled in from hardware/kernels.
template <class R>
struct ServingKernels {
  std::optional<GemmKernel<R>> attention, mlp, experts, head;
  OperandRule<R> attention_rule, mlp_rule, experts_rule, head_rule;
  std::optional<CollectiveCurve<R>> small, large;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("attention", "", "of attention's matrices"), s.attention...);
    v(Field("mlp", "", "of dense MLPs and shared experts"), s.mlp...);
    v(Field("experts", "", "of routed experts"), s.experts...);
    v(Field("head", "", "of the output head"), s.head...);
    v(Field("attention_rule", "", "the engine's rule for them"), s.attention_rule...);
    v(Field("mlp_rule", "", "the engine's rule for them"), s.mlp_rule...);
    v(Field("experts_rule", "", "the engine's rule for them"), s.experts_rule...);
    v(Field("head_rule", "", "the engine's rule for it"), s.head_rule...);
    v(Field("small", "", "all-reduces of small messages"), s.small...);
    v(Field("large", "", "all-reduces of large messages"), s.large...);
  }
};

// A pool of its own for prompts; what it does not state is the plan's.
template <class R>
struct PrefillPool {
  std::optional<Cluster<R>> cluster;
  ServingMesh<R> mesh;
  Count<R> batch{1};
  std::optional<ServingKernels<R>> kernels;
  std::optional<ServingEngine<R>> engine;
  std::optional<Count<R>> workers, decode_workers;
  std::optional<ByteRate<R>> link;
  bool layerwise = false;
  std::optional<Price<R>> price;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("cluster", "", "its GPUs; the plan's if not stated").by_name(), s.cluster...);
    ServingMesh<R>::fields(v, s.mesh...);
    v(Field("batch", "b_pre", "prompts computed together, on each data rank").degree(), s.batch...);
    v(Field("workers", "x", "prefill workers; as many as the rate needs if not stated").degree(),
      s.workers...);
    v(Field("decode_workers", "y", "decode workers; as many as the rate needs if not stated")
          .degree(),
      s.decode_workers...);
    v(Field("link", "W_move", "of one GPU for the cache that moves; its network port if not stated")
          .limit(Limit::kPositive),
      s.link...);
    v(Field("layerwise", "", "the cache is sent layer by layer while the prompt is computed"),
      s.layerwise...);
    v(Field("price", "price_pre", "of one of its GPUs; the plan's if not stated")
          .hint(Hint::kUsdPerHour)
          .limit(Limit::kPositive),
      s.price...);
    v(Field("kernels", "", "filled in from hardware/kernels"), s.kernels...);
    v(Field("engine", "", "the plan's, as it is on these chips"), s.engine...);
  }
};

// Times that somebody measured or printed: they stand in the place of the model's.
template <class R>
struct StatedTimes {
  std::optional<Seconds<R>> prefill, decode, step;
  std::vector<Seconds<R>> layer;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prefill", "t_pre", "of a prefill").limit(Limit::kPositive), s.prefill...);
    v(Field("decode", "t_step", "of a decode step").limit(Limit::kPositive), s.decode...);
    v(Field("layer", "t_part", "or: the parts of a layer's decode step"), s.layer...);
    v(Field("step", "t_rest", "and what a step takes beside its layers"), s.step...);
  }
};

template <class R>
struct ServingPlan {
  std::string name, comment;
  Model<R> model;
  std::optional<Cluster<R>> cluster;
  ServingEngine<R> engine;
  Served<R> served;
  ServingMesh<R> mesh;
  EngineSettings<R> settings;
  Workload<R> workload;
  TrafficShape<R> traffic;
  ServingTargets<R> targets;
  LoadSimulation<R> simulation;
  std::optional<Speculative<R>> speculative;
  std::optional<PrefillPool<R>> prefill;
  std::optional<StatedTimes<R>> stated;
  std::optional<Price<R>> price, budget;
  bool frontier = false;
  ServingKernels<R> kernels;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "a model in models/, a file, or its dimensions").required().by_name(),
      s.model...);
    v(Field("cluster", "", "8xh100-sxm, or a file in hardware/clusters").by_name().required(),
      s.cluster...);
    v(Field("engine", "", "a file in hardware/engines").by_name().required(), s.engine...);
    Served<R>::fields(v, s.served...);
    ServingMesh<R>::fields(v, s.mesh...);
    Workload<R>::fields(v, s.workload...);
    TrafficShape<R>::fields(v, s.traffic...);
    ServingTargets<R>::fields(v, s.targets...);
    LoadSimulation<R>::fields(v, s.simulation...);
    v(Field("settings", "", "of the engine, where they differ from its usual ones"), s.settings...);
    v(Field("speculative", "", "tokens drafted and verified together"), s.speculative...);
    v(Field("prefill", "",
            "a pool of its own for prompts (disaggregated); ranks that it does not state are the "
            "plan's"),
      s.prefill...);
    v(Field("stated", "", "times that are known, in the place of the model's"), s.stated...);
    v(Field("price", "price", "of a GPU").hint(Hint::kUsdPerHour).limit(Limit::kPositive),
      s.price...);
    v(Field("budget", "budget", "for all GPUs: what rate does it buy?")
          .hint(Hint::kUsdPerHour)
          .limit(Limit::kPositive),
      s.budget...);
    v(Field("frontier", "", "tokens/s of a user against tokens/s of a GPU, over batches"),
      s.frontier...);
    v(Field("kernels", "", "filled in from hardware/kernels"), s.kernels...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
