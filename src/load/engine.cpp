#include "reckon/load/engine.hpp"

#include <memory>

#include "machine.hpp"
#include "pools.hpp"

namespace reckon::load {
namespace {

// One of the engines that share stages, its requests, and where they came from.
struct Part {
  std::vector<Request> requests;
  std::vector<std::size_t> of;
  PlayOptions options;
  std::unique_ptr<Machine> machine;
};

// Requests in turn.
void deal(const std::vector<Request>& requests, std::size_t measured_from,
          std::vector<Part>& parts) {
  for (Part& part : parts) part.options.measured_from = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Part& to = parts[i % parts.size()];
    if (i < measured_from) ++to.options.measured_from;
    to.requests.push_back(requests[i]);
    to.of.push_back(i);
  }
}

// A closed loop: each user stays with his engine, and who is answered first asks next, whichever engine is his: none
// has done its share before the others.
class Users {
 public:
  Users(std::vector<Request>& requests, const PlayOptions& options, std::vector<Part>& parts)
      : requests_(requests), from_(options.measured_from), parts_(parts) {
    for (std::size_t i = 0; i < std::min(options.users, requests.size()); ++i)
      ask(parts[i % parts.size()]);
  }
  // Once its step is over.
  void after(Part& part) {
    for (std::size_t n = part.machine->take_answered().size(); n > 0; --n) {
      if (known_ >= requests_.size()) return;
      requests_[known_].arrival += part.machine->now();  // what its user thinks
      ask(part);
    }
  }

 private:
  void ask(Part& part) {
    part.of.push_back(known_);
    part.machine->add(requests_[known_], known_ >= from_);
    if (++known_ < requests_.size()) return;
    for (Part& one : parts_) one.machine->finish();
  }

  std::vector<Request>& requests_;
  std::size_t from_, known_ = 0;
  std::vector<Part>& parts_;
};

// Whose step begins first goes first; `after` each of its steps.
template <class After>
void play_all(std::vector<Part>& parts, const After& after) {
  for (;;) {
    Part* first = nullptr;
    for (Part& part : parts)
      if (!first || part.machine->next_event() < first->machine->next_event()) first = &part;
    if (!(first->machine->next_event() < Machine::kNever)) return;
    first->machine->turn();
    after(*first);
  }
}

void add_engine(const Totals& one, Totals& all) {
  add_worker(all, one);
  for (const auto part : {&Totals::prefilling, &Totals::waiting, &Totals::present})
    all.*part += one.*part;
  all.prompt_tokens += one.prompt_tokens;
}

Run play_in_stages(const Engine& e, std::vector<Request>& requests, const PlayOptions& options) {
  Stages stages(e.stages);
  std::vector<Part> parts(static_cast<std::size_t>(e.stages));
  const bool users = options.users > 0;
  for (Part& part : parts) {
    part.options = options;
    part.options.stages = &stages;
    part.options.users = 0;
    part.options.fed = users;
    part.options.measured_from = kFed;
  }
  if (!users) deal(requests, options.measured_from, parts);
  for (Part& part : parts) part.machine = std::make_unique<Machine>(e, part.requests, part.options);
  if (users) {
    Users all(requests, options, parts);
    play_all(parts, [&](Part& part) { all.after(part); });
  } else {
    play_all(parts, [](Part&) {});
  }
  Run out;
  out.served.resize(requests.size());
  for (Part& part : parts) {
    const Run one = part.machine->take_run();
    for (std::size_t i = 0; i < part.of.size(); ++i) {
      out.served[part.of[i]] = one.served[i];
      requests[part.of[i]] = part.requests[i];
    }
    for (const std::size_t i : one.refused) out.refused.push_back(part.of[i]);
    out.gaps.insert(out.gaps.end(), one.gaps.begin(), one.gaps.end());
    add_engine(one.totals, out.totals);
  }
  return out;
}

}  // namespace

Run play(const Engine& engine, std::vector<Request>& requests, const PlayOptions& options) {
  if (engine.stages > 1) return play_in_stages(engine, requests, options);
  return Machine(engine, requests, options).run();
}

}  // namespace reckon::load
