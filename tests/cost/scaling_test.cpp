// Scaling laws: reference answers, and what must hold whatever the constants.
#include "reckon/cost/questions/scaling.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include "asked.hpp"
#include "reckon/cost/questions/lifetime.hpp"
#include "reckon/cost/questions/repeat.hpp"
#include "reckon/engine/resolve.hpp"
#include "reckon/numerics/random.hpp"
#include "reckon/report/derivation.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/formula/recording.hpp"
#include "reckon/units/formula/sensitivity.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

Workspace& work() {
  static Workspace w({RECKON_SOURCE_DIR});
  return w;
}

Law<double> law(const std::string& id) {
  Diagnostics d;
  Origins origins;
  Law<double> out;
  bind(resolve_law(work(), doc::scalar(id), d), out, {d, origins, "law"});
  INFO(d.render());
  REQUIRE(!d.has_errors());
  return out;
}

double off(double value, double expected) { return std::abs(value / expected - 1); }

constexpr double kClosedForm = 1e-8, kInferenceOptimum = 1e-6;

struct Rows {
  int optimal = 0, lifetime = 0, repeat = 0;
};

void check_optimal(std::istringstream& row) {
  ScalingQuestion<double> q;
  std::string id, loss;
  double C = 0, N = 0, D = 0;
  row >> id >> C >> N >> D >> loss;
  q.law = law(id);
  q.flops = Flops<double>(C);
  const auto a = answer(q);
  CHECK(off(a.run.N.raw, N) < kClosedForm);
  CHECK(off(a.run.D.raw, D) < kClosedForm);
  CHECK(off(a.ratio.raw, D / N) < kClosedForm);
  CHECK(off(a.optimum->N.raw, N) < kClosedForm);
  REQUIRE(a.total.has_value() == (loss != "-"));
  if (a.total) CHECK(off(a.total->raw, std::stod(loss)) < kClosedForm);
}

void check_lifetime(std::istringstream& row) {
  LifetimeQuestion<double> q;
  std::string id;
  double N0 = 0, T = 0, N = 0, D = 0, total = 0, baseline = 0;
  row >> id >> N0 >> T >> N >> D >> total >> baseline;
  q.law = law(id);
  q.quality = Count<double>(N0);
  q.demand = Count<double>(T);
  const auto a = answer(q);
  CHECK(off(a.best.at.N.raw, N) < kInferenceOptimum);
  CHECK(off(a.best.at.D.raw, D) < kInferenceOptimum);
  CHECK(off(a.best.whole.raw, total) < kInferenceOptimum);
  CHECK(off(a.optimal.whole.raw, baseline) < kInferenceOptimum);
  CHECK(std::abs(a.best.saving->raw - (1 - total / baseline)) < kInferenceOptimum);
}

void check_repeat(std::istringstream& row) {
  RepeatQuestion<double> q;
  std::string id;
  double N = 0, D = 0, U = 0, loss = 0;
  row >> id >> N >> D >> U >> loss;
  q.law = law(id);
  q.unique = Count<double>(U);
  q.params = Count<double>(N);
  q.tokens = Count<double>(D);
  CHECK(off(answer(q).worth->loss.total.raw, loss) < kClosedForm);
}

}  // namespace

TEST_CASE("scaling: 364 reference answers") {
  std::ifstream in(RECKON_SOURCE_DIR "/tests/cost/data/scaling-answers.txt");
  REQUIRE(in);
  Rows n;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    INFO(line);
    std::istringstream row(line);
    std::string what;
    row >> what;
    if (what == "optimal") check_optimal(row), ++n.optimal;
    if (what == "lifetime") check_lifetime(row), ++n.lifetime;
    if (what == "repeat") check_repeat(row), ++n.repeat;
  }
  CHECK(n.optimal == 129);
  CHECK(n.lifetime == 75);
  CHECK(n.repeat == 160);
}

