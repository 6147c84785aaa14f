// Legal layouts and no others: each level asks only for what the levels above leave open.
//
//   Generator make(plan, choices);
//   for (const Shape& s : make.shapes()) make.rests(s, [&](const Rest& r) { … });
//
// What it takes for legal is what engine/legal.cpp does; a test holds the two to each other.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "../legal_schedule.hpp"
#include "choices.hpp"
#include "reckon/cost/schedule.hpp"

namespace reckon::searching {

// Which rule leaves nothing, where nothing is left.
enum class Rule { kMesh, kBatch, kExperts, kLayers, kSchedule, kSharding, kSequence };
constexpr auto names(Rule) {
  return std::array{"mesh", "batch", "experts", "layers", "schedule", "sharding", "sequence"};
}

class Generator {
 public:
  Generator(const TrainingPlan<double>& plan, const Choices& choices);

  // Those that some rest completes, and how many do.
  struct Counted {
    Shape shape;
    std::uint64_t rests = 0;
  };
  std::vector<Counted> shapes() const;

  template <class Visit>
  void rests(const Shape& s, Visit visit) const;

  // Whether some plan's schedule is timed by playing it out.
  bool plays() const;

  // Combinations that each rule has turned away, counted where nothing was found.
  std::map<Rule, std::uint64_t> refusals() const;

 private:
  struct Depth {  // stages, and the ways to run them that the layers allow
    int pipeline;
    std::vector<std::pair<ScheduleKind, int>> ways;
  };
  std::uint64_t count_rests(const Shape& s) const;
  bool sequence_fits(const Shape& s) const;
  bool stages_hold(int p) const;
  bool chunks_divide(int p, int v) const;
  std::vector<std::pair<ScheduleKind, int>> ways_of(int p) const;
  void add_ways(ScheduleKind kind, int p, std::vector<std::pair<ScheduleKind, int>>& out) const;
  // Micro-batches of a step; 0 where they don't come out whole.
  long micro_batches(const Shape& s, int p, long D) const;
  long micro_batches_by_tokens(const Shape& s, long D) const;
  bool experts_divide(const Shape& s, long D) const;
  bool runs(ScheduleKind kind, int p, int v, long n) const;
  bool shards(int zero, Within within, long ranks, int tensor) const;

  const TrainingPlan<double>& plan_;
  const Choices& choices_;
  long gpus_, node_gpus_;
  int layers_ = 0;
  bool closed_forms_;  // schedules other than slots have formulas under this plan's assumptions
  std::vector<Depth> depths_;
};

template <class Visit>
void Generator::rests(const Shape& s, Visit visit) const {
  for (const Depth& d : depths_) {
    if (s.pipeline != 0 && d.pipeline != s.pipeline) continue;
    const long groups = static_cast<long>(s.tensor) * s.context * d.pipeline;
    if (gpus_ % groups != 0) continue;
    const long D = gpus_ / groups, ranks = D * s.context;
    const long n = micro_batches(s, d.pipeline, D);
    if (n == 0 || !experts_divide(s, D)) continue;
    for (const auto& [kind, v] : d.ways) {
      if (!runs(kind, d.pipeline, v, n)) continue;
      for (const int zero : choices_.zero) {
        for (const Within within : choices_.within) {
          if (!shards(zero, within, ranks, s.tensor)) continue;
          for (const Offload offload : choices_.offload)
            visit(Rest{d.pipeline, v, kind, static_cast<signed char>(zero), within, offload});
        }
      }
    }
  }
}

}  // namespace reckon::searching
