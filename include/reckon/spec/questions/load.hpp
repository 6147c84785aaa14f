// kind: load. What do users wait when requests come at random, and at which rate does it end?
//
//   kind: load
//   rate: 8 requests/s               # or users: 64, who ask again when answered; or trace: requests.csv
//   prompt: 1000                     # tokens; with prompt_spread: 0.6, prompt_shape: lognormal
//   output: 300
//   step: 6 ms                       # of a decode step; or a model and GPUs: model: llama-3-8b, cluster: 1xh100-sxm
//   per_decode: 15 us                # more for each sequence that decodes,
//   per_prefill: 25 us               # and for each prompt token that it carries
//   batch: 256
//   chunk: 512
//   simulate: yes                    # beside the closed form
#pragma once

#include <optional>
#include <string>

#include "reckon/load/kinds.hpp"
#include "reckon/spec/questions/serving.hpp"
#include "reckon/spec/questions/traffic.hpp"

namespace reckon {

// When requests come, and how long they are.
template <class R>
struct LoadTraffic : TrafficShape<R> {
  std::optional<Frequency<R>> rate;
  std::optional<Count<R>> users, prompt, output;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("rate", "λ", "requests that arrive").hint(Hint::kRequestRate).limit(Limit::kPositive),
      s.rate...);
    v(Field("users", "N", "in place of a rate: users who ask again when answered").degree(),
      s.users...);
    v(Field("prompt", "s", "tokens of a prompt, mean")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.prompt...);
    v(Field("output", "o", "tokens of an answer, mean")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.output...);
    TrafficShape<R>::fields(v, s...);
  }
};

// Prefill and decode on workers of their own: a prompt is computed by one, its cache moves, another decodes.
template <class R>
struct LoadPools {
  std::optional<Count<R>> prefill, decode;
  std::optional<Seconds<R>> transfer, transfer_token;
  std::optional<Seconds<R>> prefill_step, prefill_token;

  bool stated() const { return prefill || decode; }

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("prefill_workers", "x", "pools: workers that only prefill, a prompt at a time")
          .degree(),
      s.prefill...);
    v(Field("decode_workers", "y", "pools: engines that only decode").degree(), s.decode...);
    v(Field("transfer", "t_move",
            "pools: to move a prompt's cache, beside its tokens; of the model's cache and links if "
            "not stated"),
      s.transfer...);
    v(Field("transfer_token", "t_move1", "pools: and for each of its tokens"), s.transfer_token...);
    v(Field("prefill_step", "t_pre", "pools: prefill workers' own step, if they are other GPUs")
          .limit(Limit::kPositive),
      s.prefill_step...);
    v(Field("prefill_token", "t_pre1", "pools: more for each token of theirs")
          .limit(Limit::kPositive),
      s.prefill_token...);
  }
};

// The time of a step, stated; a model on GPUs gives it otherwise.
template <class R>
struct LoadSteps {
  std::optional<Seconds<R>> step;
  Seconds<R> per_decode{}, per_cached{}, per_prefill{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("step", "t_step", "of a step that carries nothing").limit(Limit::kPositive), s.step...);
    v(Field("per_decode", "t_seq", "more for each sequence that decodes"), s.per_decode...);
    v(Field("per_cached", "t_kv", "more for each cached token of these"), s.per_cached...);
    v(Field("per_prefill", "t_tok", "more for each prompt token"), s.per_prefill...);
  }
};

// How the engine admits and orders requests.
template <class R>
struct LoadEngine {
  Count<R> batch;
  std::optional<Count<R>> chunk;
  PromptSteps prompts = PromptSteps::kShared;
  std::optional<Count<R>> cache_tokens;
  Count<R> block{16};
  CacheReserve reserve = CacheReserve::kLongest;
  Preempted preempted = Preempted::kRecompute;
  std::optional<Seconds<R>> swap;
  Seconds<R> overhead{};

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("batch", "B", "most requests at once").required().degree(), s.batch...);
    v(Field("chunk", "c", "most prompt tokens of a step; pools need none").degree(), s.chunk...);
    v(Field("prompts", "",
            "shared: a chunk takes from several prompts | alone: from one | first: whole prompts, "
            "in steps that decode nothing"),
      s.prompts...);
    v(Field("cache_tokens", "T_cache",
            "tokens that the cache holds; a model's memory if not stated")
          .hint(Hint::kLength)
          .limit(Limit::kAtLeastOne),
      s.cache_tokens...);
    v(Field("block", "b_blk", "tokens of a block of cache").degree(), s.block...);
    v(Field("reserve", "",
            "longest: cache for the whole answer, at admission | on_demand: block by block"),
      s.reserve...);
    v(Field("preempted", "", "recompute | swap: what becomes of a cache that must make room"),
      s.preempted...);
    v(Field("swap", "t_swap", "to move a cached token out, or back"), s.swap...);
    v(Field("overhead", "t_req", "of a request before it reaches the engine"), s.overhead...);
  }
};

template <class R>
struct LoadQuestion {
  std::string name, comment;
  std::optional<Model<R>> model;
  LoadTraffic<R> traffic;
  LoadSteps<R> steps;
  Count<R> tensor{1};
  Served<R> served;
  std::optional<Cluster<R>> cluster;
  OnLinks<R> on;
  OnChip<R> chip;
  LoadEngine<R> engine;
  LoadPools<R> pools;
  std::optional<Seconds<R>> ttft, tpot;
  LoadSimulation<R> simulation;
  Assume<R> assume;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "for people"), s.name...);
    v(Field("comment", "", "for people"), s.comment...);
    v(Field("model", "", "in place of stated step times: a model in models/, on GPUs").by_name(),
      s.model...);
    LoadTraffic<R>::fields(v, s.traffic...);
    LoadSteps<R>::fields(v, s.steps...);
    v(Field("tensor", "t", "GPUs that run a step together").degree(), s.tensor...);
    Served<R>::fields(v, s.served...);
    v(Field("cluster", "", "8xh100-sxm, or a file in hardware/clusters: its chip and links")
          .by_name(),
      s.cluster...);
    OnChip<R>::fields(v, s.chip...);
    OnLinks<R>::fields(v, s.on...);
    LoadEngine<R>::fields(v, s.engine...);
    LoadPools<R>::fields(v, s.pools...);
    v(Field("ttft", "TTFT_max", "target: longest time to the first token").limit(Limit::kPositive),
      s.ttft...);
    v(Field("tpot", "TPOT_max", "target: longest time per token after it").limit(Limit::kPositive),
      s.tpot...);
    LoadSimulation<R>::fields(v, s.simulation...);
    v(Field("assume", "", "a preset's name, or {preset, conventions}"), s.assume...);
  }
};

}  // namespace reckon
