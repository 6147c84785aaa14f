// The closed form of a load at its ends, beside the simulation: one place or a few, fewer users than a chunk holds,
// users who are no whole number, who are away between two requests, and millions of them.
#include <chrono>
#include <cmath>

#include "catch.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/load/simulate.hpp"

using namespace reckon;

namespace {

// Prompts of one length; steps of `base`, so much more for a decode, and for a prompt token.
struct Asked {
  double base = 6e-3, decode = 15e-6, prefill = 25e-6, prompt = 1000, output = 300, spread = 0,
         batch = 256, chunk = 512, rate = 0, users = 0, overhead = 0, think = 0;
  PromptSteps prompts = PromptSteps::kShared;
};

LoadFigures<double> said(const Asked& a) {
  LoadInput<double> x;
  x.prompt = Count<double>(a.prompt);
  x.output = Count<double>(a.output);
  x.output_spread = Ratio<double>(a.spread);
  x.lengths = length_shares(LengthShape::kConstant, x.prompt, Ratio<double>(0.0));
  x.slots = Count<double>(a.batch);
  x.chunk = Count<double>(a.chunk);
  x.prompts = a.prompts;
  x.overhead = Seconds<double>(a.overhead);
  x.rate = Frequency<double>(a.rate);
  if (a.users > 0) x.users = Count<double>(a.users);
  if (a.think > 0) x.think = Seconds<double>(a.think);
  x.step = [a](Count<double> n, Count<double> c) {
    return Seconds<double>(a.base + a.decode * plain(n) + a.prefill * plain(c));
  };
  return load_figures(x, x);
}

load::Outcome played(const Asked& a) {
  load::Scenario s;
  s.engine.step = [a](const load::Step& y) {
    return a.base + a.decode * y.decodes + a.prefill * y.prefill;
  };
  s.engine.batch = static_cast<int>(a.batch);
  s.engine.chunk = static_cast<int>(a.chunk);
  s.engine.one_prompt = a.prompts == PromptSteps::kAlone;
  s.engine.order =
      a.prompts == PromptSteps::kFirst ? StepOrder::kPrefillFirst : StepOrder::kChunked;
  s.traffic.rate = a.rate;
  s.traffic.prompt = {LengthShape::kConstant, a.prompt, 0, 1e9};
  s.traffic.output = {a.spread > 0 ? LengthShape::kLognormal : LengthShape::kConstant, a.output,
                      a.spread, 1e9};
  s.overhead = a.overhead;
  if (a.think > 0) s.traffic.think = a.think;
  s.users = static_cast<std::size_t>(a.users);
  s.requests = 30'000;
  return load::simulate(s, 1);
}

}  // namespace

TEST_CASE("a single place: one request after the other") {
  Asked a;
  a.batch = 1;
  a.chunk = 2048;
  a.base = 20e-3;
  a.prompt = 100;
  a.output = 1;
  a.rate = 40;
  const auto f = said(a);
  CHECK(plain(f.full.rate) == Approx(1 / 22.5e-3));
  CHECK(plain(*f.ttft) == Approx(played(a).ttft.value.mean).epsilon(0.06));
  Asked answers;
  answers.batch = 1;
  answers.output = 50;
  answers.rate = 1.5;
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone}) {
    answers.prompts = prompts;
    const auto g = said(answers);
    const load::Outcome o = played(answers);
    // Nobody's prompt is in his steps.
    CHECK(plain(*g.tpot) == Approx(answers.base + answers.decode));
    CHECK(plain(*g.tpot_p99) == Approx(o.tpot.value.p99));
    CHECK(plain(*g.ttft) == Approx(o.ttft.value.mean).epsilon(0.03));
    CHECK(plain(g.full.rate) ==
          Approx(1 / (49 * (answers.base + answers.decode) + 2 * answers.base + 1000 * 25e-6)));
  }
}

TEST_CASE("few places: no more prompts share a step, and each has its place for all of it") {
  Asked a;
  a.base = 20e-3;
  a.prompt = 100;
  a.chunk = 2048;
  a.output = 1;
  a.batch = 2;
  a.rate = 60;
  CHECK(plain(said(a).full.rate) == Approx(2 / 25e-3));
  CHECK(plain(*said(a).ttft) == Approx(played(a).ttft.value.mean).epsilon(0.06));
  a.output = 3;
  a.batch = 4;
  a.rate = 40;
  const double full = plain(said(a).full.rate);
  a.users = 4;
  CHECK(full == Approx(played(a).rate.value).epsilon(0.05));
}

