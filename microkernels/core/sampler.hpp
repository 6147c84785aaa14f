// How often a thing is measured: until the spread of its times is small, or no longer falls, or time is up; and the
// reason is kept.
//
//   StopRule rule;                                  // 1 % noise, 10 … 1000 samples, at most 2 s
//   Sampled s = sample([&] { return one_run(); }, rule, now);
//   s.seconds, s.stop                               // times in order; "steady"
//
// Noise is the relative standard deviation of the samples so far. It is looked at after the least number of samples;
// every `window` samples it is remembered, and once the last `stable_over` of these differ by less than `stable`
// (relative standard deviation of the noise itself) more samples would not say more. After nvbench's rule.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace reckon::bench {

enum class Stop { kSteady, kStable, kSamples, kTime };
constexpr std::string_view word_of(Stop s) {
  constexpr std::string_view kWords[] = {"steady", "noise no longer falls", "most samples",
                                         "out of time"};
  return kWords[static_cast<int>(s)];
}

struct StopRule {
  double noise = 0.01;
  double stable = 0.05;
  std::size_t window = 8, stable_over = 4;
  std::size_t warm_up = 3, least = 10, most = 1000;
  double warm_seconds = 0;  // at least: a device that was idle takes its time to reach its clock
  double seconds = 2;       // of the wall clock, warm-up and all that lies between samples included
};

struct Sampled {
  std::vector<double> seconds;
  Stop stop = Stop::kSamples;
};

// `once` runs and times one sample; `now` is a clock in seconds.
Sampled sample(const std::function<double()>& once, const StopRule& rule,
               const std::function<double()>& now);

}  // namespace reckon::bench
