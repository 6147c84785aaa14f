#include "layouts.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <thread>

namespace reckon::searching {
namespace {

constexpr std::size_t kFirstRound = 16, kLargestRound = 512;

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
    if (prunes()) sort_by_bound();
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
        work(*evaluators_[thread], i);
        if (thread == 0) report();
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
    deal(0, tasks_.size(), [this](Evaluator& e, std::size_t i) {
      e.begin(tasks_[i].shape);
      tasks_[i].least = e.least_step();
    });
    std::stable_sort(tasks_.begin(), tasks_.end(),
                     [](const Task& a, const Task& b) { return a.least < b.least; });
  }

  // The bound of a round is that of its beginning, whichever thread is faster.
  void all_rounds() {
    std::size_t size = kFirstRound;
    for (std::size_t from = 0; from < tasks_.size() && !stopped();) {
      const std::size_t to = std::min(tasks_.size(), from + size);
      std::vector<Ranking> rankings(to - from,
                                    Ranking(request_.top, request_.criteria.pareto[0].has_value()));
      std::vector<Counts> counts(to - from, Counts(request_.criteria.where.size()));
      const double slowest = bound();
      deal(from, to, [&](Evaluator& e, std::size_t i) {
        look(e, tasks_[i], slowest, rankings[i - from], counts[i - from]);
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

  double bound() const {
    return prunes() ? out_.ranking.slowest() : std::numeric_limits<double>::infinity();
  }

  void look(Evaluator& e, const Task& task, double slowest, Ranking& ranking, Counts& counts) {
    if (task.least > slowest) {
      counts.bounded += task.rests;
      done_ += task.rests;
      return;
    }
    e.begin(task.shape);
    std::uint64_t number = 0;
    double limit = slowest;
    generator_.rests(task.shape, [&](const Rest& rest) {
      const Looked x = e.look(rest, limit);
      const Candidate c{task.shape, rest};
      counts.add(x, c, task.number, number);
      if (x.fate == Fate::kKept) {
        ranking.offer({x.objective, x.step, {x.pareto[0], x.pareto[1]}, task.number, number, c});
        if (prunes()) limit = std::min(limit, ranking.slowest());
      }
      ++number;
    });
    done_ += task.rests;
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
