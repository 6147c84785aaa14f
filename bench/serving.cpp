// One estimate of a serving plan: plain and recorded.
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

  explicit LoadedServing(const char* file) {
    Diagnostics d;
    const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/starters/" + file;
    const PlanFile f = open_plan(work, path, work.read(path, {}, d), {}, d);
    loaded = load_plan(work, f, nullptr, d);
    Origins origins;
    if (loaded) bind(loaded->resolved, plan, {d, origins});
    if (d.has_errors()) throw std::runtime_error(d.render());
  }
};

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
