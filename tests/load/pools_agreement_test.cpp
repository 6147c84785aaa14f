// The closed form of pools held to its simulation: prefill workers 1 to 4, decode engines 1 to 3, prompts constant and
// spread, fast and slow prefill, utilisations up to 0.8. Figures of a run are in docs/decisions/0020.
#include <cmath>

#include "agreement.hpp"
#include "catch.hpp"
#include "reckon/cost/load/lengths.hpp"
#include "reckon/cost/load/pools.hpp"
#include "reckon/load/simulate.hpp"

using namespace reckon;

namespace {

struct Case {
  int prefill, decode, prompt, output, batch;
  double step, token;  // of a prefill worker
  LengthShape shape;
  double spread;
};
constexpr double kBase = 8e-3, kDecode = 40e-6, kMove = 2e-3, kMoveToken = 2e-6;

PoolsLoad<double> input_of(const Case& c) {
  PoolsLoad<double> x;
  x.decode.prompt = Count<double>(c.prompt);
  x.decode.output = Count<double>(c.output);
  x.decode.output_spread = Ratio<double>(c.spread > 0 ? 0.5 : 0);
  x.decode.lengths = length_shares(c.shape, x.decode.prompt, Ratio<double>(c.spread));
  x.decode.slots = Count<double>(c.batch);
  x.decode.step = [](Count<double> n, Count<double>) {
    return Seconds<double>(kBase + kDecode * plain(n));
  };
  x.prefill = [c](Count<double> s) { return Seconds<double>(c.step + c.token * plain(s)); };
  x.prefill_workers = Count<double>(c.prefill);
  x.decode_engines = Count<double>(c.decode);
  x.transfer = Seconds<double>(kMove);
  x.transfer_token = Seconds<double>(kMoveToken);
  return x;
}

load::Scenario scenario_of(const Case& c, double rate) {
  load::Scenario s;
  s.engine.step = [](const load::Step& x) { return kBase + kDecode * x.decodes; };
  s.engine.batch = c.batch;
  s.engine.chunk = 1 << 30;
  s.pools.emplace();
  s.pools->prefill = c.prefill;
  s.pools->decode = c.decode;
  s.pools->transfer = kMove;
  s.pools->transfer_token = kMoveToken;
  s.pools->step = [c](double tokens) { return c.step + c.token * tokens; };
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
  for (const int prefill : {1, 2, 4})
    for (const int decode : {1, 3})
      for (const int prompt : {500, 3000})
        for (const auto& [shape, spread] : spreads)
          out.push_back({prefill, decode, prompt, ++i % 2 == 0 ? 100 : 300, i % 3 == 0 ? 24 : 256,
                         5e-3, i % 4 < 2 ? 20e-6 : 80e-6, shape, spread});
  return out;
}

}  // namespace

TEST_CASE("pools: closed form and simulation agree", "[slow]") {
  test::Agreement all;
  for (const Case& c : cases()) {
    PoolsLoad<double> x = input_of(c);
    x.decode.rate = Frequency<double>(1e-3);
    const double full = plain(pool_figures(x, x).full.rate);
    for (const double u : {0.2, 0.5, 0.8}) {
      x.decode.rate = Frequency<double>(u * full);
      const LoadFigures<double> f = pool_figures(x, x);
      const load::Outcome o = load::simulate(scenario_of(c, u * full), 2);
      CAPTURE(c.prefill, c.decode, c.prompt, c.spread, u);
      CHECK(plain(f.utilisation) == Approx(u));
      all.add(f, o, u);
    }
  }
  all.check();
}
