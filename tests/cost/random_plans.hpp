// Legal training plans by the thousand: every model kind, degree, schedule, optimizer and convention, mixed.
#pragma once

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "reckon/cost/mesh.hpp"
#include "reckon/engine/legal.hpp"
#include "reckon/engine/load.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon::test {

inline LoadedTraining load_text(Workspace& work, const std::string& text) {
  Diagnostics d;
  const PlanFile f = open_plan(work, "test.yaml", work.read_text("test.yaml", text, d), {}, d);
  LoadedTraining l = load_training(work, case_tree(f, nullptr, d), d);
  if (d.has_errors()) throw std::runtime_error(d.render());
  return l;
}

// What plans are made from, read once a process: reading takes longer than most tests.
struct RandomPlanBases {
  Workspace work{{RECKON_SOURCE_DIR}};
  std::vector<LoadedTraining> loaded;
  std::vector<TrainingPlan<double>> plans;  // of each, as loaded
  std::vector<Optimizer<double>> optimizers;

  RandomPlanBases() {
    for (const char* model : {"llama-3-8b", "gpt-3-175b", "week14-moe", "mixtral-8x7b",
                              "deepseek-v3", "gpt-oss-20b", "generic-7b", "{params: 7B}"}) {
      for (const char* preset : {"textbook", "physical"})
        loaded.push_back(load_text(
            work, std::string("kind: training\nmodel: ") + model +
                      "\ncluster: 64xh100-sxm\nbatch: {global: 64, micro: 1, sequence: 2048}\n"
                      "assume: {preset: " +
                      preset +
                      ", flops: 6n, train.mfu: 40%}\n"
                      "run: {tokens: 1T, price: 2 USD/h}\n"));
    }
    for (const char* model : {"llama-3-8b", "gpt-3-175b", "mixtral-8x7b", "deepseek-v3"}) {
      for (const char* stack :
           {"nemo-2024-h100", "torchtitan-2024-h100-500w", "{base: generic-h100, tier: nccl}",
            "{base: megatron-bridge-2025-h100, tier: line_rate, fixed.routing: 200 us}",
            "{base: generic-h100, gemm.width_fp8: 256}"}) {
        for (const char* precision : {"bf16", "fp8"})
          loaded.push_back(load_text(
              work, std::string("kind: training\nmodel: ") + model +
                        "\ncluster: 64xh100-sxm\nbatch: {global: 64, micro: 1, sequence: 2048}\n"
                        "assume: physical\nprecision: " +
                        precision + "\nstack: " + stack + "\nrun: {tokens: 1T}\n"));
      }
    }
    for (const std::string& id : work.ids(Shelf::kOptimizers)) {
      Diagnostics d;
      Origins unused;
      bind(resolve_optimizer(work, doc::scalar(id), d), optimizers.emplace_back(),
           {d, unused, "optimizer"});
    }
    for (const LoadedTraining& l : loaded) plans.push_back(l.plan);
  }
};

// Under sanitizers, which look for mistakes that any plan shows and take ten times as long, a tenth of the plans.
inline int how_many(int plans) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return plans / 10;
#endif
#endif
  return plans;
}

class RandomPlans {
 public:
  explicit RandomPlans(unsigned seed) : rng_(seed) {}

  // The next legal one, until the one after it. Its origins are those of the base it was made from.
  const LoadedTraining& next() {
    for (;;) {
      const std::size_t at = rng_() % bases().loaded.size();
      LoadedTraining& l = bases().loaded[at];
      l.plan = bases().plans[at];
      mutate(l.plan);
      Diagnostics d;
      check_legal(l.plan, l.origins, l.resolved, d);
      if (!d.has_errors()) return l;
    }
  }
  Workspace& work() { return bases().work; }

 private:
  static RandomPlanBases& bases() {
    static RandomPlanBases all;
    return all;
  }
  Count<double> pick(std::initializer_list<double> xs) {
    return Count<double>(*(xs.begin() + rng_() % xs.size()));
  }
  bool coin(unsigned one_in = 2) { return rng_() % one_in == 0; }
  template <class E>
  E any() {
    return static_cast<E>(rng_() % names(E{}).size());
  }

