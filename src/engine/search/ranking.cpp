#include "ranking.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace reckon::searching {
namespace {

void take_nearer(Counts::Nearest& mine, const Counts::Nearest& other) {
  if (std::tie(other.missed, other.shape, other.rest) <
      std::tie(mine.missed, mine.shape, mine.rest))
    mine = other;
}

}  // namespace

bool before(const Entry& a, const Entry& b) {
  return std::tie(a.objective, a.shape, a.rest) < std::tie(b.objective, b.shape, b.rest);
}

void Ranking::offer(const Entry& e) {
  if (pareto_) offer_front(e);
  if (std::isnan(e.objective)) return;
  if (best_.size() == top_ && !before(e, best_.back())) return;
  best_.insert(std::upper_bound(best_.begin(), best_.end(), e, before), e);
  if (best_.size() > top_) best_.pop_back();
}

void Ranking::offer_front(const Entry& e) {
  if (std::isnan(e.pareto[0]) || std::isnan(e.pareto[1])) return;
  const auto less = [](const Entry& a, const Entry& b) { return a.pareto[0] < b.pareto[0]; };
  auto at = std::lower_bound(front_.begin(), front_.end(), e, less);
  if (at != front_.begin() && std::prev(at)->pareto[1] <= e.pareto[1]) return;
  if (at != front_.end() && at->pareto[0] == e.pareto[0]) {
    if (at->pareto[1] < e.pareto[1]) return;
    if (at->pareto[1] == e.pareto[1]) {
      if (std::tie(e.shape, e.rest) < std::tie(at->shape, at->rest)) *at = e;
      return;
    }
  }
  auto end = at;
  while (end != front_.end() && end->pareto[1] >= e.pareto[1]) ++end;
  at = front_.erase(at, end);
  front_.insert(at, e);
}

void Ranking::merge(const Ranking& other) {
  for (const Entry& e : other.front_) offer_front(e);
  const bool pareto = pareto_;
  pareto_ = false;
  for (const Entry& e : other.best_) offer(e);
  pareto_ = pareto;
}

double Ranking::slowest() const {
  if (best_.size() < top_) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Entry& e : best_) most = std::max(most, e.step);
  return most;
}

double Ranking::worst() const {
  return best_.size() < top_ ? std::numeric_limits<double>::infinity() : best_.back().objective;
}

std::vector<std::array<double, 2>> Ranking::front_values() const {
  std::vector<std::array<double, 2>> out;
  for (const Entry& e : front_) out.push_back(e.pareto);
  return out;
}

void Counts::add(const Looked& x, const Candidate& c, std::uint64_t shape, std::uint64_t rest) {
  const Nearest here{x.missed, shape, rest, c, x.at_least};
  switch (x.fate) {
    case Fate::kStates:
    case Fate::kMemory:
    case Fate::kHost: {
      const auto at = static_cast<std::size_t>(x.fate);
      ++rejected;
      ++memory[at];
      take_nearer(nearest_memory[at], here);
      return;
    }
    case Fate::kCondition:
      ++(x.step > 0 ? evaluated : rejected);
      ++conditions[x.condition];
      take_nearer(nearest_condition[x.condition], here);
      return;
    case Fate::kSlower:
    case Fate::kKept:
      ++evaluated;
      ++slower[x.part];
      return;
    case Fate::kBounded:
      ++unplayed;
      return;
  }
}

void Counts::merge(const Counts& other) {
  rejected += other.rejected;
  evaluated += other.evaluated;
  bounded += other.bounded;
  unplayed += other.unplayed;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] += other.memory[i];
    take_nearer(nearest_memory[i], other.nearest_memory[i]);
  }
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    conditions[i] += other.conditions[i];
    take_nearer(nearest_condition[i], other.nearest_condition[i]);
  }
  for (std::size_t i = 0; i < slower.size(); ++i) slower[i] += other.slower[i];
}

}  // namespace reckon::searching
