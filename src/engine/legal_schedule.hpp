// Whether a pipeline's schedule can be laid out over so many ranks, chunks and micro-batches: odd ranks
// for DualPipe, rounds that don't come out even, too few micro-batches; and whether it can be played.
//
//   check_layout({kind, p, v, n}, {"schedule.kind", "schedule.chunks", "mesh.pipeline", "batch.micro"},
//                places, diagnostics);
//
// Each fault names the fields and the nearest values that work.
#pragma once

#include <string>

#include "places.hpp"
#include "reckon/base/diagnostic.hpp"
#include "reckon/schedule/order.hpp"

namespace reckon {

// Where the schedule, its chunks, stages and micro-batches were stated, and how kinds are written.
struct SchedulePaths {
  std::string kind, chunks, stages, micro_batches;
  bool in_plan = true;  // schedule: {kind: …}; else schedule: …
};

// Of the schedule alone: that it has stages to run on and the chunks it takes. n is not looked at.
bool check_chunks(const schedule::PipelineLayout& x, const SchedulePaths& paths,
                  const Places& places, Diagnostics& out);
// The rest. Call it where the chunks are right.
void check_layout(const schedule::PipelineLayout& x, const SchedulePaths& paths,
                  const Places& places, Diagnostics& out);

// Passes that playing a schedule would take, and the most that are played in well under a second.
inline constexpr double kMostPasses = 4e6;
double passes_of(const schedule::PipelineLayout& x);

}  // namespace reckon
