#include "reckon/load/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pools.hpp"
#include "reckon/numerics/parallel.hpp"

namespace reckon::load {
namespace {

// What one replication found.
struct Sample {
  Spread ttft, waiting, service, sharing, tpot, tpot_inclusive, itl, end_to_end;
  double residual = 0, met = 0, port_wait = 0;
  std::optional<double> rate, little;  // of too few requests there is none
  std::array<double, 4> waits{};       // mean of each quarter that is measured
  std::size_t refused = 0, measured = 0;
  Totals totals;
};

// Measured times of one replication, request by request.
struct Times {
  std::vector<double> ttft, waiting, service, sharing, tpot, tpot_inclusive, end_to_end;
  double residual = 0;
  std::size_t met = 0;
};

void add(const Scenario& s, const Request& r, const Served& x, Times& out) {
  const double alone = prefill_alone(s, static_cast<double>(r.prompt));
  const double ttft = s.overhead + x.first - r.arrival, all = s.overhead + x.last - r.arrival;
  const double after = (r.output - 1) * s.yield;  // tokens after the first
  const double tpot = r.output > 1 ? (x.last - x.first) / after : 0;
  out.ttft.push_back(ttft);
  out.waiting.push_back(x.start - r.arrival);
  out.service.push_back(alone);
  // Differences of times on one clock: below its last digits there is nothing.
  const double sharing = x.first - x.start - alone;
  const double digits = 16 * std::numeric_limits<double>::epsilon() * x.first;
  out.sharing.push_back(std::abs(sharing) <= digits ? 0 : sharing);
  out.residual += std::min(x.boundary, x.start) - r.arrival;
  if (r.output > 1) out.tpot.push_back(tpot);
  out.tpot_inclusive.push_back(all / (1 + after));
  out.end_to_end.push_back(all);
  const bool met = (s.targets.ttft <= 0 || ttft <= s.targets.ttft) &&
                   (s.targets.tpot <= 0 || tpot <= s.targets.tpot);
  out.met += met ? 1 : 0;
}

double mean_of(const std::vector<double>& x, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += x[i];
  return to > from ? sum / static_cast<double>(to - from) : 0;
}

// Of the measured requests, first to last. Users who think come in another order than they were answered in: of theirs
// all but a twentieth at either end.
std::optional<double> arrival_rate(const Scenario& s, const std::vector<Request>& requests,
                                   std::size_t from, std::size_t measured) {
  std::size_t first = from, last = requests.size() - 1;
  std::vector<double> at;
  if (s.users > 0) {
    for (std::size_t i = from; i < requests.size(); ++i) at.push_back(requests[i].arrival);
    std::sort(at.begin(), at.end());
    first = at.size() / 20;
    last = at.size() - 1 - first;
  }
  const double time =
      s.users > 0 ? at[last] - at[first] : requests[last].arrival - requests[first].arrival;
  const double served = static_cast<double>(measured) / static_cast<double>(requests.size() - from);
  const double requests_after = static_cast<double>(last - first + 1) * served - 1;
  if (!(time > 0) || !(requests_after > 0)) return {};
  return requests_after / time;
}

Sample summary(const Scenario& s, const std::vector<Request>& requests, const Run& run,
               std::size_t from) {
  Sample out;
  Times t;
  for (std::size_t i = from; i < requests.size(); ++i)
    if (run.served[i].last >= 0) add(s, requests[i], run.served[i], t);
  out.measured = t.ttft.size();
  out.refused = run.refused.size();
  out.totals = run.totals;
  if (out.measured == 0) return out;
  const std::size_t n = out.measured;
  for (std::size_t i = 0; i < 4; ++i) out.waits[i] = mean_of(t.waiting, i * n / 4, (i + 1) * n / 4);
  out.residual = t.residual / static_cast<double>(n);
  out.met = static_cast<double>(t.met) / static_cast<double>(n);
  out.port_wait = run.totals.ports / static_cast<double>(n);
  out.rate = arrival_rate(s, requests, from, n);
  out.end_to_end = spread_of(std::move(t.end_to_end));
  if (out.rate) out.little = *out.rate * (out.end_to_end.mean - s.overhead);
  out.ttft = spread_of(std::move(t.ttft));
  out.waiting = spread_of(std::move(t.waiting));
  out.service = spread_of(std::move(t.service));
  out.sharing = spread_of(std::move(t.sharing));
  out.tpot = spread_of(std::move(t.tpot));
  out.tpot_inclusive = spread_of(std::move(t.tpot_inclusive));
  std::vector<Weighted> gaps;
  gaps.reserve(run.gaps.size());
  for (const Gap& g : run.gaps) gaps.push_back({g.time, g.count});
  out.itl = spread_of(std::move(gaps));
  return out;
}

// The requests of a trace that one of the engines gets: each request by chance, the same whatever the threads.
std::vector<Request> part_of_trace(const Scenario& s, std::uint64_t engine) {
  if (s.engines <= 1) return s.trace;
  std::vector<Request> out;
  Random random(s.seed);
  for (const Request& r : s.trace)
    if (static_cast<std::uint64_t>(random.unit() * s.engines) == engine) out.push_back(r);
  return out;
}

std::vector<Request> requests_of(const Scenario& s, std::size_t n, std::uint64_t index) {
  if (!s.trace.empty()) return part_of_trace(s, index);
  Traffic traffic = s.traffic;
  if (s.users > 0) traffic.rate = 0;
  return draw_requests(traffic, n, Random(s.seed * 0x9E3779B97F4A7C15 + index));
}

Sample replication(const Scenario& s, std::size_t n, std::uint64_t index) {
  std::vector<Request> requests = requests_of(s, n, index);
  if (requests.size() < 2) return {};  // an engine that a trace leaves idle
  const std::size_t from =
      std::max(requests.size() / 10, std::min(s.users * 2, requests.size() / 2));
  const Run run =
      s.pools ? play_pools(s, requests, from) : play(s.engine, requests, {from, s.users});
  return summary(s, requests, run, from);
}

class Merge {
 public:
  Merge(const Scenario& s, const std::vector<Sample>& samples) : s_(s), samples_(samples) {}

