// The value of a field at which a metric meets a target.
//
//   reckon solve plan.yaml --vary cluster.nodes --for 'run.days<=30 days'
//   reckon solve plan.yaml --vary batch.micro=1..64 --for 'memory.headroom>=0 B'
//
// Bisection over the field's whole numbers or reals between two bounds: those of `--vary FIELD=a..b`, or found by
// doubling from the plan's own value. A real answer is written in five digits, on the side that meets the target, or
// in as many as it takes. Values that make no legal plan are passed over. The metric must climb or fall throughout;
// that is tested at points between, and where it does both the answer says so and is of the first stretch.
#pragma once

#include <optional>

#include "reckon/engine/axes.hpp"
#include "reckon/engine/points.hpp"

namespace reckon {

enum class Compare { kEqual, kAtMost, kAtLeast };

// METRIC=TARGET, METRIC<=TARGET, METRIC>=TARGET.
struct Goal {
  std::string metric, text;
  Compare compare = Compare::kEqual;
  Span span;
};
bool read_goal(const std::string& word, const std::string& said_by, Sources& sources,
               Diagnostics& diagnostics, Goal& out);

// The target's number, in the metric's unit. False after a fault.
bool goal_value(const Goal& target, const Metric& metric, Diagnostics& diagnostics, double& out);
bool holds(Compare compare, double value, double target);
std::string_view sign_of(Compare compare);

struct SolveRequest {
  const PlanFile& file;
  const PlanFile::Case* which = nullptr;
  std::string path;                     // what is varied
  std::optional<std::string> from, to;  // its bounds, as said
  Span span;
  Goal target;
};

// One point that was looked at.
struct Tried {
  std::string text;  // of the field
  double x = 0;
  Metric metric;
  bool meets = false;
  std::vector<No> no = {};  // the plan's answer is one all the same: a target of its own, say
};

enum class Outcome { kMet, kAlways, kNever, kBetween };

struct Solution {
  std::string path;
  Goal target;
  double target_number = 0;
  Outcome outcome = Outcome::kNever;
  std::optional<Tried>
      answer;  // meets the target, nearest to where it stops to; five digits where that many do
  std::optional<Tried>
      beyond;  // the neighbour that doesn't (whole numbers), or the bound that comes nearest
  std::optional<Tried> now;  // the plan as it is
  bool climbs = true;        // the metric, with the field
  bool monotone = true;
  std::vector<Tried> turns;                    // where it stops to climb or fall
  std::size_t looked_at = 0, passed_over = 0;  // legal points, illegal ones
  std::string why_passed_over;                 // of one of them:
  std::string passed_at;                       // the first beyond the legal ones, if there is one
  Tried low, high;                             // the ends of what was looked at
};

Solution solve(Workspace& work, const SolveRequest& request, Diagnostics& diagnostics);

}  // namespace reckon
