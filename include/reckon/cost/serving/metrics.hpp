// Under which ids a serving answer is reported. Included by answer.hpp.
#pragma once

#include "reckon/cost/serving/answer.hpp"

namespace reckon {

namespace detail {

#define RECKON_STEP_METRICS(prefix, what)                                                       \
  {                                                                                             \
    {prefix ".qkv.time", what "into attention"}, {prefix ".attention.time", what "attention"},  \
        {prefix ".out.time", what "out of attention"}, {prefix ".up.time", what "up and gate"}, \
        {prefix ".down.time", what "down"}, {prefix ".experts.time", what "routed experts"},    \
        {prefix ".shared.time", what "shared experts"},                                         \
        {prefix ".elementwise.time", what "norms, residual sums, activations"},                 \
        {prefix ".all_reduce.time", what "all-reduces"},                                        \
        {prefix ".all_to_all.time", what "tokens to experts and back"},                         \
        {prefix ".overhead.time", what "layers' overhead"},                                     \
        {prefix ".head.time", what "output head"},                                              \
        {prefix ".hop.time", what "from stage to stage"}, {                                     \
      prefix ".context.time", what "keys and values between context ranks"                      \
    }                                                                                           \
  }

struct ServingWayNames {
  MetricInfo batch, tpot, ttft, per_user, per_gpu;
};
#define RECKON_WAY_METRICS(id, title)                                               \
  {                                                                                 \
    {"ways." id ".batch", title ": batch", Hint::kCount},                           \
        {"ways." id ".tpot", title ": time between tokens"},                        \
        {"ways." id ".ttft", title ": first token, no waiting"},                    \
        {"ways." id ".per_user", title ": tokens/s of a user", Hint::kTokenRate}, { \
      "ways." id ".per_gpu", title ": tokens/s of a GPU", Hint::kTokenRate          \
    }                                                                               \
  }
inline constexpr ServingWayNames kWayMetrics[kServingWays] = {
    RECKON_WAY_METRICS("prefill_first", "prompts stop decodes"),
    RECKON_WAY_METRICS("mixed", "prompts mixed into decode steps"),
    RECKON_WAY_METRICS("disaggregated", "pools of their own")};
#undef RECKON_WAY_METRICS

struct UnderNames {
  MetricInfo gpus, saturation, utilisation, ttft, ttft_p90, tpot, tpot_p90;
};
#define RECKON_UNDER_METRICS(id, title)                                                            \
  {                                                                                                \
    {"under." id ".gpus", "under the load, " title ": GPUs", Hint::kCount},                        \
        {"under." id ".saturation", "under the load, " title ": saturates at",                     \
         Hint::kRequestRate},                                                                      \
        {"under." id ".utilisation", "under the load, " title ": share of that", Hint::kFraction}, \
        {"under." id ".ttft", "under the load, " title ": first token, mean"},                     \
        {"under." id ".ttft_p90", "under the load, " title ": first token, 90th percentile"},      \
        {"under." id ".tpot", "under the load, " title ": time per token"}, {                      \
      "under." id ".tpot_p90", "under the load, " title ": time per token, 90th percentile"        \
    }                                                                                              \
  }
inline constexpr UnderNames kUnderMetrics[kServingWays] = {
    RECKON_UNDER_METRICS("prefill_first", "prompts stop decodes"),
    RECKON_UNDER_METRICS("mixed", "prompts in chunks"),
    RECKON_UNDER_METRICS("disaggregated", "pools of their own")};
#undef RECKON_UNDER_METRICS

struct FrontierNames {
  MetricInfo tensor, batch, per_user, per_gpu;
};
#define RECKON_FRONTIER(i)                                                     \
  {                                                                            \
    {"frontier." i ".tensor", "tensor ranks", Hint::kCount},                   \
        {"frontier." i ".batch", "batch", Hint::kCount},                       \
        {"frontier." i ".per_user", "tokens/s of a user", Hint::kTokenRate}, { \
      "frontier." i ".per_gpu", "tokens/s of a GPU", Hint::kTokenRate          \
    }                                                                          \
  }
inline constexpr FrontierNames kFrontierMetrics[] = {
    RECKON_FRONTIER("1"),  RECKON_FRONTIER("2"),  RECKON_FRONTIER("3"),  RECKON_FRONTIER("4"),
    RECKON_FRONTIER("5"),  RECKON_FRONTIER("6"),  RECKON_FRONTIER("7"),  RECKON_FRONTIER("8"),
    RECKON_FRONTIER("9"),  RECKON_FRONTIER("10"), RECKON_FRONTIER("11"), RECKON_FRONTIER("12"),
    RECKON_FRONTIER("13"), RECKON_FRONTIER("14"), RECKON_FRONTIER("15"), RECKON_FRONTIER("16")};
#undef RECKON_FRONTIER

template <class R, class V>
void step_metrics(V&& v, const MetricInfo (&names)[kStepOps],
                  const std::array<Seconds<R>, kStepOps>& op) {
  for (std::size_t o = 0; o < kStepOps; ++o)
    if (!(op[o] <= Seconds<R>{})) v(names[o], op[o]);
}

template <class R, class V>
void pool_metrics(V&& v, const ServingPools<R>& p) {
  constexpr const char* kNoPorts = "no network and no link is stated";
  constexpr const char* kNoRate = "the plan states no rate: rate: 10 requests/s";
  constexpr const char* kNoPrice = "the plan states no price: price: 2.50 USD/h";
  v(MetricInfo("pools.prefill_time", "time of a prefill"), p.prefill_time);
  v(MetricInfo("pools.batch", "decode batch, on each data rank", Hint::kCount), p.batch);
  v(MetricInfo("pools.tpot", "time between tokens"), p.per_token);
  v(MetricInfo("pools.ttft", "first token, no waiting"), p.ttft);
  v(MetricInfo("pools.prefill_rate", "requests/s of a prefill worker", Hint::kRequestRate),
    p.prefill_rate);
  v(MetricInfo("pools.decode_rate", "requests/s of a decode worker", Hint::kRequestRate),
    p.decode_rate);
  v(MetricInfo("pools.prefill_given", "requests/s that a prefill worker is given",
               Hint::kRequestRate),
    p.prefill_given);
  v(MetricInfo("pools.decode_given", "requests/s that a decode worker is given",
               Hint::kRequestRate),
    p.decode_given);
  v(MetricInfo("pools.ratio", "decode workers per prefill worker", Hint::kRatio), p.ratio);
  v(MetricInfo("pools.best.prefill", "few workers, most tokens/s per GPU: prefill", Hint::kCount),
    p.best.x);
  v(MetricInfo("pools.best.decode", "and decode workers", Hint::kCount), p.best.y);
  v(MetricInfo("pools.best.rate", "their requests/s", Hint::kRequestRate), p.best.rate);
  v(MetricInfo("pools.best.per_gpu", "their tokens/s per GPU", Hint::kTokenRate), p.best.per_gpu);
  const auto part = [&p](auto get) {
    using T = std::decay_t<decltype(get(*p.asked))>;
    return p.asked ? std::optional<T>(get(*p.asked)) : std::nullopt;
  };
  using Pair = const PoolPair<R>&;
  v(MetricInfo("pools.prefill", "prefill workers", Hint::kCount), part([](Pair x) { return x.x; }),
    kNoRate);
  v(MetricInfo("pools.decode", "decode workers", Hint::kCount), part([](Pair x) { return x.y; }),
    kNoRate);
  v(MetricInfo("pools.gpus", "GPUs of both pools", Hint::kCount),
    part([](Pair x) { return x.gpus; }), kNoRate);
  v(MetricInfo("pools.rate", "requests/s of both pools", Hint::kRequestRate),
    part([](Pair x) { return x.rate; }), kNoRate);
  if (p.asked)
    v(MetricInfo("pools.bound", "which of both, or the link between, binds"),
      std::string_view(p.asked->binds));
  v(MetricInfo("pools.per_gpu", "tokens/s per GPU of both pools", Hint::kTokenRate),
    part([](Pair x) { return x.per_gpu; }), kNoRate);
  v(MetricInfo("pools.per_gpu_owned", "tokens/s per GPU of the cluster, idle ones too",
               Hint::kTokenRate),
    p.owned, "the plan states no workers, or a cluster for each pool");
  v(MetricInfo("pools.prefill_space", "space for the cache on a prefill GPU"), p.prefill_space,
    "the plan states no prefill pool");
  v(MetricInfo("kv.prompt", "cache of a prompt, all GPUs"), p.cache);
  v(MetricInfo("kv.transfer", "time to move a prompt's cache"), p.transfer, kNoPorts);
  v(MetricInfo("kv.transfer_load", "share of the ports that moving takes", Hint::kFraction),
    p.transfer_load, p.transfer ? kNoRate : kNoPorts);
  v(MetricInfo("pools.cost_per_million_input", "dollars per million input tokens"), p.cost_input,
    kNoPrice);
  v(MetricInfo("pools.cost_per_million_output", "dollars per million output tokens"), p.cost_output,
    kNoPrice);
}

inline constexpr const char* kOneToken = "answers of one token have none after the first";

// The ways to combine the phases, under the load.
template <class R, class V>
void under_metrics(V&& v, const Running<R>& r) {
  for (std::size_t i = 0; i < kServingWays; ++i) {
    if (!r.under[i]) continue;
    const WayUnderLoad<R>& w = *r.under[i];
    const char* why = no_figure(w.figures);
    v(kUnderMetrics[i].gpus, w.gpus);
    v(kUnderMetrics[i].saturation, w.saturation);
    v(kUnderMetrics[i].utilisation,
      w.figures.no_form ? std::nullopt : std::optional<Ratio<R>>(w.figures.utilisation), why);
    v(kUnderMetrics[i].ttft, w.figures.ttft, why);
    v(kUnderMetrics[i].ttft_p90, w.figures.ttft_p90, why);
    const char* no_tpot = no_tpot_figure(w.figures);
    v(kUnderMetrics[i].tpot, w.figures.tpot, no_tpot);
    v(kUnderMetrics[i].tpot_p90, w.figures.tpot_p90, no_tpot);
  }
}

// A figure under the load; why there is none.
template <class R, class V>
void load_metrics(V&& v, const Running<R>& r) {
  const char* why = r.load ? no_figure(*r.load) : r.no_load;
  const auto of = [&r](auto get) {
    using T = std::decay_t<decltype(get(*r.load))>;
    return r.load ? get(*r.load) : T{};
  };
  using Load = const LoadFigures<R>&;
  v(MetricInfo("serve.utilisation", "share of what the replicas take", Hint::kFraction),
    of([](Load x) {
      return x.no_form ? std::optional<Ratio<R>>() : std::optional<Ratio<R>>(x.utilisation);
    }),
    why);
  v(MetricInfo("serve.ttft", "first token, mean, waiting included"),
    of([](Load x) { return x.ttft; }), why);
  v(MetricInfo("serve.ttft_p50", "first token, median"), of([](Load x) { return x.ttft_p50; }),
    why);
  v(MetricInfo("serve.ttft_p90", "first token, 90th percentile"),
    of([](Load x) { return x.ttft_p90; }), why);
  v(MetricInfo("serve.ttft_p99", "first token, 99th percentile"),
    of([](Load x) { return x.ttft_p99; }),
    !r.load || r.load->unbounded || r.load->no_percentiles ? why : "p99: simulate");
  const auto part = [&r](auto get) {
    using T = std::decay_t<decltype(get(*r.load->waiting))>;
    return r.load && r.load->waiting && r.load->ttft ? std::optional<T>(get(*r.load->waiting))
                                                     : std::nullopt;
  };
  using Parts = const LoadWaiting<R>&;
  v(MetricInfo("serve.ttft_waiting", "of it: waiting, for a step, for prompts ahead, for a place"),
    part([](Parts x) { return x.waiting; }), why);
  v(MetricInfo("serve.ttft_service", "of it: the prompt as if alone"),
    part([](Parts x) { return x.alone; }), why);
  v(MetricInfo("serve.ttft_chunking",
               "of it: what chunks and the others' tokens add; of pools the transfer"),
    part([](Parts x) { return x.sharing; }), why);
  v(MetricInfo("serve.saturates", "rate beyond which the queue grows without bound",
               Hint::kRequestRate),
    r.saturates, r.no_load);
  const char* no_tpot = r.load ? no_tpot_figure(*r.load) : r.no_load;
  const char* no_end = r.load && !r.load->no_waits && r.load->no_tpot ? no_tpot : why;
  v(MetricInfo("serve.itl", "time between tokens, mean"), of([](Load x) { return x.tpot; }),
    no_tpot);
  v(MetricInfo("serve.tpot", "time per token, the first excluded"),
    of([](Load x) { return x.tpot; }), no_tpot);
  v(MetricInfo("serve.tpot_p50", "time per token, the first excluded, median"),
    of([](Load x) { return x.tpot_p50; }), no_tpot);
  v(MetricInfo("serve.tpot_p90", "time per token, the first excluded, 90th percentile"),
    of([](Load x) { return x.tpot_p90; }), no_tpot);
  v(MetricInfo("serve.tpot_p99", "time per token, the first excluded, 99th percentile"),
    of([](Load x) { return x.tpot_p99; }), r.load && r.load->tpot_p90 ? "p99: simulate" : no_tpot);
  v(MetricInfo("serve.tpot_inclusive", "time per token, the first included"),
    of([](Load x) { return x.inclusive; }), no_end);
  v(MetricInfo("serve.end_to_end", "time to the last token"),
    of([](Load x) { return x.end_to_end; }), no_end);
  std::optional<Ratio<R>> present;
  std::optional<Frequency<R>> tokens, per_user;
  if (r.load_tokens) {
    tokens = r.load_tokens;
    if (r.load->present) {
      auto E = *r.engines;
      auto L_one = *r.load->present;
      NAME(E, L_one);
      present = kAllPresent(L_one * E);
    }
    if (r.load->tpot) {
      auto t_tok = *r.load->tpot;
      NAME(t_tok);
      per_user = kLoadPerUser(1 / t_tok);
    }
  }
  v(MetricInfo("serve.concurrency", "requests inside, all replicas", Hint::kRatio), present,
    no_end);
  v(MetricInfo("serve.tokens_per_second", "tokens/s of all replicas under the load",
               Hint::kTokenRate),
    tokens, why);
  v(MetricInfo("serve.tokens_per_second_per_user", "tokens/s of one user under the load",
               Hint::kTokenRate),
    per_user, no_tpot);
}

// Dollars and joules: under the load where one is stated, and beside it of GPUs that are never idle.
template <class R, class V>
void money_metrics(V&& v, const Running<R>& r) {
  constexpr const char* kNoPrice = "the plan states no price: price: 2.50 USD/h";
  constexpr const char* kNoPower = "the chip states no power";
  constexpr const char* kNoBudget = "the plan states no budget: budget: 100 USD/h";
  const char* unserved = r.load && !r.load_money ? no_figure(*r.load) : nullptr;
  const Money<R> none;
  const Money<R>& m = r.load_money ? *r.load_money : r.load ? none : r.full_money;
  const auto why = [&](const char* not_stated, bool is_stated) {
    return unserved && is_stated ? unserved : not_stated;
  };
  const bool priced = r.full_money.input.has_value();
  v(MetricInfo("serve.energy_per_token", "energy of an answer's token, while steps run"), m.energy,
    r.load && r.load->in_bursts ? r.load->no_tpot : why(kNoPower, r.full_money.energy.has_value()));
  v(MetricInfo("serve.cost_per_million_input", "dollars per million input tokens"), m.input,
    why(kNoPrice, priced));
  v(MetricInfo("serve.cost_per_million_output", "dollars per million output tokens"), m.output,
    why(kNoPrice, priced));
  v(MetricInfo("serve.saturation.energy_per_token", "energy of an answer's token, never idle"),
    r.full_money.energy, kNoPower);
  v(MetricInfo("serve.saturation.cost_per_million_input",
               "dollars per million input tokens, never idle"),
    r.full_money.input, kNoPrice);
  v(MetricInfo("serve.saturation.cost_per_million_output",
               "dollars per million output tokens, never idle"),
    r.full_money.output, kNoPrice);
  const char* no_gpus = r.rate_unknown      ? r.rate_unknown
                        : never(r.sized_by) ? "no number of GPUs keeps the targets"
                        : r.own_workers     ? "the plan states its workers"
                                            : "the plan states no rate: rate: 10 requests/s";
  v(MetricInfo("serve.gpus_for_rate", "GPUs for the rate, the targets kept", Hint::kCount),
    r.gpus_for_rate, no_gpus);
  if (r.gpus_for_rate)
    v(MetricInfo("serve.gpus_for_rate_bound", "what decides them"),
      std::string_view(name_of(r.sized_by)));
  v(MetricInfo("serve.replicas_for_budget", "replicas that the budget pays", Hint::kCount),
    r.replicas_for_budget,
    r.rate_for_budget ? "pools: pools.budget.prefill, pools.budget.decode" : kNoBudget);
  if (r.budget_pools) {
    v(MetricInfo("pools.budget.prefill", "prefill workers that the budget pays", Hint::kCount),
      r.budget_pools->x);
    v(MetricInfo("pools.budget.decode", "decode workers that the budget pays", Hint::kCount),
      r.budget_pools->y);
    v(MetricInfo("pools.budget.gpus", "GPUs that the budget pays", Hint::kCount),
      r.budget_pools->gpus);
  }
  v(MetricInfo("serve.rate_for_budget", "requests/s for the budget, the targets kept",
               Hint::kRequestRate),
    r.rate_for_budget, r.budget_unknown ? r.budget_unknown : kNoBudget);
}

// What runs when requests never end: replicas that do both, or pools of any size, filled to their shares.
template <class R, class V>
void never_idle_metrics(V&& v, const Running<R>& r) {
  constexpr const char* kPools = "prompts and answers have pools of their own: pools.rate";
  const bool pools = r.pools_own;
  v(MetricInfo("serve.saturation.tokens_per_second", "tokens/s of a replica, never idle",
               Hint::kTokenRate),
    pools ? std::nullopt : std::optional<Frequency<R>>(r.full.tokens), kPools);
  v(MetricInfo("serve.saturation.tokens_per_second_per_gpu", "tokens/s of a GPU, never idle",
               Hint::kTokenRate),
    pools ? r.ways[2]->per_gpu : r.full_per_gpu);
  v(MetricInfo("serve.saturation.batch", "sequences that decode then, on each data rank",
               Hint::kRatio),
    pools ? r.pools->batch : r.full.n);
  v(MetricInfo("serve.saturation.tpot", "time between tokens then"),
    !r.answers_decode ? std::nullopt
    : pools           ? std::optional<Seconds<R>>(r.pools->per_token)
                      : std::optional<Seconds<R>>(r.full.per_token),
    kOneToken);
  v(MetricInfo("serve.saturation.request_rate", "requests/s of all replicas then",
               Hint::kRequestRate),
    pools ? std::nullopt : std::optional<Frequency<R>>(r.requests), kPools);
}

template <class R, class V>
void running_metrics(V&& v, const Running<R>& r, const char* bound) {
  static constexpr MetricInfo kPrefillOps[] = RECKON_STEP_METRICS("prefill", "prefill: ");
  static constexpr MetricInfo kDecodeOps[] = RECKON_STEP_METRICS("decode", "decode: ");
  static constexpr MetricInfo kAnswerOps[] = RECKON_STEP_METRICS("answer", "answer: ");
  static constexpr MetricInfo kStaticOps[] =
      RECKON_STEP_METRICS("static.prefill", "static batch, prompts: ");
  constexpr const char* kNoTarget = "the plan states no such target: ttft: 1 s, tpot: 40 ms";
  v(MetricInfo("prefill.time", "time to compute one prompt, alone"), r.prompt.time);
  v(MetricInfo("prefill.ttft", "first token, alone: no waiting"), r.ttft);
  v(MetricInfo("prefill.chunks", "steps that the prompt takes", Hint::kCount), r.prompt.chunks);
  v(MetricInfo("prefill.tokens_per_second", "prompt tokens/s of a replica alone", Hint::kTokenRate),
    r.prompt_rate);
  v(MetricInfo("prefill.longest_prompt", "longest prompt within the target", Hint::kLength),
    r.longest_prompt,
    r.pools_own ? "the cache of a prompt moves before the first token: pools.ttft" : kNoTarget);
  step_metrics<R>(v, kPrefillOps, r.prompt.step.op);
  v(MetricInfo("decode.batch_by_engine", "largest batch: the engine's limit", Hint::kCount),
    r.by_engine, "the engine states no limit");
  v(MetricInfo("decode.batch_by_target", "largest batch within the target of TPOT", Hint::kCount),
    r.by_target,
    r.target_by_load ? "never idle not even one sequence keeps it: under the load its own TPOT says"
                     : kNoTarget);
  v(MetricInfo("decode.batch_most", "largest batch, on each data rank", Hint::kCount),
    kMostWhole(max(floor(r.most), 0)));
  v(MetricInfo("decode.bound", "what binds it"), std::string_view(bound));
  v(MetricInfo("decode.batch", "batch that decodes, on each data rank", Hint::kCount), r.n);
  v(MetricInfo("decode.context", "mean context", Hint::kLength), r.context);
  v(MetricInfo("decode.time", "time of a decode step"), r.decode.time);
  v(MetricInfo("decode.gpu_time", "of which on the GPU"), r.decode.gpu);
  if (r.yield)
    v(MetricInfo("decode.tokens_per_step", "tokens that a step yields a sequence, drafts verified",
                 Hint::kRatio),
      *r.yield);
  v(MetricInfo("decode.tpot", "time between tokens, decodes alone"), r.per_token);
  v(MetricInfo("decode.per_user", "tokens/s of a user, decodes alone", Hint::kTokenRate),
    r.per_user);
  v(MetricInfo("decode.per_gpu", "tokens/s of a GPU, decodes alone", Hint::kTokenRate), r.per_gpu);
  v(MetricInfo("decode.compute_from", "tokens from which products are bound by compute",
               Hint::kCount),
    r.compute_from, "the last layers have no MLP");
  step_metrics<R>(v, kDecodeOps, r.decode.op);
  step_metrics<R>(v, kAnswerOps, r.answer);
  never_idle_metrics<R>(v, r);
  load_metrics<R>(v, r);
  constexpr const char* kNoStatic = "the plan states no static batch: batch: 8";
  const auto fixed = [&r](auto get) {
    using T = std::decay_t<decltype(get(*r.fixed))>;
    return r.fixed ? std::optional<T>(get(*r.fixed)) : std::nullopt;
  };
  using Fixed = const StaticBatch<R>&;
  v(MetricInfo("static.prefill.time", "static batch: time of its prompts"),
    fixed([](Fixed x) { return x.prompts.time; }), kNoStatic);
  v(MetricInfo("static.decode.time", "static batch: time of a step"),
    fixed([](Fixed x) { return x.per_token; }), kNoStatic);
  v(MetricInfo("static.time", "static batch: from first to last token"),
    fixed([](Fixed x) { return x.time; }), kNoStatic);
  v(MetricInfo("static.tokens_per_second", "static batch: tokens/s", Hint::kTokenRate),
    fixed([](Fixed x) { return x.tokens; }), kNoStatic);
  if (r.fixed) step_metrics<R>(v, kStaticOps, r.fixed->prompts.step.op);
  for (std::size_t i = 0; i < kServingWays; ++i) {
    if (!r.ways[i]) continue;
    const ServingWayNames& name = kWayMetrics[i];
    v(name.batch, r.ways[i]->batch);
    v(name.tpot, r.ways[i]->tpot, kOneToken);
    v(name.ttft, r.ways[i]->ttft);
    v(name.per_user, r.ways[i]->per_user, kOneToken);
    v(name.per_gpu, r.ways[i]->per_gpu);
  }
  if (r.pools) pool_metrics<R>(v, *r.pools);
  under_metrics<R>(v, r);
  money_metrics<R>(v, r);
  for (std::size_t i = 0; i < r.frontier.size() && i < std::size(kFrontierMetrics); ++i) {
    v(kFrontierMetrics[i].tensor, r.frontier[i].tensor);
    v(kFrontierMetrics[i].batch, r.frontier[i].batch);
    v(kFrontierMetrics[i].per_user, r.frontier[i].per_user);
    v(kFrontierMetrics[i].per_gpu, r.frontier[i].per_gpu);
  }
}

#undef RECKON_STEP_METRICS

}  // namespace detail

template <class R>
template <class V>
void ServingAnswer<R>::metrics(V&& v) const {
  v(MetricInfo("fits", "memory holds the model and a sequence, or the batch that is stated",
               Hint::kYesNo),
    holds, nullptr);
  v(MetricInfo("serve.gpus", "GPUs", Hint::kCount), gpus);
  v(MetricInfo("serve.replicas", "replicas", Hint::kCount), replicas);
  v(MetricInfo("memory.weights", "weights on one GPU"), memory.weights);
  v(MetricInfo("memory.reserve", "activations, workspaces, buffers"), memory.reserve);
  v(MetricInfo("memory.cache", "space for the cache"), memory.space);
  v(MetricInfo("memory.total", "in use on one GPU: weights, reserve, cache of the batch"), total);
  v(MetricInfo("memory.capacity", "capacity of one GPU"), capacity);
  v(MetricInfo("kv.bytes_per_token", "cache per token, all GPUs", Hint::kPerToken), kv_token);
  v(MetricInfo("kv.held", "tokens of cache that a sequence holds room for", Hint::kLength),
    memory.held);
  v(MetricInfo("kv.per_sequence", "cache of a sequence on one GPU"), memory.sequence);
  v(MetricInfo("kv.capacity_tokens", "tokens of cache that a replica holds", Hint::kLength),
    memory.tokens);
  v(MetricInfo("decode.batch_by_memory", "largest batch: memory", Hint::kCount),
    kWholeBatch(max(floor(memory.batch), 0)));
  if (running) detail::running_metrics<R>(v, *running, bound);
}

}  // namespace reckon
