// Pools played out, held to what can be worked out by hand: caches that wait for ports, users in front of pools, and
// what they think.
#include "catch.hpp"
#include "reckon/load/simulate.hpp"

using namespace reckon;
using namespace reckon::load;

namespace {

// A prefill of 10 ms, a move of 5 ms, steps of 10 ms; three tokens an answer.
Scenario pools(double prefill, int workers) {
  Scenario s;
  s.engine.step = [](const Step&) { return 10e-3; };
  s.engine.batch = 64;
  s.engine.chunk = 1 << 30;
  s.pools.emplace();
  s.pools->prefill = workers;
  s.pools->step = [prefill](double) { return prefill; };
  s.pools->transfer_token = 5e-5;
  s.traffic.prompt = {LengthShape::kConstant, 100, 0, 1e9};
  s.traffic.output = {LengthShape::kConstant, 3, 0, 1e9};
  s.replications = 1;
  return s;
}

Scenario at_once(std::size_t n, double prefill, int workers) {
  Scenario s = pools(prefill, workers);
  s.trace.assign(n, Request{0, 100, 3});
  return s;
}

Scenario users(std::size_t n, double prefill) {
  Scenario s = pools(prefill, 1);
  s.users = n;
  s.requests = 2000;
  return s;
}

}  // namespace

TEST_CASE("ports of one sender: a cache waits until the one before it has gone") {
  // Prefills end at 10, 20, 30 ms; a cache takes 15 ms: sent at 10, 25, 40, arrived at 25, 40, 55.
  Scenario s = at_once(3, 10e-3, 1);
  s.pools->transfer_token = s.pools->send_token = s.pools->receive_token = 15e-5;
  const Outcome o = simulate(s);
  CHECK(o.ttft.value.mean == Approx(40e-3));
  CHECK(o.port_wait.value == Approx(5e-3));  // 0, 5 and 10 ms
  // Several decode workers do not help the sender.
  s.pools->decode = 3;
  CHECK(simulate(s).ttft.value.mean == Approx(40e-3));
}

TEST_CASE("ports of one receiver: two senders wait for each other, two receivers do not") {
  // Both prefills end at 10 ms; caches of 15 ms arrive at 25 and 40 ms, or both at 25.
  Scenario s = at_once(2, 10e-3, 2);
  s.pools->transfer_token = s.pools->send_token = s.pools->receive_token = 15e-5;
  CHECK(simulate(s).ttft.value.mean == Approx(32.5e-3));
  s.pools->decode = 2;
  CHECK(simulate(s).ttft.value.mean == Approx(25e-3));
  // A receiver with three times the ports takes the second cache after a third of the time: at 10 + 5 + 15 ms.
  s.pools->decode = 1;
  s.pools->receive_token = 5e-5;
  CHECK(simulate(s).ttft.value.mean == Approx(27.5e-3));
  // Places of one worker share its ports.
  s.pools->senders = 2;
  CHECK(simulate(s).ttft.value.mean == Approx(32.5e-3));
}

TEST_CASE("layer by layer a cache is sent while its prompt is computed") {
  // 15 ms of sending begin with the prefill of 10: at 15 ms, not at 25; the last layer's 1 ms is hidden in it.
  Scenario s = at_once(2, 10e-3, 2);
  s.pools->decode = 2;
  s.pools->transfer_token = 1e-5;
  s.pools->send_token = s.pools->receive_token = 15e-5;
  s.pools->layerwise = true;
  CHECK(simulate(s).ttft.value.mean == Approx(15e-3));
  s.pools->send_token = s.pools->receive_token = 1e-5;
  CHECK(simulate(s).ttft.value.mean == Approx(11e-3));
}

TEST_CASE(
    "tokens per second of pools count an answer's first token, and once whatever a step yields") {
  for (const double yield : {1.0, 2.2})
    for (const int output : {1, 2, 4})
      for (const bool users_ask : {false, true}) {
        Scenario s = users_ask ? users(2, 20e-3) : pools(1e-3, 1);
        s.pools->decode = 2;
        s.traffic.rate = 5;
        s.traffic.output.mean = output;
        s.yield = yield;
        s.requests = 4000;
        const Outcome o = simulate(s);
        CAPTURE(yield, output, users_ask);
        CHECK(o.tokens_rate.value ==
              Approx(o.rate.value * (1 + (output - 1) * yield)).epsilon(5e-3));
      }
}

