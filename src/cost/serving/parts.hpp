// Parts of a serving answer: steps as stated or modelled, ways to combine the phases, pools, the frontier.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "reckon/cost/questions/decode.hpp"
#include "reckon/cost/serving/answer.hpp"
#include "reckon/cost/serving/targets.hpp"
#include "reckon/cost/whole.hpp"

namespace reckon {

// The same plan on plain numbers, where searches are made: answered when a recording first asks, and once.
template <class R>
class PlainAnswer {
 public:
  explicit PlainAnswer(const ServingPlan<R>& plan) : plan_(plan) {}
  const ServingAnswer<double>& operator()() const {
    if (!answer_) answer_ = answer(lower(plan_));
    return *answer_;
  }

 private:
  const ServingPlan<R>& plan_;
  mutable std::optional<ServingAnswer<double>> answer_;
};

template <class R>
PromptPass<R> prompt_alone(const ServingPlan<R>& plan, const ServingMachine<R>& s) {
  const Count<R> one{1};
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  PromptPass<R> out = prompt_pass(s, fresh_prompt(plan.workload), one, chunk);
  if (plan.stated && plan.stated->prefill) out.time = *plan.stated->prefill;
  return out;
}

template <class R>
StepTimes<R> decode_step(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n) {
  return serving_step(s, decode_call(plan, n, served_context(plan)));
}

template <class R>
Seconds<R> decode_time(const ServingPlan<R>& plan, const ServingMachine<R>& s, Count<R> n) {
  return serving_step_time(s, decode_call(plan, n, served_context(plan)));
}

// Time between tokens: of the modelled step, or of the plan's own figures.
template <class R>
Seconds<R> stated_token(const ServingPlan<R>& plan, const ServingMachine<R>& s, Seconds<R> t_step) {
  if (plan.stated && plan.stated->decode)
    return time_per_token(plan, kStatedStep(*plan.stated->decode));
  if (!plan.stated || plan.stated->layer.empty()) return time_per_token(plan, t_step);
  Sum<kSecond, R> parts;
  int i = 0;
  for (const Seconds<R>& part : plan.stated->layer) parts.add({"part", i++}, part);
  auto L = s.layers;
  auto t_layer = parts.total();
  auto t_rest = plan.stated->step ? *plan.stated->step : Seconds<R>{};
  NAME(L, t_layer, t_rest);
  return time_per_token(plan, kStatedLayers(L * t_layer + t_rest));
}

// Largest batch up to the machine's that keeps a target, or all of it.
template <class R, class Time>
Count<R> batch_keeping(const ServingPlan<R>& plan, Count<R> most, Time per_token) {
  if (!plan.targets.tpot || plan.stated || *plan.workload.output <= 1) return max(most, 1);
  const int limit = whole(most);
  const int n = largest_whole(limit, [&](int k) {
    return plain(per_token(structural<R>("n", k))) - plain(*plan.targets.tpot);
  });
  if (n >= 1 && n == limit) return max(most, 1);
  return structural<R>("B_way", std::max(n, 1));
}

// Sequences that memory and the engine allow, whatever the target.
template <class R>
Count<R> batch_without_target(const ServingPlan<R>& plan, const ServingAnswer<R>& out) {
  auto B = max(out.memory.batch, 1);
  const auto limit = stated_or(plan.settings.batch, plan.engine.limits.batch);
  return limit ? min(B, *limit) : B;
}

template <class R>
Seconds<R> service_ttft(const ServingPlan<R>& plan, const PromptPass<R>& prompt) {
  auto o_req = plan.engine.overhead.request;
  auto T_p = prompt.time;
  NAME(o_req, T_p);
  return kServiceTtft(o_req + T_p);
}

template <class R>
Frequency<R> per_gpu(Frequency<R> replica, Count<R> gpus) {
  auto s_rep = replica;
  auto g = gpus;
  NAME(s_rep, g);
  return kServedPerGpu(s_rep / g);
}

template <class R>
ServingWay<R> way_of(const ServingPlan<R>& plan, Count<R> batch, Seconds<R> tpot, Seconds<R> ttft,
                     Frequency<R> of_gpu) {
  ServingWay<R> w;
  w.batch = batch;
  w.ttft = ttft;
  w.per_gpu = of_gpu;
  if (!(*plan.workload.output <= 1)) {
    auto t_tok = tpot;
    NAME(t_tok);
    w.tpot = tpot;
    w.per_user = kServedPerUser(1 / t_tok);
  }
  return w;
}

// A prompt that arrives stops all decodes until it is done.
template <class R>
ServingWay<R> prefill_first(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                            const ServingAnswer<R>& out, const PromptPass<R>& prompt) {
  auto T_p = prompt.time;
  auto T_out = *plan.workload.output;
  auto d = s.mesh.data;
  NAME(T_p, T_out, d);
  const auto per_token = [&](Count<R> n) {
    auto t_tok = stated_token(plan, s, decode_time(plan, s, n));
    NAME(n, t_tok);
    return kPrefillFirstToken(t_tok + n * T_p / T_out);
  };
  auto n = batch_keeping<R>(plan, batch_without_target(plan, out), per_token);
  auto t_pf = per_token(n);
  NAME(n, t_pf);
  auto X_pf = kPrefillFirst(n * d / t_pf);
  return way_of(plan, n, t_pf, service_ttft(plan, prompt), per_gpu(X_pf, out.replica));
}

// Chunks ride along: a prompt takes as many steps as it has chunks.
template <class R>
ServingWay<R> mixed(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                    const ServingAnswer<R>& out, const Running<R>& run,
                    const PromptPass<R>& alone) {
  auto n = max(run.most, 1);
  auto n_ch = alone.chunks;
  StepCall<R> call = detail::part_of_pipeline(decode_call(plan, n, run.context), s.mesh.pipeline);
  Count<R> chunks;
  const Count<R> one{1};
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  const StepCall<R> prompt = chunk_call(fresh_prompt(plan.workload), one, chunk, chunks);
  call.x = prompt.x;
  call.s = prompt.s;
  call.past = prompt.past;
  call.prompts = prompt.prompts;
  auto t_step = passage_time(s, call);
  auto o_req = plan.engine.overhead.request;
  NAME(n_ch, t_step, o_req);
  auto t_1 = kMixedTtft(o_req + n_ch * t_step);
  return way_of(plan, n, run.full.per_token, t_1, per_gpu(run.full.tokens, out.replica));
}

template <class R>
ServingWay<R> disaggregated(const ServingPlan<R>& plan, const ServingPools<R>& p) {
  auto given_p = p.prefill_given;
  auto given_d = p.decode_given;
  auto g_p = p.prefill_gpus;
  auto g_d = p.decode_gpus;
  auto T_out = *plan.workload.output;
  NAME(given_p, given_d, g_p, g_d, T_out);
  auto X_gpu = kPoolsEven(T_out / (g_p / given_p + g_d / given_d));
  return way_of(plan, p.batch, p.per_token, p.ttft, X_gpu);
}

template <class R>
void pay_pools(const ServingPlan<R>& plan, ServingPools<R>& p) {
  if (!plan.price) return;
  auto price_pre = plan.prefill && plan.prefill->price ? *plan.prefill->price : *plan.price;
  auto price = *plan.price;
  auto T = *plan.workload.prompt;
  auto T_out = *plan.workload.output;
  auto g_p = p.prefill_gpus;
  auto g_d = p.decode_gpus;
  auto given_p = p.prefill_given;
  auto given_d = p.decode_given;
  NAME(price_pre, price, T, T_out, g_p, g_d, given_p, given_d);
  p.cost_input = kPoolCostInput(1000000 * price_pre * g_p / (given_p * T));
  p.cost_output = kPoolCostOutput(1000000 * price * g_d / (given_d * T_out));
}

// The machine of the prefill pool: the plan's, or its own chips, mesh and engine.
template <class R>
ServingMachine<R> prefill_machine(const ServingPlan<R>& plan) {
  if (!plan.prefill) return serving_machine(plan);
  const PrefillPool<R>& p = *plan.prefill;
  return serving_machine<R>(
      plan, {p.cluster ? *p.cluster : *plan.cluster, p.engine ? *p.engine : plan.engine,
             p.kernels ? *p.kernels : plan.kernels, p.mesh});
}

// Places of the load: under a rate as many as fit, since what few requests leave idle nobody has to keep free; users
// more than a target allows wait outside.
template <class R>
Count<R> slots_under_load(const ServingPlan<R>& plan, const Running<R>& run) {
  return plan.workload.rate ? run.fit : run.most;
}

// Whole workers of both pools, and what decides them; what is known of them under the load.
template <class R>
struct PoolSizes {
  int x = 1, y = 1;
  SizedBy by = SizedBy::kRate;
  std::optional<LoadFigures<R>> figures{};
};

// The fewest, from the rate's own on, with which the queue does not grow and nine of ten requests keep the targets.
// TTFT ends when the cache has moved, so prefill workers alone set it; TPOT is the decode workers'.
template <class R>
PoolSizes<R> pools_in_target(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                             const ServingMachine<R>& s, const ServingPools<R>& p, Count<R> x,
                             Count<R> y, const PlainAnswer<R>& flat) {
  if constexpr (std::is_same_v<R, double>) {
    PoolSizes<R> at{whole(x), whole(y)};
    // The last pair is kept: each search begins where the one before it ended.
    LoadFigures<R> figures;
    std::pair<int, int> of{0, 0};
    const auto loaded = [&](int x_is, int y_is) -> const LoadFigures<R>& {
      if (of == std::pair{x_is, y_is}) return figures;
      figures = pools_under_load(plan, pre, s, p, structural<R>("x", x_is),
                                 structural<R>("y", y_is), !plan.prefill);
      of = {x_is, y_is};
      return figures;
    };
    const double rate = plain(*plan.workload.rate);
    const LoadLimits<R> full = loaded(at.x, at.y).full;
    // Below what each takes, not at it; caches are sent by one side and received by the other.
    const auto stable = [rate](int n, double all) {
      return all > rate || !(all > 0) ? n : static_cast<int>(std::min(rate / (all / n), 1e6)) + 1;
    };
    const auto moves = [](int n, Seconds<R> t_port) {
      return plain(t_port) > 0 ? n / plain(t_port) : std::numeric_limits<double>::infinity();
    };
    if (full.by_prefill) at.x = stable(at.x, plain(*full.by_prefill));
    if (full.by_batch) at.y = stable(at.y, plain(*full.by_batch));
    at.x = stable(at.x, moves(at.x, p.sends));
    at.y = stable(at.y, moves(at.y, p.receives));
    if (plan.stated) return at;
    const int most_x = std::max(at.x, kMostWorkers), most_y = std::max(at.y, kMostWorkers);
    std::optional<int> x_kept = at.x, y_kept = at.y;
    ServingTargets<double> first, each;
    first.ttft = plan.targets.ttft;
    each.tpot = plan.targets.tpot;
    if (first.ttft)
      x_kept = fewest(at.x, most_x, [&](int k) { return !misses(first, loaded(k, at.y), true); });
    if (each.tpot)
      y_kept = fewest(at.y, most_y,
                      [&](int k) { return !misses(each, loaded(x_kept.value_or(at.x), k), true); });
    if (!x_kept || !y_kept) {
      const auto& best = loaded(x_kept.value_or(most_x), y_kept.value_or(most_y));
      if (misses(plan.targets, best, true) == SizedBy::kUnknown)
        return {at.x, at.y, SizedBy::kUnknown, {}};
    }
    const SizedBy by = !x_kept                           ? SizedBy::kTtftNever
                       : !y_kept                         ? SizedBy::kTpotNever
                       : *x_kept - at.x > *y_kept - at.y ? SizedBy::kTtft
                       : *y_kept > at.y                  ? SizedBy::kTpot
                                                         : SizedBy::kRate;
    const int x_is = x_kept.value_or(at.x), y_is = y_kept.value_or(at.y);
    return {x_is, y_is, by, loaded(x_is, y_is)};
  } else {
    const ServingPools<double>& found = *flat().running->pools;
    return {whole(found.asked->x), whole(found.asked->y), found.sized_by, {}};
  }
}

// Whole workers for the rate and the targets; those of a pool that states its own are these. What is known of them
// under the load: all percentiles where the plan has pools, else the 90th.
template <class R>
std::optional<LoadFigures<R>> size_for_load(const ServingPlan<R>& plan,
                                            const ServingMachine<R>& pre,
                                            const ServingMachine<R>& s, ServingPools<R>& p,
                                            const PlainAnswer<R>& flat) {
  const std::optional<Count<R>> x_own = plan.prefill ? plan.prefill->workers : std::nullopt;
  const std::optional<Count<R>> y_own = plan.prefill ? plan.prefill->decode_workers : std::nullopt;
  auto x = workers_for(*plan.workload.rate, p.prefill_given);
  auto y = workers_for(*plan.workload.rate, p.decode_given);
  std::optional<LoadFigures<R>> known;
  if (whole(*plan.workload.output) > 1) {
    PoolSizes<R> more = pools_in_target(plan, pre, s, p, x, y, flat);
    if (!x_own && !y_own) known = std::move(more.figures);
    const int x_rate = whole(x), y_rate = whole(y);
    if (more.x > x_rate)
      x = kPrefillWorkersTarget(called("x_rate", x) + structural<R>("x_more", more.x - x_rate));
    if (more.y > y_rate)
      y = kDecodeWorkersTarget(called("y_rate", y) + structural<R>("y_more", more.y - y_rate));
    const bool first = more.by == SizedBy::kTtft || more.by == SizedBy::kTtftNever;
    const bool stated = first ? x_own.has_value() : y_own.has_value();
    p.sized_by = stated ? SizedBy::kRate : more.by;
  }
  p.asked = pool_pair(plan, p, x_own ? *x_own : x, y_own ? *y_own : y);
  return known;
}

// Both pools are stated, or one is and no rate says more: then the other keeps up with it.
template <class R>
void size_stated(const ServingPlan<R>& plan, ServingPools<R>& p) {
  const PrefillPool<R>& own = *plan.prefill;
  const auto keeps_up = [&](Count<R> n, Frequency<R> given, Frequency<R> other) {
    auto n_own = n;
    auto given_own = given;
    auto given_to = other;
    NAME(n_own, given_own, given_to);
    return kPoolKeepsUp(least_whole(n_own * given_own / given_to));
  };
  const Count<R> x =
      own.workers ? *own.workers : keeps_up(*own.decode_workers, p.decode_given, p.prefill_given);
  const Count<R> y = own.decode_workers ? *own.decode_workers
                                        : keeps_up(*own.workers, p.prefill_given, p.decode_given);
  p.asked = pool_pair(plan, p, x, y);
  if (own.cluster) return;
  auto G_all = plan.cluster->nodes * plan.cluster->node.gpus;
  auto G = p.asked->gpus;
  auto s_gpu = p.asked->per_gpu;
  NAME(G_all, G, s_gpu);
  p.owned = kPoolOwned(s_gpu * floor(G_all / G) * G / G_all);
}

// Workers that are stated, or that the rate and the targets need.
template <class R>
std::optional<LoadFigures<R>> size_pools(const ServingPlan<R>& plan, const ServingMachine<R>& pre,
                                         const ServingMachine<R>& s, ServingPools<R>& p,
                                         const PlainAnswer<R>& flat) {
  std::optional<LoadFigures<R>> known;
  const bool x_own = plan.prefill && plan.prefill->workers;
  const bool y_own = plan.prefill && plan.prefill->decode_workers;
  if ((x_own && y_own) || (!plan.workload.rate && (x_own || y_own)))
    size_stated(plan, p);
  else if (plan.workload.rate)
    known = size_for_load(plan, pre, s, p, flat);
  else
    return known;
  if (!p.transfer) return known;
  auto rate = plan.workload.rate ? *plan.workload.rate : p.asked->rate;
  auto t_move = *p.transfer;
  auto x = p.asked->x;
  auto y = p.asked->y;
  NAME(rate, t_move, x, y);
  p.transfer_load = kMoveLoad(rate * t_move / min(x, y));
  return known;
}

template <class R>
ServingPools<R> pools_of(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                         const ServingMachine<R>& pre, const ServingAnswer<R>& out,
                         const PlainAnswer<R>& flat, std::optional<LoadFigures<R>>& known) {
  const Count<R> one{1};
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  auto T_p = prompt_time(pre, fresh_prompt(plan.workload), plan.prefill ? plan.prefill->batch : one,
                         chunk);
  if (plan.stated && plan.stated->prefill) T_p = *plan.stated->prefill;
  const auto per_token = [&](Count<R> n) { return stated_token(plan, s, decode_time(plan, s, n)); };
  auto n = plan.workload.batch ? *plan.workload.batch / s.mesh.data
                               : batch_keeping<R>(plan, batch_without_target(plan, out), per_token);
  ServingPools<R> p = serving_pools<R>({plan, pre, s, T_p, per_token(n), n});
  if (plan.prefill) {
    p.prefill_space = serving_memory(plan, pre, parameters(plan.model)).space;
    p.prefill_sequence = served_cache(pre, *plan.workload.prompt);
  }
  pay_pools(plan, p);
  known = size_pools(plan, pre, s, p, flat);
  return p;
}

// A plan's own prompts may have a pool of their own; beside it stand replicas that do both.
template <class R>
void compare_ways(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                  const ServingMachine<R>& pre, const ServingAnswer<R>& out, Running<R>& run,
                  const PlainAnswer<R>& flat) {
  const PromptPass<R> both = plan.prefill ? prompt_alone(plan, s) : run.prompt;
  run.ways[0] = prefill_first(plan, s, out, both);
  run.ways[1] = mixed(plan, s, out, run, both);
  run.pools = pools_of(plan, s, pre, out, flat, run.pools_known);
  run.ways[2] = disaggregated(plan, *run.pools);
}

// Tokens/s of a user against tokens/s of a GPU, over tensor ranks and batches; what another point beats in both is
// left out.
inline constexpr std::size_t kFrontierPoints = 16;

template <class R>
bool beaten(const FrontierPoint<R>& a, const FrontierPoint<R>& by) {
  return a.per_user <= by.per_user && a.per_gpu < by.per_gpu;
}

template <class R>
void offer(std::vector<FrontierPoint<R>>& all, const FrontierPoint<R>& p) {
  for (const FrontierPoint<R>& q : all)
    if (beaten(p, q)) return;
  std::erase_if(all, [&p](const FrontierPoint<R>& q) { return beaten(q, p); });
  all.push_back(p);
}

template <class R>
std::vector<FrontierPoint<R>> frontier(const ServingPlan<R>& plan, const ServingMachine<R>& s) {
  std::vector<FrontierPoint<R>> out;
  const Parameters<R> n = parameters(plan.model);
  const int most = whole(s.mesh.data) > 1 ? whole(s.mesh.tensor) : whole(s.node_gpus);
  for (int t = whole(s.mesh.data) > 1 ? most : 1; t <= most; t *= 2) {
    if (!divides_heads(plan.model, t)) continue;
    ServingMachine<R> m = s;
    m.mesh.tensor = structural<R>("tensor", t);
    if (whole(s.ep) > 1 && whole(s.mesh.data) <= 1) m.ep = m.mesh.tensor;
    m.gpus = replica_gpus(m.mesh);
    set_reduce_curves(m, plan.kernels);
    const ServingMemory<R> memory = serving_memory(plan, m, n);
    const auto limit = stated_or(plan.settings.batch, plan.engine.limits.batch);
    const int fits = std::min(whole(memory.batch), limit ? whole(*limit) : 1 << 20);
    // Doublings, and the largest that fits: there a GPU gives most.
    for (int b = 1, done = 0; done < fits; done = b, b = std::min(2 * b, fits)) {
      FrontierPoint<R> p{m.mesh.tensor, structural<R>("batch", b), {}, {}};
      const Saturation<R> x = saturation(plan, m, p.batch);
      auto t_tok = x.per_token;
      NAME(t_tok);
      p.per_user = kServedPerUser(1 / t_tok);
      p.per_gpu = per_gpu(x.tokens, m.gpus);
      offer(out, p);
    }
  }
  std::sort(out.begin(), out.end(), [](const FrontierPoint<R>& a, const FrontierPoint<R>& b) {
    return plain(a.per_user) > plain(b.per_user);
  });
  while (out.size() > kFrontierPoints) out.erase(out.begin() + 1);
  return out;
}

}  // namespace reckon
