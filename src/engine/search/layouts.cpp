#include "layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

namespace reckon::searching {
namespace {

constexpr std::size_t kFirstRound = 16, kLargestRound = 512;
constexpr std::size_t kFirstPlayed =
    1;  // playing is dear: a few plans first, to beat the others with
constexpr std::uint64_t kReported = 32;  // plans between two looks at the clock

struct Task {
  std::uint64_t number = 0, rests = 0;
  Shape shape;
  double least = 0;
};

class Rounds {
 public:
  explicit Rounds(const LookRequest& request)
      : request_(request),
        generator_(request.plan, request.choices),
        shared_(request.plan),
        out_{Ranking(request.top, request.criteria.pareto[0].has_value()),
             Counts(request.criteria.where.size()),
             0,
             0,
             false,
             {}} {}

  Layouts run() {
    for (const auto& [shape, rests] : generator_.shapes()) {
      tasks_.push_back({tasks_.size(), rests, shape, 0});
      out_.plans += rests;
    }
    out_.shapes = tasks_.size();
    if (tasks_.empty()) {
      out_.refusals = generator_.refusals();
      return std::move(out_);
    }
    const unsigned most = std::max(1U, request_.threads);
    for (unsigned t = 0; t < most; ++t)
      evaluators_.push_back(std::make_unique<Evaluator>(request_.plan, shared_, request_.criteria));
    if (prunes() || (request_.prune && plays())) sort_by_bound();
    all_rounds();
    return std::move(out_);
  }

 private:
  bool prunes() const {
    return request_.prune && request_.criteria.objective.follows_step &&
           !request_.criteria.pareto[0];
  }
  bool stopped() const { return request_.stop && request_.stop->load(std::memory_order_relaxed); }

  // work(evaluator, i) for tasks from..to, whichever thread is free.
  template <class Work>
  void deal(std::size_t from, std::size_t to, Work work) {
    std::atomic<std::size_t> next{from};
    const auto run = [&](unsigned thread) {
      for (std::size_t i = next++; i < to && !stopped(); i = next++) {
        work(*evaluators_[thread], i, thread == 0);
      }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < evaluators_.size() && t < to - from; ++t) others.emplace_back(run, t);
    run(0);
    for (std::thread& t : others) t.join();
  }

  void report() const {
    if (request_.progress) request_.progress(done_.load(std::memory_order_relaxed), out_.plans);
  }

  void sort_by_bound() {
    deal(0, tasks_.size(), [this](Evaluator& e, std::size_t i, bool) {
      e.begin(tasks_[i].shape);
      tasks_[i].least = e.least_step();
      if (plays()) tasks_[i].least = least_of_rests(e, tasks_[i].shape);
    });
    std::stable_sort(tasks_.begin(), tasks_.end(),
                     [](const Task& a, const Task& b) { return a.least < b.least; });
  }

  bool plays() const { return generator_.plays(); }

  double least_of_rests(Evaluator& e, const Shape& shape) {
    double least = std::numeric_limits<double>::infinity();
    generator_.rests(shape, [&](const Rest& rest) {
      if (!stopped()) least = std::min(least, e.least_step(rest));
    });
    return least;
  }

  // The bound of a round is that of its beginning, whichever thread is faster.
  void all_rounds() {
    std::size_t size = plays() ? kFirstPlayed : kFirstRound;
    for (std::size_t from = 0; from < tasks_.size() && !stopped();) {
      const std::size_t to = std::min(tasks_.size(), from + size);
      std::vector<Ranking> rankings(to - from,
                                    Ranking(request_.top, request_.criteria.pareto[0].has_value()));
      std::vector<Counts> counts(to - from, Counts(request_.criteria.where.size()));
      const Known known{bound(), out_.ranking.worst(), out_.ranking.front_values()};
      deal(from, to, [&](Evaluator& e, std::size_t i, bool reports) {
        look(e, tasks_[i], known, {rankings[i - from], counts[i - from], reports});
      });
      for (std::size_t i = 0; i < to - from; ++i) {
        out_.ranking.merge(rankings[i]);
        out_.counts.merge(counts[i]);
      }
      from = to;
      size = std::min(2 * size, kLargestRound);
    }
    out_.stopped = stopped();
  }

  // Of the step: what is slower can't be among the best.
  double bound() const {
    return request_.prune && request_.criteria.objective.follows_step
               ? out_.ranking.slowest()
               : std::numeric_limits<double>::infinity();
  }

  struct Into {
    Ranking& ranking;
    Counts& counts;
    bool reports;
  };

  // What a plan must beat, by what its round began with and what its own shape has given since.
  struct Known {
    double slowest, worst;
    std::vector<std::array<double, 2>> front;
  };

  void look(Evaluator& e, const Task& task, Known known, Into into) {
    if (prunes() && std::isfinite(task.least) && task.least > known.slowest) {
      (plays() ? into.counts.unplayed : into.counts.bounded) += task.rests;
      looked(task.rests, into.reports);
      return;
    }
    e.begin(task.shape);
    std::uint64_t said = 0, done = 0;
    const auto one = [&](const Rest& rest, std::uint64_t number) {
      if (done - said == kReported) {
        looked(kReported, into.reports);
        said = done;
      }
      if (!stopped()) look_at({task.shape, rest}, {task.number, number}, e, known, into);
      ++done;
    };
    if (request_.prune && plays()) {
      for (const Least& x : by_least(e, task.shape)) one(x.rest, x.number);
    } else {
      std::uint64_t number = 0;
      generator_.rests(task.shape, [&](const Rest& rest) { one(rest, number++); });
    }
    looked(done - said, into.reports);
  }

  struct Least {
    double least;
    std::uint64_t number;
    Rest rest;
  };
  // The likeliest first, so that few are played.
  std::vector<Least> by_least(Evaluator& e, const Shape& shape) {
    std::vector<Least> out;
    generator_.rests(shape, [&](const Rest& rest) {
      out.push_back({stopped() ? 0 : e.least_step(rest), out.size(), rest});
    });
    std::stable_sort(out.begin(), out.end(),
                     [](const Least& a, const Least& b) { return a.least < b.least; });
    return out;
  }

  // One plan; `at`: in order of generation, shape and rest.
  void look_at(const Candidate& c, std::pair<std::uint64_t, std::uint64_t> at, Evaluator& e,
               Known& known, Into into) {
    const Looked x = e.look(c.rest, {request_.prune, known.slowest, known.worst, &known.front});
    into.counts.add(x, c, at.first, at.second);
    if (x.fate != Fate::kKept) return;
    into.ranking.offer(
        {x.objective, x.step, {x.pareto[0], x.pareto[1]}, at.first, at.second, c, x.part});
    known.worst = std::min(known.worst, into.ranking.worst());
    if (request_.criteria.objective.follows_step)
      known.slowest = std::min(known.slowest, into.ranking.slowest());
    if (request_.criteria.pareto[0]) known.front.push_back({x.pareto[0], x.pareto[1]});
  }

  void looked(std::uint64_t plans, bool reports) {
    done_.fetch_add(plans, std::memory_order_relaxed);
    if (reports) report();
  }

  const LookRequest& request_;
  Generator generator_;
  SharedByAll shared_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<Task> tasks_;
  std::atomic<std::uint64_t> done_{0};
  Layouts out_;
};

}  // namespace

Layouts look_at_all(const LookRequest& request) { return Rounds(request).run(); }

}  // namespace reckon::searching
