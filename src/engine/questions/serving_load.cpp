#include "serving_load.hpp"

#include <fmt/format.h>

#include "load_simulated.hpp"
#include "needs.hpp"
#include "reckon/units/format.hpp"
#include "say_count.hpp"
#include "serving_money.hpp"
#include "serving_say.hpp"

namespace reckon {
namespace {

using Plan = ServingPlan<double>;
using Out = ServingAnswer<double>;

constexpr double kNearSaturation = 0.8;

// What is full when the queue begins to grow.
std::string full_of(const Plan& q, const Out& out) {
  const LoadFigures<double>& f = *out.running->load;
  if (f.full.by_move_first) return "the ports that caches move over never rest";
  if (own_way(q) == WayOfServing::kDisaggregated)
    return f.full.by_prefill_first ? "the prefill workers never rest"
                                   : "the decode workers' batches are full";
  if (f.full.by_prefill_first)
    return prompt_steps(q) == PromptSteps::kFirst ? "prompts take all of the time"
                                                  : "every chunk is full";
  const bool rate = q.workload.rate && !q.prefill;  // whatever the target
  return fmt::format("the batch is full ({} binds)",
                     rate ? std::string(out.running->fit_bound) : std::string(out.bound));
}

void say_waits(const Plan& q, const Out& out, Result& r) {
  const LoadFigures<double>& f = *out.running->load;
  const auto figure = [&](std::string_view id) {
    return or_simulate(r, id, q.simulation.simulate);
  };
  if (f.no_waits)
    r.answer.lines.push_back(fmt::format("under {}: TTFT: {}", load_text(q), figure("serve.ttft")));
  else
    r.answer.lines.push_back(fmt::format(
        "under {}: TTFT {} mean, {}", load_text(q), text(r, "serve.ttft"),
        ranks_text(
            r, {{"p50", "serve.ttft_p50"}, {"p90", "serve.ttft_p90"}, {"p99", "serve.ttft_p99"}},
            q.simulation.simulate)));
  const bool pools = own_way(q) == WayOfServing::kDisaggregated;
  if (f.waiting && f.ttft)
    r.answer.lines.push_back(fmt::format(
        "of it waiting {}, the prompt as if in one step {}, {} {}, the request itself {}",
        text(r, "serve.ttft_waiting"), text(r, "serve.ttft_service"),
        pools ? "moving its cache" : "chunks and the others' tokens",
        text(r, "serve.ttft_chunking"),
        format_quantity(plain(q.engine.overhead.request), kSecond)));
  if (f.tpot)
    r.answer.lines.push_back(fmt::format(
        "TPOT, without the first token{}: {} mean, {}",
        f.inclusive ? fmt::format(" ({} with it)", text(r, "serve.tpot_inclusive")) : std::string(),
        text(r, "serve.tpot"),
        ranks_text(r, {{"p90", "serve.tpot_p90"}, {"p99", "serve.tpot_p99"}},
                   q.simulation.simulate)));
  else if (f.no_tpot && !f.no_waits)
    r.answer.lines.push_back("TPOT: " + figure("serve.tpot"));
}

void say_keeping(const Plan& q, const LoadFigures<double>& f, Result& r) {
  const auto target = [&](const char* what, const auto& most, const auto& mean, const auto& p90,
                          const char* id) {
    if (!most || !mean) return;
    const double x = plain(*most);
    const bool nine = p90 && plain(*p90) <= x, half = plain(*mean) <= x;
    if (!q.simulation.simulate && kept(most, mean, p90) == Kept::kNo) r.say_no(No::kTarget);
    r.answer.lines.push_back(fmt::format(
        "target {} {}: {}", what, format_quantity(x, kSecond, Hint::kNone),
        nine           ? "nine of ten requests meet it"
        : half && !p90 ? "met on average"
        : half         ? "not met: on average it is, not by nine of ten requests"
                       : fmt::format("not met under this load, on average it is {}", text(r, id))));
  };
  target("TTFT", q.targets.ttft, f.ttft, f.ttft_p90, "serve.ttft");
  target("TPOT", q.targets.tpot, f.tpot, f.tpot_p90, "serve.tpot");
  if (q.targets.ttft && q.targets.tpot && f.ttft && f.tpot)
    say_each_alone(q.simulation.simulate, r);
}

void add_ways_under(const Plan& q, const Out& out, Result& r) {
  const Count<double> all = q.cluster->nodes * q.cluster->node.gpus;
  const bool shared = !(q.prefill && q.prefill->cluster);  // one cluster for both pools
  Grid g{"The same load on each way, closed form",
         "",
         {{"gpus", "GPUs"},
          {"saturation", "saturates at"},
          {"utilisation", "used"},
          {"ttft", "TTFT"},
          {"ttft_p90", "p90"},
          {"tpot", "TPOT"},
          {"tpot_p90", "p90"}},
         {}};
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"under.prefill_first", "prompts stop decodes"},
      {"under.mixed", "mixed, in chunks"},
      {"under.disaggregated", "pools of their own"}};
  for (std::size_t i = 0; i < kServingWays; ++i) {
    if (!out.running->under[i]) continue;
    g.rows.push_back({kRows[i].first, kRows[i].second,
                      out.running->under[i]->figures.unbounded ? "the queue grows without bound"
                      : out.running->under[i]->figures.no_form ? "no closed form: simulate"
                      : shared && all < out.running->under[i]->gpus
                          ? "more GPUs than the cluster has"
                          : ""});
  }
  if (g.rows.size() > 1) r.answer.grids.push_back(std::move(g));
}

}  // namespace

