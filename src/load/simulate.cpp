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

// Measured times of one engine, request by request.
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
std::optional<double> arrival_rate(const std::vector<Request>& requests, std::size_t from,
                                   std::size_t measured, bool closed) {
  std::size_t first = from, last = requests.size() - 1;
  std::vector<double> at;
  if (closed) {
    for (std::size_t i = from; i < requests.size(); ++i) at.push_back(requests[i].arrival);
    std::sort(at.begin(), at.end());
    first = at.size() / 20;
    last = at.size() - 1 - first;
  }
  const double time =
      closed ? at[last] - at[first] : requests[last].arrival - requests[first].arrival;
  const double served = static_cast<double>(measured) / static_cast<double>(requests.size() - from);
  const double requests_after = static_cast<double>(last - first + 1) * served - 1;
  if (!(time > 0) || !(requests_after > 0)) return {};
  return requests_after / time;
}

// What one engine did, for so large a share of the engines.
struct Played {
  Times times;
  Run run;
  std::optional<double> rate;
  double share = 1;
  std::int64_t weight =
      1;  // of a request and of a gap, where engines of two kinds are put together

  std::size_t count() const { return times.ttft.size(); }
};

Played played(const Scenario& s, const std::vector<Request>& requests, Run run, std::size_t from,
              double share) {
  Played out;
  for (std::size_t i = from; i < requests.size(); ++i)
    if (run.served[i].last >= 0) add(s, requests[i], run.served[i], out.times);
  out.rate = arrival_rate(requests, from, out.count(), s.users > 0);
  out.run = std::move(run);
  out.share = share;
  return out;
}

// Each engine counts with what it does in one and the same time: an answer of one that was measured for half as long
// counts twice.
void weigh(std::vector<Played>& engines) {
  constexpr double kGrains = 1 << 20;
  double most = 0;
  const auto of = [](const Played& p) {
    const double time = p.run.totals.time();
    return time > 0 ? p.share / time : 0;
  };
  for (const Played& p : engines) most = std::max(most, of(p));
  if (engines.size() < 2 || !(most > 0)) return;
  for (Played& p : engines) p.weight = std::llround(kGrains * of(p) / most);
}

// Sums over a mean engine: those of each, by its share, over the time of the first.
Totals mean_engine(const std::vector<Played>& engines) {
  Totals out = engines.front().run.totals;
  if (engines.size() < 2) return out;
  const double time = out.time();
  for (const auto part : {&Totals::busy, &Totals::prefilling, &Totals::decoding, &Totals::admitted,
                          &Totals::blocks, &Totals::waiting, &Totals::present}) {
    out.*part = 0;
    for (const Played& p : engines)
      if (p.run.totals.time() > 0)
        out.*part += p.share * p.run.totals.*part * time / p.run.totals.time();
  }
  for (const auto part : {&Totals::tokens, &Totals::first_tokens}) {
    double tokens = 0;
    for (const Played& p : engines)
      if (p.run.totals.time() > 0)
        tokens += p.share * static_cast<double>(p.run.totals.*part) * time / p.run.totals.time();
    out.*part = std::lround(tokens);
  }
  for (const auto part : {&Totals::steps, &Totals::decode_steps, &Totals::prompt_tokens,
                          &Totals::recomputed, &Totals::preemptions})
    for (std::size_t i = 1; i < engines.size(); ++i) out.*part += engines[i].run.totals.*part;
  for (const Played& p : engines)
    out.most_blocks = std::max(out.most_blocks, p.run.totals.most_blocks);
  return out;
}

Spread spread(const std::vector<Played>& engines, std::vector<double> Times::*part) {
  if (engines.size() == 1) return spread_of(engines.front().times.*part);
  std::vector<Weighted> all;
  for (const Played& p : engines)
    for (const double value : p.times.*part) all.push_back({value, p.weight});
  return spread_of(std::move(all));
}