TEST_CASE("an overhead takes no place: the engine does as much, and the others wait as long") {
  Asked a;
  a.spread = 0.5;
  a.overhead = 2;
  a.users = 30;
  a.batch = 4;
  auto f = said(a);
  auto o = played(a);
  CHECK(plain(f.rate) == Approx(o.rate.value).epsilon(0.01));
  CHECK(plain(*f.ttft) == Approx(o.ttft.value.mean).epsilon(0.01));
  a.users = 8;
  a.batch = 64;
  f = said(a);
  o = played(a);
  CHECK(plain(f.rate) == Approx(o.rate.value).epsilon(0.01));
  CHECK(plain(*f.ttft) == Approx(o.ttft.value.mean).epsilon(0.01));
  CHECK(plain(*f.tpot) == Approx(o.tpot.value.mean).epsilon(0.01));
  a.spread = 0;  // these catch up with each other
  CHECK_FALSE(said(a).ttft);
}

TEST_CASE("users who think ask no more often than their thinking leaves, whatever the prompts") {
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
    for (const double output : {1.0, 2.0, 40.0})
      for (const double users : {1.0, 5.0, 5.5, 300.0}) {
        Asked a;
        a.prompts = prompts;
        a.prompt = 10;
        a.output = output;
        a.users = users;
        a.think = 0.2;
        CAPTURE(static_cast<int>(prompts), output, users);
        const double shortest = a.base + a.prefill * a.prompt + (output - 1) * a.base;
        CHECK(plain(said(a).rate) <= users / (a.think + shortest));
      }
  Asked a;
  a.prompts = PromptSteps::kFirst;
  a.prompt = 10;
  a.output = 1;
  a.users = 5;
  a.think = 0.2;
  CHECK(plain(said(a).rate) == Approx(played(a).rate.value).epsilon(0.01));
}

TEST_CASE("as many decode as their rate and their time make, and percentiles lie about the mean") {
  Asked a;
  a.base = 10e-3;
  a.prefill = 50e-6;
  a.prompt = 4000;
  a.output = 32;
  a.batch = 128;
  a.chunk = 2048;
  for (const double rate : {1.0, 3.0, 4.091}) {
    a.rate = rate;
    const auto f = said(a);
    CAPTURE(rate);
    CHECK(plain(f.decoding->n) == Approx(rate * (a.output - 1) * plain(*f.tpot)));
    CHECK(plain(f.decoding->n) <= plain(*f.present));
    // Half of them take no more than p50, and nobody more than a step with a full chunk.
    const double most = a.base + a.prefill * a.chunk + a.decode * plain(f.decoding->seen);
    CHECK(plain(*f.tpot) <= (plain(*f.tpot_p50) + most) / 2);
  }
}

TEST_CASE("users whose prompts fit into one chunk: nobody waits, nor meets more than the others") {
  Asked a;
  a.prompt = 100;
  a.output = 2;
  a.spread = 0.7;
  a.users = 3;
  const auto f = said(a);
  const auto o = played(a);
  const double most = a.base + 2 * a.decode + 2 * a.prompt * a.prefill;
  CHECK(plain(f.waiting->queue) == 0);
  CHECK(plain(f.rate) == Approx(o.rate.value).epsilon(0.02));
  CHECK(plain(*f.ttft) == Approx(o.ttft.value.mean).epsilon(0.02));
  CHECK(plain(*f.ttft_p90) == Approx(o.ttft.value.p90).epsilon(0.03));
  CHECK(plain(*f.tpot_p90) == Approx(o.tpot.value.p90).epsilon(0.02));
  CHECK(plain(*f.tpot_p90) <= most + a.decode);
}

TEST_CASE("users who are no whole number: of some engines one more, none less than a prompt") {
  for (const double prompt : {200.0, 1000.0})
    for (const double output : {2.0, 50.0})
      for (const double users : {1.0, 2.0, 5.0}) {
        Asked a;
        a.prompt = prompt;
        a.output = output;
        a.users = users;
        const auto less = said(a);
        a.users = users + 1;
        const auto more = said(a);
        a.users = users + 0.25;
        const auto f = said(a);
        CAPTURE(prompt, output, users);
        const auto mean = [](double x, double y, double share) { return x + share * (y - x); };
        const double rate = mean(plain(less.rate), plain(more.rate), 0.25);
        const double share = 0.25 * plain(more.rate) / rate;
        CHECK(plain(f.rate) == Approx(rate));
        CHECK(plain(*f.ttft) == Approx(mean(plain(*less.ttft), plain(*more.ttft), share)));
        CHECK(plain(*f.tpot) == Approx(mean(plain(*less.tpot), plain(*more.tpot), share)));
        CHECK(plain(f.waiting->sharing) >= 0);
        CHECK(plain(*f.ttft) >= plain(f.waiting->alone) * (1 - 1e-12));
        if (!f.tpot_p90) continue;
        const auto least = std::min(plain(*less.tpot_p50), plain(*more.tpot_p50));
        const auto most = std::max(plain(*less.tpot_p90), plain(*more.tpot_p90));
        CHECK(plain(*f.tpot_p50) >= least * (1 - 1e-6));
        CHECK(plain(*f.tpot_p90) <= most * (1 + 1e-6));
      }
}

