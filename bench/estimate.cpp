// One estimate of a training plan: plain, recorded, differentiated; and the steps around it.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "reckon/engine/evaluate.hpp"
#include "reckon/units/formula/sensitivity.hpp"

namespace {

using namespace reckon;

struct Loaded {
  Workspace work{{RECKON_SOURCE_DIR}};
  LoadedTraining plan;

  explicit Loaded(const char* file) {
    Diagnostics d;
    const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/starters/" + file;
    const PlanFile f = open_plan(work, path, work.read(path, {}, d), {}, d);
    plan = load_training(work, case_tree(f, nullptr, d), d);
    if (d.has_errors()) throw std::runtime_error(d.render());
  }
};

void plain(benchmark::State& state, const char* file) {
  const Loaded l(file);
  for (auto _ : state) benchmark::DoNotOptimize(estimate(l.plan.plan).memory.total.raw);
}
void recorded(benchmark::State& state, const char* file) {
  const Loaded l(file);
  for (auto _ : state) benchmark::DoNotOptimize(Recorded(l.plan).tape().size());
}
void one_slope(benchmark::State& state, const char* file) {
  const Loaded l(file);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        estimate(lift(l.plan.plan, Differentiating{"assume.train.mfu"})).memory.total.raw);
}
void all_slopes(benchmark::State& state, const char* file) {
  const Loaded l(file);
  const Recorded r(l.plan);
  const int root = r.find("step.time")->node;
  for (auto _ : state) benchmark::DoNotOptimize(input_slopes(r.tape(), root));
}
void load(benchmark::State& state, const char* file) {
  const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/starters/" + file;
  for (auto _ : state) {
    Workspace work({RECKON_SOURCE_DIR});  // every file read again
    Diagnostics d;
    const PlanFile f = open_plan(work, path, work.read(path, {}, d), {}, d);
    benchmark::DoNotOptimize(load_training(work, case_tree(f, nullptr, d), d));
  }
}

#define RECKON_PLAN(run)                                      \
  BENCHMARK_CAPTURE(run, 7b_8, "7b-8xh100.yaml");             \
  BENCHMARK_CAPTURE(run, llama_8b, "llama-3-8b-8xh100.yaml"); \
  BENCHMARK_CAPTURE(run, moe_ep8, "moe-ep8.yaml");            \
  BENCHMARK_CAPTURE(run, 405b_16384, "405b-16384xh100.yaml")
RECKON_PLAN(plain);
RECKON_PLAN(recorded);
// Operator by operator, memory and all.
BENCHMARK_CAPTURE(plain, stack_70b, "../tour/scaling-llama-70b.yaml");
BENCHMARK_CAPTURE(plain, stack_moe, "../tour/stack-experts.yaml");
BENCHMARK_CAPTURE(recorded, stack_70b, "../tour/scaling-llama-70b.yaml");
BENCHMARK_CAPTURE(one_slope, llama_8b, "llama-3-8b-8xh100.yaml");
BENCHMARK_CAPTURE(all_slopes, llama_8b, "llama-3-8b-8xh100.yaml");
BENCHMARK_CAPTURE(load, llama_8b, "llama-3-8b-8xh100.yaml");

}  // namespace
