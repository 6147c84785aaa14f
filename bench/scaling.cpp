// Scaling laws: a question, its recording, the fit of Chinchilla's runs from 4,500 starts, 1,000 resamples.
//
//   reckon_bench --benchmark_filter=scaling
#include "reckon/cost/questions/scaling.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "reckon/engine/kinds.hpp"
#include "reckon/numerics/fit_loss.hpp"

namespace {

using namespace reckon;

std::vector<LossRun> runs() {
  std::ifstream in(RECKON_SOURCE_DIR "/laws/data/chinchilla-245.csv");
  std::vector<LossRun> out;
  for (std::string line; std::getline(in, line);) {
    double N = 0, C = 0, loss = 0;
    char comma = 0;
    std::istringstream row(line);
    if (row >> N >> comma >> C >> comma >> loss) out.push_back({N, C / (6 * N), loss});
  }
  std::sort(out.begin(), out.end(),
            [](const LossRun& a, const LossRun& b) { return a.loss > b.loss; });
  out.erase(out.begin(), out.begin() + 5);
  return out;
}

FitOptions options(const benchmark::State& state) {
  FitOptions o;
  o.threads = static_cast<unsigned>(state.range(0));
  return o;
}

void fit_from_all_starts(benchmark::State& state) {
  const std::vector<LossRun> data = runs();
  for (auto _ : state) benchmark::DoNotOptimize(fit_loss(data, options(state)));
}
BENCHMARK(fit_from_all_starts)
    ->Name("scaling/fit/4500_starts")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Iterations(1);

void bootstrap(benchmark::State& state) {
  const std::vector<LossRun> data = runs();
  FitOptions o = options(state);
  o.starts = 100;
  const LossFit fit = fit_loss(data, o);
  for (auto _ : state) benchmark::DoNotOptimize(bootstrap_loss(data, fit, 1000, 1, o));
}
BENCHMARK(bootstrap)
    ->Name("scaling/fit/1000_resamples")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Iterations(1);

void question(benchmark::State& state) {
  Workspace work({RECKON_SOURCE_DIR});
  Diagnostics d;
  const PlanFile file = open_plan(
      work, "q.yaml", work.read_text("q.yaml", "kind: scaling\nflops: 1e24 FLOP\n", d), {}, d);
  for (auto _ : state) {
    const auto plan = load_plan(work, file, nullptr, d);
    benchmark::DoNotOptimize(plan->result(work));
  }
}
BENCHMARK(question)->Name("scaling/question/loaded_and_answered")->Unit(benchmark::kMillisecond);

void answer_alone(benchmark::State& state) {
  ScalingQuestion<double> q;
  q.law.loss =
      LossTerms<double>{Ratio<double>(1.8172), Ratio<double>(482.01), Ratio<double>(2085.43),
                        Ratio<double>(0.3478), Ratio<double>(0.3658)};
  q.flops = Flops<double>(1e24);
  for (auto _ : state) benchmark::DoNotOptimize(answer(q));
}
BENCHMARK(answer_alone)->Name("scaling/question/answer")->Unit(benchmark::kMicrosecond);

}  // namespace
