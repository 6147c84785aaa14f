// Prefill workers, transfer, decode workers: one stage feeds the next.
#pragma once

#include "reckon/load/simulate.hpp"

namespace reckon::load {

// Time of so many prompt tokens and nothing else, s.
double prefill_alone(const Scenario& scenario, double tokens);

// Times of the requests, of both stages; totals are the decode workers', summed. With `users` a request comes when its
// user has his answer.
Run play_pools(const Scenario& scenario, std::vector<Request>& requests, std::size_t measured_from);

// What stages share: a prompt's times, and the ports that its cache moves over.
struct Prefilled {
  double begin, end;
  std::size_t place;  // of the worker
};

class Ports {
 public:
  explicit Ports(const Pools& pools);

  // When a cache of so many tokens has moved to a decode engine. Caches come here in the order their prefills end.
  double arrival(const Prefilled& from, double tokens, std::size_t engine);
  // How long the last one waited for them, s.
  double waited() const { return waited_; }

 private:
  const Pools& pools_;
  std::vector<double> send_, receive_;  // free from then on
  double waited_ = 0;
};

// Sums of a decode worker, added to those of all.
void add_worker(Totals& all, const Totals& one);

// Users who wait for their answers: prefill, ports and decode engines side by side, in the order of time.
Run play_user_pools(const Scenario& scenario, std::vector<Request>& requests,
                    std::size_t measured_from);

}  // namespace reckon::load
