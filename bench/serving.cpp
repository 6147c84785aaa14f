// One estimate of a serving plan: plain and recorded, without a load and under one; and its simulation.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "reckon/cost/serving/answer.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kinds.hpp"
#include "reckon/load/simulate.hpp"
#include "reckon/load/step_table.hpp"

namespace {

using namespace reckon;

struct LoadedServing {
  Workspace work{{RECKON_SOURCE_DIR}};
  std::unique_ptr<Loaded> loaded;
  ServingPlan<double> plan;

  explicit LoadedServing(const char* file, const Sets& sets = {}) {
    Diagnostics d;
    const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/starters/" + file;
    const PlanFile f = open_plan(work, path, work.read(path, {}, d), sets, d);
    loaded = load_plan(work, f, nullptr, d);
    Origins origins;
    if (loaded) bind(loaded->resolved, plan, {d, origins});
    if (d.has_errors()) throw std::runtime_error(d.render());
  }
};

// A 70B model on eight GPUs at 8 requests/s: the closed form of the load on three ways, where there is one.
const Sets kSame{}, kSpread{{"prompt_spread", "0.8"}};
const Sets kPools{{"cluster", "16xh100-sxm"}, {"prefill", "{tensor: 4}"}};

enum class Asked { kAlone, kRate, kUsers };

void serving(benchmark::State& state, const Sets& sets, Asked asked) {
  LoadedServing l("serve-70b-8xh100.yaml", sets);
  if (asked != Asked::kRate) l.plan.workload.rate.reset();
  if (asked == Asked::kUsers) l.plan.workload.concurrency = Count<double>{64};
  for (auto _ : state) benchmark::DoNotOptimize(answer(l.plan).memory.batch.raw);
}
BENCHMARK_CAPTURE(serving, without_load, kSame, Asked::kAlone);
BENCHMARK_CAPTURE(serving, with_rate, kSame, Asked::kRate);
BENCHMARK_CAPTURE(serving, with_rate_spread, kSpread, Asked::kRate);
BENCHMARK_CAPTURE(serving, with_users, kSame, Asked::kUsers);
BENCHMARK_CAPTURE(serving, pools_with_rate, kPools, Asked::kRate);

// 10,000 requests through one of its two engines at 80 % of what it takes, with the plan's own steps: under 1 s, and at
// least a million decode steps a second. The table of steps is empty at first, or filled by a run before.
void serving_simulated(benchmark::State& state, bool filled) {
  const LoadedServing l("serve-70b-8xh100.yaml");
  const auto step = serving_step_times(l.plan, PromptSteps::kShared);
  const auto fresh = [&] {
    return std::make_shared<const load::StepTable>(
        [&](const load::Step& x) { return step(x.decodes, x.context, x.prefill); },
        load::StepRange{138, 8192, 8192});
  };
  auto table = fresh();
  load::Scenario s;
  s.engine.step = [&](const load::Step& x) { return table->at(x); };
  s.engine.batch = 138;
  s.engine.chunk = 8192;
  s.traffic.rate = 4.3;
  s.traffic.prompt = {LengthShape::kLognormal, 2048, 0.5, 6000};
  s.traffic.output = {LengthShape::kLognormal, 512, 0.5, 2000};
  s.requests = 10'000;
  s.replications = 1;
  load::simulate(s);
  double steps = 0;
  for (auto _ : state) {
    if (!filled) table = fresh();
    steps += static_cast<double>(load::simulate(s).decode_steps);
  }
  state.counters["decode steps/s"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(serving_simulated, new_table, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(serving_simulated, filled_table, true)->Unit(benchmark::kMillisecond);

void served(benchmark::State& state, const char* file) {
  const LoadedServing l(file);
  for (auto _ : state) benchmark::DoNotOptimize(answer(l.plan).memory.batch.raw);
}
void served_step(benchmark::State& state, const char* file) {
  const LoadedServing l(file);
  const auto s = serving_machine(l.plan);
  StepCall<double> call;
  call.n = Count<double>{32};
  call.T = Count<double>{2048};
  for (auto _ : state) benchmark::DoNotOptimize(serving_step(s, call).time.raw);
}
void served_recorded(benchmark::State& state, const char* file) {
  const LoadedServing l(file);
  for (auto _ : state) benchmark::DoNotOptimize(Recorded(*l.loaded).tape().size());
}

#define RECKON_SERVED(run)                                \
  BENCHMARK_CAPTURE(run, dense, "serve-70b-8xh100.yaml"); \
  BENCHMARK_CAPTURE(run, moe, "serve-deepseek-8xh200.yaml")
RECKON_SERVED(served);
RECKON_SERVED(served_step);
RECKON_SERVED(served_recorded);

}  // namespace
