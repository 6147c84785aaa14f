// Simulated loads held to queues that are solved exactly, to Little's law, and to themselves.
#include "reckon/load/simulate.hpp"

#include <cmath>

#include "catch.hpp"
#include "reckon/load/step_table.hpp"

using namespace reckon;
using namespace reckon::load;

namespace {

Scenario busy() {
  Scenario s;
  s.engine.step = [](const Step& x) {
    return 6e-3 + 15e-6 * x.decodes + 1e-9 * x.decodes * x.context + 25e-6 * x.prefill;
  };
  s.engine.batch = 64;
  s.traffic.rate = 12;
  s.traffic.prompt = {LengthShape::kLognormal, 800, 0.7, 1e9};
  s.traffic.output = {LengthShape::kUniform, 120, 0.4, 1e9};
  s.requests = 8000;
  s.replications = 8;
  return s;
}

// Answers of one token and one prompt a step: M/G/1, nothing decodes.
Scenario queue(LengthShape shape, double spread, double load) {
  Scenario s;
  s.engine.step = [](const Step& x) { return 1e-3 * x.prefill; };
  s.engine.chunk = 1 << 30;
  s.engine.one_prompt = true;
  s.traffic.rate = load;
  s.traffic.prompt = {shape, 1000, spread, 1e9};
  s.requests = 400'000;
  s.replications = 16;
  return s;
}

}  // namespace

TEST_CASE("one prompt at a time waits what Pollaczek and Khinchine say") {
  for (const double load : {0.3, 0.6, 0.8}) {
    CAPTURE(load);
    const Outcome constant = simulate(queue(LengthShape::kConstant, 0, load), 2);
    const double w = load / (2 * (1 - load));
    CHECK(std::abs(constant.waiting.value.mean - w) < 2 * constant.waiting.half.mean);
    CHECK(constant.waiting.half.mean < 0.05 * w);
    const Outcome spread = simulate(queue(LengthShape::kUniform, 0.5, load), 2);
    CHECK(std::abs(spread.waiting.value.mean - 1.25 * w) < 2 * spread.waiting.half.mean);
    CHECK(spread.busy.value == Approx(load).epsilon(0.02));
  }
}

TEST_CASE("a batch without prefill is M/G/infinity: as many decode as Little's law says") {
  Scenario s = busy();
  s.engine.step = [](const Step&) { return 0.01; };
  s.engine.batch = 1 << 20;
  s.traffic.prompt = {LengthShape::kConstant, 1};
  const Outcome o = simulate(s, 2);
  const double n = 12 * (120 - 1) * 0.01;
  CHECK(std::abs(o.decoding.value - n) < 3 * o.decoding.half);
  CHECK(o.tpot.value.mean == Approx(0.01));
  // Half a step on arrival, and the prompt's own.
  CHECK(o.ttft.value.mean == Approx(0.015).epsilon(0.01));
}

TEST_CASE("Little's law holds within the interval") {
  for (const double rate : {4.0, 12.0, 20.0}) {
    Scenario s = busy();
    s.traffic.rate = rate;
    const Outcome o = simulate(s, 2);
    CAPTURE(rate, o.present.value, o.little.value, o.little.half);
    CHECK(std::abs(o.present.value - o.little.value) < o.little.half + o.present.half);
  }
}

TEST_CASE("parts of the time to first token add up, and none is negative") {
  const Outcome o = simulate(busy(), 2);
  CHECK(o.waiting.value.mean + o.service.value.mean + o.sharing.value.mean ==
        Approx(o.ttft.value.mean));
  CHECK(o.residual.value > 0);
  CHECK(o.residual.value < o.waiting.value.mean);
  CHECK(o.ttft.value.p50 < o.ttft.value.p90);
  CHECK(o.ttft.value.p90 < o.ttft.value.p99);
  CHECK(o.preemptions == 0);
}

