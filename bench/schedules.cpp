// A pipeline schedule played out, and the closed forms that stand in for it in a search.
#include <benchmark/benchmark.h>

#include "reckon/cost/bubble.hpp"

namespace {

using namespace reckon;

// 64 stages, 512 micro-batches; 4 chunks where a schedule takes them: order and times, under 50 ms.
void played(benchmark::State& state, ScheduleKind kind) {
  const schedule::PipelineLayout x{kind, 64, takes_chunks(kind) ? 4 : fixed_chunks(kind), 512};
  for (auto _ : state) {
    const schedule::Order order = schedule::order_of(x);
    benchmark::DoNotOptimize(schedule::play(x, order, schedule::even_times(x, {1, 1, 1})).time);
  }
  state.SetLabel(title_of(kind));
}
BENCHMARK_CAPTURE(played, f1b, ScheduleKind::k1f1b)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(played, interleaved, ScheduleKind::kInterleaved)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(played, zb_v, ScheduleKind::kZbV)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(played, dualpipe, ScheduleKind::kDualPipe)->Unit(benchmark::kMillisecond);

// A closed form, as a search over plans takes it: under a microsecond.
void closed(benchmark::State& state, ScheduleKind kind) {
  const PipelineShape<double> x{kind, Count<double>(64),
                                Count<double>(kind == ScheduleKind::kInterleaved ? 4.0 : 1.0),
                                Count<double>(512)};
  StagePasses<kSecond, double> t{Seconds<double>(1), Seconds<double>(1), Seconds<double>(1)};
  for (auto _ : state) {
    benchmark::DoNotOptimize(t);
    benchmark::DoNotOptimize(bubble(x, t).raw + in_flight(x, 0).raw);
  }
  state.SetLabel(title_of(kind));
}
BENCHMARK_CAPTURE(closed, f1b, ScheduleKind::k1f1b);
BENCHMARK_CAPTURE(closed, interleaved, ScheduleKind::kInterleaved);
BENCHMARK_CAPTURE(closed, zb_h1, ScheduleKind::kZbH1);
BENCHMARK_CAPTURE(closed, dualpipe, ScheduleKind::kDualPipe);

}  // namespace
