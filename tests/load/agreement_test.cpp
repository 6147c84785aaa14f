// The closed form of a load held to its simulation: engines with linear and with roofline steps, prompts short and
// long, constant and spread, three ways to work on prompts, batches that bind and that don't, utilisations up to 0.8.
// Figures of a run are in docs/decisions/0016.
#include "agreement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "catch.hpp"
#include "deviation.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/load.hpp"
#include "reckon/load/simulate.hpp"

using namespace reckon;

namespace {

struct Machine {
  const char* name;
  double base, decode, prefill;
  bool roofline;

  double operator()(double n, double x) const {
    if (roofline) return 0.5e-3 + std::max(base + decode * n, prefill * (n + x));
    return base + decode * n + prefill * x;
  }
};
constexpr Machine kMachines[] = {{"8B", 6e-3, 15e-6, 25e-6, false},
                                 {"70B", 20e-3, 60e-6, 120e-6, false},
                                 {"roofline", 8e-3, 10e-6, 30e-6, true}};

struct Case {
  Machine machine;
  PromptSteps prompts;
  int prompt, output, chunk, batch;
  LengthShape shape;
  double spread;
};

LoadInput<double> input_of(const Case& c) {
  LoadInput<double> x;
  x.prompt = Count<double>(c.prompt);
  x.output = Count<double>(c.output);
  x.output_spread = Ratio<double>(c.spread > 0 ? 0.5 : 0);
  x.lengths = length_shares(c.shape, x.prompt, Ratio<double>(c.spread));
  x.slots = Count<double>(c.batch);
  x.chunk = Count<double>(c.chunk);
  x.prompts = c.prompts;
  x.step = [m = c.machine](Count<double> n, Count<double> p) {
    return Seconds<double>(m(plain(n), plain(p)));
  };
  return x;
}

load::Scenario scenario_of(const Case& c, double rate) {
  load::Scenario s;
  s.engine.step = [m = c.machine](const load::Step& x) { return m(x.decodes, x.prefill); };
  s.engine.batch = c.batch;
  s.engine.chunk = c.chunk;
  s.engine.one_prompt = c.prompts == PromptSteps::kAlone;
  s.engine.order =
      c.prompts == PromptSteps::kFirst ? StepOrder::kPrefillFirst : StepOrder::kChunked;
  s.traffic.rate = rate;
  s.traffic.prompt = {c.shape, 1.0 * c.prompt, c.spread, 1e9};
  s.traffic.output = {c.spread > 0 ? LengthShape::kUniform : LengthShape::kConstant, 1.0 * c.output,
                      0.5, 1e9};
  s.requests = 50'000;
  s.seed = 20261130;
  return s;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  const std::pair<LengthShape, double> spreads[] = {
      {LengthShape::kConstant, 0}, {LengthShape::kUniform, 0.5}, {LengthShape::kLognormal, 1}};
  int i = 0;
  for (const Machine& m : kMachines)
    for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
      for (const int prompt : {300, 1000, 4000})
        for (const auto& [shape, spread] : spreads) {
          out.push_back({m, prompts, prompt, i % 2 == 0 ? 100 : 300, i % 3 == 0 ? 2048 : 512,
                         i % 4 == 0 ? 32 : 1024, shape, spread});
          ++i;
        }
  return out;
}

using test::Deviation;

void print(const char* name, const Deviation& d) { d.print(name); }

LengthShape shape_of(double spread) {
  return spread > 0 ? LengthShape::kLognormal : LengthShape::kConstant;
}

// So many users of each of the engines that share stages.
void add_users(const Case& c, int users, int stages, test::UsersAgreement& all) {
  LoadInput<double> x = input_of(c);
  x.stages = Count<double>(stages);
  x.users = Count<double>(users);
  load::Scenario s = scenario_of(c, 0);
  s.engine.stages = stages;
  s.users = static_cast<std::size_t>(users * stages);
  all.add(load_figures(x, x), load::simulate(s, 2), stages);
}

}  // namespace

TEST_CASE("closed form and simulation agree", "[slow]") {
  test::Agreement all;
  for (const Case& c : cases()) {
    LoadInput<double> x = input_of(c);
    const double full = plain(saturation(x, x).rate);
    for (const double u : {0.2, 0.5, 0.8}) {
      x.rate = Frequency<double>(u * full);
      const LoadFigures<double> f = load_figures(x, x);
      const load::Outcome o = load::simulate(scenario_of(c, u * full), 2);
      CAPTURE(c.machine.name, c.prompt, c.spread, static_cast<int>(c.prompts), u);
      all.add(f, o, u);
    }
  }
  all.check();
}

TEST_CASE("so do users who wait for their answers", "[slow]") {
  test::UsersAgreement all;
  int i = 0;
  for (const Machine& m : kMachines)
    for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone})
      for (const int prompt : {300, 1000, 3000})
        for (const int users : {1, 4, 16, 64, 200}) {
          const int chunk = ++i % 2 == 0 ? 512 : 2048;
          CAPTURE(m.name, prompt, users, static_cast<int>(prompts));
          add_users({m, prompts, prompt, 200, chunk, 128, LengthShape::kLognormal, 0.5}, users, 1,
                    all);
        }
  all.print();
  CHECK(all.ttft.mean() < 0.02);
  CHECK(all.p90.mean() < 0.05);
  CHECK(all.tpot.mean() < 0.01);
  CHECK(all.tpot90.mean() < 0.03);
  CHECK(all.rate.mean() < 0.01);
}

