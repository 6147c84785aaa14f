// A serving plan played out: step times in a table, requests from a distribution or a trace, every way beside the
// plan's own.
#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "load_simulated.hpp"
#include "needs.hpp"
#include "reckon/load/step_table.hpp"
#include "reckon/units/format.hpp"
#include "serving_load.hpp"
#include "traffic_legal.hpp"

namespace reckon {
namespace {

using Plan = ServingPlan<double>;
using Out = ServingAnswer<double>;

constexpr int kMostAtOnce = 65536;  // sequences, where nothing but the cache binds
constexpr double kHeldLongest = 0.75;

double longest_of(const Plan& q) {
  if (q.traffic.longest) return plain(*q.traffic.longest);
  return q.model.context ? plain(*q.model.context) : 0;
}

double engines_of(const Plan& q, const Out& out, WayOfServing way) {
  if (way == WayOfServing::kDisaggregated) return 1;
  return plain(out.replicas) * plain(q.mesh.data);
}

// Engines that have users: no more than there are of these.
double engines_in_use(const Plan& q, double engines) {
  if (!q.workload.concurrency || q.workload.rate) return engines;
  return std::min(engines, plain(*q.workload.concurrency));
}

// Users are dealt out one by one: where they do not divide some engines have one more.
void deal_users(double users, double engines, load::Scenario& out) {
  const double each = std::floor(users / engines);
  out.users = static_cast<std::size_t>(each);
  out.one_more = (users - each * engines) / engines;
}

// Sequences at once on one engine: of limits other than memory, which blocks keep.
int batch_of(const Plan& q, const Out& out, WayOfServing way) {
  const Running<double>& run = *out.running;
  double most = kMostAtOnce;
  if (run.by_engine) most = std::min(most, plain(*run.by_engine));
  const bool pools = way == WayOfServing::kDisaggregated, own = !pools && way == own_way(q);
  if (!pools && q.workload.rate) return static_cast<int>(std::max(1.0, std::floor(most)));
  if (own && run.by_target) most = std::min(most, std::max(1.0, plain(*run.by_target)));
  if (!own && q.targets.tpot)
    most = std::min(
        most, std::max(1.0, std::floor(plain(run.ways[static_cast<std::size_t>(way)]->batch))));
  return static_cast<int>(std::max(1.0, std::floor(most)));
}

PromptSteps steps_of(const Plan& q, WayOfServing way) {
  if (way == WayOfServing::kPrefillFirst) return PromptSteps::kFirst;
  const PromptSteps own = prompt_steps(q);
  return own == PromptSteps::kFirst ? PromptSteps::kShared : own;
}

CacheReserve admission_of(const Plan& q) {
  if (q.settings.admission) return *q.settings.admission;
  const double held = plain(stated_or(q.settings.held, q.engine.memory.held));
  return held >= kHeldLongest ? CacheReserve::kLongest : CacheReserve::kOnDemand;
}

// Of so many tokens: the first, then as many a step as are accepted.
double steps_of_answer(const Plan& q, double tokens) {
  if (!q.speculative) return tokens;
  return (tokens - 1) / plain(accepted_tokens(*q.speculative)) + 1;
}

load::Engine engine_of(const Plan& q, const Out& out, WayOfServing way, double longest_prompt) {
  load::Engine e;
  const PromptSteps prompts = steps_of(q, way);
  const auto chunk = stated_or(q.settings.chunk, q.engine.limits.chunk);
  const double fresh = plain(fresh_prompt(q.workload).fresh);
  // Parts of the batch pass a pipeline's stages one behind the other: engines of their own.
  const int stages = whole(q.mesh.pipeline);
  e.stages = way == WayOfServing::kDisaggregated ? 1 : stages;
  e.batch = std::max(1, batch_of(q, out, way) / stages);
  e.chunk = prompts == PromptSteps::kFirst
                ? static_cast<int>(longest_prompt)
                : std::max(1, static_cast<int>(chunk ? plain(*chunk) : fresh));
  e.one_prompt = prompts != PromptSteps::kShared;
  e.order = prompts == PromptSteps::kFirst ? StepOrder::kPrefillFirst : StepOrder::kChunked;
  e.block = static_cast<int>(plain(stated_or(q.settings.block, q.engine.memory.block)));
  // Answers are counted in steps, and hold their tokens.
  const double o = plain(*q.workload.output), o_steps = steps_of_answer(q, o);
  const double held = (fresh + o_steps) / (fresh + o);
  e.blocks =
      static_cast<long>(plain(out.memory.tokens) * held / plain(q.mesh.data) / stages / e.block);
  e.reserve = admission_of(q);
  e.evict = q.settings.preempted;
  if (q.settings.swap) e.swap = plain(*q.settings.swap);
  // Sequences read their shared prefix too.
  const double prefix = plain(*q.workload.prompt) - fresh + (o - o_steps) / 2;
  const auto table = std::make_shared<const load::StepTable>(
      [step = serving_step_times(q, prompts)](const load::Step& s) {
        return step(s.decodes, s.context, s.prefill);
      },
      load::StepRange{std::min(e.batch, 8192),
                      longest_prompt + prefix + 4 * plain(*q.workload.output),
                      static_cast<double>(e.chunk)});
  e.step = [table, prefix](const load::Step& s) {
    return table->at({s.decodes, s.decodes > 0 ? s.context + prefix : 0, s.prefill});
  };
  return e;
}

load::Pools pools_of(const Plan& q, const Out& out) {
  const ServingPools<double>& p = *out.running->pools;
  const ServingMesh<double>& pre = q.prefill ? q.prefill->mesh : q.mesh;
  load::Pools x;
  x.prefill = whole(p.asked->x) * whole(pre.pipeline) * whole(pre.data);
  x.decode = whole(p.asked->y) * whole(q.mesh.data) * whole(q.mesh.pipeline);
  const double fresh = plain(fresh_prompt(q.workload).fresh);
  if (p.transfer) {
    x.transfer_token = plain(*p.transfer) / fresh;
    x.send_token = plain(p.sends) / fresh;
    x.receive_token = plain(p.receives) / fresh;
    x.senders = whole(pre.pipeline) * whole(pre.data);
    x.receivers = whole(q.mesh.data) * whole(q.mesh.pipeline);
    x.layerwise = q.prefill && q.prefill->layerwise;
  }
  x.step = serving_prefill_times(q);
  return x;
}

// Prompts as their cache leaves them, answers in steps.
std::vector<load::Request> fresh_parts(const Plan& q, std::vector<load::Request> trace) {
  const double hit = plain(q.workload.hit);
  for (load::Request& r : trace) {
    r.output = static_cast<std::int32_t>(std::lround(steps_of_answer(q, r.output)));
    r.prompt = std::max(1, static_cast<std::int32_t>(std::lround(r.prompt * (1 - hit))));
  }
  return trace;
}

struct Cell {
  const char* id;
  const char* title;
  double (*of)(const load::Outcome&);
  Dim dim;
  Hint hint;
};
constexpr Cell kCells[] = {
    {"ttft", "TTFT", [](const load::Outcome& o) { return o.ttft.value.mean; }, kSecond,
     Hint::kNone},
    {"ttft_p90", "p90", [](const load::Outcome& o) { return o.ttft.value.p90; }, kSecond,
     Hint::kNone},
    {"ttft_p99", "p99", [](const load::Outcome& o) { return o.ttft.value.p99; }, kSecond,
     Hint::kNone},
    {"tpot", "TPOT", [](const load::Outcome& o) { return o.tpot.value.mean; }, kSecond,
     Hint::kNone},
    {"tpot_p90", "p90", [](const load::Outcome& o) { return o.tpot.value.p90; }, kSecond,
     Hint::kNone},
    {"tpot_p99", "p99", [](const load::Outcome& o) { return o.tpot.value.p99; }, kSecond,
     Hint::kNone},
    {"met", "in target", [](const load::Outcome& o) { return o.met.value; }, kOne, Hint::kFraction},
};

void add_cells(const std::string& row, const std::string& title, const load::Outcome& o,
               bool targets, Result& r) {
  for (const Cell& c : kCells) {
    if (!targets && std::string_view(c.id) == "met") continue;
    // Answers of one token have no time per token after it.
    if (std::string_view(c.id).starts_with("tpot") && !(o.tpot.value.p99 > 0)) continue;
    Metric m;
    m.id = fmt::format("simulated_ways.{}.{}", row, c.id);
    m.title = fmt::format("simulated: {}: {} {}", title, c.id, c.title);
    m.value = c.of(o);
    m.dim = c.dim;
    m.hint = c.hint;
    if (o.measured == 0) m.reason = "no request was answered in the measured time";
    r.metrics.push_back(std::move(m));
  }
}

// closed.ttft.p90 beside simulated.ttft.p90: the same figures as serve.*, under the names of a table's cells.
void add_closed(Result& r) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"serve.ttft", "closed.ttft.mean"},
      {"serve.ttft_p50", "closed.ttft.p50"},
      {"serve.ttft_p90", "closed.ttft.p90"},
      {"serve.ttft_p99", "closed.ttft.p99"},
      {"serve.tpot", "closed.tpot.mean"},
      {"serve.tpot_p50", "closed.tpot.p50"},
      {"serve.tpot_p90", "closed.tpot.p90"},
      {"serve.tpot_p99", "closed.tpot.p99"},
      {"serve.end_to_end", "closed.end_to_end.mean"}};
  for (const auto& [from, to] : kNames) {
    const Metric* is = r.find(from);
    if (!is) continue;
    Metric m = *is;
    m.id = to;
    m.title = "closed form: " + m.title;
    r.metrics.push_back(std::move(m));
  }
}

}  // namespace

