// Layouts to try: every schedule, every number of ranks and micro-batches that it takes.
#pragma once

#include <random>
#include <vector>

#include "reckon/schedule/play.hpp"

namespace reckon::test {

using namespace reckon::schedule;

inline PipelineLayout layout(ScheduleKind kind, int ranks, int micro_batches, int chunks = 3) {
  return {kind, ranks, takes_chunks(kind) ? chunks : fixed_chunks(kind), micro_batches};
}

// Over p ≤ 32 and m ≤ 128, thinned out where there are many.
inline std::vector<PipelineLayout> layouts(ScheduleKind kind) {
  std::vector<PipelineLayout> out;
  for (const int p : {1, 2, 3, 4, 5, 6, 8, 12, 16, 31, 32}) {
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 20, 31, 32, 33, 62, 64, 96, 128}) {
      for (const int v : {2, 3, 5}) {
        const PipelineLayout x = layout(kind, p, n, v);
        if (fault_of(x) == LayoutFault::kNone) out.push_back(x);
        if (!takes_chunks(kind)) break;
      }
    }
  }
  return out;
}

inline PipelineTimes unequal_times(const PipelineLayout& x, std::mt19937& random) {
  std::uniform_real_distribution<double> some(0.2, 3);
  PipelineTimes t = even_times(x, {0, 0, 0});
  for (PassTimes& piece : t.piece) piece = {some(random), some(random), some(random)};
  t.send = some(random) * 0.2;
  t.blocking = random() % 2 == 0;
  t.pair = std::uniform_real_distribution<double>(0.5, 1)(random);
  return t;
}

}  // namespace reckon::test