  void mutate(TrainingPlan<double>& p) {
    const bool abstract = !p.model.hidden;
    p.cluster.nodes = pick({1, 2, 8, 64});
    p.cluster.tiers.clear();
    if (coin(3))
      p.cluster.tiers = {{"leaf", pick({2, 4}), Ratio<double>(1)},
                         {"pod", pick({8, 16}), Ratio<double>(coin() ? 7 : 2)}};
    p.mesh.order.clear();
    if (coin(3)) {
      p.mesh.order = usual_order();
      std::shuffle(p.mesh.order.begin(), p.mesh.order.end(), rng_);
    }
    if (!abstract) {
      p.mesh.tensor = pick({1, 1, 2, 4, 8});
      p.mesh.context = pick({1, 1, 1, 2, 4});
      p.mesh.pipeline = pick({1, 1, 2, 4, 8});
      p.mesh.expert = pick({1, 1, 2, 8});
      p.mesh.sequence = coin();
      p.mesh.context_by = any<ContextBy>();
      p.recompute = any<Recompute>();
      p.recompute_every.reset();
      if (p.recompute == Recompute::kFull && coin(3)) p.recompute_every = pick({1, 2, 4});
    }
    p.schedule.kind = any<ScheduleKind>();
    p.schedule.chunks = takes_chunks(p.schedule.kind) ? pick({2, 4}) : pick({1});
    p.sharding.zero = pick({0, 1, 2, 3});
    p.sharding = {p.sharding.zero, coin(3) ? Within::kNode : Within::kAll, {}, {}, true};
    if (coin(4)) p.sharding.ranks = pick({2, 4, 8, 16});
    if (coin(4)) p.sharding.bucket = Bytes<double>(25e6);
    p.sharding.reshard = !coin(4);
    p.precision.accumulation.reset();
    if (coin(4)) p.precision.accumulation = p.precision.weights;
    batch(p.batch, abstract);
    p.offload = coin(5) ? Offload::kOptimizer : Offload::kNone;
    if (coin()) p.optimizer = bases().optimizers[rng_() % bases().optimizers.size()];
    if (!p.model.abstract() && coin(4)) {
      p.trainable.adapters.emplace().rank = pick({8, 64});
      if (coin()) p.trainable.adapters->base = p.precision.weights;
    }
    conventions(p.assume, abstract);
    if (p.stack) habits(*p.stack);
  }

  void habits(Stack<double>& s) {
    for (bool* habit : {&s.eager, &s.async_tensor, &s.rowwise, &s.blockwise, &s.fp8_dispatch,
                        &s.overlap_gradients, &s.overlap_experts, &s.scatter_gather})
      *habit = coin();
  }

  void batch(Batch<double>& b, bool abstract) {
    b = {};
    if (abstract || coin(3)) {
      b.tokens_per_gpu = pick({4096, 16384});
      b.micro_batches = pick({1, 4});
      if (!abstract && coin()) b.sequence = pick({4096});
      return;
    }
    b.micro = pick({1, 2, 4});
    b.global = pick({64, 512, 4096});
    b.sequence = pick({2048, 4096, 8192});
  }

  void conventions(Assume<double>& a, bool abstract) {
    a.flops = abstract ? FlopCount::k6n : any<FlopCount>();
    a.ring_factor = any<RingFactor>();
    a.ring_across = any<RingAcross>();
    a.dispatch = any<Dispatch>();
    a.stages = any<StageBalance>();
    a.recompute = any<RecomputeCount>();
    a.activations = any<ActivationCount>();
    if (!abstract) a.attention = any<AttentionKernel>();
    a.swiglu = any<Swiglu>();
    a.gqa = any<GroupedQueries>();
    a.rope = any<Rope>();
    a.fused_norm = coin();
    a.softmax_statistics = coin();
    a.dropout = coin();
    a.loss_chunks = pick({1, 1, 4});
    a.expert_capacity = Ratio<double>(coin(4) ? 1.25 : 1);
    a.reserve.communicator = Bytes<double>(coin(4) ? 1e8 : 0);
    a.capacity = any<CapacityCount>();
    if (coin(6)) a.train.mfu.reset();
  }

  std::mt19937 rng_;
};

}  // namespace reckon::test