TEST_CASE("stages: a prompt passes all of them, decodes of others behind it wait") {
  load::Scenario s;
  s.engine.step = [](const load::Step& x) { return 8e-3 + 40e-6 * x.decodes + 25e-6 * x.prefill; };
  s.engine.batch = 64;
  s.engine.chunk = 2048;
  s.traffic.prompt.mean = 2048;
  s.traffic.output.mean = 100;
  s.requests = 4000;
  double last = 0;
  for (const double rate : {0.05, 5.0, 20.0}) {
    s.traffic.rate = rate;
    s.engine.stages = 4;
    const load::Outcome o = load::simulate(s);
    CAPTURE(rate);
    const double alone = 8e-3 + 25e-6 * 2048;
    CHECK(o.service.value.mean == Approx(alone));
    CHECK(o.ttft.value.mean >= alone * (1 - 1e-9));
    CHECK(o.waiting.value.mean >= 0);
    CHECK(o.sharing.value.mean >= 0);
    CHECK(o.tpot.value.mean > last);
    CHECK(o.little.value == Approx(o.present.value).epsilon(0.1));
    last = o.tpot.value.mean;
  }
}

TEST_CASE("a user asks again when answered, and is at the engine an overhead later") {
  load::Scenario s;
  s.engine.step = [](const load::Step&) { return 10e-3; };
  s.traffic.prompt.mean = 100;
  s.traffic.output.mean = 11;
  s.requests = 400;
  s.users = 1;
  s.overhead = 0.5;
  const load::Outcome o = load::simulate(s);
  CHECK(o.ttft.value.mean == Approx(0.51));
  CHECK(o.end_to_end.value.mean == Approx(0.61));
  CHECK(o.rate.value == Approx(1 / 0.61).epsilon(0.01));
}

// Every step carries a full chunk: a part with three users answers each of them more slowly, and no part is done
// before.
TEST_CASE("stages: a user more than the parts share evenly makes no run slower") {
  const auto rate_of = [](std::size_t users) {
    load::Scenario s;
    s.engine.step = [](const load::Step& x) { return 1e-3 + 25e-6 * x.prefill; };
    s.engine.batch = 64;
    s.engine.chunk = 2048;
    s.engine.stages = 4;
    s.traffic.prompt.mean = 2048 * 4;
    s.traffic.output = {LengthShape::kLognormal, 3, 0.5, 100};
    s.requests = 4000;
    s.users = users;
    return load::simulate(s).rate.value;
  };
  const double even = rate_of(8), odd = rate_of(9), more = rate_of(12);
  CAPTURE(even, odd, more);
  CHECK(odd > even * 0.98);
  CHECK(odd < more * 1.02);
}

TEST_CASE("waits grow with the rate, and beyond saturation with every request") {
  double last = 0;
  for (const double rate : {2.0, 6.0, 12.0, 18.0, 24.0}) {
    Scenario s = busy();
    s.traffic.rate = rate;
    const Outcome o = simulate(s, 2);
    CHECK(o.ttft.value.mean > last);
    CHECK(!o.growing);
    last = o.ttft.value.mean;
  }
  Scenario s = busy();
  s.traffic.rate = 80;
  CHECK(simulate(s, 2).growing);
}

TEST_CASE("the same seed gives the same bits on any number of threads") {
  const Outcome one = simulate(busy(), 1), four = simulate(busy(), 4);
  CHECK(one.ttft.value.p99 == four.ttft.value.p99);
  CHECK(one.ttft.half.mean == four.ttft.half.mean);
  CHECK(one.itl.value.p90 == four.itl.value.p90);
  CHECK(one.steps == four.steps);
  Scenario other = busy();
  other.seed = 2;
  CHECK(simulate(other, 2).ttft.value.mean != one.ttft.value.mean);
}

TEST_CASE("targets: what share of requests meets them") {
  Scenario s = busy();
  const Outcome free = simulate(s, 2);
  CHECK(free.met.value == 1);
  s.targets = {free.ttft.value.p90, 0};
  const Outcome o = simulate(s, 2);
  CHECK(o.met.value == Approx(0.9).epsilon(0.01));
  CHECK(o.goodput.value == Approx(o.met.value * s.traffic.rate));
}

