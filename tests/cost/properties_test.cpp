// What must hold for any plan, whatever the constants.
#include <functional>

#include "catch.hpp"
#include "random_plans.hpp"
#include "reckon/engine/evaluate.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

double number(const std::vector<Metric>& metrics, std::string_view id) {
  for (const Metric& m : metrics) {
    if (m.id == id && m.has_value()) return m.value;
  }
  FAIL("no metric " << id);
  return 0;
}
double of(const TrainingPlan<double>& plan, std::string_view id) {
  return number(metrics_of(plan), id);
}

const int kPlans = how_many(400);

}  // namespace

TEST_CASE("ZeRO 3 needs no more state than 2, 2 than 1, 1 than DDP") {
  RandomPlans plans(11);
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    double before = 0;
    int stage = -1;
    for (int z = 0; z <= 3; ++z) {
      p.sharding.zero = Count<double>(z);
      const auto memory = estimate(p).memory;
      const double states = memory.state_total.raw;
      // Of the heaviest stage: where gathered weights make another one that, the two don't compare.
      if (z > 0 && memory.stage == stage) CHECK(states <= before * (1 + 1e-12));
      before = states;
      stage = memory.stage;
    }
  }
}

TEST_CASE(
    "recompute: full keeps no more than selective, selective no more than none; time the other "
    "way") {
  RandomPlans plans(12);
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    if (!p.model.hidden || !p.assume.train.mfu) continue;
    p.assume.live_layers = Ratio<double>(0);  // the live layer can outweigh a stage of one layer
    p.assume.flops = FlopCount::k6n;
    double memory = 0, time = 0;
    for (const Recompute r : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      p.recompute = r;
      const auto m = metrics_of(p);
      if (r != Recompute::kNone) {
        CHECK(number(m, "memory.activations") <= memory * (1 + 1e-12));
        CHECK(number(m, "step.time") >= time * (1 - 1e-12));
      }
      memory = number(m, "memory.activations");
      time = number(m, "step.time");
    }
  }
}

TEST_CASE("no step is slower with faster links, memory or arithmetic") {
  RandomPlans plans(13);
  using Change = std::function<void(TrainingPlan<double>&)>;
  constexpr std::size_t kFasterArithmetic = 3;
  const Change changes[] = {
      [](auto& p) {
        p.cluster.node.chip.link->one_way =
            ByteRate<double>(2 * value_of(p.cluster.node.chip.link->one_way.raw));
      },
      [](auto& p) {
        p.cluster.node.fabric->rate =
            ByteRate<double>(2 * value_of(p.cluster.node.fabric->rate.raw));
      },
      [](auto& p) {
        p.cluster.node.chip.memory.bandwidth =
            ByteRate<double>(2 * value_of(p.cluster.node.chip.memory.bandwidth.raw));
      },
      [](auto& p) {
        p.cluster.node.chip.peak.bf16 =
            FlopRate<double>(2 * value_of(p.cluster.node.chip.peak.bf16->raw));
      },
      [](auto& p) { p.assume.latency = {}; },
      [](auto& p) {
        p.assume.overlap = {Ratio<double>(1), Ratio<double>(1), Ratio<double>(1), Ratio<double>(1),
                            Ratio<double>(1)};
      }};
  for (int i = 0; i < kPlans; ++i) {
    const TrainingPlan<double> p = plans.next().plan;
    if (!p.assume.train.mfu) continue;
    const double before = of(p, "step.time");
    // Passes for weights fill the gaps of such schedules: shorter ones leave more of them, where
    // communication bounds the rest.
    const bool fills = !(p.mesh.pipeline <= 1) && !counts_slots(p.schedule.kind);
    for (const Change& change : changes) {
      if (fills && &change == &changes[kFasterArithmetic]) continue;
      TrainingPlan<double> faster = p;
      change(faster);
      CHECK(of(faster, "step.time") <= before * (1 + 1e-12));
    }
  }
}

TEST_CASE("a degree of 1 sends nothing of its kind") {
  RandomPlans plans(14);
  for (int i = 0; i < kPlans; ++i) {
    const LoadedTraining& l = plans.next();
    const auto has = [m = metrics_of(l.plan)](std::string_view id) {
      return std::any_of(m.begin(), m.end(), [id](const Metric& x) { return x.id == id; });
    };
    const auto one = [](const Count<double>& d) { return value_of(d.raw) == 1; };
    CHECK(has("comm.tensor.bytes") == !one(l.plan.mesh.tensor));
    CHECK(has("comm.context.bytes") == !one(l.plan.mesh.context));
    CHECK(has("comm.pipeline.bytes") == !one(l.plan.mesh.pipeline));
    CHECK(has("comm.expert.bytes") == !one(l.plan.mesh.expert));
  }
}

