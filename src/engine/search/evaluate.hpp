// Prices the layouts of one plan. One a thread: the plan in it is changed in place.
//
//   Evaluator price(base, shared, criteria);
//   price.begin(shape);                        // layers' memory and time, once
//   Outcome o = price.look(rest);              // everything else
#pragma once

#include <limits>
#include <map>
#include <mutex>

#include "candidate.hpp"
#include "reckon/cost/operators/step.hpp"
#include "reckon/cost/training.hpp"
#include "reckon/engine/solve.hpp"
#include "reckon/schedule/plays.hpp"

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

enum class Fate : std::uint8_t { kStates, kMemory, kHost, kCondition, kSlower, kKept, kBounded };

struct Looked {
  Fate fate = Fate::kSlower;
  std::size_t condition = 0;  // which
  double missed = 0;          // by how much: bytes, or the condition's unit
  bool at_least = false;      // `missed` is a bound: the step was not played out
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
  // What a plan must beat to be kept, as far as it is known.
  struct Limits {
    bool bounds = false;  // may a schedule be left out before it is played?
    double slowest = std::numeric_limits<double>::infinity();  // a step that takes longer can't
    double worst =
        std::numeric_limits<double>::infinity();  // nor can such a value of the objective
    const std::vector<std::array<double, 2>>* front =
        nullptr;  // nor what these beat in both metrics
  };
  Looked look(const Rest& rest, const Limits& limits);
  // A plan of these choices takes that long at least, without playing any; infinite where it does not fit.
  double least_step(const Rest& rest);

 private:
  const Stages<double>& stages(const Rest& rest);
  double value(const Criterion& c);
  bool meets(const Condition& c, Needs now, Looked& out);
  std::size_t largest_loss() const;
  void bound();
  void start(const Rest& rest);
  bool fits_memory(Looked& out);
  bool is_bounded(const Limits& limits, Looked& out);
  void price_step(bool bound);
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
  schedule::Plays plays_;
};

}  // namespace reckon::searching
