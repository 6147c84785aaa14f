// Searches over whole spaces: plans a second, with and without the bound, one thread and two. Rates of the counters:
// plans of the space, and those priced with a step time.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "../src/engine/search/evaluate.hpp"
#include "../src/engine/search/generate.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/engine/space.hpp"
#include "reckon/engine/sweep.hpp"

namespace {

using namespace reckon;

void space(benchmark::State& state, const char* file, unsigned threads, bool prune) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  OpenSpace s;
  const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/spaces/" + file;
  if (!read_space(work, path, work.read(path, {}, d), {}, d, s))
    throw std::runtime_error(d.render());
  double plans = 0, evaluated = 0, rejected = 0;
  for (auto _ : state) {
    const Found f =
        search(work, {s.file, nullptr, s.space, s.axes, s.where, threads, prune, {}, nullptr}, d);
    if (d.has_errors()) throw std::runtime_error(d.render());
    plans += static_cast<double>(f.tally.plans);
    evaluated += static_cast<double>(f.tally.evaluated);
    rejected += static_cast<double>(f.tally.rejected);
  }
  state.counters["plans"] = benchmark::Counter(plans, benchmark::Counter::kIsRate);
  state.counters["with_step"] = benchmark::Counter(evaluated, benchmark::Counter::kIsRate);
  state.counters["rejected"] = benchmark::Counter(rejected, benchmark::Counter::kIsRate);
}

#define RECKON_SPACE(name, file)                                 \
  BENCHMARK_CAPTURE(space, name##_bound, file, 1, true)          \
      ->UseRealTime()                                            \
      ->Unit(benchmark::kMillisecond);                           \
  BENCHMARK_CAPTURE(space, name##_all, file, 1, false)           \
      ->UseRealTime()                                            \
      ->Unit(benchmark::kMillisecond);                           \
  BENCHMARK_CAPTURE(space, name##_all_2_threads, file, 2, false) \
      ->UseRealTime()                                            \
      ->Unit(benchmark::kMillisecond)
RECKON_SPACE(175b_512, "175b-512xa100.yaml");
RECKON_SPACE(405b_16384, "405b-16384xh100.yaml");
RECKON_SPACE(70b_64, "70b-64xh100.yaml");
RECKON_SPACE(mixtral_64, "mixtral-64xh100.yaml");

// Plans that share nothing: the layers of each are priced anew.
void shares_nothing(benchmark::State& state, const char* file) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  OpenSpace s;
  const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/spaces/" + file;
  if (!read_space(work, path, work.read(path, {}, d), {}, d, s))
    throw std::runtime_error(d.render());
  const auto loaded = load_plan(work, s.file, nullptr, d);
  const TrainingPlan<double>& base = dynamic_cast<const LoadedTraining&>(*loaded).plan;
  const searching::Choices choices = searching::choices_of(s.space, base);
  const searching::Generator make(base, choices);
  const searching::SharedByAll shared(base);
  const searching::Criteria criteria{false, searching::criterion("step.time", false), {}, {}};
  searching::Evaluator price(base, shared, criteria);
  const auto shapes = make.shapes();
  std::size_t i = 0, n = 0;
  for (auto _ : state) {
    const searching::Shape& shape = shapes[i++ % shapes.size()].shape;
    bool first = true;
    make.rests(shape, [&](const searching::Rest& rest) {
      if (!first) return;
      first = false;
      price.begin(shape);
      benchmark::DoNotOptimize(price.look(rest, {}));
      ++n;
    });
  }
  state.counters["plans"] = benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(shares_nothing, 405b, "405b-16384xh100.yaml");
BENCHMARK_CAPTURE(shares_nothing, 175b, "175b-512xa100.yaml");
BENCHMARK_CAPTURE(shares_nothing, 70b_without_stack, "70b-64xh100.yaml");

void sweep_10000(benchmark::State& state) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const std::string path = std::string(RECKON_SOURCE_DIR) + "/plans/starters/7b-512xh100.yaml";
  const PlanFile file = open_plan(work, path, work.read(path, {}, d), {}, d);
  Axis bandwidth{"cluster.node.chip.memory.bandwidth", read_values("1..10 TB/s:+0.09", {}, d), {}};
  Axis mfu{"assume.train.mfu", read_values("0.01..1:+0.01", {}, d), {}};
  for (auto _ : state)
    benchmark::DoNotOptimize(sweep(work, {file, nullptr, {bandwidth, mfu}, {}}, d).rows.size());
  if (d.has_errors()) throw std::runtime_error(d.render());
}
BENCHMARK(sweep_10000)->Unit(benchmark::kMillisecond);

}  // namespace