TEST_CASE("the printed parts add up to the total") {
  RandomPlans plans(15);
  for (int i = 0; i < kPlans; ++i) {
    const auto m = metrics_of(plans.next().plan);
    const auto at = [&m](std::string_view id) {
      for (const Metric& x : m) {
        if (x.id == id) return x.value;
      }
      return 0.0;
    };
    CHECK(at("memory.weights") + at("memory.gradients") + at("memory.optimizer") ==
          Approx(at("memory.states")));
    CHECK(at("memory.states") + at("memory.activations") + at("memory.logits") +
              at("memory.buffers") + at("memory.reserve") ==
          Approx(at("memory.total")));
    CHECK(at("step.compute") + at("step.recompute") + at("step.imbalance") + at("step.bubble") +
              at("step.exposed") + at("step.optimizer") + at("step.fixed") + at("step.growth") ==
          Approx(at("step.time")));
  }
}

TEST_CASE(
    "reduce-scatter and all-gather of the same bytes take as long as the all-reduce without "
    "waiting") {
  RandomPlans plans(16);
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    if (p.trainable.adapters || !p.assume.train.mfu) continue;
    // Of unlike stages the heaviest counts, and sharding may make another the heaviest.
    if (whole(p.mesh.pipeline) > 1) continue;
    p.assume.latency = {};
    p.sharding = {};
    const double all_reduce = of(p, "comm.data.time");
    p.sharding.zero = Count<double>(1);
    CHECK(of(p, "comm.data.time") == Approx(all_reduce));
  }
}

TEST_CASE("full recompute without overlap costs exactly the layers' forward pass once more") {
  RandomPlans plans(17);
  int seen = 0;
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    const bool counted =
        p.model.hidden && p.assume.train.mfu && p.batch.sequence && !p.model.abstract();
    if (!counted || p.trainable.adapters || p.assume.recompute != RecomputeCount::kAdded) continue;
    p.assume.flops = FlopCount::kCausal;
    p.assume.attention = AttentionKernel::kFlash;
    p.recompute = Recompute::kNone;
    const auto plain = metrics_of(p);
    // Useful work is three forward passes, the head's with it; recomputing leaves the head out.
    const double head = 2 * value_of(p.model.vocab.raw) * value_of(p.model.hidden->raw);
    const double forward = number(plain, "flops.per_token.causal") / 3;
    p.recompute = Recompute::kFull;
    const auto full = metrics_of(p);
    CHECK(number(full, "step.recompute") / number(full, "step.compute") ==
          Approx((forward - head) / (3 * forward)));
    CHECK(number(full, "step.compute") == number(plain, "step.compute"));
    ++seen;
  }
  CHECK(seen > kPlans / 20);
}

TEST_CASE("sharing states among fewer ranks holds more; keeping gathered weights sends less") {
  RandomPlans plans(18);
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    p.sharding.zero = Count<double>(3);
    p.sharding.within = Within::kAll;
    p.sharding.ranks.reset();
    p.sharding.reshard = true;
    const auto all = metrics_of(p);
    p.sharding.ranks = Count<double>(1);
    CHECK(of(p, "memory.states") >= number(all, "memory.states") * (1 - 1e-12));
    p.sharding.ranks.reset();
    p.sharding.reshard = false;
    if (whole(p.mesh.pipeline) > 1) continue;
    const auto kept = metrics_of(p);
    CHECK(number(kept, "memory.buffers") >= number(all, "memory.buffers") * (1 - 1e-12));
    if (number(all, "comm.all_gather.time") > 0)
      CHECK(number(kept, "comm.all_gather.count") * 2 == number(all, "comm.all_gather.count"));
  }
}

TEST_CASE("no step is faster above a scarcer tier") {
  RandomPlans plans(19);
  for (int i = 0; i < kPlans; ++i) {
    TrainingPlan<double> p = plans.next().plan;
    if (!p.assume.train.mfu) continue;
    p.cluster.tiers.clear();
    const double flat = of(p, "step.time");
    p.cluster.tiers = {{"pod", Count<double>(4), Ratio<double>(2)}};
    const double scarce = of(p, "step.time");
    CHECK(scarce >= flat * (1 - 1e-12));
    p.cluster.tiers[0].oversubscription = Ratio<double>(8);
    CHECK(of(p, "step.time") >= scarce * (1 - 1e-12));
  }
}