TEST_CASE("scaling: the two outputs that Muennighoff's README prints") {
  RepeatQuestion<double> q;
  q.law = law("muennighoff_c4");
  q.unique = Count<double>(25e9);
  q.params = Count<double>(6.34e9);
  q.tokens = Count<double>(242e9);
  CHECK(off(answer(q).worth->loss.total.raw, 2.2256440889984477) < 1e-12);
  q.params = Count<double>(8.67e9);
  q.tokens = Count<double>(178e9);
  CHECK(off(answer(q).worth->loss.total.raw, 2.2269634075087867) < 1e-12);
}

TEST_CASE("scaling: Chinchilla under the refit") {
  ScalingQuestion<double> q;
  q.law = law("besiroglu");
  q.flops = Flops<double>(5.88e23);
  const auto a = answer(q);
  CHECK(a.run.N.raw == Approx(73.02e9).epsilon(1e-4));
  CHECK(a.ratio.raw == Approx(18.4).epsilon(2e-3));
}

namespace {

// Laws of the loss family with constants of any plausible size.
LossCurve<double> random_curve(Random& random) {
  const auto between = [&](double low, double high) {
    return Ratio<double>(low * std::pow(high / low, random.unit()));
  };
  return loss_curve(LossTerms<double>{between(0.5, 2.5), between(50, 2000), between(50, 5000),
                                      between(0.15, 0.6), between(0.15, 0.6)});
}

double loss_of(const LossCurve<double>& l, double N, double C) {
  return loss_at(l, {Count<double>(N), Count<double>(C / (6 * N))}).total.raw;
}

}  // namespace

TEST_CASE(
    "scaling: the optimum of a budget is the least loss along it, with equal marginal returns") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const LossCurve<double> l = random_curve(random);
    const double C = std::pow(10, 16 + 12 * random.unit());
    const Flops<double> k(6);
    const Point<double> x = optimum(l, Flops<double>(C), k);
    CHECK(off(6 * x.N.raw * x.D.raw, C) < 1e-12);
    const double best = loss_of(l, x.N.raw, C);
    for (const double factor : {0.5, 0.9, 1.1, 2.0}) CHECK(loss_of(l, x.N.raw * factor, C) > best);
    const Loss<double> loss = loss_at(l, x);
    CHECK(marginal_at(l, loss).over.raw == Approx(1).epsilon(1e-10));
    // The terms share what is reducible as β : α.
    CHECK(loss.capacity.raw / (loss.capacity.raw + loss.data.raw) ==
          Approx(l.beta.raw / l.s.raw).epsilon(1e-10));
    // Cost of being off by a factor, in closed form.
    const double r = best - l.E.raw, kappa = 1.7;
    const double factor =
        (l.beta.raw * std::pow(kappa, -l.alpha.raw) + l.alpha.raw * std::pow(kappa, l.beta.raw)) /
        l.s.raw;
    CHECK(loss_of(l, x.N.raw * kappa, C) - l.E.raw == Approx(r * factor).epsilon(1e-9));
  }
}

TEST_CASE("scaling: inverses come back") {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const LossCurve<double> l = random_curve(random);
    const Flops<double> C(std::pow(10, 16 + 12 * random.unit())), k(6);
    const Point<double> x = optimum(l, C, k);
    CHECK(off(flops_of_params(l, x.N, k).raw, C.raw) < 1e-9);
    CHECK(off(flops_of_tokens(l, x.D, k).raw, C.raw) < 1e-9);
    const Ratio<double> loss = loss_at(l, x).total;
    const Point<double> again = cheapest_with(l, loss);
    CHECK(off(again.N.raw, x.N.raw) < 1e-6);
    CHECK(off(tokens_to_reach(l, x.N, loss).raw, x.D.raw) < 1e-6);
    CHECK(off(params_to_reach(l, x.D, loss).raw, x.N.raw) < 1e-6);
  }
}

