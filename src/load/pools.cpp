#include "pools.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace reckon::load {
namespace {

// Whole prompts in the order of arrival, as many at a time as may be together and fit the chunk, at least one.
void prefill_all(const Scenario& s, const std::vector<Request>& requests, std::size_t measured_from,
                 Run& run) {
  using Free = std::priority_queue<double, std::vector<double>, std::greater<>>;
  Free workers;
  for (int i = 0; i < s.pools->prefill; ++i) workers.push(0);
  std::size_t next = 0;
  while (next < requests.size()) {
    const double begin = std::max(workers.top(), requests[next].arrival);
    workers.pop();
    const std::size_t first = next;
    double tokens = 0;
    do {
      tokens += requests[next++].prompt;
    } while (next < requests.size() && requests[next].arrival <= begin &&
             next - first < static_cast<std::size_t>(s.pools->together) &&
             tokens + requests[next].prompt <= s.engine.chunk);
    const double takes = prefill_alone(s, tokens);
    const double end = begin + takes;
    if (first >= measured_from) run.totals.prefill_workers += takes;
    for (std::size_t i = first; i < next; ++i) run.served[i] = {begin, begin, end, end};
    workers.push(end);
  }
}

struct Part {
  std::vector<Request> requests;
  std::vector<std::size_t> of;  // where they came from
};

// To the decode workers in turn, as their caches arrive.
std::vector<Part> dealt(const Scenario& s, const std::vector<Request>& requests, Run& run) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < requests.size(); ++i)
    run.served[i].first += s.pools->transfer + s.pools->transfer_token * requests[i].prompt;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return run.served[a].first < run.served[b].first;
  });
  std::vector<Part> out(static_cast<std::size_t>(s.pools->decode));
  for (std::size_t k = 0; k < order.size(); ++k) {
    Part& part = out[k % out.size()];
    part.requests.push_back(requests[order[k]]);
    part.requests.back().arrival = run.served[order[k]].first;
    part.of.push_back(order[k]);
  }
  return out;
}

void add(Totals& all, const Totals& one) {
  all.begin = all.begin == 0 ? one.begin : std::min(all.begin, one.begin);
  all.end = std::max(all.end, one.end);
  for (const auto part : {&Totals::busy, &Totals::decoding, &Totals::admitted, &Totals::blocks})
    all.*part += one.*part;
  for (const auto part : {&Totals::steps, &Totals::decode_steps, &Totals::tokens,
                          &Totals::recomputed, &Totals::preemptions})
    all.*part += one.*part;
  all.most_blocks = std::max(all.most_blocks, one.most_blocks);
}

}  // namespace

double prefill_alone(const Scenario& s, double tokens) {
  if (s.pools && s.pools->step) return s.pools->step(tokens);
  return s.engine.step({0, 0, tokens});
}

Run play_pools(const Scenario& s, std::vector<Request>& requests, std::size_t measured_from) {
  Run run;
  run.served.resize(requests.size());
  prefill_all(s, requests, measured_from, run);
  Engine engine = s.engine;
  engine.prefilled = true;
  for (Part& part : dealt(s, requests, run)) {
    const auto from =
        static_cast<std::size_t>(std::find_if(part.of.begin(), part.of.end(),
                                              [&](std::size_t i) { return i >= measured_from; }) -
                                 part.of.begin());
    const Run one = play(engine, part.requests, {from, 0});
    for (std::size_t i = 0; i < part.of.size(); ++i)
      run.served[part.of[i]].last = one.served[i].last;
    for (const std::size_t i : one.refused) run.refused.push_back(part.of[i]);
    run.gaps.insert(run.gaps.end(), one.gaps.begin(), one.gaps.end());
    add(run.totals, one.totals);
  }
  return run;
}

}  // namespace reckon::load
