// The best so many of what was looked at, and the plans that no other beats in two metrics. Ties go to the plan that
// was generated first, so what is kept doesn't depend on the order of looking.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "evaluate.hpp"

namespace reckon::searching {

struct Entry {
  double objective = 0, step = 0;  // smaller is better
  std::array<double, 2> pareto{};
  std::uint64_t shape = 0, rest = 0;  // in order of generation
  Candidate candidate;
  std::size_t part = 0;  // of kLossParts: where most of its step over the ideal goes
};
bool before(const Entry& a, const Entry& b);

class Ranking {
 public:
  Ranking(std::size_t top, bool pareto) : top_(top), pareto_(pareto) {}

  void offer(const Entry& e);
  void merge(const Ranking& other);
  // A plan whose step takes longer can't be among the best any more.
  double slowest() const;
  // Nor one with a larger value of the objective.
  double worst() const;
  // The fronts' metrics, by the first.
  std::vector<std::array<double, 2>> front_values() const;
  const std::vector<Entry>& best() const { return best_; }
  const std::vector<Entry>& front() const { return front_; }

 private:
  void offer_front(const Entry& e);

  std::size_t top_;
  bool pareto_;
  std::vector<Entry> best_;   // best first
  std::vector<Entry> front_;  // by the first metric
};

// What became of plans, counted.
struct Counts {
  std::uint64_t rejected = 0, evaluated = 0, bounded = 0;
  std::uint64_t unplayed = 0;             // left out before they were played
  std::array<std::uint64_t, 3> memory{};  // states, with activations, host
  std::vector<std::uint64_t> conditions;
  std::array<std::uint64_t, kLossParts.size()> slower{};
  struct Nearest {
    double missed = std::numeric_limits<double>::infinity();
    std::uint64_t shape = 0, rest = 0;
    Candidate candidate;
    bool at_least = false;  // so much or more: it was not played
  };
  std::array<Nearest, 3> nearest_memory{};
  std::vector<Nearest> nearest_condition;

  explicit Counts(std::size_t n = 0) : conditions(n), nearest_condition(n) {}
  void add(const Looked& x, const Candidate& c, std::uint64_t shape, std::uint64_t rest);
  void merge(const Counts& other);
};

}  // namespace reckon::searching