TEST_CASE("scaling: more compute never hurts, under any law that splits it") {
  for (const std::string& id : work().ids(Shelf::kLaws)) {
    ScalingQuestion<double> q;
    q.law = law(id);
    if (!allocates(q.law)) continue;
    INFO(id);
    std::optional<ScalingAnswer<double>> last;
    for (double C = 1e17; C < 2e27; C *= 10) {
      q.flops = Flops<double>(C);
      const auto a = answer(q);
      if (last) {
        CHECK(a.run.N.raw > last->run.N.raw);
        CHECK(a.run.D.raw > last->run.D.raw);
        if (a.total) CHECK(a.total->raw < last->total->raw);
      }
      // The same question by what it answered.
      ScalingQuestion<double> by_size = q, by_tokens = q;
      by_size.flops = by_tokens.flops = {};
      by_size.params = a.run.N;
      by_tokens.tokens = a.run.D;
      CHECK(off(answer(by_size).C.raw, C) < 1e-9);
      CHECK(off(answer(by_tokens).C.raw, C) < 1e-9);
      last = a;
    }
  }
}

TEST_CASE("lifetime: more demand, a smaller model trained further; none, the compute optimum") {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    LifetimeQuestion<double> q;
    const LossCurve<double> l = random_curve(random);
    q.law.loss = LossTerms<double>{l.E, l.A, l.B, l.alpha, l.beta};
    q.quality = Count<double>(std::pow(10, 8 + 4 * random.unit()));
    auto last = answer(q);
    CHECK(off(last.best.at.N.raw, q.quality->raw) < 1e-6);
    for (double T = 1e9; T < 1e16; T *= 10) {
      q.demand = Count<double>(T);
      const auto a = answer(q);
      CHECK(a.best.at.N.raw <= last.best.at.N.raw * (1 + 1e-9));
      CHECK(a.best.at.D.raw >= last.best.at.D.raw * (1 - 1e-9));
      CHECK(a.best.saving->raw > -1e-9);
      // Neighbours of the same quality cost no less.
      for (const double factor : {0.97, 1.03}) {
        const Count<double> N(a.best.at.N.raw * factor);
        const Count<double> D = tokens_to_reach(l, N, a.loss);
        if (!(D.raw > 0)) continue;
        CHECK(lifetime_flops(Point<double>{N, D}, a.k, a.f, q.demand).raw >=
              a.best.whole.raw * (1 - 1e-9));
      }
      last = a;
    }
  }
}

TEST_CASE("repeat: worth grows with epochs and stays below the ceiling") {
  RepeatQuestion<double> q;
  q.law = law("muennighoff_c4");
  q.unique = Count<double>(25e9);
  q.params = Count<double>(7e9);
  double worth = 0, loss = 10;
  for (const double n : {0.5, 1.0, 2.0, 4.0, 16.0, 64.0, 256.0}) {
    q.epochs = Ratio<double>(n);
    const auto a = answer(q);
    CHECK(a.worth->effective_tokens.raw > worth);
    CHECK(a.worth->effective_tokens.raw < a.ceiling.raw);
    CHECK(a.worth->loss.total.raw < loss);
    CHECK(a.penalty->raw >= 0);
    if (n <= 1) CHECK(a.penalty->raw == 0);
    worth = a.worth->effective_tokens.raw;
    loss = a.worth->loss.total.raw;
  }
}

TEST_CASE("repeat: the best split of a budget has no better neighbour") {
  RepeatQuestion<double> q;
  q.law = law("muennighoff_c4");
  q.unique = Count<double>(25e9);
  for (const double C : {1e19, 1e21, 1e22, 1e24}) {
    q.flops = Flops<double>(C);
    const auto a = answer(q);
    for (const double factor : {0.5, 0.98, 1.02, 2.0}) {
      const double N = a.run->N.raw * factor;
      CHECK(repeat_loss(q, N, C / (6 * N)) >= a.worth->loss.total.raw);
    }
  }
}

