#include "reckon/cost/serving/answer.hpp"

#include <algorithm>
#include <memory>

#include "parts.hpp"
#include "pay.hpp"
#include "pools_paid.hpp"

namespace reckon {
namespace {

template <class R>
StaticBatch<R> static_batch(const ServingPlan<R>& plan, const ServingMachine<R>& s) {
  StaticBatch<R> out;
  auto d = s.mesh.data;
  auto b = *plan.workload.batch;
  auto R_all = Count<R>{1};
  NAME(b, R_all, d);
  auto b_rank = kBatchPart(b / (R_all * d));
  out.batch = b_rank;
  out.prompts = prompt_pass(s, fresh_prompt(plan.workload), b_rank, {});
  out.step = decode_step(plan, s, b_rank);
  out.per_token = stated_token(plan, s, out.step.time);
  auto T_x = out.prompts.time;
  auto t_tok = out.per_token;
  auto T_out = *plan.workload.output;
  NAME(T_x, t_tok, T_out);
  out.time = kStaticTime(T_x + T_out * t_tok);
  auto t_st = out.time;
  out.tokens = kStaticRate(b * T_out / t_st);
  return out;
}

// `per_token`: time between tokens where so many decode.
template <class R, class Time>
Count<R> batch_in_target(Seconds<R> most, Count<R> by_others, const Time& per_token) {
  const int limit = std::min(whole(by_others), 1 << 20);
  const int n = largest_whole(
      limit, [&](int k) { return plain(per_token(structural<R>("n", k))) - plain(most); });
  return structural<R>("B_target", n);
}

// Where even one sequence never idle misses the target of TPOT, with its share of prompts, a load that leaves the
// engine idle may keep it: the load's own figures judge.
template <class R>
bool kept_by_few(const ServingPlan<R>& plan, const ServingMachine<R>& s) {
  if (!plan.workload.rate && !plan.workload.concurrency) return false;
  if (!plan.targets.tpot || plan.stated) return false;
  const auto one = structural<R>("n", 1);
  return *plan.targets.tpot < saturated_token(plan, s, one) &&
         stated_token(plan, s, decode_time(plan, s, one)) <= *plan.targets.tpot;
}

// `judged`: by the target of TPOT too.
template <class R, class Time>
void limit_batch(const ServingPlan<R>& plan, bool judged, const Time& per_token,
                 ServingAnswer<R>& out, Running<R>& run) {
  Smallest<kOne, R> least;
  std::vector<const char*> names{"memory"};
  auto B_mem = out.memory.batch;
  NAME(B_mem);
  least.offer("memory", B_mem);  // on average: whole ones are printed
  run.by_engine = stated_or(plan.settings.batch, plan.engine.limits.batch);
  if (run.by_engine) {
    least.offer("engine", *run.by_engine);
    names.emplace_back("the engine's limit");
  }
  // Few sequences are whole ones; of many the mean number that fits changes with their lengths.
  constexpr int kFew = 16;
  auto B_fit = least.best();
  NAME(B_fit);
  run.fit = kBatchFit(where(B_fit < kFew, floor(B_fit), B_fit));
  run.fit_bound = names[least.winner()];
  const bool decodes = !(*plan.workload.output <= 1);
  run.by_target.reset();
  if (plan.targets.tpot && !plan.stated && decodes && judged) {
    run.by_target = batch_in_target(*plan.targets.tpot, least.best(), per_token);
    // As many as anything else allows: the target is not what binds.
    if (*run.by_target < floor(least.best())) {
      least.offer("target", *run.by_target);
      names.emplace_back("the target of TPOT");
    }
  }
  auto B_most = least.best();
  NAME(B_most);
  run.most = kBatchMost(where(B_most < kFew, floor(B_most), B_most));
  out.bound = names[least.winner()];
}

// The batch that decodes: stated, as many as there are users, or as many as fit.
template <class R>
Count<R> batch_in_use(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                      const ServingAnswer<R>& out, const Running<R>& run) {
  const auto& asked = plan.workload.batch ? plan.workload.batch : plan.workload.concurrency;
  if (!asked) return max(run.most, 1);
  auto b = *asked;
  auto R_all = plan.workload.batch ? Count<R>{1}
               : plan.prefill      ? run.pools->asked->y
                                   : out.replicas;
  auto d = s.mesh.data;
  NAME(b, R_all, d);
  auto part = kBatchPart(b / (R_all * d));
  if (plan.workload.batch) return part;
  return min(max(part, 1), max(run.most, 1));
}

template <class R>
std::optional<Count<R>> compute_from(const ServingMachine<R>& s) {
  const LayerGroup<R>& g = s.model.layers.back();
  const bool moe = g.mlp.kind == MlpKind::kMoe;
  const ServedKernel<R>& k = moe ? s.experts.kernel : s.mlp.kernel;
  if (g.mlp.kind != MlpKind::kMoe && g.mlp.kind != MlpKind::kDense) return {};
  auto P = *s.chip.peak.of(k.peak);
  auto c = moe ? k.compute * s.experts.experts : k.compute;
  auto W = s.chip.memory.bandwidth;
  auto e = k.memory;
  auto w = k.weight;
  auto per = moe ? *g.mlp.experts / *g.mlp.top_k : Count<R>{1};
  NAME(P, c, W, e, w, per);
  return kComputeFrom(P * c * w / (2_flop * W * e) * per);
}

// The longest prompt that is computed within t_max on an idle replica, in whole tokens. Looked for around the one that
// the plan's own prompts, which take t_1, point at.
template <class R>
Count<R> longest_prompt_in(const ServingPlan<R>& plan, const ServingMachine<R>& s, Seconds<R> t_max,
                           Seconds<R> t_1) {
  constexpr int kLongest = 1 << 22;
  const auto chunk = stated_or(plan.settings.chunk, plan.engine.limits.chunk);
  const Count<R> one{1};
  const double guess = plain(*plan.workload.prompt) * plain(t_max) / plain(t_1);
  const int start = guess < kLongest ? std::max(1, static_cast<int>(guess)) : kLongest;
  const int n = largest_whole(
      kLongest,
      [&](int T) {
        const FreshPrompt<R> p{structural<R>("T", T), Count<R>{0}};
        return plain(plan.engine.overhead.request + prompt_time(s, p, one, chunk)) - plain(t_max);
      },
      start);
  return structural<R>("T_max", n);
}

template <class R>
void sum_answer(const ServingPlan<R>& plan, Running<R>& run) {
  auto T_out = *plan.workload.output;
  for (std::size_t o = 0; o < kStepOps; ++o) {
    auto t_op = run.decode.op[o];
    if (t_op <= Seconds<R>{}) continue;
    NAME(T_out, t_op);
    run.answer[o] = kOperatorAnswer((T_out - 1) * t_op);
  }
}

// The plan's own way under its load, and every way beside it; pools are not asked about users in the place of others.
template <class R>
void put_under_load(const ServingPlan<R>& plan, const ServingMachine<R>& s,
                    const ServingMachine<R>& pre, const ServingAnswer<R>& out, Running<R>& run) {
  const bool loaded = plan.workload.rate || plan.workload.concurrency;
  if (plan.stated) run.no_load = "stated times hold for one batch, not for every step of a load";
  if (!loaded || plan.stated) return;
  auto R_all = out.replicas;
  auto d = s.mesh.data;
  auto p_all = s.mesh.pipeline;
  NAME(R_all, d, p_all);
  const bool pools = plan.prefill.has_value();
  const Count<R> one{1};
  const auto E_one = p_all <= 1 ? kEngines(R_all * d) : kEngineParts(R_all * d * p_all);
  auto E = pools ? one : E_one;
  const bool few = !pools && plan.workload.concurrency && *plan.workload.concurrency < E_one;
  if (few) {
    auto E_all = E_one;
    auto N = *plan.workload.concurrency;
    NAME(E_all, N);
    E = kEnginesOfUsers(min(E_all, max(N, 1)));
  }
  run.engines = E;
  if (!pools)
    run.load = under_load(plan, s, R_all, slots_under_load(plan, run), prompt_steps(plan));
  NAME(E);
  const auto add = [&](WayOfServing way, const Count<R>& gpus, const Count<R>& engines,
                       const LoadFigures<R>& f) {
    auto rate_sat = f.full.rate;
    auto E_way = engines;
    NAME(rate_sat, E_way);
    run.under[static_cast<std::size_t>(way)] = {gpus, kWaySaturation(rate_sat * E_way), f};
  };
  const ServingPools<R>& p = *run.pools;
  if (p.asked && (pools || plan.workload.rate))
    add(WayOfServing::kDisaggregated, p.asked->gpus, one,
        run.pools_known ? *run.pools_known
                        : pools_under_load(plan, pre, s, p, p.asked->x, p.asked->y, !pools));
  if (few) {
    auto E_all = E_one;
    auto u_one = run.load->utilisation;
    NAME(E_all, u_one);
    run.load->utilisation = kUsedByFew(u_one * E / E_all);
  }
  if (pools && run.under[2]) run.load = run.under[2]->figures;
  const PromptSteps mine_is = prompt_steps(plan);
  const PromptSteps chunks = mine_is == PromptSteps::kFirst ? PromptSteps::kShared : mine_is;
  for (const auto& [way, prompts] : {std::pair{WayOfServing::kPrefillFirst, PromptSteps::kFirst},
                                     {WayOfServing::kMixed, chunks}}) {
    const bool own = run.load && !pools && prompts == mine_is;
    const Count<R> slots = own || plan.workload.rate
                               ? slots_under_load(plan, run)
                               : run.ways[static_cast<std::size_t>(way)]->batch;
    add(way, out.gpus, E_one, own ? *run.load : under_load(plan, s, R_all, slots, prompts, true));
  }
  const std::size_t mine = pools ? 2 : mine_is == PromptSteps::kFirst ? 0 : 1;
  if (run.under[mine]) run.saturates = run.under[mine]->saturation;
}

// A prompt alone: on a replica, or where prompts have a pool of their own on a worker of it.
template <class R>
void prompts_alone(const ServingPlan<R>& plan, const ServingMachine<R>& pre, Running<R>& run) {
  run.prompt = prompt_alone(plan, pre);
  run.ttft = service_ttft(plan, run.prompt);
  auto s_new = fresh_prompt(plan.workload).fresh;
  auto d = pre.mesh.data;
  auto T_p = run.prompt.time;
  NAME(s_new, d, T_p);
  run.prompt_rate = kPromptRate(d * s_new / T_p);
  if (plan.targets.ttft && !plan.stated && !plan.prefill)
    run.longest_prompt = longest_prompt_in(plan, pre, *plan.targets.ttft, run.ttft);
}

template <class R>
Running<R> running(const ServingPlan<R>& plan, const ServingMachine<R>& s, ServingAnswer<R>& out) {
  Running<R> run;
  const PlainAnswer<R> flat(plan);
  std::optional<ServingMachine<R>> own;
  if (plan.prefill) own.emplace(prefill_machine(plan));
  const ServingMachine<R>& pre = own ? *own : s;
  run.pools_own = plan.prefill.has_value();
  run.context = served_context(plan);
  prompts_alone(plan, pre, run);
  // Replicas that do both stand beside pools: what they have for prompts, a decode worker has for its batch.
  const auto both = [&](Count<R> n) { return saturated_token(plan, s, n); };
  run.target_by_load = kept_by_few(plan, s);
  limit_batch(plan, !run.target_by_load, both, out, run);
  const Count<R> one{1};
  run.full = saturation(plan, s, max(run.most, one));
  compare_ways(plan, s, pre, out, run, flat);
  const auto decodes = [&](Count<R> n) { return stated_token(plan, s, decode_time(plan, s, n)); };
  if (run.pools_own) limit_batch(plan, true, decodes, out, run);
  run.n = batch_in_use(plan, s, out, run);
  run.decode = decode_step(plan, s, run.n);
  run.per_token = stated_token(plan, s, run.decode.time);
  if (plan.speculative) run.yield = accepted_tokens(*plan.speculative);
  run.compute_from = compute_from(s);
  sum_answer(plan, run);
  run.answers_decode = !(*plan.workload.output <= 1);
  auto t_tok = run.per_token;
  auto n = run.n * s.mesh.data;
  auto g = out.replica;
  auto X = run.full.tokens;
  auto R_all = out.replicas;
  auto T_out = *plan.workload.output;
  NAME(t_tok, n, g, X, R_all, T_out);
  run.per_user = kServedPerUser(1 / t_tok);
  run.per_gpu = per_gpu(called("s_rep", n / t_tok, Hint::kTokenRate), g);
  run.full_per_gpu = per_gpu(X, g);
  run.requests = kServedRequests(R_all * X / T_out);
  if (plan.workload.batch) run.fixed = static_batch(plan, s);
  put_under_load(plan, s, pre, out, run);
  if (run.load && run.load->tokens_rate) {
    auto E = *run.engines;
    auto X_one = *run.load->tokens_rate;
    NAME(E, X_one);
    run.load_tokens = kAllTokens(X_one * E);
  }
  pay_never_idle(plan, pre, s, out, run);
  pay_load(plan, s, pre, out, run);
  size_for_rate(plan, s, out, run, flat);
  if (plan.prefill)
    spend_on_pools(plan, pre, s, run, flat);
  else
    spend_budget(plan, s, out, run, flat);
  if (plan.frontier) run.frontier = frontier(plan, s);
  return run;
}

}  // namespace

template <class R>
ServingAnswer<R> answer(const ServingPlan<R>& plan) {
  ServingAnswer<R> out;
  const ServingMachine<R> s = serving_machine(plan);
  const Parameters<R> n = parameters(plan.model);
  out.replica = s.gpus;
  auto g = out.replica;
  auto G_all = plan.cluster->nodes * plan.cluster->node.gpus;
  NAME(g, G_all);
  out.replicas = plan.mesh.replicas ? *plan.mesh.replicas : kReplicas(max(floor(G_all / g), 1));
  auto R_all = out.replicas;
  NAME(R_all);
  out.gpus = kServingGpus(R_all * g);
  out.memory = serving_memory(plan, s, n);
  out.capacity = s.chip.memory.capacity;
  const CachedAs<R> as{plan.served.cache.size, plan.assume.state, plan.assume.windows};
  out.kv_token = kv_cache(plan.model, as, Count<R>{1}).per_token;
  out.holds = static_cast<bool>(Count<R>{1} <= out.memory.batch);
  if (plan.workload.batch) {
    auto b = *plan.workload.batch;
    auto d = s.mesh.data;
    NAME(b, d);
    out.holds = out.holds && static_cast<bool>(b / d <= out.memory.batch);
  }
  if (out.memory.batch < 1 && !plan.stated && !plan.workload.batch) {
    auto M_w = out.memory.weights;
    auto M_res = out.memory.reserve;
    auto M_seq = out.memory.sequence;
    NAME(M_w, M_res, M_seq);
    out.total = kServedTotal(M_w + M_res + M_seq);
    out.bound = "memory";
    return out;
  }
  out.running = running(plan, s, out);
  auto M_w = out.memory.weights;
  auto M_res = out.memory.reserve;
  auto M_seq = out.memory.sequence * out.running->n;
  NAME(M_w, M_res, M_seq);
  out.total = kServedTotal(M_w + M_res + M_seq);
  return out;
}

namespace {

// What the times refer to, kept with them.
struct ServedOn {
  ServingPlan<double> plan;
  ServingMachine<double> decode, prefill;
  explicit ServedOn(const ServingPlan<double>& of)
      : plan(of), decode(serving_machine(plan)), prefill(prefill_machine(plan)) {}
};

}  // namespace

std::function<double(double, double, double)> serving_step_times(const ServingPlan<double>& plan,
                                                                 PromptSteps prompts) {
  return
      [on = std::make_shared<const ServedOn>(plan), prompts](double n, double context, double x) {
        return plain(loaded_step(on->plan, on->decode, Count<double>(n), Count<double>(context),
                                 Count<double>(x), prompts));
      };
}

std::function<double(double)> serving_prefill_times(const ServingPlan<double>& plan) {
  return [on = std::make_shared<const ServedOn>(plan)](double tokens) {
    return plain(pool_prefill(on->plan, on->prefill, Count<double>(tokens)));
  };
}

template ServingAnswer<double> answer(const ServingPlan<double>&);
template ServingAnswer<Traced> answer(const ServingPlan<Traced>&);

}  // namespace reckon
