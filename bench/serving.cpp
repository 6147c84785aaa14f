// One estimate of a serving plan: plain and recorded, without a load and under one; and its simulation.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "reckon/cost/serving/answer.hpp"
#include "reckon/doc/bind.hpp"
#include "reckon/engine/kinds.hpp"

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