  Outcome outcome() const {
    Outcome o;
    for (const auto& [to, from] : kSpreads) o.*to = spread(from);
    o.residual = mean(&Sample::residual);
    o.rate = of([](const Sample& x) { return x.rate; });
    o.present = per_time(&Totals::present);
    o.little = of([](const Sample& x) { return x.little; });
    o.met = mean(&Sample::met);
    o.port_wait = mean(&Sample::port_wait);
    shares(o);
    for (const Sample& x : samples_) count(x, o);
    // Of the rate that is stated: a sample's own wanders.
    const double asked = s_.users == 0 ? s_.traffic.rate * s_.traffic.share : 0;
    o.goodput = of([asked](const Sample& x) -> std::optional<double> {
      const std::optional<double> rate = asked > 0 ? asked : x.rate;
      if (!rate || x.measured == 0) return {};
      return x.met * *rate;
    });
    o.growing = s_.users == 0 && grows(o);
    return o;
  }

 private:
  struct Pair {
    Figures Outcome::*to;
    Spread Sample::*from;
  };
  static constexpr Pair kSpreads[] = {
      {&Outcome::ttft, &Sample::ttft},       {&Outcome::waiting, &Sample::waiting},
      {&Outcome::service, &Sample::service}, {&Outcome::sharing, &Sample::sharing},
      {&Outcome::tpot, &Sample::tpot},       {&Outcome::tpot_inclusive, &Sample::tpot_inclusive},
      {&Outcome::itl, &Sample::itl},         {&Outcome::end_to_end, &Sample::end_to_end}};