TEST_CASE("so do few users, short answers, and users up to where every chunk is full", "[slow]") {
  test::UsersAgreement all;
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
    for (const int prompt : {300, 1000, 3000})
      for (const int output : {8, 32, 64})
        for (const int users : {1, 4, 16, 64, 120, 200})
          for (const double spread : {0.0, 0.5}) {
            const Machine& m = kMachines[prompt % 200 == 0 ? 1 : 0];
            const int chunk = (users + output) % 3 == 0 ? 8192 : 2048;
            CAPTURE(static_cast<int>(prompts), prompt, output, users, spread);
            add_users({m, prompts, prompt, output, chunk, 128, shape_of(spread), spread}, users, 1,
                      all);
          }
  all.print();
  CHECK(all.ttft.mean() < 0.02);
  CHECK(all.p90.mean() < 0.03);
  CHECK(all.tpot.mean() < 0.015);
  CHECK(all.tpot90.mean() < 0.04);
  CHECK(all.rate.mean() < 0.01);
  CHECK(all.rate.worst < 0.06);
}

TEST_CASE("so do users of engines that pass the stages of one pipeline", "[slow]") {
  test::UsersAgreement all;
  for (const int p : {2, 4, 8})
    for (const int prompt : {500, 2000, 20000})
      for (const int output : {50, 300})
        for (const int users : {1, 2, 10, 40})  // of a part
          for (const double spread : {0.0, 0.5}) {
            const int chunk = (users + output) % 4 == 0 ? 1024 : 8192;
            CAPTURE(p, prompt, output, users, spread);
            add_users({kMachines[0], PromptSteps::kShared, prompt, output, chunk, 128,
                       shape_of(spread), spread},
                      users, p, all);
          }
  all.print();
  CHECK(all.ttft.mean() < 0.02);
  CHECK(all.p90.mean() < 0.05);
  CHECK(all.tpot.mean() < 0.015);
  CHECK(all.tpot90.mean() < 0.03);
  CHECK(all.rate.mean() < 0.01);
  CHECK(all.rate.worst < 0.10);
}

TEST_CASE("so do percentiles of short answers at a low load, most of which meet no prompt",
          "[slow]") {
  Deviation p50, p90;
  for (const auto prompts : {PromptSteps::kShared, PromptSteps::kAlone, PromptSteps::kFirst})
    for (const int prompt : {1000, 4000})
      for (const int output : {8, 16, 31})
        for (const double spread : {0.0, 0.5})
          for (const double u : {0.05, 0.1, 0.2}) {
            const Case c{kMachines[0],          prompts, prompt, output, 2048, 256,
                         LengthShape::kUniform, spread};
            LoadInput<double> x = input_of(c);
            const double full = plain(saturation(x, x).rate);
            x.rate = Frequency<double>(u * full);
            const LoadFigures<double> f = load_figures(x, x);
            const load::Outcome o = load::simulate(scenario_of(c, u * full), 2);
            CAPTURE(static_cast<int>(prompts), prompt, output, spread, u);
            p50.add(plain(*f.tpot_p50), o.tpot.value.p50, o.tpot.half.p50);
            p90.add(plain(*f.tpot_p90), o.tpot.value.p90, o.tpot.half.p90);
          }
  print("TPOT p50", p50);
  print("TPOT p90", p90);
  CHECK(p50.mean() < 0.015);
  CHECK(p90.mean() < 0.07);
}

TEST_CASE("so do engines that pass the stages of one pipeline", "[slow]") {
  Deviation ttft, tpot, rate;
  for (const int p : {2, 4, 8})
    for (const auto& [prompt, output] : {std::pair{2000, 300}, {2000, 64}, {500, 300}})
      for (const int chunk : {1024, 8192}) {
        const Case c{kMachines[0], PromptSteps::kShared,    prompt, output, chunk,
                     128,          LengthShape::kLognormal, 0.5};
        LoadInput<double> x = input_of(c);
        x.stages = Count<double>(p);
        // Each part of the batch is an engine of its own; the simulation plays them all.
        const double full = plain(saturation(x, x).rate);
        CAPTURE(p, prompt, output, chunk, full);
        for (const double u : {0.2, 0.35}) {
          x.users.reset();
          x.rate = Frequency<double>(u * full);
          const LoadFigures<double> f = load_figures(x, x);
          load::Scenario s = scenario_of(c, u * full * p);
          s.engine.stages = p;
          const load::Outcome o = load::simulate(s, 2);
          ttft.add(plain(*f.ttft), o.ttft.value.mean, o.ttft.half.mean);
          tpot.add(plain(*f.tpot), o.tpot.value.mean, o.tpot.half.mean);
        }
        x.users = Count<double>(40);
        const LoadFigures<double> f = load_figures(x, x);
        load::Scenario s = scenario_of(c, 0);
        s.engine.stages = p;
        s.users = static_cast<std::size_t>(40 * p);
        const load::Outcome o = load::simulate(s, 2);
        rate.add(p * plain(f.rate), o.rate.value, o.rate.half);
      }
  print("TTFT", ttft);
  print("TPOT", tpot);
  print("rate", rate);
  CHECK(ttft.mean() < 0.10);
  CHECK(tpot.mean() < 0.08);
  CHECK(rate.mean() < 0.03);
}
