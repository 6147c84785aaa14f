#include "pools.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace reckon::load {
namespace {

// Whole prompts in the order of arrival, as many at a time as may be together and fit the chunk, at least one.
std::vector<Prefilled> prefill_all(const Scenario& s, const std::vector<Request>& requests,
                                   std::size_t measured_from, Run& run) {
  using Worker = std::pair<double, std::size_t>;  // free from then on
  std::priority_queue<Worker, std::vector<Worker>, std::greater<>> workers;
  for (int i = 0; i < s.pools->prefill; ++i) workers.push({0, static_cast<std::size_t>(i)});
  std::vector<Prefilled> out(requests.size());
  std::size_t next = 0;
  while (next < requests.size()) {
    const auto [free, place] = workers.top();
    const double begin = std::max(free, requests[next].arrival);
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
    for (std::size_t i = first; i < next; ++i) {
      run.served[i] = {begin, begin, end, end};
      out[i] = {begin, end, place};
    }
    workers.push({end, place});
  }
  return out;
}

struct Part {
  std::vector<Request> requests;
  std::vector<std::size_t> of;  // where they came from
};

// The order in which so many times come.
template <class Time>
std::vector<std::size_t> in_order(std::size_t n, const Time& time) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  return order;
}

// Caches move in the order their prefills end, to the decode workers in turn.
std::vector<Part> dealt(const Scenario& s, const std::vector<Request>& requests,
                        const std::vector<Prefilled>& prefilled, std::size_t measured_from,
                        Run& run) {
  Ports ports(*s.pools);
  std::vector<Part> out(static_cast<std::size_t>(s.pools->decode));
  std::size_t turn = 0;
  for (const std::size_t i :
       in_order(requests.size(), [&](std::size_t k) { return prefilled[k].end; })) {
    const std::size_t engine = turn++ % out.size();
    run.served[i].first = ports.arrival(prefilled[i], requests[i].prompt, engine);
    if (i >= measured_from) run.totals.ports += ports.waited();
    out[engine].of.push_back(i);
  }
  for (Part& part : out) {
    std::stable_sort(part.of.begin(), part.of.end(), [&](std::size_t a, std::size_t b) {
      return run.served[a].first < run.served[b].first;
    });
    for (const std::size_t i : part.of) {
      part.requests.push_back(requests[i]);
      part.requests.back().arrival = run.served[i].first;
    }
  }
  return out;
}

}  // namespace

Ports::Ports(const Pools& pools)
    : pools_(pools),
      send_(static_cast<std::size_t>((pools.prefill - 1) / pools.senders + 1)),
      receive_(static_cast<std::size_t>((pools.decode - 1) / pools.receivers + 1)) {}

double Ports::arrival(const Prefilled& from, double tokens, std::size_t engine) {
  double& send = send_[from.place / static_cast<std::size_t>(pools_.senders)];
  double& receive = receive_[engine / static_cast<std::size_t>(pools_.receivers)];
  const double ready = pools_.layerwise ? from.begin : from.end;
  const double start = std::max({ready, send, receive});
  const double sends = pools_.send_token * tokens, receives = pools_.receive_token * tokens;
  send = start + sends;
  receive = start + receives;
  const double alone = from.end + pools_.transfer + pools_.transfer_token * tokens;
  const double at = std::max(alone, start + pools_.transfer + std::max(sends, receives));
  waited_ = at - alone;
  return at;
}

void add_worker(Totals& all, const Totals& one) {
  all.begin = all.begin == 0 ? one.begin : std::min(all.begin, one.begin);
  all.end = std::max(all.end, one.end);
  for (const auto part : {&Totals::busy, &Totals::decoding, &Totals::admitted, &Totals::blocks})
    all.*part += one.*part;
  for (const auto part : {&Totals::steps, &Totals::decode_steps, &Totals::tokens,
                          &Totals::first_tokens, &Totals::recomputed, &Totals::preemptions})
    all.*part += one.*part;
  all.most_blocks = std::max(all.most_blocks, one.most_blocks);
}

double prefill_alone(const Scenario& s, double tokens) {
  if (s.pools && s.pools->step) return s.pools->step(tokens);
  return s.engine.step({0, 0, tokens});
}

Run play_pools(const Scenario& s, std::vector<Request>& requests, std::size_t measured_from) {
  if (s.users > 0) return play_user_pools(s, requests, measured_from);
  Run run;
  run.served.resize(requests.size());
  const std::vector<Prefilled> prefilled = prefill_all(s, requests, measured_from, run);
  Engine engine = s.engine;
  engine.prefilled = true;
  for (Part& part : dealt(s, requests, prefilled, measured_from, run)) {
    const auto from =
        static_cast<std::size_t>(std::find_if(part.of.begin(), part.of.end(),
                                              [&](std::size_t i) { return i >= measured_from; }) -
                                 part.of.begin());
    const Run one = play(engine, part.requests, {from, 0});
    for (std::size_t i = 0; i < part.of.size(); ++i)
      run.served[part.of[i]].last = one.served[i].last;
    for (const std::size_t i : one.refused) run.refused.push_back(part.of[i]);
    run.gaps.insert(run.gaps.end(), one.gaps.begin(), one.gaps.end());
    add_worker(run.totals, one.totals);
  }
  return run;
}

}  // namespace reckon::load
