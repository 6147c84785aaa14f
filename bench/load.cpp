// A batching engine under load, simulated; and the closed form of the same load.
#include "reckon/cost/load/load.hpp"

#include <benchmark/benchmark.h>

#include "reckon/cost/load/lengths.hpp"
#include "reckon/load/simulate.hpp"

namespace {

using namespace reckon;

constexpr double kBase = 6e-3, kDecode = 15e-6, kPrefill = 25e-6;

// 10,000 requests, chunks of 512, cache blocks counted: under 1 s, at least a million steps/s.
void load_simulated(benchmark::State& state, CacheReserve reserve) {
  load::Scenario s;
  s.engine.step = [](const load::Step& x) {
    return kBase + kDecode * x.decodes + kPrefill * x.prefill;
  };
  s.engine.batch = 256;
  s.engine.blocks = 20'000;
  s.engine.reserve = reserve;
  s.traffic.rate = 15;
  s.traffic.prompt = {LengthShape::kLognormal, 1000, 0.7, 1e9};
  s.traffic.output = {LengthShape::kLognormal, 300, 0.7, 1e9};
  s.requests = 10'000;
  s.replications = 1;
  double steps = 0;
  for (auto _ : state) {
    const load::Outcome o = load::simulate(s);
    steps += static_cast<double>(o.steps);
    benchmark::DoNotOptimize(o.ttft.value.mean);
  }
  state.counters["steps/s"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(load_simulated, reserved, CacheReserve::kLongest)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_simulated, on_demand, CacheReserve::kOnDemand)
    ->Unit(benchmark::kMillisecond);

void load_closed(benchmark::State& state, LengthShape shape) {
  LoadInput<double> x;
  x.rate = Frequency<double>(12);
  x.prompt = Count<double>(1000);
  x.output = Count<double>(300);
  x.lengths = length_shares(shape, x.prompt, Ratio<double>(0.7));
  x.slots = Count<double>(256);
  x.chunk = Count<double>(512);
  x.step = [](Count<double> n, Count<double> c) {
    return Seconds<double>(kBase) + n * Seconds<double>(kDecode) + c * Seconds<double>(kPrefill);
  };
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(load_figures(x, x).ttft_p90);
  }
}
BENCHMARK_CAPTURE(load_closed, constant, LengthShape::kConstant)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(load_closed, lognormal, LengthShape::kLognormal)->Unit(benchmark::kMicrosecond);

}  // namespace