TEST_CASE("scaling: derivatives of what a search found are those of what it solves") {
  const std::string yaml =
      "kind: lifetime\nquality: 13B\ndemand: 2T\nlaw: hoffmann_a3_336\nassume: textbook\n";
  Diagnostics d;
  const PlanFile file = open_plan(work(), "q.yaml", work().read_text("q.yaml", yaml, d), {}, d);
  const auto plan = load_plan(work(), file, nullptr, d);
  REQUIRE(plan);
  const Recorded recorded(*plan);
  const Metric* N = recorded.find("best.params");
  REQUIRE(N);
  LifetimeQuestion<double> q;
  q.law = law("hoffmann_a3_336");
  q.quality = Count<double>(13e9);
  const auto at = [&](double T) {
    q.demand = Count<double>(T);
    return answer(q).best.at.N.raw;
  };
  const double slope = (at(2e12 * 1.0001) - at(2e12 * 0.9999)) / (2e12 * 0.0002);
  for (const InputSlope& s : input_slopes(recorded.tape(), N->node))
    if (s.path == "demand") CHECK(s.slope == Approx(slope).epsilon(1e-5));
}

TEST_CASE("laws: each holds what its source prints, or is marked") {
  int held = 0;
  for (const std::string& id : work().ids(Shelf::kLaws)) {
    INFO(id);
    const Law<double> l = law(id);
    CHECK(!l.source.empty());
    CHECK(!l.params_are.empty());
    if (l.confidence != Confidence::kQualitative) {
      CHECK(!l.expect.items.empty());
      ++held;
    }
  }
  for (const char* id :
       {"hoffmann_a1", "hoffmann_a2", "hoffmann_a3", "hoffmann_a3_336", "hoffmann_a3_tex",
        "besiroglu", "besiroglu_huber", "kaplan", "deepseek", "llama3_printed", "llama3_anchor",
        "muennighoff_c4", "rule20", "gadre_c4", "kaplan_batch"})
    CHECK(law(id).confidence != Confidence::kQualitative);
  CHECK(held == 15);
}

TEST_CASE("scaling: faults say what was found and what to do") {
  const std::pair<const char*, const char*> kFaults[] = {
      {"flops: 1e21 FLOP\nparams: 1B\ntokens: 100B", "6 · params · tokens and flops disagree"},
      {"flops: -1e21 FLOP", "negative"},
      {"budget: -5 USD\nprice: 2 USD/h", "negative"},
      {"flops: nan", "flops"},
      {"", "nothing is stated"},
      {"budget: 1000 USD", "budget: what a GPU costs is not stated"},
      {"budget: 1000 USD\nprice: 2 USD/h", "how fast a GPU computes is not stated"},
      {"gpu_hours: 10 GPU-hours\nhardware: h100-sxm", "how well the peak is used is not stated"},
      {"loss: 1.5", "not above the irreducible"},
      {"loss: 2\nparams: 1e6", "never reach a loss"},
      {"loss: 2\nflops: 1e21 FLOP", "compute settle it already"},
      {"loss: 2\nlaw: rule20", "no loss that could be solved"},
      {"flops: 1e21 FLOP\nlaw: kaplan_batch", "law of the critical batch"},
      {"flops: 1e21 FLOP\nlaw: clark_sbase", "does not say how compute is split"},
      {"flops: 1e21 FLOP\nexperts: 8", "does not depend on it"},
      {"flops: 1e21 FLOP\nprice: 2 USD/h", "bears on nothing"},
      {"flops: 1e21 FLOP\ncritical_batch: yes", "only Kaplan's law"},
      {"params: 1B\nmodel: llama-3-8b", "params and model both"},
      {"flops: 1e21 FLOP\nlaw: besirogl", "did you mean 'besiroglu'?"},
  };
  for (const auto& [keys, says] : kFaults) {
    const Asked a = ask(std::string("kind: scaling\nassume: textbook\n") + keys + "\n");
    INFO(keys << "\n" << a.faults);
    CHECK(a.faults.find("error") != std::string::npos);
    CHECK(a.faults.find(says) != std::string::npos);
  }
}

TEST_CASE("scaling: figures that agree may be stated together") {
  const Asked a =
      ask("kind: scaling\nassume: textbook\nflops: 1.2e20 FLOP\nparams: 1B\ntokens: 20B\nlaw: "
          "rule20\n");
  CHECK(a.faults.empty());
  CHECK(a.value("flops") == 1.2e20);
}