WayOfServing own_way(const Plan& q) {
  if (q.prefill && (q.workload.rate || q.workload.concurrency)) return WayOfServing::kDisaggregated;
  return prompt_steps(q) == PromptSteps::kFirst ? WayOfServing::kPrefillFirst
                                                : WayOfServing::kMixed;
}

void say_load(const Plan& q, const Out& out, Result& r) {
  const Running<double>& run = *out.running;
  if (!run.load) return;
  const LoadFigures<double>& f = *run.load;
  if (f.no_form) {
    r.answer.lines.push_back(
        fmt::format("under {}: they wait for prefill and decode in a circle, which has no closed "
                    "form; at most {}, where {}",
                    load_text(q), at_most(plain(*run.saturates)), full_of(q, out)));
  } else if (f.unbounded) {
    r.say_no(No::kQueue);
    r.warnings.push_back(
        fmt::format("the queue grows without bound: {} arrive, and {} are taken at most, where {}",
                    load_text(q), at_most(plain(*run.saturates)), full_of(q, out)));
  } else {
    const double engines = plain(*run.engines);
    const double burst =
        q.workload.rate
            ? plain(burst_of_share(burst_of(q.traffic, q.workload.rate), Count<double>(engines)))
            : 1;
    warn_of_arrivals(f, burst, q.simulation.simulate, r);
    const auto chunk = stated_or(q.settings.chunk, q.engine.limits.chunk);
    if (q.workload.concurrency)
      warn_of_step({plain(*q.workload.concurrency) / engines, plain(fresh_prompt(q.workload).fresh),
                    chunk ? plain(*chunk) : 0, prompt_steps(q) == PromptSteps::kShared,
                    plain(q.engine.overhead.request)},
                   q.traffic, q.simulation.simulate, r);
    say_waits(q, out, r);
    say_keeping(q, f, r);
    r.answer.lines.push_back(
        fmt::format("{} of saturation, which is at {}, where {}{}", text(r, "serve.utilisation"),
                    text(r, "serve.saturates"), full_of(q, out),
                    f.present ? "; requests inside: " + text(r, "serve.concurrency") : ""));
    if (own_way(q) != WayOfServing::kDisaggregated)
      r.answer.notes.emplace_back(
          "Two capacities: never idle, every place of the batch decodes and prompts spread evenly "
          "over its steps; at saturation, where the queue begins to grow, places are also held by "
          "requests whose prompts are being computed, and prompts take the steps they do.");
    if (q.workload.rate && plain(f.utilisation) > kNearSaturation)
      r.warnings.push_back(
          fmt::format("{} of what the engines take: waits grow without bound from here, and small "
                      "errors of a step's time or the rate grow with them",
                      text(r, "serve.utilisation")));
  }
  if (own_way(q) == WayOfServing::kDisaggregated) warn_of_ports(f, r);
  add_ways_under(q, out, r);
}

}  // namespace reckon
