#include "reckon/load/engine.hpp"

#include <memory>

#include "machine.hpp"
#include "pools.hpp"

namespace reckon::load {
namespace {

// Requests of one of the engines that share stages, and where they came from.
struct Dealt {
  std::vector<Request> requests;
  std::vector<std::size_t> of;
  PlayOptions options;
};

// In turn; of a closed loop each user stays with his engine.
std::vector<Dealt> deal(const Engine& e, const std::vector<Request>& requests,
                        const PlayOptions& options, Stages& stages) {
  const auto n = static_cast<std::size_t>(e.stages);
  std::vector<Dealt> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i].options = options;
    out[i].options.stages = &stages;
    out[i].options.users = (options.users + n - 1 - i) / n;
    out[i].options.measured_from = 0;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Dealt& to = out[(options.users > 0 ? i % options.users : i) % n];
    if (i < options.measured_from) ++to.options.measured_from;
    to.requests.push_back(requests[i]);
    to.of.push_back(i);
  }
  return out;
}

// Whose step begins first goes first.
void play_all(std::vector<std::unique_ptr<Machine>>& machines) {
  for (;;) {
    Machine* first = nullptr;
    for (const auto& m : machines)
      if (!first || m->next_event() < first->next_event()) first = m.get();
    if (!(first->next_event() < Machine::kNever)) return;
    first->turn();
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
  std::vector<Dealt> parts = deal(e, requests, options, stages);
  std::vector<std::unique_ptr<Machine>> machines;
  machines.reserve(parts.size());
  for (Dealt& part : parts)
    machines.push_back(std::make_unique<Machine>(e, part.requests, part.options));
  play_all(machines);
  Run out;
  out.served.resize(requests.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Run one = machines[k]->take_run();
    for (std::size_t i = 0; i < parts[k].of.size(); ++i) {
      out.served[parts[k].of[i]] = one.served[i];
      requests[parts[k].of[i]] = parts[k].requests[i];
    }
    for (const std::size_t i : one.refused) out.refused.push_back(parts[k].of[i]);
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
