// The toy model of the tests on each number type, and what is read off its recording.
#include <benchmark/benchmark.h>

#include "reckon/report/derivation.hpp"
#include "reckon/units/formula/sensitivity.hpp"
#include "units/toy.hpp"

namespace reckon {
namespace {

template <class R>
R lifted(double v) {
  if constexpr (std::is_same_v<R, Traced>) {
    return Tape::current->input(v, {.symbol = "x", .path = "x"});
  } else {
    return R(v);
  }
}

template <class R>
toy::Inputs<R> inputs() {
  toy::Inputs<R> x;
  x.n = Count<R>(lifted<R>(4000));
  x.layers = Count<R>(lifted<R>(80));
  x.sms = Count<R>(lifted<R>(132));
  x.params = Count<R>(lifted<R>(70e9));
  x.exponent = Count<R>(lifted<R>(0.34));
  x.peak = FlopRate<R>(lifted<R>(989.4e12));
  x.launch = Seconds<R>(lifted<R>(4e-6));
  x.exposed = Seconds<R>(lifted<R>(1e-3));
  x.bytes = Bytes<R>(lifted<R>(1 << 24));
  for (const double rows : {128.0, 256.0}) {
    x.tiles.push_back({Count<R>(lifted<R>(rows)), Ratio<R>(lifted<R>(0.9))});
  }
  x.rows.push_back({Bytes<R>(lifted<R>(1e8)), ByteRate<R>(lifted<R>(3.4e11))});
  return x;
}

void toy_plain(benchmark::State& state) {
  const auto x = inputs<double>();
  for (auto _ : state) benchmark::DoNotOptimize(toy::step_time(x));
}
BENCHMARK(toy_plain);

void toy_dual(benchmark::State& state) {
  const auto x = inputs<Dual>();
  for (auto _ : state) benchmark::DoNotOptimize(toy::step_time(x));
}
BENCHMARK(toy_dual);

void toy_recorded(benchmark::State& state) {  // lifting included
  Tape tape;
  for (auto _ : state) {
    tape.clear();
    benchmark::DoNotOptimize(toy::step_time(inputs<Traced>()));
  }
  state.counters["nodes"] = tape.size();
}
BENCHMARK(toy_recorded);

void toy_backward(benchmark::State& state) {
  Tape tape;
  const auto root = toy::step_time(inputs<Traced>()).raw.id;
  for (auto _ : state) benchmark::DoNotOptimize(adjoints(tape, root));
}
BENCHMARK(toy_backward);

void toy_derivation(benchmark::State& state) {
  Tape tape;
  const auto root = toy::step_time(inputs<Traced>()).raw.id;
  for (auto _ : state) benchmark::DoNotOptimize(derivation(tape, root));
}
BENCHMARK(toy_derivation);

}  // namespace
}  // namespace reckon
