// Reading and writing quantities: what loading a file and printing a report are made of.
#include <benchmark/benchmark.h>

#include "reckon/units/format.hpp"
#include "reckon/units/parse.hpp"

namespace reckon {
namespace {

void parse_rate(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_quantity("3.35 TB/s", kByteRate));
}
BENCHMARK(parse_rate);

void parse_count(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_quantity("8192", kOne, Hint::kLength));
}
BENCHMARK(parse_count);

void parse_price(benchmark::State& state) {  // divides the decimal by 3600
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_quantity("2.50 USD/h", kUsdRate, Hint::kUsdPerHour));
  }
}
BENCHMARK(parse_price);

void parse_refusal(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_quantity("400 GBps", kByteRate));
}
BENCHMARK(parse_refusal);

void format_time(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(format_quantity(0.0272222, kSecond));
}
BENCHMARK(format_time);

void write_size(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(write_quantity(85899345920.0, kByte));
}
BENCHMARK(write_size);

}  // namespace
}  // namespace reckon
