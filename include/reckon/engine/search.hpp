// All legal plans of a space, ranked by a metric.
//
//   Found f = search(work, {file, nullptr, space}, diagnostics);
//   f.best.front().sets                  // {"mesh.tensor", "8"}, …: what `--set` makes of the plan
//   f.tally.evaluated, f.tally.reasons   // what became of the others
//
// Training plans are generated legal and priced by the parts of `estimate` itself, shared parts once: what a search
// prints, `eval` computes to the same bits, and it is evaluated again before it is printed. Other kinds of plan are
// ranked over the product of what is varied; those whose answer is no, for a target of their own that they miss, say,
// are counted and not ranked. The answer doesn't depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "reckon/engine/axes.hpp"
#include "reckon/engine/compare.hpp"
#include "reckon/engine/solve.hpp"
#include "reckon/spec/space.hpp"

namespace reckon {

struct SearchProgress {
  std::uint64_t done = 0, all = 0;  // plans
  double seconds = 0;
};

struct SearchRequest {
  const PlanFile& file;  // the plan that the space is about
  const PlanFile::Case* which = nullptr;
  Space<double> space;
  std::vector<Axis> axes;   // `vary`: any other fields
  std::vector<Goal> where;  // what a plan must keep to
  unsigned threads = 1;
  bool prune = true;  // leave out what a lower bound says can't be among the best
  std::function<void(const SearchProgress&)> progress = {};  // on the calling thread
  const std::atomic<bool>* stop = nullptr;                   // the best so far is kept
};

// A plan that was found: what to set, and the plan itself, loaded and evaluated as `eval` does.
struct FoundPlan {
  std::vector<std::pair<std::string, std::string>> sets;
  std::vector<std::pair<std::string, std::string>>
      fields;  // all that was chosen, as the plan has it or not
  std::vector<Metric> metrics;
  std::shared_ptr<const Loaded> plan;
  std::vector<std::string> warnings;  // that loading it gave
  std::vector<No> no = {};            // of the plan as it stands: one that is found is none
};

// What became of the plans. Every plan is in one of `fell short` (memory, a condition), `slower`, `bounded`.
struct Tally {
  std::uint64_t plans = 0;      // of the space
  std::uint64_t rejected = 0;   // early: memory alone was looked at
  std::uint64_t evaluated = 0;  // with a step time
  std::uint64_t bounded = 0;    // left out by the lower bound
  std::uint64_t shapes = 0;     // sets of layer times, each computed once
  double seconds = 0;
  // Why, how many, and the plan that came nearest.
  struct Reason {
    std::string why;
    std::uint64_t plans = 0;
    std::string nearest;  // what it missed by, and its fields
  };
  std::vector<Reason> reasons;
};

struct Found {
  std::string objective;  // the metric
  bool maximize = false;
  std::vector<FoundPlan> best;   // best first
  std::vector<FoundPlan> front;  // of two metrics, where they were asked for
  std::vector<std::string> pareto;
  FoundPlan given;  // the plan as it stands; no metrics if it is none
  Tally tally;
  bool stopped = false;
  std::vector<std::string> notes;  // what was not searched, and why
  std::vector<std::string>
      said;  // of what was searched: what was held, what the best ones change unasked
  std::vector<Accuracy> accuracy;  // of the best plan
  std::size_t ties = 0;  // plans from the first that lie nearer to it than its median error
  std::vector<Metric> columns;
  std::optional<ExplainedDifference> runner_up,
      over_given;  // the second, the given plan, against the best
};

// Diagnostics: an objective that does not exist, a field that doesn't, a space without a plan.
Found search(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics);

// "min:run.cost", "max:mfu.full", "step.time": the metric, and which way; false after a fault.
bool read_objective(const std::string& said, const Metric& metric, Diagnostics& diagnostics,
                    bool& maximize);
std::string objective_id(const std::string& said);

// A plan's file with what a search found; `case_tree` with the sets.
std::string found_plan_text(Workspace& work, const SearchRequest& request, const FoundPlan& found,
                            Diagnostics& diagnostics);

}  // namespace reckon