TEST_CASE("tokens per second beyond saturation are what the engine makes, not what is asked for") {
  // Four answers at a time, eleven steps each, of which all but the first yield two tokens.
  Scenario s;
  s.engine.step = [](const Step&) { return 10e-3; };
  s.engine.batch = 4;
  s.engine.chunk = 1 << 30;
  s.traffic.rate = 60;  // of the 36 that it answers
  s.traffic.prompt = {LengthShape::kConstant, 100, 0, 1e9};
  s.traffic.output = {LengthShape::kConstant, 11, 0, 1e9};
  s.yield = 2;
  s.requests = 20'000;
  s.replications = 1;
  CHECK(simulate(s).tokens_rate.value == Approx(4 * 21 / 0.11).epsilon(5e-3));
}

TEST_CASE("users in front of pools: by hand") {
  // One: prefill 20, move 5, two steps of 10: an answer every 45 ms.
  const Outcome one = simulate(users(1, 20e-3));
  CHECK(one.ttft.value.mean == Approx(25e-3));
  CHECK(one.tpot.value.mean == Approx(10e-3));
  CHECK(one.rate.value == Approx(1 / 45e-3).epsilon(1e-3));
  // Two do not meet at a prefill worker that each needs for 20 of 45 ms.
  const Outcome two = simulate(users(2, 20e-3));
  CHECK(two.ttft.value.mean == Approx(25e-3));
  CHECK(two.rate.value == Approx(2 / 45e-3).epsilon(1e-3));
  // At 30 ms each it never rests: 2 = (TTFT + 20 ms)/30 ms by Little's law.
  const Outcome busy = simulate(users(2, 30e-3));
  CHECK(busy.rate.value == Approx(1 / 30e-3).epsilon(1e-3));
  CHECK(busy.ttft.value.mean == Approx(40e-3));
  CHECK(busy.waiting.value.mean == Approx(5e-3));
  CHECK(busy.prefill_busy.value == Approx(1).epsilon(2e-2));
}

TEST_CASE(
    "users in front of thousands of decode engines: each has one of his own, and it takes no "
    "longer to find") {
  Scenario s = users(8000, 20e-3);
  s.pools->prefill = s.pools->decode = 8000;
  s.requests = 64'000;
  const Outcome o = simulate(s);
  CHECK(o.ttft.value.p99 == Approx(25e-3));
  CHECK(o.tpot.value.p99 == Approx(10e-3));
}

TEST_CASE("users in front of pools: Little's law, whatever the pools and however they think") {
  for (const int decode : {1, 3})
    for (const double think : {0.0, 0.2}) {
      Scenario s = pools(8e-3, 2);
      s.pools->decode = decode;
      s.pools->send_token = s.pools->receive_token = s.pools->transfer_token;
      s.engine.batch = 4;
      s.engine.step = [](const Step& x) { return 5e-3 + 1e-3 * x.decodes; };
      s.traffic.prompt = {LengthShape::kLognormal, 100, 0.7, 1e9};
      s.traffic.output = {LengthShape::kUniform, 12, 0.5, 1e9};
      s.traffic.think = think;
      s.users = 12;
      s.requests = 40'000;
      s.replications = 8;
      const Outcome o = simulate(s, 2);
      CAPTURE(decode, think);
      const double round = o.end_to_end.value.mean + think;
      CHECK(o.rate.value * round == Approx(12).epsilon(0.01));
      CHECK(o.waiting.value.mean >= 0);
      CHECK(o.sharing.value.mean >= 5e-3 * 0.99);
      const Outcome again = simulate(s, 1);
      CHECK(again.ttft.value.p99 == o.ttft.value.p99);
      CHECK(again.rate.value == o.rate.value);
    }
}

TEST_CASE("users of one engine who think: Little's law") {
  Scenario s;
  s.engine.step = [](const Step& x) { return 6e-3 + 15e-6 * x.decodes + 25e-6 * x.prefill; };
  s.traffic.prompt = {LengthShape::kConstant, 1000, 0, 1e9};
  s.traffic.output = {LengthShape::kUniform, 100, 0.5, 1e9};
  s.traffic.think = 2;
  s.users = 32;
  s.requests = 40'000;
  const Outcome o = simulate(s, 2);
  CHECK(o.rate.value * (o.end_to_end.value.mean + 2) == Approx(32).epsilon(0.01));
  CHECK(o.residual.value > 0);  // they come in the middle of a step
}

TEST_CASE("few requests say nothing of waits that grow") {
  Scenario s;
  s.engine.step = [](const Step& x) { return 1e-3 * x.prefill; };
  s.engine.chunk = 1 << 30;
  s.engine.one_prompt = true;
  for (int i = 0; i < 40; ++i) s.trace.push_back({1e-3 * i, 20, 1});  // twice as many as it takes
  CHECK_FALSE(simulate(s).growing);
  s.trace.clear();
  for (int i = 0; i < 4000; ++i) s.trace.push_back({10e-3 * i, 20, 1});
  CHECK(simulate(s).growing);
}