load::Scenario serving_scenario(const Plan& q, const Out& out, WayOfServing way,
                                std::vector<load::Request> trace) {
  load::Scenario s;
  const double longest = longest_of(q);
  s.traffic.prompt.mean = plain(fresh_prompt(q.workload).fresh);
  s.traffic.output.mean = steps_of_answer(q, plain(*q.workload.output));
  set_traffic(q.traffic, longest, s.traffic);
  s.trace = fresh_parts(q, std::move(trace));
  double most = s.traffic.prompt.mean;
  if (q.traffic.prompt_spread) most = std::max(most, longest > 0 ? longest : 64 * most);
  for (const load::Request& r : s.trace) most = std::max(most, 1.0 * r.prompt);
  s.engine = engine_of(q, out, way, std::ceil(most));
  const double engines = engines_of(q, out, way);
  s.engines = static_cast<int>(engines);
  if (q.workload.rate) s.traffic.rate = plain(*q.workload.rate);
  s.traffic.share = 1 / engines;
  if (q.workload.concurrency && !q.workload.rate)
    deal_users(plain(*q.workload.concurrency), engines_in_use(q, engines), s);
  if (way == WayOfServing::kDisaggregated) s.pools = pools_of(q, out);
  s.overhead = plain(q.engine.overhead.request);
  if (q.speculative) s.yield = plain(accepted_tokens(*q.speculative));
  s.targets = {q.targets.ttft ? plain(*q.targets.ttft) : 0,
               q.targets.tpot ? plain(*q.targets.tpot) : 0};
  s.requests = static_cast<std::size_t>(whole(q.simulation.requests));
  s.replications = whole(q.simulation.replications);
  s.seed = static_cast<std::uint64_t>(plain(q.simulation.seed));
  return s;
}