TEST_CASE("no part of a time to first token is less than nothing, nor by a digit") {
  for (const double prompt : {1.0, 777.0, 3333.0})
    for (const double rate : {1e-6, 0.1, 3.0}) {
      Asked a;
      a.prompt = prompt;
      a.chunk = 8192;
      a.rate = rate;
      CHECK(plain(said(a).waiting->sharing) >= 0);
    }
}

TEST_CASE("steps that are no straight line in their tokens: the wait grows with the rate") {
  // Of experts that few tokens do not reach all: 5 ms, 20 ms soon, and then little more.
  const auto time = [](double c) { return 5e-3 + 20e-3 * (1 - std::exp(-c / 400)) + 4e-6 * c; };
  LoadInput<double> x;
  x.prompt = Count<double>(2048);
  x.output = Count<double>(1);
  x.lengths = length_shares(LengthShape::kConstant, x.prompt, Ratio<double>(0.0));
  x.slots = Count<double>(256);
  x.chunk = Count<double>(8192);
  x.step = [&](Count<double>, Count<double> c) { return Seconds<double>(time(plain(c))); };
  load::Scenario s;
  s.engine.step = [&](const load::Step& y) { return time(y.prefill); };
  s.engine.batch = 256;
  s.engine.chunk = 8192;
  s.traffic.prompt = {LengthShape::kConstant, 2048, 0, 1e9};
  s.traffic.output = {LengthShape::kConstant, 1, 0, 1e9};
  s.requests = 30'000;
  double last = 0;
  for (const double rate : {5.0, 20.0, 30.0, 40.0, 50.0}) {
    x.rate = Frequency<double>(rate);
    s.traffic.rate = rate;
    const auto f = load_figures(x, x);
    const double simulated = load::simulate(s, 1).ttft.value.mean;
    CAPTURE(rate, plain(f.utilisation), simulated);
    CHECK(plain(*f.ttft) > last);
    CHECK(plain(*f.ttft) == Approx(simulated).epsilon(0.15));
    last = plain(*f.ttft);
  }
}

TEST_CASE("of millions of users and places it is said at once, and says how many they are") {
  // One by one, to hold the short cut to.
  const auto one_by_one = [](int users, double d, double h) {
    double w = 0, nu = 0, Q = 0, rho = 0;
    for (int k = 1; k <= users; ++k) {
      w = h * (Q - rho) + h / 2 * rho;
      nu = std::min(k / (d + h + w), 1 / h);
      if (nu * h >= 1) return 1 / h;
      Q = nu * (h + w);
      rho = nu * h;
    }
    return nu;
  };
  for (const double full : {0.5, 0.9, 0.99, 1.0, 1.01})
    CHECK(detail::user_steps(20'000, 20'000 * 0.1 / full, 0.1, 0.05).asked ==
          Approx(one_by_one(20'000, 20'000 * 0.1 / full, 0.1)).epsilon(1e-4));
  const auto start = std::chrono::steady_clock::now();
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kFirst})
    for (const double users : {64.0, 1e6, 2e6, 1e7}) {
      Asked a;
      a.prompts = prompts;
      a.spread = 0.5;
      a.batch = 2e7;
      a.users = users;
      a.decode = 1e-9;
      CAPTURE(static_cast<int>(prompts), users);
      const auto f = said(a);
      CHECK(plain(*f.present) == Approx(users));
      a.think = users / 10;
      if (users > 1e3) CHECK(plain(said(a).rate) == Approx(10).epsilon(0.05));
    }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(took.count() < 2);  // unoptimised; one by one it is minutes
  CHECK(detail::erlang_c(2e6, 2e6 - 2000) ==
        Approx(detail::erlang_c(1e5, 1e5 - 447.2)).epsilon(0.02));
}
