// Prices the layouts of one plan. One a thread: the plan in it is changed in place.
//
//   Evaluator price(base, shared, criteria);
//   price.begin(shape);                        // layers' memory and time, once
//   Outcome o = price.look(rest);              // everything else
#pragma once

#include <map>
#include <mutex>

#include "candidate.hpp"
#include "reckon/cost/operators/step.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/solve.hpp"

namespace reckon::searching {

// How a metric is had: with the memory alone, with the step, or with all of the estimate.
enum class Needs { kMemory, kStep, kAll };

struct Criterion {
  std::string id;
  Needs needs = Needs::kAll;
  bool follows_step = false;  // falls and rises with step.time among plans of one batch
  bool maximize = false;
};
Criterion criterion(std::string id, bool maximize);

struct Condition {
  Criterion metric;
  Compare compare = Compare::kEqual;
  double target = 0;
};

struct Criteria {
  bool fits = true;
  Criterion objective;
  std::optional<Criterion> pareto[2];
  std::vector<Condition> where;
};

// What all layouts of a plan share.
class SharedByAll {
 public:
  explicit SharedByAll(const TrainingPlan<double>& base);
  const Parameters<double>& parameters() const { return parameters_; }
  const TokenFlops<double>& flops(Recompute r) const { return flops_[static_cast<std::size_t>(r)]; }

 private:
  Parameters<double> parameters_;
  std::vector<TokenFlops<double>> flops_;
};

enum class Fate : std::uint8_t { kStates, kMemory, kHost, kCondition, kSlower, kKept };

struct Looked {
  Fate fate = Fate::kSlower;
  std::size_t condition = 0;  // which
  double missed = 0;          // by how much: bytes, or the condition's unit
  double step = 0;            // seconds; 0 where there is none
  double objective = 0;       // smaller is better
  double pareto[2] = {0, 0};
  std::size_t part = 0;  // what costs most beside useful compute
};

inline constexpr std::array<const char*, 9> kLossParts{"recomputed work",
                                                       "pipeline bubble",
                                                       "tensor-parallel communication",
                                                       "context-parallel communication",
                                                       "expert-parallel communication",
                                                       "pipeline transfers",
                                                       "data-parallel communication",
                                                       "optimizer",
                                                       "nothing but compute"};

class Evaluator {
 public:
  Evaluator(const TrainingPlan<double>& base, const SharedByAll& shared, const Criteria& criteria);

  void begin(const Shape& s);
  // A step of any plan of this shape takes that long at least.
  double least_step() const { return least_step_; }
  // `slowest`: a plan whose step takes longer can't be kept.
  Looked look(const Rest& rest, double slowest);

 private:
  const Stages<double>& stages(const Rest& rest);
  double value(const Criterion& c);
  bool meets(const Condition& c, Needs now, Looked& out);
  std::size_t largest_loss() const;
  void bound();
  SharedParts<double> parts(const Rest& rest);

  const TrainingPlan<double>& base_;
  const SharedByAll& shared_;
  const Criteria& criteria_;
  TrainingPlan<double> plan_;
  Candidate now_;
  LayerParts<double> layers_;
  OperatorLayers<double> operators_;
  double least_step_ = 0;
  std::map<std::array<int, 3>, Stages<double>> stages_;
  std::array<int, 3> last_{-1, -1, -1};
  const Stages<double>* last_stages_ = nullptr;
  TrainingEstimate<double> e_;
  bool all_there_ = false;
};

}  // namespace reckon::searching