TEST_CASE("pools: a prefill worker is a queue of its own, and decodes are never held up") {
  Scenario s = busy();
  s.pools.emplace();
  s.pools->decode = 2;
  s.pools->transfer = 1e-3;
  s.pools->transfer_token = 1e-6;
  s.engine.chunk = 1;  // one prompt at a time
  s.traffic.prompt = {LengthShape::kConstant, 800};
  const Outcome o = simulate(s, 2);
  const double service = 6e-3 + 25e-6 * 800, rho = 12 * service;
  const double ttft = service + rho * service / (2 * (1 - rho)) + 1e-3 + 800e-6;
  CHECK(std::abs(o.ttft.value.mean - ttft) < 2 * o.ttft.half.mean);
  // Never a prefill among its tokens: a step of a full batch at most.
  CHECK(o.itl.value.p99 < 6e-3 + 15e-6 * 64 + 1e-9 * 64 * 1000);
  CHECK(std::abs(o.tpot.value.mean - 6.3e-3) < 0.4e-3);
}

TEST_CASE("a table of steps is the model where it is linear, and near it where it is not") {
  const auto model = [](const Step& x) {
    return 5e-3 + std::max(20e-6 * x.decodes, 30e-6 * (x.decodes + x.prefill)) +
           1e-9 * x.decodes * std::min(x.context, 1500.0);
  };
  const StepTable table(model, {64, 4096, 1000});
  for (const double n : {0.0, 1.0, 7.0, 64.0})
    for (const double context : {1.0, 100.0, 777.0, 2000.0, 4096.0})
      for (const double prefill : {0.0, 1.0, 100.0, 300.0, 1000.0})
        CHECK(table.at({n, context, prefill}) ==
              Approx(model({n, context, prefill})).epsilon(1e-3));
  CHECK(table.at({65, 100, 10}) == model({65, 100, 10}));  // beyond its range: the model
  CHECK(table.at({64, 5000, 10}) == model({64, 5000, 10}));
  CHECK(table.at({3, 100, 1001}) == model({3, 100, 1001}));
}

TEST_CASE("pools: prefill workers of their own speed, and how busy they are") {
  Scenario s = busy();
  s.pools.emplace();
  s.pools->prefill = 2;
  s.pools->step = [](double tokens) { return 50e-6 * tokens; };
  s.traffic.prompt = {LengthShape::kConstant, 800};
  const Outcome o = simulate(s, 2);
  CHECK(o.service.value.mean == Approx(40e-3));
  CHECK(std::abs(o.prefill_busy.value - 12 * 40e-3 / 2) < 2 * o.prefill_busy.half + 1e-3);
}

TEST_CASE("a share of the requests by chance: its rate, and the same on any number of threads") {
  Scenario s = busy();
  s.traffic.share = 0.25;
  const Outcome one = simulate(s, 1), two = simulate(s, 2);
  CHECK(std::abs(one.rate.value - 3) < 3 * one.rate.half);
  CHECK(one.ttft.value.p99 == two.ttft.value.p99);
}

TEST_CASE("a trace on several engines: each request is played once") {
  Scenario s = busy();
  for (int i = 0; i < 1000; ++i) s.trace.push_back({i * 0.1, 100, 2});
  s.engines = 3;
  const Outcome o = simulate(s, 2);
  CHECK(o.requests == 1000);
  CHECK(o.measured > 850);
  CHECK(o.measured <= 1000);
}

TEST_CASE("a trace is played as it is") {
  Scenario s = busy();
  for (int i = 0; i < 100; ++i) s.trace.push_back({i * 1.0, 100, 2});
  const Outcome o = simulate(s, 4);
  CHECK(o.requests == 100);
  CHECK(o.measured == 90);
  CHECK(o.ttft.value.mean == Approx(6e-3 + 25e-6 * 100));
  CHECK(o.ttft.value.p99 == Approx(6e-3 + 25e-6 * 100));
}

