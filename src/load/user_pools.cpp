// Users in front of pools. Stages wait for each other in a circle, so they are played side by side: whoever can act
// first does. An engine that has stepped ahead of the others is none the worse: what comes to it meanwhile waits for
// the end of its step anyway.
#include <algorithm>
#include <memory>
#include <queue>
#include <vector>

#include "machine.hpp"
#include "pools.hpp"

namespace reckon::load {
namespace {

template <class T>
using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

struct Decoder {
  std::vector<Request> requests;
  std::vector<std::size_t> of;  // where they came from
  std::unique_ptr<Machine> machine;
};

class UserPools {
 public:
  UserPools(const Scenario& s, std::vector<Request>& requests, std::size_t measured_from)
      : s_(s),
        requests_(requests),
        from_(measured_from),
        engine_(s.engine),
        ports_(*s.pools),
        prefilled_(requests.size()),
        decoders_(static_cast<std::size_t>(s.pools->decode)) {
    engine_.prefilled = true;
    run_.served.resize(requests.size());
    for (int i = 0; i < s.pools->prefill; ++i) workers_.push({0, static_cast<std::size_t>(i)});
    for (Decoder& d : decoders_)
      d.machine = std::make_unique<Machine>(engine_, d.requests,
                                            PlayOptions{.measured_from = kFed, .fed = true});
    for (; known_ < std::min(s.users, requests.size()); ++known_)
      asks_.push({requests[known_].arrival, known_});
  }

  Run run() {
    while (done_ < requests_.size()) {
      drop_outdated();
      const double engine = of(events_), ask = of(asks_), end = of(finished_);
      if (std::min({engine, ask, end}) >= Machine::kNever) break;
      if (ask <= end && ask <= engine) {
        prefill();
      } else if (end <= engine) {
        move();
      } else {
        const std::size_t next = events_.top().second;
        events_.pop();
        decode(next);
      }
    }
    for (Decoder& d : decoders_) gather(d);
    return std::move(run_);
  }

 private:
  using When = std::pair<double, std::size_t>;
  static double of(const Earliest<When>& x) { return x.empty() ? Machine::kNever : x.top().first; }

  // Of each decode engine what can happen there next, beside what was so before it stepped, or before a request came.
  void changed(std::size_t engine) {
    const double at = decoders_[engine].machine->next_event();
    if (at < Machine::kNever) events_.push({at, engine});
  }
  void drop_outdated() {
    while (!events_.empty() &&
           decoders_[events_.top().second].machine->next_event() > events_.top().first)
      events_.pop();
  }

  // A request, in its turn, on the worker that is free first.
  void prefill() {
    const auto [asked, id] = asks_.top();
    asks_.pop();
    const auto [free, place] = workers_.top();
    workers_.pop();
    const double begin = std::max(free, asked), takes = prefill_alone(s_, requests_[id].prompt);
    prefilled_[id] = {begin, begin + takes, place};
    run_.served[id] = {begin, begin, begin + takes, begin + takes};
    if (id >= from_) run_.totals.prefill_workers += takes;
    workers_.push({begin + takes, place});
    finished_.push({begin + takes, id});
  }

  void move() {
    const std::size_t id = finished_.top().second, to = turn_++ % decoders_.size();
    finished_.pop();
    Request r = requests_[id];
    r.arrival = ports_.arrival(prefilled_[id], r.prompt, to);
    run_.served[id].first = r.arrival;
    if (id >= from_) run_.totals.ports += ports_.waited();
    decoders_[to].of.push_back(id);
    decoders_[to].machine->add(r, id >= from_);
    changed(to);
    if (turn_ < requests_.size()) return;
    for (Decoder& d : decoders_) d.machine->finish();
  }

  void decode(std::size_t engine) {
    Decoder& d = decoders_[engine];
    d.machine->turn();
    changed(engine);
    for (std::size_t answered = d.machine->take_answered().size(); answered > 0; --answered) {
      ++done_;
      if (known_ >= requests_.size()) continue;
      requests_[known_].arrival += d.machine->now();  // what its user thinks
      asks_.push({requests_[known_].arrival, known_});
      ++known_;
    }
  }

  void gather(Decoder& d) {
    const Run one = d.machine->take_run();
    for (std::size_t i = 0; i < d.of.size(); ++i) run_.served[d.of[i]].last = one.served[i].last;
    for (const std::size_t i : one.refused) run_.refused.push_back(d.of[i]);
    run_.gaps.insert(run_.gaps.end(), one.gaps.begin(), one.gaps.end());
    add_worker(run_.totals, one.totals);
  }

  const Scenario& s_;
  std::vector<Request>& requests_;
  const std::size_t from_;
  Engine engine_;
  Ports ports_;
  std::vector<Prefilled> prefilled_;
  std::vector<Decoder> decoders_;
  Earliest<When> workers_, asks_, finished_, events_;
  std::size_t known_ = 0, done_ = 0, turn_ = 0;
  Run run_;
};

}  // namespace

Run play_user_pools(const Scenario& scenario, std::vector<Request>& requests,
                    std::size_t measured_from) {
  return UserPools(scenario, requests, measured_from).run();
}

}  // namespace reckon::load