void simulate_serving(Workspace& work, const LoadedQuestion<ServingPlan>& loaded, const Out& out,
                      Result& r) {
  const Plan& q = loaded.question;
  if (!out.running || !out.running->load) return;
  std::vector<load::Request> trace = trace_of(work, loaded, longest_of(q));
  if (out.running->load->unbounded && trace.empty()) {
    r.answer.notes.emplace_back(
        "Not simulated: beyond saturation a simulation's figures depend on how long it runs.");
    return;
  }
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const WayOfServing own = own_way(q);
  const bool targets = q.targets.ttft || q.targets.tpot;
  add_closed(r);
  say_longest(q.traffic, plain(fresh_prompt(q.workload).fresh), plain(*q.workload.output),
              longest_of(q), r);
  const load::Scenario scenario = serving_scenario(q, out, own, trace);
  const load::Outcome o = load::simulate(scenario, threads);
  const LoadFigures<double>& f = *out.running->load;
  const double used = f.unbounded || f.no_form ? 0 : plain(f.utilisation);
  const PlayedLoad of{(q.targets.ttft ? 1 : 0) + (q.targets.tpot ? 1 : 0),
                      !trace.empty(),
                      own == WayOfServing::kDisaggregated,
                      plain(q.simulation.seed),
                      engines_in_use(q, engines_of(q, out, own)),
                      scenario.one_more > 0 ? scenario.users : 0,
                      "closed",
                      used,
                      rounds_of(scenario)};
  add_simulation(of, o, r);
  r.answer.notes.push_back(fmt::format(
      "Simulated: cache {}; steps as priced above, linear between the table's points.",
      admission_of(q) == CacheReserve::kLongest ? "for the longest answer, at admission"
                                                : "block by block, preempting when full"));
  Grid g{"The same load on each way, simulated", "", {}, {}};
  for (const Cell& c : kCells)
    if (targets || std::string_view(c.id) != "met") g.columns.push_back({c.id, c.title});
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"prefill_first", "prompts stop decodes"},
      {"mixed", "mixed, in chunks"},
      {"disaggregated", "pools of their own"}};
  for (std::size_t i = 0; i < kServingWays; ++i) {
    const auto way = static_cast<WayOfServing>(i);
    const auto& under = out.running->under[i];
    if (!under || under->figures.unbounded) continue;
    const load::Outcome x =
        way == own ? o : load::simulate(serving_scenario(q, out, way, trace), threads);
    add_cells(kRows[i].first, kRows[i].second, x, targets, r);
    g.rows.push_back({fmt::format("simulated_ways.{}", kRows[i].first), kRows[i].second,
                      x.growing ? "waits grow with every request" : ""});
  }
  if (g.rows.size() > 1) r.answer.grids.push_back(std::move(g));
}

}  // namespace reckon
