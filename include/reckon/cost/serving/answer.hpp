// The answer to a serving plan: memory, a prompt alone, a decode step, the batch and what bounds it, throughput when
// requests never run out, ways to combine the phases, pools, money.
//
//   ServingAnswer<double> a = answer(plan);
//   a.memory.batch, a.running->decode.time, a.running->full.tokens
//
// Where not even one sequence fits beside the weights, `running` is absent: such a server has no latency to speak of.
#pragma once

#include "reckon/cost/metric.hpp"
#include "reckon/cost/serving/pools_under_load.hpp"
#include "reckon/cost/serving/saturation.hpp"
#include "reckon/cost/serving/targets.hpp"
#include "reckon/cost/serving/under_load.hpp"

namespace reckon {

inline const Formula kServiceTtft{"serving.service_ttft", "t_1", "time to the first token, alone",
                                  "the request's fixed time + its prompt"};
inline const Formula kServingGpus{"serving.gpus", "G", "GPUs in use", "replicas · their GPUs",
                                  Hint::kCount};
inline const Formula kBatchPart{"serving.batch.part", "n", "sequences of one data rank",
                                "the batch over replicas and data ranks", Hint::kCount};
inline const Formula kBatchFit{"serving.batch.fit", "B",
                               "largest batch that fits, on each data rank",
                               "the least of memory and the engine's own", Hint::kRatio};
inline const Formula kBatchMost{"serving.batch.most", "B", "largest batch, on each data rank",
                                "the least of memory, engine and target", Hint::kCount};
inline const Formula kServedPerUser{"serving.per_user", "s_user", "tokens/s of one user",
                                    "one over the time between tokens", Hint::kTokenRate};
inline const Formula kServedPerGpu{"serving.per_gpu", "s_gpu", "tokens/s of one GPU",
                                   "those of the replica over its GPUs", Hint::kTokenRate};
inline const Formula kServedRequests{"serving.requests", "X_req", "requests/s of all replicas",
                                     "replicas · tokens/s over those of an answer",
                                     Hint::kRequestRate};
inline const Formula kComputeFrom{"serving.compute_from", "m*",
                                  "tokens from which products take longer to compute than to read",
                                  "P·c·w / (2·W·e); of experts, · experts / top-k", Hint::kCount};
inline const Formula kPromptRate{"serving.prompt.rate", "r_tok",
                                 "prompt tokens/s of a replica alone", "its tokens over its time",
                                 Hint::kTokenRate};
inline const Formula kOperatorAnswer{"serving.answer.operator", "t_ans",
                                     "an operator over all steps of an answer",
                                     "tokens after the first · its time in a step"};
inline const Formula kServingEnergy{"serving.energy", "E_tok", "energy of an answer's token",
                                    "board limit · share drawn · PUE over tokens/s"};
inline const Formula kServingBusy{"serving.load.busy", "b", "share of the time that a step runs",
                                  "1 − exp(−sequences that decode): chance that there are any",
                                  Hint::kFraction};
inline const Formula kLoadEnergy{"serving.load.energy", "E_load",
                                 "energy of an answer's token under the load",
                                 "power while steps run over tokens/s"};
inline const Formula kPoolLoadEnergy{"serving.load.pools.energy", "E_load",
                                     "energy of an answer's token under the load",
                                     "power of both pools while they work over tokens/s"};
inline const Formula kInputShare{
    "serving.cost.input_share", "phi", "share of the GPUs' time that prompts take",
    "their time alone, over that and the steps' alone", Hint::kFraction};
inline const Formula kCostInput{"serving.cost.input", "c_in", "dollars per million input tokens",
                                "price · share of prompts over their tokens"};
inline const Formula kCostOutput{"serving.cost.output", "c_out",
                                 "dollars per million output tokens",
                                 "price · the rest over answers' tokens"};
inline const Formula kPoolLoadCostInput{"serving.load.pools.cost_input", "c_in",
                                        "dollars per million input tokens under the load",
                                        "price of all prefill workers over the prompts' tokens"};
inline const Formula kPoolLoadCostOutput{"serving.load.pools.cost_output", "c_out",
                                         "dollars per million output tokens under the load",
                                         "price of all decode workers over the answers' tokens"};
inline const Formula kGpusForRate{"serving.gpus_for_rate", "G_rate", "GPUs for the rate",
                                  "whole replicas at saturation", Hint::kCount};
inline const Formula kGpusForLoad{"serving.load.gpus_for_rate", "G_rate", "GPUs for the rate",
                                  "whole replicas, so many that the queue does not grow",
                                  Hint::kCount};
inline const Formula kReplicasForRate{
    "serving.load.replicas_for_rate", "R_rate", "replicas for the rate",
    "one more than take it full: so many that the queue does not grow", Hint::kCount};
inline const Formula kReplicasKept{
    "serving.load.replicas_kept", "R_kept", "replicas for the rate within the targets",
    "those that the rate takes, and as many more as the targets do", Hint::kCount};
inline const Formula kGpusForTtft{
    "serving.load.gpus_for_ttft", "G_rate", "GPUs for the rate within the target of TTFT",
    "the fewest whole replicas with which nine of ten requests keep it", Hint::kCount};
inline const Formula kGpusForTpot{
    "serving.load.gpus_for_tpot", "G_rate", "GPUs for the rate within the target of TPOT",
    "the fewest whole replicas with which nine of ten requests keep it", Hint::kCount};
inline const Formula kGpusKnown{
    "serving.load.gpus_known", "G_rate", "GPUs for the rate within the targets",
    "the fewest whole replicas of which the closed form says that the targets are kept",
    Hint::kCount};
inline const Formula kReplicasForBudget{"serving.replicas_for_budget", "R_$",
                                        "replicas that the budget pays", "whole ones",
                                        Hint::kCount};
inline const Formula kRateForBudget{
    "serving.rate_for_budget", "rate_$", "requests/s for the budget",
    "whole replicas it pays · their requests/s", Hint::kRequestRate};
inline const Formula kLoadForBudget{
    "serving.load.rate_for_budget", "rate_$", "requests/s for the budget",
    "engines of the replicas it pays · what one takes, the targets kept", Hint::kRequestRate};
inline const Formula kPoolsForBudget{
    "serving.pools.rate_for_budget", "rate_$", "requests/s for the budget",
    "of the workers that it pays, filled to their shares", Hint::kRequestRate};
inline const Formula kPoolsKeptForBudget{
    "serving.pools.rate_for_budget_kept", "rate_$", "requests/s for the budget, the targets kept",
    "of the workers that it pays · the share at which the targets are kept", Hint::kRequestRate};
inline const Formula kPrefillForBudget{
    "serving.pools.prefill_for_budget", "x", "prefill workers that the budget pays",
    "of all pairs that it pays, the one that takes most", Hint::kCount};
inline const Formula kDecodeForBudget{
    "serving.pools.decode_for_budget", "y", "decode workers that the budget pays",
    "of all pairs that it pays, the one that takes most", Hint::kCount};
inline const Formula kPoolEnergy{"serving.pools.energy", "E_tok", "energy of an answer's token",
                                 "power of both pools, filled to their shares, over tokens/s"};
inline const Formula kEngines{"serving.load.engines", "E", "engines that share the load",
                              "replicas · data ranks", Hint::kCount};
inline const Formula kEngineParts{"serving.load.engine_parts", "E", "engines that share the load",
                                  "replicas · data ranks · stages", Hint::kCount};
inline const Formula kEnginesOfUsers{"serving.load.engines_of_users", "E",
                                     "engines that share the load", "no more than there are users",
                                     Hint::kCount};
inline const Formula kUsedByFew{"serving.load.used_by_few", "u", "rate over the saturation rate",
                                "that of an engine with a user, over all engines", Hint::kFraction};
inline const Formula kAllPresent{"serving.load.present", "L", "requests inside, all replicas",
                                 "those of one engine · engines", Hint::kRatio};
inline const Formula kAllTokens{"serving.load.tokens", "X_load", "tokens/s of all replicas",
                                "those of one engine · engines", Hint::kTokenRate};
inline const Formula kLoadPerUser{"serving.load.per_user", "s_user",
                                  "tokens/s of one user under the load",
                                  "one over the time between tokens", Hint::kTokenRate};
inline const Formula kStatedLayers{"serving.stated.step", "t_step",
                                   "time of a step, of stated parts",
                                   "layers · the sum of a layer's parts + the rest"};
inline const Formula kStatedStep{"serving.stated.decode", "t_step", "time of a step, as stated",
                                 "the plan's own figure"};

inline const Formula kWaySaturation{"serving.load.saturation", "λ_all",
                                    "rate beyond which the queue grows without bound",
                                    "that of one engine · engines", Hint::kRequestRate};
inline const Formula kMixedTtft{"serving.mixed.ttft", "t_1", "first token, chunks in decode steps",
                                "fixed + a mixed step for each chunk"};
inline const Formula kPoolsEven{
    "serving.pools.even", "X_gpu", "tokens/s per GPU of pools of any size",
    "an answer's tokens over the GPU time of both pools", Hint::kTokenRate};
inline const Formula kMostWhole{"serving.batch.most_whole", "B", "largest batch, on each data rank",
                                "whole sequences", Hint::kCount};
inline const Formula kWholeBatch{"serving.batch.memory", "B_mem", "sequences that memory holds",
                                 "whole ones", Hint::kCount};

// One way to combine prompts and answers on GPUs.
template <class R>
struct ServingWay {
  Count<R> batch;  // on each data rank
  Seconds<R> ttft;
  std::optional<Seconds<R>> tpot;  // absent for answers of one token
  std::optional<Frequency<R>> per_user;
  Frequency<R> per_gpu;
};
enum class WayOfServing { kPrefillFirst, kMixed, kDisaggregated };
inline constexpr std::size_t kServingWays = 3;

// One of them under the rate.
template <class R>
struct WayUnderLoad {
  Count<R> gpus;
  Frequency<R> saturation;  // of all engines
  LoadFigures<R> figures;
};

template <class R>
struct StaticBatch {
  Count<R> batch;
  PromptPass<R> prompts;
  StepTimes<R> step;
  Seconds<R> per_token, time;
  Frequency<R> tokens;
};

template <class R>
struct FrontierPoint {
  Count<R> tensor, batch;
  Frequency<R> per_user, per_gpu;
};

// What a token costs in dollars and joules: absent where no price or no power is stated.
template <class R>
struct Money {
  std::optional<Joules<R>> energy;
  std::optional<Dollars<R>> input, output;  // a million of them
};

template <class R>
struct Running {
  PromptPass<R> prompt;
  Seconds<R> ttft;
  Frequency<R> prompt_rate;
  std::optional<Count<R>> longest_prompt;
  std::optional<Count<R>> by_engine, by_target;
  // most: of an engine that is never idle, within the target of TPOT; fit: whatever the target
  Count<R> most, fit, n, context;
  const char* fit_bound = "";
  bool target_by_load = false;  // never idle not even one sequence keeps it, under the load some do
  StepTimes<R> decode;
  Seconds<R> per_token;
  std::optional<Ratio<R>> yield;  // tokens of a step, where drafts are verified in it
  Frequency<R> per_user, per_gpu;
  std::optional<Count<R>> compute_from;
  Saturation<R> full;          // of a replica that does both, also where the plan has pools
  bool pools_own = false;      // the plan's prompts have a pool of their own
  bool answers_decode = true;  // they have tokens after the first
  Frequency<R> full_per_gpu, requests;
  std::optional<StaticBatch<R>> fixed;
  std::array<std::optional<ServingWay<R>>, kServingWays> ways;
  std::optional<ServingPools<R>> pools;
  std::optional<LoadFigures<R>> pools_known;  // under the load, from sizing them
  std::optional<LoadFigures<R>> load;         // where a rate or a concurrency is stated
  const char* no_load = "the plan states neither rate nor concurrency";
  std::optional<Count<R>> engines;  // replicas · data ranks · stages, each its share; one of pools
  std::optional<Frequency<R>> saturates;    // of all engines: beyond, the queue grows without bound
  std::optional<Frequency<R>> load_tokens;  // of all engines, under the load
  // The same requests on each way to combine the phases, where a rate is stated; pools by the workers they need.
  std::array<std::optional<WayUnderLoad<R>>, kServingWays> under;
  Money<R> full_money;                 // never idle
  std::optional<Money<R>> load_money;  // under the load, where it has figures
  std::optional<Count<R>> gpus_for_rate;
  SizedBy sized_by = SizedBy::kRate;
  bool own_workers = false;  // of pools, stated: none, or those of one pool alone, are sized
  std::optional<Count<R>> replicas_for_budget;
  std::optional<PoolPair<R>> budget_pools;  // in their place, of a plan with pools
  double budget_share = 1;                  // of what is paid: where the targets are kept
  bool budget_judged = false;               // targets are stated and have figures
  std::optional<Frequency<R>> rate_for_budget;
  // Where the closed form does not say how many GPUs, or which rate, keep the targets: why, and what the rate alone
  // takes.
  const char *rate_unknown = nullptr, *budget_unknown = nullptr;
  std::optional<Count<R>> gpus_at_least;
  bool budget_to_known = false;  // beyond the rate for the budget the closed form says nothing
  std::vector<FrontierPoint<R>> frontier;
  std::array<Seconds<R>, kStepOps> answer{};
};

template <class R>
struct ServingAnswer {
  Count<R> gpus, replicas, replica;
  ServingMemory<R> memory;
  Bytes<R> capacity, kv_token, total;
  std::optional<Running<R>> running;
  const char* bound = "";  // what binds the batch
  bool holds = true;       // memory has room for a sequence, or for the static batch that is stated

  template <class V>
  void metrics(V&& v) const;
};

template <class R>
ServingAnswer<R> answer(const ServingPlan<R>& plan);

// Times for a simulation, on doubles: of a step of so many decodes, their mean context, prompt tokens; of so many
// tokens of prompts on a prefill worker. Both keep the plan.
std::function<double(double, double, double)> serving_step_times(const ServingPlan<double>& plan,
                                                                 PromptSteps prompts);
std::function<double(double)> serving_prefill_times(const ServingPlan<double>& plan);

}  // namespace reckon

#include "reckon/cost/serving/metrics.hpp"