  // From quarter to quarter, and not by chance: few requests say nothing, and a trace that begins idle fills first.
  bool grows(const Outcome& o) const {
    constexpr std::size_t kFew = 200;
    if (o.measured < kFew || o.busy.value <= 0.9) return false;
    std::array<double, 4> waits{};
    for (const Sample& x : samples_)
      for (std::size_t i = 0; i < 4; ++i) waits[i] += x.waits[i];
    return std::is_sorted(waits.begin(), waits.end()) && waits[3] > 1.8 * waits[0] &&
           waits[3] > 1.15 * waits[2];
  }
  Figures spread(Spread Sample::*part) const {
    std::vector<Spread> all;
    for (const Sample& x : samples_) all.push_back(x.*part);
    return across(all);
  }
  // Of the samples that say something.
  template <class F>
  Figure of(F get) const {
    std::vector<double> all;
    for (const Sample& x : samples_)
      if (const std::optional<double> value = get(x)) all.push_back(*value);
    return across(all);
  }
  Figure mean(double Sample::*part) const {
    return of([part](const Sample& x) {
      return x.measured > 0 ? std::optional<double>(x.*part) : std::nullopt;
    });
  }
  // A run that is over before its measured time begins has no share of it.
  Figure per_time(double Totals::*part, double of_one = 1) const {
    return of([&](const Sample& x) {
      const double time = x.totals.time() * of_one;
      return time > 0 ? std::optional<double>(x.totals.*part / time) : std::nullopt;
    });
  }
  void shares(Outcome& o) const {
    const double workers = s_.pools ? s_.pools->decode : s_.engine.stages;
    o.busy = per_time(&Totals::busy, workers);
    o.prefilling = per_time(&Totals::prefilling, workers);
    if (s_.pools) o.prefill_busy = per_time(&Totals::prefill_workers, s_.pools->prefill);
    o.decoding = per_time(&Totals::decoding);
    o.batch_share = per_time(&Totals::admitted, workers * s_.engine.batch);
    const auto blocks = static_cast<double>(s_.engine.blocks);
    if (blocks > 0) o.cache_share = per_time(&Totals::blocks, workers * blocks);
    // Each answer's first token is one, whatever its later steps yield.
    o.tokens_rate = of([this](const Sample& x) -> std::optional<double> {
      if (!(x.totals.time() > 0) || !x.rate) return {};
      const double steps = static_cast<double>(x.totals.tokens) / x.totals.time();
      return steps * s_.yield - *x.rate * (s_.yield - 1);
    });
  }
  static void count(const Sample& x, Outcome& o) {
    o.refused += x.refused;
    o.measured += x.measured;
    o.steps += x.totals.steps;
    o.decode_steps += x.totals.decode_steps;
    o.tokens += x.totals.tokens;
    o.preemptions += x.totals.preemptions;
    o.recomputed += x.totals.recomputed;
    o.most_blocks = std::max(o.most_blocks, x.totals.most_blocks);
    o.simulated += x.totals.time();
  }

  const Scenario& s_;
  const std::vector<Sample>& samples_;
};

}  // namespace

std::function<void(std::size_t, std::size_t)>& on_progress() {
  static std::function<void(std::size_t, std::size_t)> listener;
  return listener;
}

Outcome simulate(const Scenario& s, unsigned threads) {
  // A trace is one run: there is nothing to draw again; of several engines each plays its part.
  const auto n = static_cast<std::size_t>(s.trace.empty() ? std::max(1, s.replications)
                                                          : std::max(1, s.engines));
  const std::size_t each = s.trace.empty() ? (s.requests + n - 1) / n : s.trace.size();
  std::vector<Sample> samples(n);
  parallel_for(
      n, threads, [&](std::size_t i) { samples[i] = replication(s, each, i); }, on_progress());
  std::erase_if(samples, [](const Sample& x) { return x.measured == 0 && x.refused == 0; });
  Outcome o = Merge(s, samples).outcome();
  o.requests = s.trace.empty() ? each * n : each;
  return o;
}

}  // namespace reckon::load