Spread gaps(const std::vector<Played>& engines) {
  std::vector<Weighted> all;
  for (const Played& p : engines)
    for (const Gap& g : p.run.gaps) all.push_back({g.time, g.count * p.weight});
  return spread_of(std::move(all));
}

Sample summary(const Scenario& s, std::vector<Played> engines) {
  Sample out;
  weigh(engines);
  double requests = 0;  // by their weight
  for (const Played& p : engines) {
    const auto weight = static_cast<double>(p.weight);
    out.measured += p.count();
    out.refused += p.run.refused.size();
    requests += weight * static_cast<double>(p.count());
    out.residual += weight * p.times.residual;
    out.met += weight * static_cast<double>(p.times.met);
    out.port_wait += weight * p.run.totals.ports;
    if (p.rate) out.rate = out.rate.value_or(0) + p.share * *p.rate;
  }
  out.totals = mean_engine(engines);
  if (out.measured == 0) return out;
  for (double* mean : {&out.residual, &out.met, &out.port_wait}) *mean /= requests;
  const std::vector<double>& waiting = engines.front().times.waiting;
  for (std::size_t i = 0; i < 4; ++i)
    out.waits[i] = mean_of(waiting, i * waiting.size() / 4, (i + 1) * waiting.size() / 4);
  out.end_to_end = spread(engines, &Times::end_to_end);
  if (out.rate) out.little = *out.rate * (out.end_to_end.mean - s.overhead);
  out.ttft = spread(engines, &Times::ttft);
  out.waiting = spread(engines, &Times::waiting);
  out.service = spread(engines, &Times::service);
  out.sharing = spread(engines, &Times::sharing);
  out.tpot = spread(engines, &Times::tpot);
  out.tpot_inclusive = spread(engines, &Times::tpot_inclusive);
  out.itl = gaps(engines);
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
  auto out = draw_requests(traffic, n, Random(s.seed * 0x9E3779B97F4A7C15 + index));
  // Whoever asks again when answered is at the engine so much later.
  if (s.users > 0)
    for (Request& r : out) r.arrival += s.overhead;
  return out;
}

// Nothing of an engine that a trace leaves idle.
std::optional<Played> play_engine(const Scenario& s, std::size_t users, double share, std::size_t n,
                                  std::uint64_t index) {
  std::vector<Request> requests = requests_of(s, n, index);
  if (requests.size() < 2) return {};
  const std::size_t from = std::max(requests.size() / 10, std::min(users * 2, requests.size() / 2));
  Run run = s.pools ? play_pools(s, requests, from) : play(s.engine, requests, {from, users});
  return played(s, requests, std::move(run), from, share);
}

Sample replication(const Scenario& s, std::size_t n, std::uint64_t index) {
  constexpr std::uint64_t kOther = std::uint64_t{1} << 32;  // random numbers of its own
  std::vector<Played> engines;
  const auto add_engine = [&](std::size_t users, double share, std::size_t requests,
                              std::uint64_t of) {
    if (auto p = play_engine(s, users, share, requests, of)) engines.push_back(std::move(*p));
  };
  const bool more = s.users > 0 && s.one_more > 0;
  if (more && s.trace.empty()) {  // about as long for both
    const std::size_t of_few = n * s.users / (2 * s.users + 1);
    add_engine(s.users, 1 - s.one_more, of_few, index);
    add_engine(s.users + 1, s.one_more, n - of_few, index + kOther);
  } else {
    const bool has_more = more && static_cast<double>(index) < s.one_more * s.engines - 0.5;
    add_engine(s.users + (has_more ? 1 : 0), 1, n, index);
  }
  return engines.empty() ? Sample{} : summary(s, std::move(engines));
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
      if (!(x.totals.time() > 0)) return {};
      const auto first = static_cast<double>(x.totals.first_tokens);
      const double later = static_cast<double>(x.totals.tokens) - first;
      return (first + later * s_.yield) / x.totals.time();
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
