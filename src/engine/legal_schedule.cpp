#include "legal_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reckon {
namespace {

using schedule::LayoutFault;
using schedule::PipelineLayout;

std::string written(const SchedulePaths& paths, ScheduleKind kind, int chunks) {
  const char* word = names(kind)[static_cast<std::size_t>(kind)];
  if (paths.in_plan)
    return chunks > 1 ? fmt::format("schedule: {{kind: {}, chunks: {}}}", word, chunks)
                      : fmt::format("schedule: {{kind: {}}}", word);
  return chunks > 1 ? fmt::format("schedule: {}, chunks: {}", word, chunks)
                    : fmt::format("schedule: {}", word);
}

// "an interleaved schedule", "ZB-V"
std::string named(ScheduleKind kind) {
  if (kind == ScheduleKind::kInterleaved) return "an interleaved schedule";
  if (kind == ScheduleKind::kBreadthFirst) return "a breadth-first schedule";
  return title_of(kind);
}

// Multiples of `step` on both sides of n, none below `least`.
std::string multiples_near(int n, int step, int least) {
  const int first = (least + step - 1) / step * step;
  const int below = n / step * step, above = below + step;
  if (below < first) return std::to_string(std::max(first, above));
  return fmt::format("{} or {}", below, above);
}

}  // namespace

double passes_of(const PipelineLayout& x) {
  return 3.0 * x.ranks * x.held() * x.micro_batches_of_copy();
}

bool check_chunks(const PipelineLayout& x, const SchedulePaths& paths, const Places& places,
                  Diagnostics& out) {
  const int fixed = fixed_chunks(x.kind);
  if (takes_chunks(x.kind) && x.ranks == 1) {
    out.error(places.of(paths.kind),
              fmt::format("{} needs a pipeline, and {} is 1", named(x.kind), paths.stages));
    return false;
  }
  if (takes_chunks(x.kind) && x.chunks < 2) {
    out.error(places.of(paths.kind), named(x.kind) + " has at least 2 chunks a stage")
        .help(fmt::format("write {}, or {}", written(paths, x.kind, 2),
                          paths.in_plan ? "kind: 1f1b" : "schedule: 1f1b"));
    return false;
  }
  if (takes_chunks(x.kind) || x.chunks == fixed) return true;
  if (fixed == 1)
    out.error(places.of(paths.chunks),
              fmt::format("{} chunks belong to the interleaved schedule", x.chunks))
        .help("write " + written(paths, ScheduleKind::kInterleaved, x.chunks));
  else
    out.error(places.of(paths.chunks),
              fmt::format("{} cuts a stage into {} chunks, not {}", named(x.kind), fixed, x.chunks))
        .help("leave chunks out");
  return false;
}

void check_layout(const PipelineLayout& x, const SchedulePaths& paths, const Places& places,
                  Diagnostics& out) {
  const int p = x.ranks, n = x.micro_batches, least = schedule::least_micro_batches(x.kind, p);
  switch (fault_of(x)) {
    case LayoutFault::kOddRanks:
      out.error(places.of(paths.stages),
                fmt::format("DualPipe feeds micro-batches in at both ends: its stages are even, "
                            "and there {} {}",
                            p == 1 ? "is" : "are", p))
          .note(places.of(paths.kind), "the schedule is stated here")
          .help(fmt::format("nearest stages that work: {}; or {}", multiples_near(p, 2, 2),
                            written(paths, ScheduleKind::kDualPipeV, 1)));
      return;
    case LayoutFault::kFewMicroBatches:
      out.error(places.of(paths.micro_batches),
                fmt::format("{} micro-batch{} for {} stages: {} needs {} at least, two a stage", n,
                            n == 1 ? "" : "es", p, named(x.kind), least))
          .note(places.of(paths.stages), "stages are stated here")
          .help(n < 4 ? fmt::format("at least {} micro-batches", least)
                      : fmt::format("at least {} micro-batches, or at most {} stages", least,
                                    n / 4 * 2));
      return;
    case LayoutFault::kOddMicroBatches:
      out.error(places.of(paths.micro_batches),
                fmt::format("{} micro-batches: DualPipe feeds half of them in at each end", n))
          .help("nearest micro-batches that work: " + multiples_near(n, 2, least));
      return;
    case LayoutFault::kNotWholeRounds: {
      auto& f = out.error(
          places.of(paths.micro_batches),
          fmt::format(
              "{} micro-batches are no multiple of the {} stages, as an interleaved schedule needs",
              n, p));
      f.note(places.of(paths.stages), "stages are stated here");
      f.help("nearest micro-batches that work: " + multiples_near(n, p, p));
      return;
    }
    case LayoutFault::kChunks:  // check_chunks() has said so
    case LayoutFault::kNone:
      break;
  }
}

}  // namespace reckon
