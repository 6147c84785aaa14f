// All layouts of one plan, looked at by several threads in rounds.
#pragma once

#include <atomic>
#include <functional>

#include "generate.hpp"
#include "ranking.hpp"

namespace reckon::searching {

struct Layouts {
  Ranking ranking;
  Counts counts;
  std::uint64_t plans = 0, shapes = 0;
  bool stopped = false;
  std::map<Rule, std::uint64_t> refusals;  // where there is no plan
};

struct LookRequest {
  const TrainingPlan<double>& plan;
  const Choices& choices;
  const Criteria& criteria;
  std::size_t top = 10;
  unsigned threads = 1;
  bool prune = true;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

Layouts look_at_all(const LookRequest& request);

}  // namespace reckon::searching