TEST_CASE("requests: rate, spread and bursts are what was asked") {
  for (const auto kind : {ArrivalKind::kPoisson, ArrivalKind::kGamma, ArrivalKind::kBursts}) {
    Traffic t;
    t.rate = 5;
    t.arrivals = {kind, 2, 3, 6};
    t.prompt = {LengthShape::kLognormal, 500, 1.0, 1e9};
    t.output = {LengthShape::kNormal, 200, 0.2, 1e9};
    const std::vector<Request> r = draw_requests(t, 200'000, Random(11));
    // 4,400 bursts: their lengths leave the rate a deviation of 2 %.
    CHECK(200'000 / r.back().arrival == Approx(5).epsilon(0.06));
    double gap2 = 0, prompt = 0, prompt2 = 0, output = 0;
    for (std::size_t i = 1; i < r.size(); ++i) {
      const double gap = r[i].arrival - r[i - 1].arrival;
      CHECK(gap >= 0);
      gap2 += gap * gap;
      prompt += r[i].prompt;
      prompt2 += 1.0 * r[i].prompt * r[i].prompt;
      output += r[i].output;
    }
    const double n = 199'999;
    const double cv2 = gap2 / n * 25 - 1;
    if (kind == ArrivalKind::kPoisson) CHECK(cv2 == Approx(1).epsilon(0.03));
    if (kind == ArrivalKind::kGamma) CHECK(cv2 == Approx(4).epsilon(0.05));
    // In a burst the rate is three times as high.
    if (kind == ArrivalKind::kBursts) CHECK(cv2 > 5);
    CHECK(prompt / n == Approx(500).epsilon(0.02));
    CHECK(prompt2 / n == Approx(2 * 500.0 * 500).epsilon(0.05));
    CHECK(output / n == Approx(200).epsilon(0.01));
  }
}

TEST_CASE("statistics: Student's t, ranks, weights") {
  CHECK(student_t(1) == Approx(12.706).epsilon(1e-3));
  CHECK(student_t(2) == Approx(4.303).epsilon(1e-3));
  CHECK(student_t(3) == Approx(3.182).epsilon(1e-2));
  CHECK(student_t(7) == Approx(2.365).epsilon(1e-3));
  CHECK(student_t(30) == Approx(2.042).epsilon(1e-3));
  CHECK(spread_of(std::vector<double>{4, 1, 3, 2, 5}).p50 == 3);
  CHECK(spread_of(std::vector<double>{}).mean == 0);
  const Spread s = spread_of(std::vector<Weighted>{{2, 10}, {1, 89}, {9, 1}});
  CHECK(s.mean == Approx(1.18));
  CHECK(s.p50 == 1);
  CHECK(s.p90 == 2);
  const Figure f = across(std::vector<double>{1, 2, 3});
  CHECK(f.value == 2);
  CHECK(f.half == Approx(4.303 / std::sqrt(3)).epsilon(1e-3));
}

TEST_CASE("users that engines do not share evenly: each engine counts with its own") {
  Scenario s = busy();
  s.engine.batch = 2;  // the third waits for a place
  s.traffic.prompt = {LengthShape::kConstant, 400};
  s.traffic.output = {LengthShape::kConstant, 100};
  s.requests = 40'000;
  s.replications = 4;
  const auto of = [&](std::size_t users, double one_more) {
    Scenario x = s;
    x.users = users;
    x.one_more = one_more;
    return simulate(x, 2);
  };
  const Outcome two = of(2, 0), three = of(3, 0);
  CHECK(three.ttft.value.mean > 2 * two.ttft.value.mean);
  for (const double more : {0.25, 0.5}) {
    CAPTURE(more);
    const Outcome o = of(2, more);
    const double a = (1 - more) * two.rate.value, b = more * three.rate.value;
    CHECK(o.rate.value == Approx(a + b).epsilon(2e-3));
    // Of requests, which come from an engine as often as it answers them.
    const auto mean = [&](load::Figures Outcome::*f) {
      return (a * (two.*f).value.mean + b * (three.*f).value.mean) / (a + b);
    };
    for (const auto f : {&Outcome::ttft, &Outcome::tpot, &Outcome::itl, &Outcome::end_to_end})
      CHECK((o.*f).value.mean == Approx(mean(f)).epsilon(2e-3));
    // Two thirds or fewer of the requests wait for no place: the percentiles are of the one kind and the other.
    CHECK(o.ttft.value.p50 == Approx(two.ttft.value.p50).epsilon(0.02));
    CHECK(o.ttft.value.p99 == Approx(three.ttft.value.p99).epsilon(0.02));
    // Of time, which passes for all alike.
    CHECK(o.busy.value == Approx(1).epsilon(1e-6));
    CHECK(o.present.value == Approx(2 + more).epsilon(2e-3));
    CHECK(o.decoding.value ==
          Approx((1 - more) * two.decoding.value + more * three.decoding.value).epsilon(2e-3));
  }
}
